import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { SCRIPT } from "../../support/embedding.ts";
import { shows, testVisit, type Visit, type VisitOptions } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

const LIKE_SCRIPT = '<script async src="http://tally.example/like.js"></script>';
const BUSUANZI =
  '<script src="http://tally.example/as/busuanzi/busuanzi/2.3/busuanzi.pure.mini.js">' +
  '</script><span id="busuanzi_value_site_pv"></span>';

/** Tests elements of the group `b/` on pages of a blog. */
function testElements(
  name: string,
  test: (visit: Visit & { key: string }) => Promise<void>,
  options: VisitOptions = {},
): void {
  testVisit(name, async (visit) => {
    await test({ ...visit, key: await visit.site.groupKey("b/") });
    deepStrictEqual(visit.reader.complaints.filter((text) => /Error|Uncaught/.test(text)), []);
  }, options);
}

testElements(
  "elements take every attribute with data-, which wins over the other form",
  async ({ page, key, open, counts }) => {
    await open(`${SCRIPT}
      <tally-mark data-counter="b/a" counter="b/x" data-key="${key}" data-words="view,views">–</tally-mark>
      <tally-mark data-prefix="b/">–</tally-mark>`);
    await shows(page, ["1 view", "1"]);
    await counts("b/a", 1);
    await counts("b/x", 0);
  },
);

testElements(
  "<tally-mark> counts a view that was only read once its key arrives, and sends a refused hit again with another key",
  async ({ page, key, open, counts }) => {
    await open(`${SCRIPT}<tally-mark counter="b/a">–</tally-mark>
      <tally-mark counter="b/refused" key="wrong">–</tally-mark>`);
    await shows(page, ["0", "–"]);
    await page.evaluate(`for (const mark of document.querySelectorAll("tally-mark")) {
      mark.setAttribute("data-key", "${key}");
    }`);
    await shows(page, ["1", "1"]);
    await page.evaluate('document.querySelector("tally-mark").setAttribute("words", "view")');
    await shows(page, ["1 view", "1"]);
    await counts("b/a", 1);
    await counts("b/refused", 1);
  },
);

testElements(
  "elements fight with no one: a refused hit is not sent again by itself, and a translated number stays",
  async ({ page, open, key, requests }) => {
    await open(`${SCRIPT}<tally-mark counter="b/a" key="wrong">–</tally-mark>
      <tally-mark counter="b/a" key="other">–</tally-mark>
      <tally-mark counter="b/b" key="${key}" words="view,views">–</tally-mark>`);
    await shows(page, ["–", "–", "1 view"]);
    await page.evaluate('document.querySelectorAll("tally-mark")[2].innerHTML = "<b>1 vue</b>"');
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    await page.waitForLoadState("networkidle");
    await shows(page, ["–", "–", "1 vue"]);
    strictEqual(requests.filter((path) => path.startsWith("/hit?")).length, 2, String(requests));
  },
);

testElements(
  "a page that HIT_ORIGINS does not list shows its number and counts nothing",
  async ({ site, page, key, open, counts }) => {
    const mark = `<tally-mark counter="b/a" key="${key}" local>–</tally-mark>`;
    await open(SCRIPT + mark);
    await shows(page, ["1"]);
    site.pages.set("/mirror", { html: SCRIPT + mark });
    await page.goto("http://blog.local/mirror");
    await shows(page, ["1"]);
    await counts("b/a", 1);
  },
  { openReads: false, hitOrigins: "http://blog.example" },
);

const AUTO = 'counter="auto" prefix="b/"';

