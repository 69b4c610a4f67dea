import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { memoryApp } from "../../support/app.ts";
import { needsChromium, openChromium } from "../../support/chromium.ts";
import {
  type Embedding,
  openEmbedding,
  READER_ARGS,
  SCRIPT as TALLY_SCRIPT,
} from "../../support/embedding.ts";
import { openReader, shareReaders } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";
import { assertAccessible } from "../../support/web_page.ts";

shareReaders();

const SCRIPT = '<script async src="http://tally.example/like.js"></script>';
const URL = "http://blog.example/";

async function likeOf(site: Embedding, id: string, more = "", content = ""): Promise<string> {
  const mark = await site.markOf(id);
  return `${
    mark.replace("tally-mark", "tally-like").replace(/>.*/, "")
  } ${more}>${content}</tally-like>`;
}

/** Opens a page with one like button of the counter `a`. */
async function openLike(more = "", { pressed = 0, openReads = true } = {}) {
  const site = await openEmbedding({ openReads });
  if (pressed > 0) await site.set({ a: pressed });
  site.pages.set("/", { html: SCRIPT + await likeOf(site, "a", more) });
  return site;
}

/**
 * Waits until the buttons of a page show these states, each as "number", or as "number pressed".
 */
async function shows(page: Page, states: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await waitFor("the states", async () => {
    shown = await page.locator("tally-like button").evaluateAll((buttons) =>
      buttons.map((button) =>
        `${button.textContent?.trim()}${
          button.getAttribute("aria-pressed") === "true" ? " pressed" : ""
        }`
      )
    );
    return JSON.stringify(shown) === JSON.stringify(states) || undefined;
  }).catch(() => deepStrictEqual(shown, states));
}

