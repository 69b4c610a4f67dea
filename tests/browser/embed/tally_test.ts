import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";
import { needsChromium, openChromium } from "../../support/chromium.ts";
import { openEmbedding, READER_ARGS, SCRIPT } from "../../support/embedding.ts";
import { openReader, shareReaders, shows } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

shareReaders();

Deno.test(
  "tally.js counts a view of a page once and shows the number in the reader's language",
  needsChromium,
  async () => {
    await using site = await openEmbedding();
    site.pages.set("/", { html: SCRIPT + await site.markOf("post") });
    await using reader = await openReader({ locale: "ar-EG" });
    const { page } = reader;
    await page.goto("http://blog.example/");
    await shows(page, ["١"]);
    strictEqual(await site.count("post"), 1);
  },
);

const LOADED = {
  "a classic script": SCRIPT,
  "a module": '<script type="module" src="http://tally.example/tally.js"></script>',
  "an import": '<script type="module">await import("http://tally.example/tally.js")</script>',
  "two scripts": SCRIPT + SCRIPT,
};

for (const [how, script] of Object.entries(LOADED)) {
  Deno.test(
    `tally.js counts once for all elements of an id, loaded as ${how}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding();
      const [post, other] = [await site.markOf("blog/ü?&"), await site.markOf("other")];
      site.pages.set("/", { html: `${script}${post}<p>${post}</p>${other}` });
      await using reader = await openReader();
      await reader.page.goto("http://blog.example/");
      await shows(reader.page, ["1", "1", "1"]);
      deepStrictEqual([await site.count("blog/ü?&"), await site.count("other")], [1, 1]);
      deepStrictEqual(reader.complaints, []);
    },
  );
}

/**
 * Ways in which other scripts change the stack of an error, and in which sites make browsers fetch
 * a script again.
 */
const STACKLESS = [
  "Error.prepareStackTrace = () => undefined",
  "Error.prepareStackTrace = (error, frames) => frames",
  "Error.stackTraceLimit = 0",
];

for (const [how, script] of Object.entries(LOADED)) {
  Deno.test(
    `tally.js finds its service without a stack, loaded as ${how}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding();
      const mark = await site.markOf("a");
      for (const [index, breaks] of STACKLESS.entries()) {
        const versioned = script.replaceAll("tally.js", "tally.js?v=1/2");
        site.pages.set(`/${index}`, { html: `<script>${breaks}</script>${versioned}${mark}` });
      }
      await using reader = await openReader();
      for (const index of STACKLESS.keys()) {
        await reader.page.goto(`http://blog.example/${index}`);
        await shows(reader.page, [String(index + 1)]);
      }
      deepStrictEqual(reader.complaints, []);
    },
  );
}