for (const browser of ["with", "without"]) {
  testElements(
    `counter="auto" of an element that stays counts a path that is there for a second, ${browser} the Navigation API`,
    async ({ page, key, open, counts }) => {
      if (browser === "without") await page.addInitScript("delete globalThis.navigation");
      await open(`${SCRIPT}<tally-mark ${AUTO} key="${key}">–</tally-mark>`, "/one/");
      await runUntilShown(page, ["1"]);
      await page.evaluate('history.pushState(null, "", "/two/?query#hash")');
      await page.clock.runFor(900);
      await page.evaluate('history.pushState(null, "", "/three/")');
      await page.clock.runFor(900);
      await counts("b/three", 0);
      await page.clock.runFor(700);
      await counts("b/three", 1);
      await runUntilShown(page, ["1"]);
      await page.evaluate('history.pushState(null, "", "/one/")');
      await page.clock.runFor(1600);
      await runUntilShown(page, ["2"]);
      await counts("b/one", 2);
      await counts("b/two", 0);
    },
    { isClockStopped: true },
  );
}

testElements(
  'counter="auto" of an element that is inserted counts its path, and one that is removed within the second does not',
  async ({ page, key, open, counts }) => {
    await open(`${SCRIPT}<tally-mark ${AUTO} key="${key}">–</tally-mark>`, "/one/");
    await runUntilShown(page, ["1"]);
    // As VitePress and Docusaurus: first the address, later the page.
    await page.evaluate('history.pushState(null, "", "/two/index.html")');
    await page.clock.runFor(500);
    await page.evaluate(
      'document.querySelector("tally-mark").replaceWith(document.querySelector("tally-mark").cloneNode(true))',
    );
    await page.clock.runFor(100);
    await counts("b/two", 1);
    await page.clock.runFor(3000);
    await page.evaluate('history.pushState(null, "", "/three/")');
    await page.clock.runFor(500);
    await page.evaluate('document.querySelector("tally-mark").remove()');
    await page.clock.runFor(3000);
    await counts("b/one", 1);
    await counts("b/two", 1);
    await counts("b/three", 0);
  },
  { isClockStopped: true },
);

const CANONICAL: [link: string, path: string, id: string][] = [
  ["http://blog.example/post/?x#y", "/post/page/2/", "post"],
  ["http://other.example/post/", "/mirror/", "mirror"],
  ["http://blog.example/", "/about/", "about"],
  ["/relative/index.html", "/copy/", "relative"],
  ["http://[", "/broken/", "broken"],
];

testElements(
  'counter="auto" is the canonical path of the page that was loaded, if its host is that of the page',
  async ({ page, key, open, counts }) => {
    for (const [link, path, id] of CANONICAL) {
      const mark = `<tally-mark ${AUTO} key="${key}">–</tally-mark>`;
      await open(`<link rel="canonical" href="${link}">${SCRIPT}${mark}`, path);
      await shows(page, ["1"]);
      await counts(`b/${id}`, 1);
    }
    await page.evaluate('history.pushState(null, "", "/next/")');
    await counts("b/next", 1);
  },
);

testElements(
  'counter="auto" keeps the named parameters of the query, or all that do more than track',
  async ({ page, key, open, counts }) => {
    const markOf = (query: string) =>
      `${SCRIPT}<tally-mark ${AUTO} query="${query}" key="${key}">–</tally-mark>`;
    const opened = async (html: string, path: string) => {
      await open(html, path);
      await page.locator("tally-mark:not(:text('–'))").waitFor();
    };
    await opened(markOf("p,page_id"), "/?utm_source=rss&p=1");
    await counts("b/?p=1", 1);
    await page.evaluate('history.replaceState(null, "", "/?p=1")');
    await page.evaluate('history.pushState(null, "", "/?page_id=2&p=3")');
    await counts("b/?p=3&page_id=2", 1);
    await counts("b/?p=1", 1);
    await opened(`<link rel="canonical" href="/?p=4">${markOf("p")}`, "/?p=4&preview=1");
    await counts("b/?p=4", 1);
    await opened(markOf("*"), "/doku.php?utm_medium=x&id=wiki%3Asyntax&fbclid=1&do=show");
    await counts("b/doku.php?id=wiki:syntax&do=show", 1);
    await open(`${SCRIPT}<tally-top prefix="b/" key="${key}" query="p"><ul><li><a href="/?p=2">2</a>
      <li><a href="/?p=4">4</a></ul></tally-top>`);
    await page.waitForFunction(
      'document.querySelector("tally-top").innerText.trim().startsWith("4")',
    );
  },
);

