import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { attribute, parseSvg, texts } from "../../support/parse_svg.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { drawnBars } from "../chart/drawn_bars.ts";

const IMAGE = { accept: "image/avif,image/webp,image/png,image/svg+xml,image/*,*/*;q=0.8" };

Deno.test("GET /chart.svg shows a counter's hits, with today's as the last bar", async () => {
  await using app = await openToday();
  await app.hit("a", 3);
  const { status, headers, body } = await app.send("GET /chart.svg?id=a&label=hits");
  strictEqual(status, 200);
  strictEqual(headers["content-type"], "image/svg+xml; charset=utf-8");
  match(body, /<title>hits: 3<\/title><desc>3 hits in 30 days, since Oct 23, 2026\. /);
  const [bar, ...others] = drawnBars(parseSvg(body));
  deepStrictEqual([bar?.isPale, others], [true, []]);
});

Deno.test("GET /chart.svg of a counter that was never hit has no bars, and writes nothing", async () => {
  await using app = await openToday();
  const { status, body } = await app.send("GET /chart.svg?id=never");
  strictEqual(status, 200);
  strictEqual(texts(parseSvg(body))[1]?.text, "0");
  deepStrictEqual(drawnBars(parseSvg(body)), []);
});

Deno.test("GET /chart.svg has one ETag for the same bytes, and answers 304 to who has them", async () => {
  await using app = await openToday();
  await app.hit("a");
  const first = await app.send("GET /chart.svg?id=a");
  strictEqual(first.headers["cache-control"], "no-cache, max-age=0, must-revalidate");
  strictEqual(first.headers["access-control-allow-origin"], "*");
  const etag = first.headers.etag ?? "";
  const again = await app.send("GET /chart.svg?id=a", { "if-none-match": etag });
  strictEqual(again.status, 304);
  strictEqual(again.body, "");
  await app.hit("a");
  notStrictEqual((await app.send("GET /chart.svg?id=a")).headers.etag, etag);
  notStrictEqual((await app.send("GET /chart.svg?id=a&range=12w")).headers.etag, etag);
});

Deno.test("GET /chart.svg falls back in everything but the counter", async () => {
  await using app = await openToday();
  await app.hit("a");
  const plain = await app.send("GET /chart.svg?id=a");
  const wild = "range=%00&width=x&height=&color=url(x)&numbers=&locale=%3C&theme=sepia&other=1";
  strictEqual((await app.send(`GET /chart.svg?id=a&${wild}`)).body, plain.body);
  strictEqual((await app.send("GET /chart.svg?id=%00")).status, 400);
  strictEqual((await app.send("GET /chart.svg?range=30d&range=90d")).status, 400);
});

Deno.test("GET /chart.svg draws what is wrong, with 200 for an image of a page", async () => {
  const store = new ScriptedStore();
  store.failure = "store-unavailable";
  await using app = openApp({ store });
  strictEqual((await app.send("GET /chart.svg")).status, 503);
  const { status, headers, body } = await app.send("GET /chart.svg", IMAGE);
  strictEqual(status, 200);
  strictEqual(headers["x-tallymark"], "store-unavailable");
  match(body, /unavailable/);
});

const SIZES: readonly (readonly [address: string, size: string])[] = [
  ["/chart.svg?id=a", "480x180"],
  ["/chart.svg?id=a&width=600&height=200&theme=dark", "600x200"],
  ["/chart.svg?id=%00&width=x", "480x180"],
  ["/calendar.svg?id=a", "747x189"],
  ["/card.svg?id=a", "400x150"],
];

for (const [address, size] of SIZES) {
  Deno.test(`GET ${address} draws what is wrong in its own size of ${size}`, async () => {
    const store = new ScriptedStore();
    store.failure = "store-unavailable";
    await using app = openApp({ store });
    const { headers, body } = await app.send(`GET ${address}`, IMAGE);
    ok(headers["x-tallymark"] !== undefined);
    const [, width, height] = body.match(/^<svg [^>]*? width="(\d+)" height="(\d+)"/) ?? [];
    strictEqual(`${width}x${height}`, size);
    ok(texts(parseSvg(body)).length >= 1);
  });
}

Deno.test("GET /card.svg of a counter with a total alone says that its history begins with a view", async () => {
  await using app = await openToday();
  await app.sendBody("PUT /counters?id=a", '{"hits":9}');
  match((await app.send("GET /card.svg?id=a")).body, /Daily history begins with the next view\./);
  await app.hit("a");
  doesNotMatch((await app.send("GET /card.svg?id=a")).body, /Daily history/);
});

