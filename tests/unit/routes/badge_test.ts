import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { parseSvg, texts } from "../../support/parse_svg.ts";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { times } from "../../support/times.ts";

Deno.test("GET /badge draws the label and the count", async () => {
  await using app = await memoryApp();
  await app.hit("a", 3);
  for (const style of ["", "&style=classic", "&style=terminal", "&style=plastic"]) {
    const { status, headers, body } = await app.send(`GET /badge?id=a&label=hits${style}`);
    strictEqual(status, 200);
    strictEqual(headers["content-type"], "image/svg+xml; charset=utf-8");
    match(body, /<title>hits: 3<\/title>/);
    ok(texts(parseSvg(body)).some(({ text }) => text === "3"));
  }
});

Deno.test("/badge and /badge.json have no label where it is given but empty", async () => {
  await using app = await memoryApp();
  const { body } = await app.send("GET /badge?label=");
  deepStrictEqual(texts(parseSvg(body)).map(({ text }) => text), ["0"]);
  const { json } = await app.send("GET /badge.json?label=");
  strictEqual(field(json, "label"), "");
});

const defaults = [
  ["", "&label=views&style=classic&color=blue"],
  ["&label=%20%00%1F", "&label="],
  ["&label", "&label="],
  ["&style=flat", ""],
  ["&style=CLASSIC", ""],
  ["&color=nonsense", ""],
  ["&color=%23007ec6", "&color=007EC6"],
  ["&color=red;fill:url(x)", ""],
  ["&bg=nonsense&labelColor=%23ggg&valueColor=12345", ""],
  ["&style=terminal&bg=nonsense", "&style=terminal"],
  ["&style=terminal", "&style=terminal&bg=%231e1e1e"],
  ["&style=terminal&color=red", "&style=terminal&valueColor=red"],
  ["&color=BrightGreen", "&color=4b0"],
  ["&color=%20success%20", "&color=brightgreen"],
  ["&color=RebeccaPurple", "&color=639"],
] as const;

for (const [query, same] of defaults) {
  Deno.test(`/badge?id=a${query} draws what /badge?id=a${same} draws`, async () => {
    await using app = await memoryApp();
    await app.hit("a", 3);
    const expected = await app.send(`GET /badge?id=a${same}`);
    const { status, headers, body } = await app.send(`GET /badge?id=a${query}`);
    strictEqual(status, 200);
    if (same === "&color=639") match(body, /#663399/i);
    else strictEqual(body, expected.body);
    if (body === expected.body) strictEqual(headers.etag, expected.headers.etag);
  });
}

Deno.test("/badge cuts a label after 100 characters as people count them", async () => {
  await using app = await memoryApp();
  for (const character of ["a", "é", "e\u0301", "日", "👩‍💻", "🇩🇪"]) {
    const whole = await app.send(`GET /badge?label=${encodeURIComponent(character.repeat(100))}`);
    ok(whole.body.includes(`<title>${character.repeat(100)}: 0<`), character);
    const cut = await app.send(`GET /badge?label=${encodeURIComponent(character.repeat(101))}`);
    ok(cut.body.includes(`<title>${character.repeat(100)}…: 0<`), character);
    const { json } = await app.send(
      `GET /badge.json?label=${encodeURIComponent(character.repeat(101))}`,
    );
    strictEqual(field(json, "label"), `${character.repeat(100)}…`);
  }
});

Deno.test("/badge answers 304 to its own ETag, without a body, until the count moves", async () => {
  await using app = await memoryApp();
  const url = "/badge?id=a&style=plastic";
  for (let time = 0; time < 3; time++) {
    const { headers, body } = await app.send(`GET ${url}`);
    const etag = headers.etag ?? "";
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const again = await app.send(`${method} ${url}`, { "if-none-match": known });
        strictEqual(again.status, 304);
        strictEqual(again.body, "");
        strictEqual(again.headers.etag, etag);
        strictEqual(again.headers["cache-control"], "no-cache, max-age=0, must-revalidate");
        strictEqual(again.headers["access-control-allow-origin"], "*");
      }
    }
    strictEqual((await app.send(`GET ${url}`, { "if-none-match": '"x"' })).body, body);
    await app.hit("a");
    const moved = await app.send(`GET ${url}`, { "if-none-match": etag });
    strictEqual(moved.status, 200);
    notStrictEqual(moved.headers.etag, etag);
  }
});