testElements(
  'counter="auto" of a file is its canonical path, and without one nothing is asked',
  async ({ page, key, requests }) => {
    const folder = await Deno.makeTempDir();
    const mark = `${SCRIPT}<tally-mark ${AUTO} key="${key}" local>–</tally-mark>`;
    const shown = `<tally-mark counter="b/shown">–</tally-mark>`;
    await Deno.writeTextFile(`${folder}/a.html`, mark + shown);
    await Deno.writeTextFile(
      `${folder}/b.html`,
      `<link rel="canonical" href="https://docs.example/hello/">${mark}`,
    );
    await page.goto(`file://${folder}/a.html`);
    await shows(page, ["–", "0"]);
    await page.goto(`file://${folder}/b.html`);
    await shows(page, ["1"]);
    deepStrictEqual(requests.filter((path) => /\/(hit|counts)/.test(path)), [
      "/counts?id=b%2Fshown&period=total",
      `/hit?id=b%2Fhello&key=${key}`,
    ]);
    await Deno.remove(folder, { recursive: true });
  },
);

testElements(
  "#tally-skip leaves out the visits of a browser until it is opened again, also with closed reads",
  async ({ page, key, open, counts, reader }) => {
    const html = `${SCRIPT}${LIKE_SCRIPT}<tally-mark counter="b/a" key="${key}">–</tally-mark>
      <tally-like counter="b/like" key="${key}"></tally-like>`;
    await open(html + BUSUANZI);
    await page.waitForFunction('busuanzi_value_site_pv.textContent === "1"');
    await shows(page, ["1", "–"]);
    // In an open page, the fragment changes and nothing is loaded.
    await page.goto("http://blog.example/#tally-skip");
    await page.waitForFunction('location.href === "http://blog.example/"');
    for (const _ of ["reloaded", "reloaded again"]) {
      await page.reload();
      await shows(page, ["1", "–"]);
      await page.waitForFunction('busuanzi_value_site_pv.textContent === "1"');
    }
    await page.click("tally-like button");
    await shows(page, ["1", "0"]);
    strictEqual(await page.getAttribute("tally-like button", "aria-pressed"), "false");
    await open(html, "/other#tally-skip");
    await shows(page, ["2", "–"]);
    await counts("b/a", 2);
    await counts("b/like", 0);
    deepStrictEqual(reader.complaints.filter((text) => text.includes("own visits")), [
      "tally.js: own visits not counted",
      "tally.js: own visits now counted",
    ]);
  },
  { openReads: false, serveAs: "busuanzi/blog.example/" },
);

testElements(
  "elements work where the browser stores nothing, as in a sandboxed frame",
  async ({ site, page, key, open, counts }) => {
    site.pages.set("/frame", {
      html: `${SCRIPT}${LIKE_SCRIPT}<tally-mark counter="b/a" key="${key}">–</tally-mark>
        <tally-like counter="b/like" key="${key}"></tally-like>`,
    });
    await open('<iframe sandbox="allow-scripts" src="/frame#tally-skip"></iframe>');
    const frame = page.frameLocator("iframe");
    await frame.locator("tally-like button").click();
    await page.reload();
    await counts("b/a", 0);
    await open('<iframe sandbox="allow-scripts" src="/frame"></iframe>');
    await frame.locator("tally-like button").click();
    await frame.locator('[aria-pressed="true"]').waitFor();
    await counts("b/like", 1);
    await counts("b/a", 1);
  },
);

