import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { chromiumAvailable } from "../../support/chromium.ts";
import type { Embedding } from "../../support/embedding.ts";
import { projectFolder } from "../../support/programs.ts";
import { type Reader, RESTORING, testVisit } from "../../support/reader.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";
import { assertFits } from "../../support/web_page.ts";

/** A framework, and how a page of it is made. */
interface App {
  readonly name: string;
  readonly source: string;
  readonly settings?: Record<string, boolean>;
  /** True for the production build. */
  readonly minify?: boolean;
  /** The content of the page as the server sends it. Without it, the app creates everything. */
  readonly content?: (key: string, path: string) => string;
}

const content = (key: string, path: string) =>
  `<tally-mark data-counter="auto" data-prefix="b/" data-key="${key}">–</tally-mark>` +
  `<tally-like data-counter="b/like${path}" data-key="${key}"></tally-like>` +
  `<tally-top data-prefix="b/" data-key="${key}" limit="1"></tally-top><p>${path}</p>`;

const APPS: App[] = [
  { name: "React 19 in development, with StrictMode", source: "react.js" },
  { name: "React 19 in production", source: "react.js", minify: true },
  {
    name: "React 19 that swaps the page before the address",
    source: "react.js",
    settings: { swapsFirst: true },
  },
  {
    name: "React 19 that hydrates what a server sent",
    source: "react.js",
    settings: { hydrates: true },
    content: (key, path) => `<div>${content(key, path)}</div>`,
  },
  { name: "Vue 3 with KeepAlive", source: "vue.js" },
  { name: "Preact", source: "preact.js" },
  { name: "Swup", source: "swup.js", content },
  { name: "Turbo", source: "turbo.js", content },
];

const SCRIPTS = ["tally", "like"].map((name) =>
  `<script async src="http://tally.example/${name}.js"></script>`
).join("");

let folder: Awaited<ReturnType<typeof tempDir>> | undefined;

Deno.test.beforeAll(async () => {
  if (!chromiumAvailable) return;
  folder = await tempDir();
  await Promise.all([
    bundle(`${folder.path}/debug`, [...new Set(APPS.map(({ source }) => source))], []),
    bundle(`${folder.path}/minified`, ["react.js"], ["--minify"]),
  ]);
});

Deno.test.afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

/** Bundles apps with the packages that they use. */
async function bundle(to: string, sources: string[], flags: string[]): Promise<void> {
  const files = sources.map((source) => `tests/browser/embed/apps/${source}`);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "-q", "--config", "tests/deno.json", "--platform", "browser", ...flags],
      // One file gets its name from nothing but -o.
      ...(files.length === 1 ? ["-o", `${to}/${sources[0]}`] : ["--outdir", to]),
      ...files,
    ],
    cwd: projectFolder,
  }).output();
  ok(success, new TextDecoder().decode(stderr));
}

/** Gives a site the pages that an app shows. */
async function addApp(site: Embedding, app: App): Promise<void> {
  const key = await site.groupKey("b/");
  await site.set({ "b/first": 100, "b/like/one": 10, "b/like/two": 20 });
  const settings = JSON.stringify({ key, ...app.settings });
  const script = `${folder?.path}/${app.minify ? "minified" : "debug"}/${app.source}`;
  const headers = { "content-type": "text/javascript" };
  site.pages.set("/app.js", { html: await Deno.readTextFile(script), headers });
  for (const path of ["/one", "/two"]) {
    site.pages.set(path, {
      html: `<head><script>globalThis.settings = ${settings}</script>${SCRIPTS}
        <script type="module" src="/app.js"></script></head>
        <body><div id="app">${app.content?.(key, path) ?? ""}</div></body>`,
    });
  }
}

/** Waits until a page shows itself with these numbers of views and likes, and a list. */
async function shows({ page }: Reader, path: string, views: number, likes: number): Promise<void> {
  let shown: unknown;
  const expected = [[path], [`${views}`], [`${likes}`], 1];
  await waitFor("the numbers", async () => {
    shown = await page.evaluate(`[
      [...document.querySelectorAll("#app p")].map((p) => p.textContent),
      [...document.querySelectorAll("tally-mark:not(tally-like *, i *)")].map((mark) => mark.textContent),
      [...document.querySelectorAll("tally-like [data-hits]")].map((number) => number.textContent),
      document.querySelectorAll("tally-top li").length,
    ]`);
    return JSON.stringify(shown) === JSON.stringify(expected) || undefined;
  }).catch(() => deepStrictEqual(shown, expected));
}

for (const app of APPS) {
  testVisit(`elements count and show each page once in ${app.name}`, async (visit) => {
    const { site, reader, page } = visit;
    await addApp(site, app);
    await page.goto("http://blog.example/one");
    await shows(reader, "/one", 1, 10);
    if (app.settings?.hydrates) await page.evaluate("hydrate()");
    await page.waitForFunction("globalThis.go");
    await shows(reader, "/one", 1, 10);
    await page.evaluate('go("/two")');
    await shows(reader, "/two", 1, 20);
    await page.click("tally-like button");
    await shows(reader, "/two", 1, 21);
    strictEqual(await page.getAttribute("tally-like button", "aria-pressed"), "true");
    await page.evaluate('go("/one")');
    await shows(reader, "/one", 2, 10);
    strictEqual(await page.getAttribute("tally-like button", "aria-pressed"), "false");
    await page.waitForLoadState("networkidle");
    deepStrictEqual([await site.count("b/one"), await site.count("b/two")], [2, 1]);
    const isHint = (text: string) => /DevTools|development build|Feature flags/.test(text);
    deepStrictEqual(reader.complaints.filter((text) => !isHint(text)), []);
  });
}

