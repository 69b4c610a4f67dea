import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";
import { SCRIPT } from "../../support/embedding.ts";
import { shows, STRICT_POLICY, testVisit } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

testVisit(
  "tally.js counts a view of a page once and shows the number in the reader's language",
  async ({ site, page, open }) => {
    await open(SCRIPT + await site.markOf("post"));
    await shows(page, ["١"]);
    strictEqual(await site.count("post"), 1);
  },
  { openReads: false, locale: "ar-EG" },
);

/** Forms in which a page loads the script. */
const LOADED = [
  SCRIPT,
  '<script type="module" src="http://tally.example/tally.js"></script>',
  '<script type="module">await import("http://tally.example/tally.js")</script>',
  SCRIPT + SCRIPT,
];

testVisit(
  "tally.js counts once for all elements of an id, loaded as a classic script, a module, an import or two scripts",
  async ({ site, reader, page, open }) => {
    const [post, other] = [await site.markOf("blog/ü?&"), await site.markOf("other")];
    for (const [index, script] of LOADED.entries()) {
      await open(`${script}${post}<p>${post}</p>${other}`);
      await shows(page, Array(3).fill(`${index + 1}`));
    }
    deepStrictEqual([await site.count("blog/ü?&"), await site.count("other")], [4, 4]);
    deepStrictEqual(reader.complaints, []);
  },
  { openReads: false },
);

/**
 * Ways in which other scripts change the stack of an error, and in which sites make browsers fetch
 * a script again.
 */
const STACKLESS = [
  "Error.prepareStackTrace = () => undefined",
  "Error.prepareStackTrace = (error, frames) => frames",
  "Error.stackTraceLimit = 0",
];

testVisit(
  "tally.js finds its service without a stack, loaded as a classic script, a module, an import or two scripts",
  async ({ site, reader, page, open }) => {
    const mark = await site.markOf("a");
    // The stack is the same for all forms, and the list of files for all ways.
    const pairs = [
      ...LOADED.map((script) => [STACKLESS[0], script]),
      ...STACKLESS.slice(1).map((breaks) => [breaks, SCRIPT]),
    ];
    const scripts = pairs.map(([breaks, script = ""]) =>
      `<script>${breaks}</script>${script.replaceAll("tally.js", "tally.js?v=1/2")}`
    );
    for (const [index, script] of scripts.entries()) {
      await open(script + mark, `/${index}`);
      await shows(page, [`${index + 1}`]);
    }
    deepStrictEqual(reader.complaints, []);
  },
  { openReads: false },
);

testVisit(
  "tally.js asks for one frame, however many elements a page has",
  async ({ site, page, open }) => {
    const marks = (await site.markOf("a")).repeat(1000);
    const counting = `<script>
      const ask = requestAnimationFrame;
      globalThis.frames_ = 0;
      globalThis.requestAnimationFrame = (run) => (frames_++, ask(run));
    </script>`;
    await open(`${counting}${SCRIPT}${marks}`);
    await shows(page, Array(1000).fill("1"));
    const frames: number = await page.evaluate("frames_");
    ok(frames <= 3, `${frames} frames`);
  },
);

/**
 * Counts what the script does in a task of the browser, and how many requests it waits for, in
 * `most_`.
 */
const WATCHED = `<script>
  globalThis.most_ = { elements: 0, requests: 0 };
  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, "attributes");
  let elements = 0;
  Object.defineProperty(Element.prototype, "attributes", {
    get() {
      if (elements++ === 0) setTimeout(() => elements = 0);
      most_.elements = Math.max(most_.elements, elements);
      return get.call(this);
    },
  });
  const ask = fetch;
  let requests = 0;
  globalThis.fetch = async (...asked) => {
    most_.requests = Math.max(most_.requests, ++requests);
    try {
      return await ask(...asked);
    } finally {
      requests--;
    }
  };
</script>`;