testElements(
  "<tally-mark> only reads on 192.168.0.7, blog.local, tauri.localhost and [fd00::7], unless it has local",
  async ({ site, page, key, counts }) => {
    const mark = `<tally-mark counter="b/a" key="${key}">–</tally-mark>`;
    site.pages.set("/", { html: SCRIPT + mark });
    site.pages.set("/local", { html: SCRIPT + mark.replace("counter", "data-local counter") });
    const hosts = ["192.168.0.7", "blog.local", "tauri.localhost", "[fd00::7]"];
    for (const [before, host] of hosts.entries()) {
      await page.goto(`http://${host}/`);
      await shows(page, [`${before}`]);
      await page.goto(`http://${host}/local`);
      await shows(page, [`${before + 1}`]);
      await counts("b/a", before + 1);
    }
  },
);

testElements(
  "<tally-mark> counts on public hosts whose names resemble those of this machine",
  async ({ site, page, key, counts }) => {
    site.pages.set("/", { html: `${SCRIPT}<tally-mark counter="b/a" key="${key}">–</tally-mark>` });
    for (const [index, host] of ["127.example.com", "mylocalhost", "[2001:db8::7]"].entries()) {
      await page.goto(`http://${host}/`);
      await shows(page, [String(index + 1)]);
    }
    await counts("b/a", 3);
  },
);

testElements(
  "tally.js in a page or a bundle finds its server by a <meta>, and says that it is missing",
  async ({ page, key, open, reader }) => {
    const script = await (await fetch(
      new URL("../../../src/browser/built/tally.min.js", import.meta.url),
    )).text();
    const mark = `<tally-mark counter="b/a" key="${key}">–</tally-mark>`;
    await open(`<script>${script}</script>${mark}<tally-top key="k">soon</tally-top>`);
    await page.waitForFunction("customElements.get('tally-mark')");
    await waitFor("the sentence", () => reader.complaints.length > 0 || undefined);
    deepStrictEqual(reader.complaints, [
      "tally.js: meta[name=tallymark] is missing",
    ]);
    await shows(page, ["–"]);
    const meta = '<meta name="tallymark" content="http://tally.example">';
    const top = `<tally-top data-prefix="b/" data-key="${key}" href="/"></tally-top>`;
    await open(`<script>${script}</script>${meta}${mark}${top}`);
    await shows(page, ["1"]);
    await page.locator("tally-top a").waitFor();
  },
);

testElements(
  "elements write nothing again: a page at rest asks for at most 5 frames",
  async ({ page, key, open }) => {
    const counting = `<script>
      const ask = requestAnimationFrame;
      globalThis.frames_ = 0;
      globalThis.requestAnimationFrame = (run) => (frames_++, ask(run));
    </script>`;
    await open(`${SCRIPT}${LIKE_SCRIPT}<tally-mark ${AUTO} key="${key}">–</tally-mark>
      <tally-like counter="b/like" key="${key}"></tally-like>
      <tally-top prefix="b/" key="${key}"></tally-top>
      <tally-top prefix="b/" key="${key}"><ul><li><a href="/x/">x</a><li><a href="/">home</a></ul></tally-top>${counting}`);
    await runUntilShown(page, ["1", "0"]);
    await waitFor("the lists", async () => {
      await page.clock.runFor(50);
      return await page.locator("tally-top ol li").count() > 0 || undefined;
    });
    await page.waitForLoadState("networkidle");
    await page.clock.runFor(100);
    await page.evaluate("frames_ = 0");
    await page.clock.runFor(3000);
    const frames: number = await page.evaluate("frames_");
    ok(frames <= 5, `${frames} frames`);
  },
  { isClockStopped: true },
);

testElements(
  "<tally-like> shows the number and the heart of the counter that it is given, and of the page with auto",
  async ({ site, page, key, open, counts }) => {
    await site.set({ "b/other": 7 });
    await open(
      `${SCRIPT}${LIKE_SCRIPT}<tally-like counter="auto" prefix="b/" key="${key}"></tally-like>`,
      "/like/",
    );
    await shows(page, ["0"]);
    await page.click("tally-like button");
    await shows(page, ["1"]);
    await counts("b/like", 1);
    await page.evaluate('document.querySelector("tally-like").dataset.counter = "b/other"');
    await shows(page, ["7"]);
    strictEqual(await page.getAttribute("tally-like button", "aria-pressed"), "false");
    await page.evaluate('delete document.querySelector("tally-like").dataset.counter');
    await shows(page, ["1"]);
    strictEqual(await page.getAttribute("tally-like button", "aria-pressed"), "true");
  },
);