testVisit(
  "elements stay right where Turbo morphs a page and restores a snapshot",
  async ({ site, reader, page }) => {
    await addApp(site, { name: "Turbo", source: "turbo.js", content });
    site.pages.set("/one", {
      html: site.pages.get("/one")?.html.replace(
        "<head>",
        '<head><meta name="turbo-refresh-method" content="morph">',
      ) ?? "",
    });
    await page.goto("http://blog.example/one");
    await shows(reader, "/one", 1, 10);
    await page.waitForFunction("globalThis.refresh");
    const morphed = page.evaluate(
      'new Promise((done) => addEventListener("turbo:morph", done, { once: true }))',
    );
    await page.evaluate("refresh()");
    await morphed;
    await shows(reader, "/one", 1, 10);
    await page.evaluate('go("/two")');
    await shows(reader, "/two", 1, 20);
    await page.goBack();
    await shows(reader, "/one", 2, 10);
    await page.waitForLoadState("networkidle");
    deepStrictEqual([await site.count("b/one"), await site.count("b/two")], [2, 1]);
  },
);

testVisit(
  "elements work under a policy with a nonce and trusted types, and fit in 390 pixels",
  async ({ site, reader, page, open }) => {
    const key = await site.groupKey("b/");
    const scripts = SCRIPTS.replaceAll("<script", '<script nonce="n1"');
    await open(
      `<meta name="viewport" content="width=device-width">${scripts}
      <main id="app">${content(key, "/")}</main>`,
      "/",
      {
        "content-security-policy": "default-src 'none'; script-src 'nonce-n1'; " +
          "connect-src http://tally.example; require-trusted-types-for 'script'; trusted-types 'none'",
      },
    );
    await shows(reader, "/", 1, 3);
    deepStrictEqual(reader.complaints, []);
    await assertFits(page);
  },
  { numbers: { "b/first": 100, "b/like/": 3 }, viewport: { width: 390, height: 800 } },
);

testVisit(
  "elements count anew a page that a back-forward cache restores, not when it is left, and a path that was left within the second",
  async ({ site, reader, page, counts }) => {
    const key = await site.groupKey("b/");
    for (const path of ["/one", "/next"]) {
      const html = `${SCRIPTS}<main id="app">${content(key, path)}</main>`;
      site.pages.set(path, { html: html + `<i>${await site.markOf(`named${path}`)}</i>` });
    }
    // On a busy machine frames come before the quarters of a second.
    await page.addInitScript(() => {
      const { setInterval } = globalThis;
      Object.assign(globalThis, {
        setInterval: (run: () => void, time: number) => setInterval(run, 12 * time),
      });
    });
    await page.goto("http://blog.example/one");
    await shows(reader, "/one", 1, 1);
    await page.evaluate(`
      const mark = document.querySelector("tally-mark");
      addEventListener("pageshow", ({ persisted }) => globalThis.back = mark.title = persisted);
      addEventListener("pagehide", () => mark.title = "left");
      history.pushState(null, "", "/two");
      location.assign("/next");
    `);
    await page.waitForURL("**/next");
    await shows(reader, "/next", 1, 1);
    await counts("named/one", 1);
    await page.goBack({ waitUntil: "commit" });
    await shows(reader, "/one", 1, 1);
    await counts("b/two", 1);
    await counts("named/one", 2);
    strictEqual(await page.evaluate("back"), true);
    await page.waitForLoadState("networkidle");
    deepStrictEqual([await site.count("b/one"), await site.count("b/two")], [1, 1]);
    deepStrictEqual([await site.count("named/one"), await site.count("named/next")], [2, 1]);
  },
  { numbers: { "b/like/one": 1, "b/like/next": 1 }, chromium: RESTORING },
);

testVisit(
  "like.js counts once on a page that comes back from the browser's cache, which drops storage events",
  async ({ site, reader: { context }, page, open, counts }) => {
    // Chromium keeps them until the page returns. Other browsers may drop them.
    await page.addInitScript(
      'addEventListener("storage", (event) => event.stopImmediatePropagation(), true)',
    );
    site.pages.set("/other", { html: "<p>other" });
    const key = await site.groupKey("b/");
    await open(`${SCRIPTS}<tally-like counter="b/a" key="${key}"></tally-like>`);
    await page.locator("[aria-pressed=false]", { hasText: "0" }).waitFor();
    await page.evaluate(
      'addEventListener("pageshow", (event) => globalThis.back = event.persisted)',
    );
    await page.goto("http://blog.example/other");
    const tab = await context.newPage();
    await tab.goto("http://blog.example/");
    await tab.click("button");
    const pressed = "button[aria-pressed=true]";
    await tab.locator(pressed, { hasText: "1" }).waitFor();
    // The press reaches the storage of the other tab's process some time later.
    await waitFor("a return to the page after that", async () => {
      await page.goBack({ waitUntil: "commit" });
      await waitFor("the page", async () => await page.evaluate("globalThis.back") === true);
      if (await page.locator(pressed).count() === 1) return true;
      await page.evaluate("globalThis.back = false");
      await page.goto("http://blog.example/other");
    });
    await page.locator(pressed, { hasText: "1" }).waitFor();
    await page.click("button", { force: true });
    await page.waitForLoadState("networkidle");
    await counts("b/a", 1);
  },
  { chromium: RESTORING },
);