for (const path of ["/calendar.svg", "/card.svg"]) {
  Deno.test(`GET ${path} shows a counter as /chart.svg does: access, caching and 304`, async () => {
    await using app = await openToday();
    await app.hit("a", 3);
    const { status, headers, body } = await app.send(`GET ${path}?id=a&label=hits`);
    strictEqual(status, 200);
    strictEqual(headers["content-type"], "image/svg+xml; charset=utf-8");
    strictEqual(headers["cache-control"], "no-cache, max-age=0, must-revalidate");
    strictEqual(headers["access-control-allow-origin"], "*");
    match(body, /: 3[ <]/);
    const known = { "if-none-match": headers.etag ?? "" };
    strictEqual((await app.send(`GET ${path}?id=a&label=hits`, known)).status, 304);
    await app.hit("a");
    strictEqual((await app.send(`GET ${path}?id=a&label=hits`, known)).status, 200);
    strictEqual((await app.send(`GET ${path}?id=never`)).status, 200);
    strictEqual((await app.send(`GET ${path}?id=%00`)).status, 400);
    await using closed = await openToday({ openReads: false });
    strictEqual((await closed.send(`GET ${path}?id=a`)).status, 401);
  });

  Deno.test(`GET /sample${path} shows figures that are no counter's, also where reads are closed`, async () => {
    await using app = await openToday({ openReads: false });
    const { status, body } = await app.send(`GET /sample${path}`);
    strictEqual(status, 200);
    match(body, /12,345/);
  });
}

const SPARKS = ["classic", "flat-square", "plastic", "for-the-badge", "social", "terminal", "led"];

for (const path of ["/badge", "/hit.svg"]) {
  Deno.test(`${path} with spark= shows days as bars`, async () => {
    await using app = await openToday();
    await app.hit("a", 2);
    for (const style of SPARKS) {
      const { headers, body } = await send(app, `${path}?id=a&style=${style}&spark=7`);
      strictEqual([...body.matchAll(/v-\d+h2v\d+z/g)].length, 7, style);
      match(body, /M\d+ [\d.]+v-12h2v12z" [^>]*opacity="\.55"/);
      ok(path === "/hit.svg" || headers.etag !== undefined);
    }
    doesNotMatch((await send(app, `${path}?id=a&spark=no`)).body, /v-\d+h2/);
  });
}

Deno.test("/hit.svg with spark= counts once, and the number is that of the hit", async () => {
  await using app = await openToday();
  for (const number of [1, 2, 3]) {
    const { body } = await send(app, "/hit.svg?id=a&spark=30");
    match(body, new RegExp(`<title>views: ${number}</title>`));
    strictEqual(await app.count("a"), number);
  }
});

Deno.test("/badge with spark= and a period shows the number of the period", async () => {
  await using app = await openToday();
  await app.hit("a", 4);
  for (const [query, title] of [["period=today", "4"], ["show=today/total", "4 / 4"], ["", "4"]]) {
    const { body } = await send(app, `/badge?id=a&spark=7&${query}`);
    match(body, new RegExp(`<title>views: ${title}</title>`));
  }
});

Deno.test("/badge with spark= has another ETag when the bars change, and not the number", async () => {
  await using app = await openToday();
  await app.sendBody("PUT /counters?id=a", '{"hits":9,"days":{}}');
  const before = await app.send("GET /badge?id=a&spark=7");
  await app.sendBody("PUT /counters?id=a", '{"hits":9,"days":{"2026-11-21":9}}');
  const after = await app.send("GET /badge?id=a&spark=7");
  notStrictEqual(after.body, before.body);
  notStrictEqual(after.headers.etag, before.headers.etag);
  const same = await app.send("GET /badge?id=a&spark=7", {
    "if-none-match": after.headers.etag ?? "",
  });
  strictEqual(same.status, 304);
});

Deno.test("/badge with spark= shows the last number without bars while the store is away", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("a");
  store.failure = "store-unavailable";
  const { status, headers, body } = await app.send("GET /badge?id=a&spark=7");
  strictEqual(status, 200);
  strictEqual(headers["x-tallymark"], "stale");
  doesNotMatch(body, /v-\d+h2/);
});