Deno.test("/badge has one ETag for the same bytes and different ones for different bytes", async () => {
  await using app = await memoryApp();
  await app.hit("a", 7);
  await app.hit("b", 7);
  const seen = new Map<string, string>();
  const choices: [string, string[]][] = [
    ["id", ["a", "b", "never"]],
    ["label", ["", "views", "x", "x\0y", "<", "\u0639"]],
    ["style", ["", "flat", "terminal", "flat-square", "odometer", "flap", "led", "pixel", "y\0"]],
    ["color", ["", "blue", "red", "#f00", "nonsense"]],
    ["bg", ["", "navy"]],
    ["labelColor", ["", "red"]],
    ["valueColor", ["", "red"]],
    ["font", ["", "monospace", "Fira Code"]],
    ["numbers", ["", "grouped", "compact"]],
    ["locale", ["", "de", "ar-EG"]],
    ["theme", ["", "auto", "dark"]],
    ["digits", ["", "1", "9"]],
  ];
  const query = fc.record(
    Object.fromEntries(choices.map(([name, values]) => [name, fc.constantFrom(...values)])),
  ).map((look) => String(new URLSearchParams(look)));
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      const { headers, body } = await app.send(`GET /badge?${text}`);
      const etag = headers.etag ?? "";
      strictEqual(seen.get(etag) ?? body, body, `two bodies have the tag ${etag}`);
      seen.set(etag, body);
    }),
    { numRuns: times(300, 1500) },
  );
  strictEqual(new Set(seen.values()).size, seen.size, "one body has two tags");
});

Deno.test("/badge.json holds what shields.io knows and nothing else", async () => {
  await using app = await memoryApp();
  await app.hit("a", 1234);
  strictEqual(
    (await app.send("GET /badge.json?id=a")).body,
    '{"schemaVersion":1,"label":"views","message":"1234","color":"blue","cacheSeconds":60}',
  );
  strictEqual(
    (await app.send("GET /badge.json?id=a&label=hits&color=Red&cacheSeconds=90&numbers=grouped"))
      .body,
    '{"schemaVersion":1,"label":"hits","message":"1,234","color":"red","cacheSeconds":90}',
  );
  strictEqual(field((await app.send("GET /badge.json")).json, "message"), "0");
});

const cacheSeconds = [
  { text: "", seconds: 60 },
  { text: "30", seconds: 30 },
  { text: "29", seconds: 30 },
  { text: "-1", seconds: 30 },
  { text: "31", seconds: 31 },
  { text: "3599", seconds: 3599 },
  { text: "3600", seconds: 3600 },
  { text: "3601", seconds: 3600 },
  { text: "9".repeat(400), seconds: 3600 },
  { text: "90.5", seconds: 60 },
  { text: "1e3", seconds: 60 },
  { text: "ninety", seconds: 60 },
  { text: "٩٠", seconds: 60 },
];

for (const { text, seconds } of cacheSeconds) {
  const name = text.length > 30 ? `${text.length} digits` : JSON.stringify(text);
  Deno.test(`/badge.json takes cacheSeconds ${name} for ${seconds}`, async () => {
    await using app = await memoryApp();
    const { headers, json } = await app.send(
      `GET /badge.json?cacheSeconds=${encodeURIComponent(text)}`,
    );
    strictEqual(field(json, "cacheSeconds"), seconds);
    strictEqual(headers["cache-control"], `max-age=${seconds}`);
  });
}

const colors = [
  { text: "", color: "blue" },
  { text: "brightgreen", color: "brightgreen" },
  { text: "critical", color: "critical" },
  { text: "RebeccaPurple", color: "rebeccapurple" },
  { text: "#ABC", color: "#abc" },
  { text: "A1B2C3", color: "#a1b2c3" },
  { text: "#abcd", color: "#abcd" },
  { text: "#aabbccdd", color: "#aabbccdd" },
  { text: "nonsense", color: "blue" },
  { text: "constructor", color: "blue" },
  { text: "url(#a)", color: "blue" },
];