/** Waits until nothing is sent any more, so that a second hit could not be overlooked. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
}

Deno.test(
  "like.js shows the number, counts a press once, and remembers it after a reload",
  needsChromium,
  async () => {
    await using site = await openLike("", { pressed: 12_344 });
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["12,344"]);
    await page.evaluate(
      'addEventListener("tally-like", ({ target, detail }) => globalThis.event_ = [target.localName, detail])',
    );
    strictEqual(await page.getAttribute("button svg", "fill"), "none");
    const heart = await page.locator("button path").boundingBox();
    ok(heart !== null && heart.width > 5 && heart.height > 5, "the heart is drawn");
    await page.click("button");
    await shows(page, ["12,345 pressed"]);
    strictEqual(await page.getAttribute("button svg", "fill"), "currentColor");
    deepStrictEqual(await page.evaluate("event_"), [
      "tally-like",
      { counter: "a", hits: 12_345 },
    ]);
    await page.click("button", { force: true });
    await settled(page);
    await page.reload();
    await shows(page, ["12,345 pressed"]);
    await page.click("button", { force: true });
    await settled(page);
    strictEqual(await site.count("a"), 12_345);
    deepStrictEqual(reader.complaints, []);
  },
);

Deno.test(
  "like.js centers the heart on the digits, whatever the size of the text",
  needsChromium,
  async () => {
    await using _site = await openLike();
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    for (const size of [13, 16, 32]) {
      const off: number = await page.evaluate(`(() => {
        const button = document.querySelector("button");
        button.style.font = "${size}px sans-serif";
        const foot = button.querySelector("[data-hits]").appendChild(document.createElement("i"));
        foot.style.cssText = "display: inline-block";
        const context = document.createElement("canvas").getContext("2d");
        context.font = button.style.font;
        const digits = context.measureText("0").actualBoundingBoxAscent;
        const center = foot.getBoundingClientRect().bottom - digits / 2;
        foot.remove();
        const heart = button.querySelector("path").getBoundingClientRect();
        return (heart.top + heart.bottom) / 2 - center;
      })()`);
      ok(Math.abs(off) <= size / 16, `${off} px at ${size} px`);
    }
  },
);

Deno.test("like.js counts a double click once", needsChromium, async () => {
  await using site = await openLike();
  await using reader = await openReader();
  await reader.page.goto(URL);
  await shows(reader.page, ["0"]);
  await reader.page.dblclick("button", { force: true });
  await shows(reader.page, ["1 pressed"]);
  await settled(reader.page);
  strictEqual(await site.count("a"), 1);
});

Deno.test(
  "like.js shows no press that could not be sent, and counts the next one once",
  needsChromium,
  async () => {
    await using site = await openLike();
    await using reader = await openReader();
    const { page, context } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    await context.setOffline(true);
    const failed = page.waitForEvent("requestfailed");
    await page.click("button");
    await failed;
    await shows(page, ["0"]);
    strictEqual(await page.getAttribute("button", "aria-disabled"), "false");
    await context.setOffline(false);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
);

Deno.test(
  "like.js counts a press once whose response was lost and that is repeated",
  needsChromium,
  async () => {
    await using site = await openLike();
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    await page.evaluate(`{
      const send = fetch;
      globalThis.lost = new Promise((done) => {
        globalThis.fetch = async (...request) => {
          globalThis.fetch = send;
          await send(...request);
          done();
          throw new TypeError("lost");
        };
      });
      undefined;
    }`);
    await page.click("button");
    await page.evaluate("lost");
    await shows(page, ["0"]);
    strictEqual(await site.count("a"), 1);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
);

Deno.test("like.js counts a press in two tabs at once as one", needsChromium, async () => {
  await using site = await openLike();
  await using reader = await openReader();
  const pages = [reader.page, await reader.context.newPage()];
  for (const page of pages) {
    await page.goto(URL);
    await shows(page, ["0"]);
  }
  // Each tab sends its press after both were pressed. A tab that knows of the other press sends
  // none.
  for (const page of pages) {
    await page.evaluate(`{
      const send = fetch;
      const released = new Promise((release) => globalThis.release = release);
      globalThis.sent = 0;
      globalThis.fetch = (...request) => {
        globalThis.sent++;
        return released.then(() => send(...request));
      };
      document.querySelector("button").click();
    }`);
  }
  for (const page of pages) strictEqual(await page.evaluate("sent"), 1);
  await Promise.all(pages.map((page) => page.evaluate("release()")));
  for (const page of pages) await shows(page, ["1 pressed"]);
  strictEqual(await site.count("a"), 1);
  await site.set({ b: 1 });
});

Deno.test("like.js shows a press in the other tabs of the reader", needsChromium, async () => {
  await using _ = await openLike();
  await using reader = await openReader();
  const other = await reader.context.newPage();
  for (const page of [reader.page, other]) {
    await page.goto(URL);
    await shows(page, ["0"]);
  }
  await reader.page.click("button");
  await shows(reader.page, ["1 pressed"]);
  await shows(other, ["0 pressed"]);
});

/**
 * Chromium keeps storage events for a page in the back-forward cache until it returns. Other
 * browsers may drop them.
 */
const STORAGE_EVENTS = {
  kept: "",
  dropped: 'addEventListener("storage", (event) => event.stopImmediatePropagation(), true);',
};

for (const [fate, script] of Object.entries(STORAGE_EVENTS)) {
  Deno.test(
    `like.js counts once on a page that comes back from the browser's cache, with storage events ${fate}`,
    needsChromium,
    async () => {
      await using site = await openLike();
      site.pages.set("/other", { html: "<p>other" });
      await using chromium = await openChromium({
        args: READER_ARGS,
        ignoreDefaultArgs: ["--disable-back-forward-cache"],
        isWhole: true,
      });
      await using reader = await openReader({}, chromium.browser);
      const { page, context } = reader;
      await page.addInitScript(script);
      await page.goto(URL);
      await shows(page, ["0"]);
      await page.evaluate(
        'addEventListener("pageshow", (event) => globalThis.back = event.persisted)',
      );
      await page.goto(`${URL}other`);
      const tab = await context.newPage();
      await tab.goto(URL);
      await tab.click("button");
      await shows(tab, ["1 pressed"]);
      // The press reaches the storage of the other tab's process some time later.
      await waitFor("a return to the page after that", async () => {
        await page.goBack({ waitUntil: "commit" });
        await waitFor(
          "the page",
          async () => await page.evaluate("globalThis.back") === true || undefined,
        );
        if (await page.getAttribute("button", "aria-pressed") === "true") return true;
        await page.evaluate("globalThis.back = false");
        await page.goto(`${URL}other`);
      });
      await shows(page, ["1 pressed"]);
      await page.click("button", { force: true });
      await settled(page);
      strictEqual(await site.count("a"), 1);
    },
  );
}

