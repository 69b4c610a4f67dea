import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { memoryApp } from "../../support/app.ts";
import type { Embedding } from "../../support/embedding.ts";
import { STRICT_POLICY, testVisit, type Visit, type VisitOptions } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";
import { assertAccessible } from "../../support/web_page.ts";

const SCRIPT = '<script async src="http://tally.example/like.js"></script>';
const URL = "http://blog.example/";

/** A button: its counter, its other attributes, and its content. */
type Like = readonly [id: string, attributes?: string, content?: string];

async function likeOf(site: Embedding, [id, more = "", content = ""]: Like): Promise<string> {
  const mark = await site.markOf(id);
  return `${
    mark.replace("tally-mark", "tally-like").replace(/>.*/, "")
  } ${more}>${content}</tally-like>`;
}

/** Messages of the browser about requests that failed. */
const NETWORK = /^Failed to load|blocked by CORS policy/;

/** The circumstances of a page with buttons. */
interface LikeOptions extends VisitOptions {
  /** The buttons; one of the counter `a` without more attributes by default. */
  readonly likes?: readonly Like[];
  /** The first states; 0 by default. */
  readonly first?: readonly string[];
  /** A script that runs before those of the page. */
  readonly init?: string;
  /** The page around the buttons. */
  readonly html?: (likes: string) => string;
  readonly headers?: Record<string, string>;
}