Deno.test("GET /sample/badge and /sample/chart.svg show 12,345 to anyone, whatever the look", async () => {
  await using app = await openToday({ openReads: false });
  const badge = await app.send("GET /sample/badge?spark=7&numbers=grouped&label=hits");
  match(badge.body, /<title>hits: 12,345<\/title>/);
  strictEqual([...badge.body.matchAll(/v-\d+h2v\d+z/g)].length, 7);
  strictEqual(badge.headers["cache-control"], "max-age=3600");
  const chart = await app.send("GET /sample/chart.svg?range=12m&id=any");
  match(chart.body, /<title>views: 12,345<\/title>/);
  strictEqual((await app.send("GET /sample/chart.svg?range=a&range=b")).status, 400);
});

function send(app: TestApp, path: string) {
  return app.send(`GET ${path}`, authorized);
}

/** The app on 2026-11-21, a Saturday. */
function openToday({ openReads = true } = {}): Promise<TestApp> {
  const calendar = createCalendar("UTC", () => Date.UTC(2026, 10, 21, 12));
  return memoryApp({ calendar, openReads });
}

for (
  const { path, failure, title } of [
    { path: "/chart.svg?id=a&", failure: "store-unavailable", title: "unavailable" },
    { path: "/chart.svg?id=%00&", failure: undefined, title: "bad id" },
    { path: "/sample/chart.svg?cb=%ff&", failure: undefined, title: "bad query" },
  ] as const
) {
  Deno.test(`GET ${path} draws "${title}" as large as the chart would have been, in its theme`, async () => {
    const store = new ScriptedStore();
    store.failure = failure;
    await using app = openApp({ store });
    for (const [width, height] of [["240", "120"], ["480", "180"], ["960", "400"]]) {
      const { headers, body } = await app.send(
        `GET ${path}width=${width}&height=${height}&label=%3Chits%3E&theme=dark`,
        IMAGE,
      );
      strictEqual(headers["content-type"], "image/svg+xml; charset=utf-8");
      const elements = parseSvg(body);
      strictEqual(attribute(elements, "svg", "width"), width);
      strictEqual(attribute(elements, "svg", "height"), height);
      strictEqual(attribute(elements, "rect", "fill"), "#0d1117");
      const [label, words, ...more] = texts(elements).map(({ text }) => text);
      deepStrictEqual([label, more], ["<hits>", []]);
      // The whole sentence where there is room for it.
      ok(words === title || body.includes(`<desc>${words}</desc>`), words);
      match(body, new RegExp(`<title>&lt;hits&gt;: ${title}</title><desc>[A-Z].{20,}\\.</desc>`));
    }
  });
}

for (
  const [locale, year] of [["th", "2026"], ["fa", "۲۰۲۶"], ["ar-SA", "٢٠٢٦"], ["ja-JP", "2026"]]
) {
  Deno.test(`GET /chart.svg?locale=${locale} shows the months of the Gregorian calendar, whose bars they are`, async () => {
    await using app = await openToday();
    await app.hit("a", 3);
    const { body } = await app.send(`GET /chart.svg?id=a&range=12m&kind=total&locale=${locale}`);
    const shown = texts(parseSvg(body)).map(({ text }) => text);
    ok(shown.some((text) => text.includes(year ?? "")), `${shown}`);
  });
}

Deno.test("GET /chart.svg?kind=total ends at the total, and marks round totals that were reached", async () => {
  await using app = await openToday();
  await app.hit("a", 4);
  const { body } = await app.send("GET /chart.svg?id=a&kind=total");
  const bold = body.match(/<text [^>]*font-weight="bold"[^>]*>[^<]*/g) ?? [];
  deepStrictEqual(bold.map((text) => text.replace(/.*>/, "")), ["4", "2"]);
});

Deno.test("GET /chart.svg with several ids draws a line for each once, from one call to the store", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("a", 3);
  await app.hit("b", 2);
  const { status, headers, body } = await app.send("GET /chart.svg?id=a&id=b&id=a&id=%20b");
  strictEqual(status, 200);
  strictEqual(store.calls.history, 1);
  match(body, /<title>views: a 3, up 0; b 2, up 0<\/title>/);
  const known = { "if-none-match": headers.etag ?? "" };
  strictEqual((await app.send("GET /chart.svg?id=a&id=b", known)).status, 304);
  await app.hit("b");
  strictEqual((await app.send("GET /chart.svg?id=a&id=b", known)).status, 200);
  const area = await app.send("GET /chart.svg?id=a&id=b&kind=area");
  match(area.body, /in all/);
  const unknown = await app.send("GET /chart.svg?id=a&id=b&kind=pie");
  match(unknown.body, /up 0/);
});