testElements(
  "<tally-top> orders the links inside by their numbers, shows the first of them, and follows its attributes",
  async ({ site, page, key, open }) => {
    await site.set({ "b/posts/b": 3, "b/posts/c": 9, "b/posts/d": 1, "b/unlisted": 20 });
    const items = ["a", "b", "c", "d"].map((id) =>
      `<article><h2><a href="/posts/${id}/">${id}</a></h2>
        <ul><li><a href="/tags/x/">tag</a></li></ul></article>`
    );
    await open(`${SCRIPT}<div>${items.slice(0, 1).join("")}<p>Between</p>
      <tally-top data-prefix="b/" limit="2"><div>${items.join("<hr>")}</div></tally-top></div>`);
    const shown = () => page.locator("tally-top article:visible h2").allInnerTexts();
    deepStrictEqual(await shown(), ["a", "b", "c", "d"]);
    await page.evaluate(`document.querySelector("tally-top").dataset.key = "${key}"`);
    await isShown(["c", "b"]);
    await page.evaluate('document.querySelector("tally-top").setAttribute("data-limit", 4)');
    await isShown(["c", "b", "d", "a"]);
    // As a framework that adds one.
    await page.evaluate(`document.querySelector("tally-top div").insertAdjacentHTML(
      "afterbegin", '<article><h2><a href="/unlisted">u</a></h2></article>')`);
    await isShown(["u", "c", "b", "d"]);
    await page.evaluate('document.querySelector("tally-top").setAttribute("data-limit", "all")');
    await isShown(["u", "c", "b", "d", "a"]);
    await open(`${SCRIPT}<tally-top prefix="b/" key="${key}" limit=""></tally-top>`);
    await page.locator("tally-top a").nth(3).waitFor();

    async function isShown(texts: string[]): Promise<void> {
      let last: string[] = [];
      await waitFor("the order", async () => {
        last = await shown();
        return String(last) === String(texts) || undefined;
      }).catch(() => deepStrictEqual(last, texts));
    }
  },
);

testElements(
  "elements are right again where a page is morphed, or a snapshot of it is shown",
  async ({ site, page, key, open, counts }) => {
    await site.set({ "b/like": 4, "b/first": 5 });
    const content = `<tally-mark counter="b/a" key="${key}">–</tally-mark>
      <tally-like counter="b/like" key="${key}"></tally-like>
      <tally-top prefix="b/" key="${key}" limit="1"></tally-top>`;
    await open(`${SCRIPT}${LIKE_SCRIPT}<main>${content}</main>`);
    await shows(page, ["1", "4"]);
    await page.locator("tally-top a").waitFor();
    // A morph gives the elements the content that the server sent.
    await page.evaluate(`{
      const [mark, like, top] = document.querySelector("main").children;
      mark.firstChild.data = "–";
      like.replaceChildren();
      top.replaceChildren();
    }`);
    await shows(page, ["1", "4"]);
    await page.locator("tally-top a").waitFor();
    await page.evaluate(`{
      const main = document.querySelector("main");
      const snapshot = main.cloneNode(true);
      main.replaceWith(snapshot);
    }`);
    await page.click("tally-like button");
    await shows(page, ["1", "5"]);
    strictEqual(await page.locator("tally-top ol").count(), 1);
    strictEqual(await page.locator("tally-like button").count(), 1);
    await counts("b/a", 1);
    await counts("b/like", 5);
  },
);

/** Runs the clock of a page until its elements show these texts. */
async function runUntilShown(page: Page, texts: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await waitFor("the texts", async () => {
    await page.clock.runFor(20);
    shown = await page.locator("tally-mark").allTextContents();
    return JSON.stringify(shown) === JSON.stringify(texts) || undefined;
  }).catch(() => deepStrictEqual(shown, texts));
}