/** Tests a page with buttons once they show their first states. */
function testLike(
  name: string,
  test: (visit: Visit) => Promise<void>,
  options: LikeOptions = {},
): void {
  const { likes = [["a"]], first = likes.map(() => "0"), init, ...more } = options;
  const { html = (likes) => SCRIPT + likes, headers, ...visiting } = more;
  testVisit(name, async (visit) => {
    const { site, page, reader, open } = visit;
    if (init !== undefined) await page.addInitScript(init);
    await open(html((await Promise.all(likes.map((like) => likeOf(site, like)))).join("")), "/", {
      ...headers,
    });
    await shows(page, first);
    await test(visit);
    deepStrictEqual(reader.complaints.filter((text) => !NETWORK.test(text)), []);
  }, visiting);
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

/** Presses a button that takes no press any more, and waits until nothing is sent any more. */
async function pressInVain(page: Page): Promise<void> {
  await page.click("button", { force: true });
  await page.waitForLoadState("networkidle");
}

testLike(
  "like.js shows the number, counts a press once, and remembers it after a reload",
  async ({ site, page }) => {
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
    await pressInVain(page);
    await page.reload();
    await shows(page, ["12,345 pressed"]);
    await pressInVain(page);
    strictEqual(await site.count("a"), 12_345);
  },
  { numbers: { a: 12_344 }, first: ["12,344"] },
);

const IMAGE = '<img alt="Clap" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">';

testLike(
  "like.js names the heart by its label, keeps an image in place of it, and centers it on the digits, whatever the size of the text",
  async ({ page }) => {
    strictEqual(await page.getByRole("button", { name: "Gefällt mir 0", exact: true }).count(), 1);
    strictEqual(await page.getByRole("button", { name: "Clap 0", exact: true }).count(), 1);
    strictEqual(await page.locator("tally-like svg").count(), 1);
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
  { likes: [["a", 'label="Gefällt mir"'], ["b", "", IMAGE]] },
);

testLike(
  "like.js shows no press that could not be sent, and counts the next one once",
  async ({ site, page, reader: { context } }) => {
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

testLike(
  "like.js counts a press once whose response was lost and that is repeated",
  async ({ site, page }) => {
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

testLike(
  "like.js counts a press in two tabs at once as one, and shows it in a third",
  async ({ site, page, reader: { context } }) => {
    const [other, third] = [await context.newPage(), await context.newPage()];
    for (const tab of [other, third]) {
      await tab.goto(URL);
      await shows(tab, ["0"]);
    }
    // Each tab sends its press after both were pressed. A tab that knows of the other press sends
    // none.
    for (const tab of [page, other]) {
      await tab.evaluate(`{
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
    for (const tab of [page, other]) strictEqual(await tab.evaluate("sent"), 1);
    await Promise.all([page, other].map((tab) => tab.evaluate("release()")));
    for (const tab of [page, other]) await shows(tab, ["1 pressed"]);
    await shows(third, ["0 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
);

/** Denies the storage of the browser to the page. */
const STORES_NOTHING = `Object.defineProperty(globalThis, "localStorage", {
  get() { throw new DOMException("denied", "SecurityError"); },
})`;

testLike(
  "like.js counts once a day for a reader whose browser stores nothing",
  async ({ site, page }) => {
    await page.click("button");
    await shows(page, ["1 pressed"]);
    await pressInVain(page);
    await page.reload();
    await shows(page, ["1"]);
    await page.click("button");
    await shows(page, ["1 pressed"]);
    strictEqual(await site.count("a"), 1);
  },
  { init: STORES_NOTHING },
);

testLike("like.js counts as many claps of a reader as max allows", async ({ site, page }) => {
  await page.dblclick("button", { force: true });
  await shows(page, ["2 pressed"]);
  strictEqual(await page.getAttribute("button", "aria-disabled"), "false");
  await page.dblclick("button", { force: true });
  await shows(page, ["3 pressed"]);
  strictEqual(await page.getAttribute("button", "aria-disabled"), "true");
  await page.reload();
  await shows(page, ["3 pressed"]);
  await pressInVain(page);
  strictEqual(await site.count("a"), 3);
}, { likes: [["a", 'max="3"']] });

testLike(
  "like.js counts a double click once, and shows no number that the store does not hold yet",
  async ({ site, page, requests }) => {
    const gate = Promise.withResolvers<void>();
    await page.route("http://tally.example/hit**", async (route) => {
      await gate.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/hit/);
    await page.dblclick("button", { force: true });
    await asked;
    await shows(page, ["0"]);
    strictEqual(await site.count("a"), 0);
    gate.resolve();
    await shows(page, ["1 pressed"]);
    await page.waitForLoadState("networkidle");
    strictEqual(await site.count("a"), 1);
    strictEqual(requests.filter((path) => path.startsWith("/hit")).length, 1);
  },
);

const VIEWS_SHOWN = 'document.querySelector("body > tally-mark").textContent === "7"';

/**
 * The scripts of a page in the order in which they run once it is parsed, the one that arrives
 * late, and the number of reads.
 */
const ORDERS: readonly (readonly [names: string[], late: string, reads: number])[] = [
  [["like"], "", 1],
  // The request of the page is answered after that of like.js, which runs the script as well.
  [["like", "tally"], "tally", 1],
  // It arrives after the tally-marks were read.
  [["tally", "like"], "like", 2],
];

for (const [names, late, count] of ORDERS) {
  testVisit(
    `the buttons and the tally-marks of a page share a read once ${
      names.join(" and ")
    }.js have run: ${count} in all`,
    async ({ site, page, requests, open }) => {
      const likes = await Promise.all([0, 1, 2].map((n) => likeOf(site, [`like/${n}`])));
      if (late !== "") {
        await page.route(`http://tally.example/${late}.js`, async (route) => {
          if (late === "like") await page.waitForFunction(VIEWS_SHOWN);
          const isAskedTwice = () =>
            requests.lastIndexOf("/tally.js") > requests.indexOf("/tally.js");
          if (late === "tally") await waitFor("the import", () => isAskedTwice() || undefined);
          await route.continue();
        });
      }
      const scripts = names.map((name) =>
        `<script defer src="http://tally.example/${name}.js"></script>`
      );
      const mark = '<tally-mark counter="views">–</tally-mark>';
      await open([...scripts, ...likes, likes[0], mark].join(""));
      await shows(page, ["5", "0", "0", "5"]);
      await page.waitForFunction(VIEWS_SHOWN);
      await page.waitForLoadState("networkidle");
      const reads = requests.filter((path) => path.startsWith("/count"));
      strictEqual(reads.length, count, reads.join("\n"));
      deepStrictEqual(
        reads.flatMap((read) => new globalThis.URL(read, URL).searchParams.getAll("id")).toSorted(),
        ["like/0", "like/1", "like/2", "views"],
      );
      await page.locator("button").first().click();
      await shows(page, ["6 pressed", "0", "0", "6 pressed"]);
    },
    { numbers: { "like/0": 5, views: 7 } },
  );
}

testLike("like.js can be used by keyboard, and axe finds nothing", async ({ page }) => {
  strictEqual(await page.getByRole("button", { name: "Like 0" }).count(), 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await shows(page, ["1 pressed", "👏 Clap 0"]);
  // One button is pressed, and one is not.
  await assertAccessible(page);
  strictEqual(await page.getByRole("button", { name: "Like 1", pressed: true }).count(), 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await shows(page, ["1 pressed", "👏 Clap 1 pressed"]);
}, {
  likes: [["a"], ["b", "", "👏 Clap"]],
  first: ["0", "👏 Clap 0"],
  html: (likes) => `<html lang="en"><main><h1>Post</h1>${SCRIPT}${likes}</main>`,
});

/** Counts the shifts of a page's layout, and its animations. */
const WATCH = `{
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
}`;

testLike(
  "like.js moves nothing on a page that gives its elements a size, and animates a press unless the reader has reduce of motion",
  async ({ page }) => {
    for (const [index, reducedMotion] of (["reduce", "no-preference"] as const).entries()) {
      await page.emulateMedia({ reducedMotion });
      await page.locator("button").nth(index).press("Enter");
      const line = ["12,346 pressed", index === 0 ? "12,345" : "12,346 pressed"];
      await shows(page, Array(10).fill(line).flat());
      // Shifts are reported after the frame that has them.
      await page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      strictEqual(await page.evaluate("shift_"), 0);
      strictEqual(await page.evaluate("animations_"), index);
    }
  },
  {
    numbers: { a: 12_345, b: 12_345 },
    likes: [["a"], ["b"]],
    first: Array(20).fill("12,345"),
    init: WATCH,
    html: (likes) =>
      "<style>tally-like { display: inline-block; width: 7em; height: 2em; vertical-align: middle }</style>" +
      `<p>${likes} likes of this page so far</p>`.repeat(10) + SCRIPT,
  },
);

testLike(
  "like.js counts home if the element names no counter, without cookies and referrer, in a request that outlives the page",
  async ({ site, page }) => {
    await page.evaluate(
      'addEventListener("tally-like", ({ detail }) => globalThis.counter = detail.counter)',
    );
    await page.click("button");
    await shows(page, ["1 pressed"]);
    strictEqual(await page.evaluate("counter"), "home");
    strictEqual(await site.count("home"), 1);
    deepStrictEqual(await page.evaluate("sent"), {
      parameters: ["id", "key", "once"],
      keepalive: true,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  },
  {
    likes: [["home"]],
    html: (like) => SCRIPT + like.replace(/counter="\w+"/, ""),
    init: `{
      const send = fetch;
      globalThis.fetch = (...request) => {
        const { method, url, keepalive, credentials, referrerPolicy } = new Request(...request);
        if (method === "POST") {
          const parameters = [...new URL(url).searchParams.keys()];
          globalThis.sent = { parameters, keepalive, credentials, referrerPolicy };
        }
        return send(...request);
      };
    }`,
  },
);

testLike(
  "like.js shows the highest number if responses arrive out of order",
  async ({ page, counts }) => {
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
    await counts("a", 1);
    await page.click("button");
    await page.waitForFunction("numbers.length === 2");
    deepStrictEqual(await page.evaluate("numbers"), [2, 2]);
    await shows(page, ["2 pressed"]);
  },
  { likes: [["a", 'max="2"']] },
);

testVisit(
  "like.js leaves the content of the element where tally.js is blocked",
  async ({ site, page, open }) => {
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.route("http://tally.example/tally.js", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await open(SCRIPT + await likeOf(site, ["a", "", "<button>Like</button>"]));
    await failed;
    await page.click("button");
    await shows(page, ["Like"]);
    strictEqual(await site.count("a"), 0);
    deepStrictEqual(errors, []);
  },
);

testLike(
  "like.js sends no form, and keeps its button and its presses if the element moves",
  async ({ site, page }) => {
    await page.click("button");
    await shows(page, ["1 pressed"]);
    await page.evaluate('document.body.append(document.querySelector("tally-like"))');
    await shows(page, ["1 pressed"]);
    await pressInVain(page);
    deepStrictEqual(site.asked.filter((path) => path === "/sent"), []);
    strictEqual(await site.count("a"), 1);
  },
  { html: (like) => `${SCRIPT}<form action="/sent">${like}</form>` },
);

testLike("like.js lets go of an element that a page removed", async ({ page }) => {
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

testVisit("like.js keeps a place for the number of a button", async ({ site, page, open }) => {
  const gate = Promise.withResolvers<void>();
  await page.route("http://tally.example/counts**", async (route) => {
    await gate.promise;
    await route.continue();
  });
  await open(`${SCRIPT}<p>${await likeOf(site, ["a"])}<i>likes</i></p>`);
  await shows(page, ["–"]);
  const place = async () => (await page.locator("i").boundingBox())?.x;
  const before = await place();
  gate.resolve();
  await shows(page, ["123"]);
  strictEqual(await place(), before);
}, { numbers: { a: 123 } });

testVisit(
  "like.js keeps the content of the element under a strict policy, loaded as a classic script, in the head, as a module or as two scripts",
  async ({ site, reader, page, open }) => {
    const module = '<script type="module" src="http://tally.example/like.js"></script>';
    const forms = [SCRIPT, SCRIPT.replace(" async", ""), module, SCRIPT + SCRIPT];
    for (const [index, script] of forms.entries()) {
      const like = await likeOf(site, [`${index}`, "", "<b>Clap</b>"]);
      await open(script + like, "/", STRICT_POLICY);
      await shows(page, ["Clap 0"]);
      await page.click("button");
      await shows(page, ["Clap 1 pressed"]);
    }
    deepStrictEqual(reader.complaints, []);
  },
);

const OWN = '<button onclick="pressed_ = 1"><svg><path fill="red" d="M0 0h9v9z"/></svg></button>';

testLike(
  "like.js leaves a button of the page's own its icon and its listener",
  async ({ site, page }) => {
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
  },
  {
    likes: [["constructor", "", OWN], ["b", "", "<button><b>Clap</b></button>"]],
    first: ["0", "Clap 0"],
  },
);

testLike("like.js shows no press that a wrong key or a crawler sends", async (visit) => {
  const { site, page, open, reader: { context } } = visit;
  const response = page.waitForResponse(/\/hit/);
  await page.click("button");
  strictEqual((await response).status(), 401);
  await shows(page, ["0"]);
  const session = await context.newCDPSession(page);
  const userAgent = "Mozilla/5.0 (compatible; Googlebot/2.1)";
  await session.send("Emulation.setUserAgentOverride", { userAgent });
  await open(SCRIPT + await likeOf(site, ["a"]));
  await shows(page, ["0"]);
  const ignored = page.waitForResponse(/\/hit/);
  await page.click("button");
  strictEqual((await ignored).status(), 200);
  await page.waitForLoadState("networkidle");
  await shows(page, ["0"]);
  strictEqual(await site.count("a"), 0);
}, { html: (like) => SCRIPT + like.replace('"a"', '"b"') });

testLike("like.js counts a press where reads are protected", async ({ site, page }) => {
  await page.click("button");
  await shows(page, ["1 pressed"]);
  strictEqual(await site.count("a"), 1);
}, { openReads: false, first: ["–"] });

Deno.test("GET /like.js is at most 1.5 kB as browsers get it", async () => {
  await using app = await memoryApp();
  const response = await app.open("GET /like.js", { "accept-encoding": "gzip" });
  strictEqual(response.headers.get("content-encoding"), "gzip");
  const { byteLength } = await response.arrayBuffer();
  ok(byteLength <= 1500, `${byteLength} bytes`);
});