Deno.test(
  "like.js counts once a day for a reader whose browser stores nothing",
  needsChromium,
  async () => {
    await using site = await openLike();
    await using reader = await openReader();
    const { page } = reader;
    await page.addInitScript(`Object.defineProperty(globalThis, "localStorage", {
      get() { throw new DOMException("denied", "SecurityError"); },
    })`);
    await page.goto(URL);
    await shows(page, ["0"]);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    await page.click("button", { force: true });
    await settled(page);
    await page.reload();
    await shows(page, ["1"]);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
);

Deno.test("like.js counts as many claps of a reader as max allows", needsChromium, async () => {
  await using site = await openLike('max="3"');
  await using reader = await openReader();
  const { page } = reader;
  await page.goto(URL);
  await shows(page, ["0"]);
  await page.dblclick("button", { force: true });
  await shows(page, ["2 pressed"]);
  strictEqual(await page.getAttribute("button", "aria-disabled"), "false");
  await page.dblclick("button", { force: true });
  await shows(page, ["3 pressed"]);
  strictEqual(await page.getAttribute("button", "aria-disabled"), "true");
  await page.reload();
  await shows(page, ["3 pressed"]);
  await page.click("button", { force: true });
  await settled(page);
  strictEqual(await site.count("a"), 3);
});

Deno.test(
  "like.js shows no number that the store does not hold yet",
  needsChromium,
  async () => {
    await using site = await openLike();
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    const gate = Promise.withResolvers<void>();
    await page.route("http://tally.example/hit**", async (route) => {
      await gate.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/hit/);
    await page.click("button");
    await asked;
    await shows(page, ["0"]);
    strictEqual(await site.count("a"), 0);
    gate.resolve();
    await shows(page, ["1 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
);

/** The scripts of a page, and the one that arrives after the other was run. */
const SCRIPTS: Record<string, { html: string; late?: string }> = {
  "like.js alone": { html: SCRIPT },
  "like.js and tally.js": { html: SCRIPT + TALLY_SCRIPT },
  "tally.js and a late like.js": { html: TALLY_SCRIPT + SCRIPT, late: "like.js" },
  "like.js and a late tally.js": { html: SCRIPT + TALLY_SCRIPT, late: "tally.js" },
};

const VIEWS_SHOWN = 'document.querySelector("body > tally-mark").textContent === "7"';
const PARSED = 'document.readyState !== "loading"';

for (const [scripts, { html, late }] of Object.entries(SCRIPTS)) {
  Deno.test(
    `the buttons and the tally-marks of a page share a read, loaded by ${scripts}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding({ openReads: true });
      await site.set({ "like/0": 5, views: 7 });
      const likes = await Promise.all([0, 1, 2].map((n) => likeOf(site, `like/${n}`)));
      const mark = '<tally-mark counter="views">–</tally-mark>';
      site.pages.set("/", { html: html + likes.join("") + likes[0] + mark });
      await using reader = await openReader();
      const { page } = reader;
      const reads: string[] = [];
      page.on("request", (request) => {
        if (/\/count/.test(request.url())) reads.push(request.url());
      });
      if (late !== undefined) {
        await page.route(`http://tally.example/${late}`, async (route) => {
          await page.waitForFunction(late === "like.js" ? VIEWS_SHOWN : PARSED);
          await route.continue();
        });
      }
      await page.goto(URL);
      await shows(page, ["5", "0", "0", "5"]);
      await page.waitForFunction(VIEWS_SHOWN);
      await settled(page);
      // The buttons are read once they are defined, which may be later.
      ok(reads.length <= 2, reads.join("\n"));
      deepStrictEqual(
        reads.flatMap((read) => new globalThis.URL(read).searchParams.getAll("id")).toSorted(),
        ["like/0", "like/1", "like/2", "views"],
      );
      await page.locator("button").first().click();
      await shows(page, ["6 pressed", "0", "0", "6 pressed"]);
    },
  );
}

Deno.test("like.js can be used by keyboard, and axe finds nothing", needsChromium, async () => {
  await using site = await openEmbedding({ openReads: true });
  const [a, b] = [await likeOf(site, "a"), await likeOf(site, "b", "", "👏 Clap")];
  site.pages.set("/", {
    html: `<html lang="en"><main><h1>Post</h1>${SCRIPT}<p>${a}</p><p>${b}</p></main>`,
  });
  await using reader = await openReader();
  const { page } = reader;
  await page.goto(URL);
  await shows(page, ["0", "👏 Clap 0"]);
  await assertAccessible(page);
  const name = async () => await page.getByRole("button", { name: "Like 0" }).count();
  strictEqual(await name(), 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await shows(page, ["1 pressed", "👏 Clap 0"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await shows(page, ["1 pressed", "👏 Clap 1 pressed"]);
  await assertAccessible(page);
  strictEqual(await page.getByRole("button", { name: "Like 1", pressed: true }).count(), 1);
});

Deno.test(
  "like.js moves nothing on a page that gives its element a size, and animates nothing for readers who ask for that",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ openReads: true });
    await site.set({ a: 12_345 });
    const style =
      "<style>tally-like { display: inline-block; width: 7em; height: 2em; vertical-align: middle }</style>";
    const watch = `<script>
      globalThis.shift_ = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift_ += value;
      }).observe({ type: "layout-shift", buffered: true });
      globalThis.animations_ = 0;
      const { animate } = Element.prototype;
      Element.prototype.animate = function (...options) {
        animations_++;
        return animate.apply(this, options);
      };
    </script>`;
    const line = `<p>${await likeOf(site, "a")} likes of this page so far</p>`;
    site.pages.set("/", { html: watch + style + line.repeat(20) + SCRIPT });
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await using reader = await openReader({ reducedMotion });
      const { page } = reader;
      await page.goto(URL);
      const hits = reducedMotion === "reduce" ? "12,346" : "12,345";
      await shows(page, Array(20).fill(hits));
      await page.locator("button").first().focus();
      await page.keyboard.press("Enter");
      await shows(page, Array(20).fill("12,346 pressed"));
      // Shifts are reported after the frame that has them.
      await page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      strictEqual(await page.evaluate("shift_"), 0);
      strictEqual(await page.evaluate("animations_"), reducedMotion === "reduce" ? 0 : 1);
    }
  },
);