for (const { text, color } of colors) {
  Deno.test(`/badge.json gives the color ${JSON.stringify(text)} as ${color}`, async () => {
    await using app = await memoryApp();
    const { json } = await app.send(`GET /badge.json?color=${encodeURIComponent(text)}`);
    strictEqual(field(json, "color"), color);
  });
}

for (const openReads of [true, false]) {
  const reads = openReads ? "open" : "protected";
  for (const failure of ["store-unavailable", "overloaded"] as const) {
    Deno.test(`/badge and /badge.json show the last number seen while the store says ${failure} (${reads} reads)`, async () => {
      const store = new ScriptedStore();
      await using app = openApp({ store, openReads });
      await app.hit("a", 5);
      const fresh = await drawn(app, "a");
      store.failure = failure;
      for (const [path, body] of await drawn(app, "a")) {
        strictEqual(body, fresh.get(path));
        const etag = '"x", *';
        const stale = await app.send(`GET ${path}?id=a`, { ...authorized, "if-none-match": etag });
        strictEqual(stale.status, 200);
        strictEqual(stale.headers["x-tallymark"], "stale");
        strictEqual(stale.headers.etag, undefined);
        strictEqual(
          stale.headers["cache-control"],
          openReads ? "no-store" : "private, no-store",
        );
        deepStrictEqual((await app.send(`HEAD ${path}?id=a`, authorized)).headers, stale.headers);
        const unknown = await app.send(`GET ${path}?id=b`, authorized);
        strictEqual(unknown.status, 503);
        strictEqual(unknown.headers["retry-after"], "1");
        strictEqual(unknown.headers["x-tallymark"], failure);
      }
      store.failure = undefined;
      const { headers } = await app.send("GET /badge?id=a", authorized);
      strictEqual(headers["x-tallymark"], undefined);
    });
  }
}

for (const asked of ["id=a&period=7d", "id=a&show=today/total"]) {
  for (const [one, other] of [["/badge", "/badge.json"], ["/badge.json", "/badge"]]) {
    Deno.test(`${other}?${asked} shows what ${one} has read while the store is unavailable`, async () => {
      const store = new ScriptedStore();
      await using app = openApp({ store });
      strictEqual((await app.send(`GET ${one}?${asked}`)).status, 200);
      store.failure = "store-unavailable";
      const { status, headers } = await app.send(`GET ${other}?${asked}`);
      strictEqual(status, 200);
      strictEqual(headers["x-tallymark"], "stale");
    });
  }
}

Deno.test("/badge and /badge.json answer 504 where the store was asked and did not say, and 409 as it is", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("a", 5);
  for (const [failure, status] of [["outcome-unknown", 504], ["not-a-counter", 409]] as const) {
    store.failure = failure;
    for (const path of ["/badge", "/badge.json"]) {
      strictEqual((await app.send(`GET ${path}?id=a`)).status, status);
    }
  }
});

const errors = [
  { line: "GET /badge?id=%00", says: "bad id" },
  { line: "GET /badge?id=%ff", says: "bad query" },
  { line: "PUT /badge", says: "bad method" },
  { line: "GET /hit.svg", says: "unauthorized" },
  { line: "GET /hit.svg?id=a&id=b", says: "bad query" },
];

for (const { line, says } of errors) {
  Deno.test(`${line} is an image that says ${says}`, async () => {
    await using app = await memoryApp();
    const { body } = await app.send(line);
    ok(texts(parseSvg(body)).some(({ text }) => text === says), body);
  });
}

/** The bodies of both badges, after the check that they are answered. */
async function drawn(app: TestApp, id: string): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (const path of ["/badge", "/badge.json"]) {
    const { status, body } = await app.send(`GET ${path}?id=${id}`, authorized);
    strictEqual(status, 200);
    bodies.set(path, body);
  }
  return bodies;
}