Deno.test("GET /chart.svg with one id twice is the chart of one counter, with its kinds", async () => {
  await using app = await openToday();
  await app.hit("a", 3);
  for (const kind of ["", "&kind=bars", "&kind=area"]) {
    const once = await app.send(`GET /chart.svg?id=a${kind}`);
    strictEqual((await app.send(`GET /chart.svg?id=a&id=a${kind}`)).body, once.body);
  }
});

const REFUSED: readonly (readonly [query: string, detail: RegExp])[] = [
  [
    "id=1&id=2&id=3&id=4&id=5&id=6&id=7",
    /up to 6 counters\. Remove 1 of the 7 ids, or send prefix=/,
  ],
  ["id=a&id=b&kind=bars", /Send kind=total or kind=area with several ids/],
  ["id=a&id=b&prefix=c/", /Send id or prefix, not both/],
  ["id=a&id=%00", /id/],
  ["id=a&id=b&kind=area&kind=total", /kind more than once/],
];

for (const [query, detail] of REFUSED) {
  Deno.test(`GET /chart.svg?${query} is refused, before the secret is asked for`, async () => {
    await using app = await openToday({ openReads: false });
    const { status, body } = await app.send(`GET /chart.svg?${query}`);
    strictEqual(status, 400);
    match(parseSvg(body).find(({ name }) => name === "desc")?.text ?? "", detail);
  });
}

Deno.test("GET /calendar.svg and /card.svg refuse a second id", async () => {
  await using app = await openToday();
  for (const path of ["/calendar.svg", "/card.svg", "/badge"]) {
    strictEqual((await app.send(`GET ${path}?id=a&id=b`)).status, 400, path);
  }
});

Deno.test("the OpenAPI document says that charts take up to six ids, as SVG and as PNG", async () => {
  await using app = await openToday();
  const { body } = await app.send("GET /openapi.json");
  const { paths } = JSON.parse(body);
  for (const path of ["/chart.svg", "/chart.png"]) {
    const found = paths[path].get.parameters.find(({ name }: { name: string }) => name === "id");
    deepStrictEqual([found.schema.type, found.schema.maxItems], ["array", 6], path);
  }
});

Deno.test("GET /chart.svg?range=all begins with the first known day, of a counter and of a prefix", async () => {
  await using app = await openToday();
  const days = { "2014-05-06": 5, "2026-11-20": 7 };
  await app.sendBody("POST /counters", JSON.stringify({ id: "a/b", hits: 12, days }));
  for (const target of ["id=a/b", "prefix=a/"]) {
    const { body } = await app.send(`GET /chart.svg?${target}&range=all`);
    match(body, /<desc>12 hits in 13 years, by quarter, since Apr 1, 2014\./, target);
    strictEqual(drawnBars(parseSvg(body)).length, 2);
  }
});

Deno.test("GET /chart.svg?range=all shows a week without hits for a counter that was never hit, and refuses without the secret", async () => {
  await using app = await openToday();
  const { status, body } = await app.send("GET /chart.svg?id=never&range=all");
  strictEqual(status, 200);
  match(body, /<desc>No hits in 7 days, since Nov 15, 2026\.<\/desc>/);
  await using closed = await openToday({ openReads: false });
  const refused = await closed.send("GET /chart.svg?range=all&width=600", IMAGE);
  strictEqual(refused.headers["x-tallymark"], "unauthorized");
  match(refused.body, /width="600"/);
});

Deno.test("GET /chart.svg names the day of a peak among seven known days, and none among six", async () => {
  await using app = await openToday();
  const put = (count: number) => {
    const days = Object.fromEntries(
      Array.from(
        { length: count },
        (_, day) => [`2026-11-${22 - count + day}`, day === 2 ? 77 : 5],
      ),
    );
    return app.sendBody("POST /counters", JSON.stringify({ id: "a", hits: 500, days }));
  };
  const isPeakNamed = async () => {
    const { body } = await app.send("GET /chart.svg?id=a");
    return texts(parseSvg(body)).some(({ text }) => text === "77");
  };
  await put(6);
  strictEqual(await isPeakNamed(), false);
  await put(7);
  strictEqual(await isPeakNamed(), true);
});