Deno.test(
  "like.js sends a press without cookies and referrer, in a request that outlives the page",
  needsChromium,
  async () => {
    await using _ = await openLike();
    await using reader = await openReader();
    const { page } = reader;
    await page.addInitScript(`{
      const send = fetch;
      globalThis.fetch = (...request) => {
        const { method, url, keepalive, credentials, referrerPolicy } = new Request(...request);
        if (method === "POST") {
          const parameters = [...new URL(url).searchParams.keys()];
          globalThis.sent = { parameters, keepalive, credentials, referrerPolicy };
        }
        return send(...request);
      };
    }`);
    await page.goto(URL);
    await shows(page, ["0"]);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    deepStrictEqual(await page.evaluate("sent"), {
      parameters: ["id", "key", "once"],
      keepalive: true,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  },
);

Deno.test(
  "like.js shows the highest number if responses arrive out of order",
  needsChromium,
  async () => {
    await using site = await openLike('max="2"');
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    await page.evaluate(
      'globalThis.numbers = []; addEventListener("tally-like", ({ detail }) => numbers.push(detail.hits))',
    );
    await page.evaluate(`{
      const send = fetch;
      const overtaken = Promise.withResolvers();
      globalThis.fetch = async (...request) => {
        globalThis.fetch = async (...request) => {
          const response = await send(...request);
          addEventListener("tally-like", overtaken.resolve);
          return response;
        };
        const response = await send(...request);
        await overtaken.promise;
        return response;
      };
      undefined;
    }`);
    await page.click("button");
    await waitFor("the first hit", async () => await site.count("a") === 1 || undefined);
    await page.click("button");
    await waitFor(
      "both events",
      async () => await page.evaluate("numbers.length") === 2 || undefined,
    );
    deepStrictEqual(await page.evaluate("numbers"), [2, 2]);
    await shows(page, ["2 pressed"]);
  },
);

Deno.test("like.js counts home if the element names no counter", needsChromium, async () => {
  await using site = await openEmbedding({ openReads: true });
  const like = (await likeOf(site, "home")).replace(/counter="\w+"/, "");
  site.pages.set("/", { html: SCRIPT + like });
  await using reader = await openReader();
  await reader.page.goto(URL);
  await shows(reader.page, ["0"]);
  await reader.page.evaluate(
    'addEventListener("tally-like", ({ detail }) => globalThis.counter = detail.counter)',
  );
  await reader.page.click("button");
  await shows(reader.page, ["1 pressed"]);
  strictEqual(await reader.page.evaluate("counter"), "home");
  strictEqual(await site.count("home"), 1);
});

Deno.test(
  "like.js leaves the content of the element where tally.js is blocked",
  needsChromium,
  async () => {
    await using site = await openEmbedding();
    site.pages.set("/", { html: SCRIPT + await likeOf(site, "a", "", "<button>Like</button>") });
    await using reader = await openReader();
    const { page } = reader;
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.route("http://tally.example/tally.js", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await page.goto(URL);
    await failed;
    await page.click("button");
    await shows(page, ["Like"]);
    strictEqual(await site.count("a"), 0);
    deepStrictEqual(errors, []);
  },
);

Deno.test(
  "like.js names the heart by its label, and keeps an image in place of it",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ openReads: true });
    const image = '<img alt="Clap" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">';
    const likes = [
      await likeOf(site, "a", 'label="Gefällt mir"'),
      await likeOf(site, "b", "", image),
    ];
    site.pages.set("/", { html: SCRIPT + likes.join("") });
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0", "0"]);
    strictEqual(await page.getByRole("button", { name: "Gefällt mir 0", exact: true }).count(), 1);
    strictEqual(await page.getByRole("button", { name: "Clap 0", exact: true }).count(), 1);
    strictEqual(await page.locator("tally-like svg").count(), 1);
  },
);