Deno.test(
  "tally.js asks for one frame, however many elements a page has",
  needsChromium,
  async () => {
    await using site = await openEmbedding();
    const marks = (await site.markOf("a")).repeat(2000);
    const counting = `<script>
      const ask = requestAnimationFrame;
      globalThis.frames_ = 0;
      globalThis.requestAnimationFrame = (run) => (frames_++, ask(run));
    </script>`;
    site.pages.set("/", { html: `${counting}${SCRIPT}${marks}` });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/");
    await shows(reader.page, Array(2000).fill("1"));
    const frames: number = await reader.page.evaluate("frames_");
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

for (const [what, keyed, number] of [["counts", true, 500], ["reads", false, 2000]] as const) {
  Deno.test(
    `tally.js does a bounded part of its work at a time, where it ${what} ${number} counters`,
    needsChromium,
    async () => {
      await using site = await openEmbedding({ openReads: true });
      const key = keyed ? ` key="${await site.groupKey("b/")}"` : "";
      const marks = Array.from({ length: number }, (_, index) => {
        return `<tally-mark counter="b/${index}"${key}>–</tally-mark>`;
      });
      site.pages.set("/", { html: WATCHED + marks.join(" ") + SCRIPT });
      await using reader = await openReader();
      // On a busy machine the service may refuse a request after two seconds.
      await waitFor("all numbers", async () => {
        await reader.page.goto("http://blog.example/");
        await reader.page.waitForLoadState("networkidle");
        const texts = await reader.page.locator("tally-mark").allTextContents();
        return texts.every((text) => keyed ? Number(text) > 0 : text === "0") || undefined;
      });
      const most: { elements: number; requests: number } = await reader.page.evaluate("most_");
      ok(most.elements <= 400, `${most.elements} elements in a task`);
      ok(most.requests <= 10, `${most.requests} requests at once`);
    },
  );
}

for (const path of ["/%ff/", "/%E0%A4%A/"]) {
  Deno.test(
    `tally.js shows all elements of a page whose path is no text, as ${path}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding({ openReads: true });
      const auto = '<tally-mark counter="auto" prefix="b/">–</tally-mark>';
      site.pages.set(path, { html: SCRIPT + auto + (await site.markOf("a")) });
      await using reader = await openReader();
      await reader.page.goto(`http://blog.example${path}`);
      await shows(reader.page, ["0", "1"]);
    },
  );
}

Deno.test(
  "tally.js moves nothing on a page that gives its elements a width",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ openReads: true });
    await site.set({ a: 12_345 });
    const style = "<style>tally-mark { display: inline-block; min-width: 7ch }</style>";
    const watch = `<script>
      globalThis.shift_ = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift_ += value;
      }).observe({ type: "layout-shift", buffered: true });
    </script>`;
    const line = '<p><tally-mark counter="a">–</tally-mark> views of this page so far</p>';
    site.pages.set("/", { html: watch + style + line.repeat(20) + SCRIPT });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/");
    await shows(reader.page, Array(20).fill("12,345"));
    // Shifts are reported after the frame that has them.
    await reader.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    strictEqual(await reader.page.evaluate("shift_"), 0);
  },
);

Deno.test(
  "tally.js works under a policy that allows its host and nothing else",
  needsChromium,
  async () => {
    await using site = await openEmbedding();
    site.pages.set("/", {
      html: SCRIPT + await site.markOf("a"),
      headers: {
        "content-security-policy":
          "default-src 'none'; script-src http://tally.example; connect-src http://tally.example; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
        "cross-origin-embedder-policy": "require-corp",
      },
    });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/");
    await shows(reader.page, ["1"]);
    deepStrictEqual(reader.complaints, []);
  },
);

/** Those of a browser that says that it is steered. */
const STEERED_ARGS = READER_ARGS.filter((arg) => !arg.includes("AutomationControlled"));

/** Pages where a number is shown and not counted, because they have no visitor or no key. */
const LOOKS: { where: string; url?: string; keyless?: true; automated?: true }[] = [
  { where: "on localhost", url: "localhost" },
  { where: "on 127.0.0.1", url: "127.0.0.1" },
  { where: "under automation", automated: true },
  { where: "without a key", keyless: true },
];

for (const { where, url = "blog.example", keyless = false, automated = false } of LOOKS) {
  Deno.test(`tally.js only reads ${where}`, needsChromium, async () => {
    await using site = await openEmbedding({ openReads: true });
    const mark = await site.markOf("a");
    site.pages.set("/", { html: SCRIPT + (keyless ? mark.replace(/ key="[^"]+"/, "") : mark) });
    await using steered = automated ? await openChromium({ args: STEERED_ARGS }) : undefined;
    await using reader = await openReader({}, steered?.browser);
    const { page } = reader;
    await page.goto(`http://${url}${url === "blog.example" ? "" : `:${site.port}`}/`);
    await shows(page, ["0"]);
    strictEqual(await page.evaluate("navigator.webdriver"), automated);
    strictEqual(await site.count("a"), 0);
  });
}

Deno.test("GET /tally.js is below 2.5 kB as browsers get it", async () => {
  await using app = await memoryApp();
  const { body, headers } = await app.send("GET /tally.js");
  const packed = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  ok((await new Response(packed).bytes()).length < 2500);
  strictEqual(headers.vary, "Accept-Encoding");
  const { headers: inGzip } = await app.send("HEAD /tally.js", { "accept-encoding": "gzip" });
  strictEqual(inGzip["content-encoding"], "gzip");
});