testVisit(
  "tally.js does a bounded part of its work at a time, where it counts 50 counters and reads 950",
  async ({ site, page, open }) => {
    const key = await site.groupKey("b/");
    const marks = Array.from({ length: 1000 }, (_, index) => {
      return `<tally-mark counter="b/${index}"${index < 50 ? ` key="${key}"` : ""}>–</tally-mark>`;
    });
    // On a busy machine the service may refuse a request after two seconds.
    await waitFor("all numbers", async () => {
      await open(WATCHED + marks.join(" ") + SCRIPT);
      await page.waitForLoadState("networkidle");
      const texts = await page.locator("tally-mark").allTextContents();
      return texts.every((text, index) => index < 50 ? Number(text) > 0 : text === "0");
    });
    const most: { elements: number; requests: number } = await page.evaluate("most_");
    ok(most.elements <= 400, `${most.elements} elements in a task`);
    ok(most.requests <= 10, `${most.requests} requests at once`);
  },
);

testVisit(
  "tally.js shows all elements of a page whose path is no text",
  async ({ site, page, open }) => {
    const auto = '<tally-mark counter="auto" prefix="b/">–</tally-mark>';
    for (const [index, path] of ["/%ff/", "/%E0%A4%A/"].entries()) {
      await open(SCRIPT + auto + (await site.markOf("a")), path);
      await shows(page, ["0", `${index + 1}`]);
    }
  },
);

testVisit(
  "tally.js moves nothing on a page that gives its elements a width",
  async ({ page, open }) => {
    const style = "<style>tally-mark { display: inline-block; min-width: 7ch }</style>";
    const watch = `<script>
      globalThis.shift_ = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift_ += value;
      }).observe({ type: "layout-shift", buffered: true });
    </script>`;
    const line = '<p><tally-mark counter="a">–</tally-mark> views of this page so far</p>';
    await open(watch + style + line.repeat(20) + SCRIPT);
    await shows(page, Array(20).fill("12,345"));
    // Shifts are reported after the frame that has them.
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    strictEqual(await page.evaluate("shift_"), 0);
  },
  { numbers: { a: 12_345 } },
);

testVisit(
  "tally.js works under a policy that allows its host and nothing else",
  async ({ site, reader, page, open }) => {
    await open(SCRIPT + await site.markOf("a"), "/", STRICT_POLICY);
    await shows(page, ["1"]);
    deepStrictEqual(reader.complaints, []);
  },
  { openReads: false },
);

testVisit(
  "tally.js only reads on localhost and 127.0.0.1, without a key, and under automation",
  async ({ site, reader, page }) => {
    const mark = await site.markOf("a");
    site.pages.set("/", { html: SCRIPT + mark });
    site.pages.set("/keyless", { html: SCRIPT + mark.replace(/ key="[^"]+"/, "") });
    const looks = async (url: string) => {
      await page.goto(`http://${url}`);
      await shows(page, ["0"]);
      strictEqual(await site.count("a"), 0, url);
    };
    await looks(`localhost:${site.port}`);
    await looks(`127.0.0.1:${site.port}`);
    await looks("blog.example/keyless");
    strictEqual(await page.evaluate("navigator.webdriver"), false);
    const session = await reader.context.newCDPSession(page);
    await session.send("Emulation.setAutomationOverride", { enabled: true });
    await looks("blog.example");
    strictEqual(await page.evaluate("navigator.webdriver"), true);
  },
);

Deno.test("GET /tally.js is below 2.5 kB as browsers get it", async () => {
  await using app = await memoryApp();
  const { body, headers } = await app.send("GET /tally.js");
  const packed = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  ok((await new Response(packed).bytes()).length < 2500);
  strictEqual(headers.vary, "Accept-Encoding");
  const { headers: inGzip } = await app.send("HEAD /tally.js", { "accept-encoding": "gzip" });
  strictEqual(inGzip["content-encoding"], "gzip");
});