Deno.test(
  "like.js sends no form, and keeps its button and its presses if the element moves",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ openReads: true });
    const like = await likeOf(site, "a");
    site.pages.set("/", { html: `${SCRIPT}<form action="/sent">${like}</form>` });
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0"]);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    await page.evaluate('document.body.append(document.querySelector("tally-like"))');
    await shows(page, ["1 pressed"]);
    await page.click("button", { force: true });
    await settled(page);
    deepStrictEqual(site.asked.filter((path) => path === "/sent"), []);
    strictEqual(await site.count("a"), 1);
    deepStrictEqual(reader.complaints, []);
  },
);

Deno.test("like.js lets go of an element that a page removed", needsChromium, async () => {
  await using _ = await openLike();
  await using reader = await openReader();
  const { page } = reader;
  await page.goto(URL);
  await shows(page, ["0"]);
  await page.evaluate(`{
    const like = document.querySelector("tally-like");
    globalThis.removed = new WeakRef(like);
    like.remove();
    undefined;
  }`);
  await waitFor("its end", async () => {
    await page.requestGC();
    return await page.evaluate("removed.deref() === undefined") === true || undefined;
  });
});

Deno.test("like.js keeps a place for the number of a button", needsChromium, async () => {
  await using site = await openEmbedding({ openReads: true });
  await site.set({ a: 123 });
  site.pages.set("/", { html: `${SCRIPT}<p>${await likeOf(site, "a")}<i>likes</i></p>` });
  await using reader = await openReader();
  const { page } = reader;
  const gate = Promise.withResolvers<void>();
  await page.route("http://tally.example/counts**", async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(URL);
  await shows(page, ["–"]);
  const place = async () => (await page.locator("i").boundingBox())?.x;
  const before = await place();
  gate.resolve();
  await shows(page, ["123"]);
  strictEqual(await place(), before);
});

const LOADED = {
  "a classic script": SCRIPT,
  "a script in the head": SCRIPT.replace(" async", ""),
  "a module": '<script type="module" src="http://tally.example/like.js"></script>',
  "two scripts": SCRIPT + SCRIPT,
};

for (const [how, script] of Object.entries(LOADED)) {
  Deno.test(
    `like.js keeps the content of the element under a strict policy, loaded as ${how}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding({ openReads: true });
      site.pages.set("/", {
        html: script + await likeOf(site, "a", "", "<b>Clap</b>"),
        headers: {
          "content-security-policy":
            "default-src 'none'; script-src http://tally.example; connect-src http://tally.example; " +
            "require-trusted-types-for 'script'; trusted-types 'none'",
          "cross-origin-embedder-policy": "require-corp",
        },
      });
      await using reader = await openReader();
      await reader.page.goto(URL);
      await shows(reader.page, ["Clap 0"]);
      await reader.page.click("button");
      await shows(reader.page, ["Clap 1 pressed"]);
      deepStrictEqual(reader.complaints, []);
    },
  );
}

Deno.test(
  "like.js leaves a button of the page's own its icon and its listener",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ openReads: true });
    const own =
      '<button onclick="pressed_ = 1"><svg><path fill="red" d="M0 0h9v9z"/></svg></button>';
    site.pages.set("/", {
      html: SCRIPT + await likeOf(site, "constructor", "", own) +
        await likeOf(site, "b", "", "<button><b>Clap</b></button>"),
    });
    await using reader = await openReader();
    const { page } = reader;
    await page.goto(URL);
    await shows(page, ["0", "Clap 0"]);
    await page.click("button");
    await shows(page, ["1 pressed", "Clap 0"]);
    strictEqual(await page.evaluate("pressed_"), 1);
    strictEqual(await page.getAttribute("path", "fill"), "red");
    // An element that is moved is built again.
    await page.evaluate('document.body.append(document.querySelector("tally-like"))');
    await shows(page, ["Clap 0", "1 pressed"]);
    await page.click("button");
    await shows(page, ["Clap 1 pressed", "1 pressed"]);
    deepStrictEqual([await site.count("constructor"), await site.count("b")], [1, 1]);
    deepStrictEqual(reader.complaints, []);
  },
);

Deno.test("like.js shows no press that a wrong key or a crawler sends", needsChromium, async () => {
  await using site = await openEmbedding({ openReads: true });
  site.pages.set("/", { html: SCRIPT + (await likeOf(site, "a")).replace('"a"', '"b"') });
  await using reader = await openReader();
  await reader.page.goto(URL);
  await shows(reader.page, ["0"]);
  const response = reader.page.waitForResponse(/\/hit/);
  await reader.page.click("button");
  strictEqual((await response).status(), 401);
  await shows(reader.page, ["0"]);
  site.pages.set("/", { html: SCRIPT + await likeOf(site, "a") });
  await using bot = await openReader({ userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1)" });
  await bot.page.goto(URL);
  await shows(bot.page, ["0"]);
  const ignored = bot.page.waitForResponse(/\/hit/);
  await bot.page.click("button");
  strictEqual((await ignored).status(), 200);
  await settled(bot.page);
  await shows(bot.page, ["0"]);
  strictEqual(await site.count("a"), 0);
});

Deno.test("like.js counts a press where reads are protected", needsChromium, async () => {
  await using site = await openLike("", { openReads: false });
  await using reader = await openReader();
  await reader.page.goto(URL);
  await shows(reader.page, ["–"]);
  await reader.page.click("button");
  await shows(reader.page, ["1 pressed"]);
  strictEqual(await site.count("a"), 1);
});

Deno.test("GET /like.js is at most 1.5 kB as browsers get it", async () => {
  await using app = await memoryApp();
  const response = await app.open("GET /like.js", { "accept-encoding": "gzip" });
  strictEqual(response.headers.get("content-encoding"), "gzip");
  const { byteLength } = await response.arrayBuffer();
  ok(byteLength <= 1500, `${byteLength} bytes`);
});
