import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { openReader, testVisit, type Visit, type VisitOptions } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

const ORIGIN = "http://blog.example";

/** Calls LeanCloud as the themes do: all of them send these headers, with GET as well. */
function clientOf(key: string): string {
  return `const call = (method, path, body) => fetch("http://tally.example/as/leancloud/1.1" + path, {
    method,
    headers: { "X-LC-Id": "blog", "X-LC-Key": "${key}", "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).then((response) => response.json());
  const find = (where) => call("GET", "/classes/Counter?where=" +
    encodeURIComponent(JSON.stringify(where))).then(({ results }) => results);
  const increment = { time: { __op: "Increment", amount: 1 } };
  const show = (selector, text) => document.querySelector(selector).textContent = text;`;
}

/** A post of the Hexo theme NexT: GET by url, then PUT, or POST with time 1. */
function nextPost(key: string): string {
  return `<p id=views></p><script>{
    ${clientOf(key)}
    const url = decodeURI(location.pathname);
    find({ url }).then(async ([counter]) => {
      if (counter === undefined) {
        await call("POST", "/classes/Counter", { title: "文章", url, time: 1 });
        return show("#views", 1);
      }
      await call("PUT", "/classes/Counter/" + counter.objectId, increment);
      show("#views", counter.time + 1);
    });
  }</script>`;
}

/** A list of posts of the same theme: one GET with $in, whose results are found by their url. */
function nextList(key: string, urls: readonly string[]): string {
  return `<p id=views></p><script>{
    ${clientOf(key)}
    const urls = ${JSON.stringify(urls)};
    find({ url: { $in: urls } }).then((results) => show(
      "#views",
      urls.map((url) => results.find((item) => item.url === url)?.time ?? 0).join(),
    ));
  }</script>`;
}

/**
 * The Hexo theme Fluid: GET by target, POST with time 0, and one batch for the site, its visitors
 * and the page.
 */
function fluidPage(key: string): string {
  return `<p id=views></p><script>{
    ${clientOf(key)}
    const record = async (target) =>
      (await find({ target }))[0] ?? call("POST", "/classes/Counter", { target, time: 0 });
    const isNew = () => {
      const since = localStorage.getItem("visited");
      if (since && Date.now() - since <= 864e5) return false;
      localStorage.setItem("visited", Date.now());
      return true;
    };
    (async () => {
      const counts = isNew();
      const targets = ["site-pv", "site-uv", decodeURI(location.pathname)];
      const records = await Promise.all(targets.map(record));
      const counted = records.filter((_, index) => index !== 1 || counts);
      const requests = counted.map(({ objectId }) => ({
        method: "PUT",
        path: "/1.1/classes/Counter/" + objectId,
        body: increment,
      }));
      await call("POST", "/batch", { requests });
      show("#views", records.map((one) => (one.time || 0) + (counted.includes(one) ? 1 : 0)).join());
    })().catch((error) => show("#views", error.name));
  }</script>`;
}

/**
 * A theme of Hugo or Jekyll that reads the number after it has counted, as text/plain without a
 * preflight for its type.
 */
function plainPost(key: string): string {
  return `<p id=views></p><script>{
    ${clientOf(key)}
    const send = (method, path, body) => fetch("http://tally.example/as/leancloud/1.1" + path, {
      method,
      headers: { "X-LC-Id": "blog", "X-LC-Key": "${key}", "X-LC-Prod": "1" },
      body: JSON.stringify(body),
    }).then((response) => response.json());
    (async () => {
      const url = location.pathname;
      const [{ objectId }] = [...await find({ url }), { objectId: undefined }];
      const ACL = { "*": { read: true, write: true } };
      const { time } = objectId === undefined
        ? await send("POST", "/classes/Counter?fetchWhenSave=true", { ACL, url, time: 1 })
        : await send("PUT", "/classes/Counter/" + objectId + "?fetchWhenSave=true", increment);
      show("#views", time);
    })();
  }</script>`;
}

/** Tests a visit to a blog that counts with the key of its group. */
function testBlog(
  name: string,
  test: (visit: Visit & { key: string }) => Promise<void>,
  options: VisitOptions = {},
): void {
  testVisit(
    `the requests of ${name}`,
    async (visit) => await test({ ...visit, key: await visit.site.groupKey("leancloud/blog/") }),
    { openReads: false, ...options },
  );
}

/** Opens a page and returns the numbers that it shows. */
async function visit(page: Page, path: string): Promise<string> {
  await page.goto(`${ORIGIN}${path}`);
  return await waitFor("the numbers", async () => await page.textContent("#views") || undefined);
}

for (const [theme, post] of [["NexT", nextPost], ["a Hugo or Jekyll theme", plainPost]] as const) {
  testBlog(
    `${theme} count a new page, a second visit and two tabs`,
    async ({ site, key, reader, page }) => {
      site.pages.set("/post/1/", { html: post(key) });
      strictEqual(await visit(page, "/post/1/"), "1");
      strictEqual(await visit(page, "/post/1/"), "2");
      const tab = await reader.context.newPage();
      await Promise.all([visit(page, "/post/1/"), visit(tab, "/post/1/")]);
      strictEqual(await site.count("leancloud/blog/post/1"), 4);
      deepStrictEqual(reader.complaints, []);
    },
  );
}

testBlog("NexT show the views of ten posts in a list", async ({ site, key, page }) => {
  const paths = Array.from({ length: 10 }, (_, index) => `/文章/${index}/`);
  site.pages.set("/", { html: nextList(key, paths) });
  strictEqual(await visit(page, "/"), "0,0,0,12,0,0,0,0,0,345");
  strictEqual(await site.count("leancloud/blog/文章/0"), 0);
}, { numbers: { "leancloud/blog/文章/3": 12, "leancloud/blog/文章/9": 345 } });

testBlog("Fluid count the page, the site and its visitors", async ({ site, key, reader, page }) => {
  for (const path of ["/", "/文章/"]) site.pages.set(encodeURI(path), { html: fluidPage(key) });
  strictEqual(await visit(page, "/文章/"), "1,1,1");
  strictEqual(await visit(page, "/文章/"), "2,1,2");
  strictEqual(await visit(page, "/"), "3,1,1");
  await using other = await openReader();
  strictEqual(await visit(other.page, "/"), "4,2,2");
  const tab = await other.context.newPage();
  await Promise.all([visit(other.page, "/"), visit(tab, "/")]);
  const counts = await Promise.all(
    ["site-pv", "site-uv", "文章", "*home"].map((name) => site.count(`leancloud/blog/${name}`)),
  );
  deepStrictEqual(counts, [6, 2, 2, 4]);
  deepStrictEqual([...reader.complaints, ...other.complaints], []);
});

testBlog("NexT count a reader without local storage", async ({ site, key, page }) => {
  site.pages.set("/post/1/", { html: nextPost(key) });
  await page.addInitScript(`Object.defineProperty(globalThis, "localStorage", {
    get() { throw new DOMException("denied", "SecurityError"); },
  })`);
  strictEqual(await visit(page, "/post/1/"), "1");
  strictEqual(await visit(page, "/post/1/"), "2");
  strictEqual(await site.count("leancloud/blog/post/1"), 2);
});
