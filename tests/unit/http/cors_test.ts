import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, keyOf, SECRET } from "../../support/secret.ts";

const KEY = keyOf("counter:a");

/** The headers of CORS that an answer has. */
function corsOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("access-control-")),
  );
}

const ANY = { "access-control-allow-origin": "*" };
const EXPOSED = { ...ANY, "access-control-expose-headers": "x-tallymark" };

// cors_table_test sends each credential to each endpoint. These test how queries are read.
const LINES: readonly (readonly [line: string, status: number, isShared: boolean])[] = [
  [`GET /hit?id=%00&key=${KEY}`, 400, true],
  [`GET /hit?id=%ff&key=${KEY}`, 400, true],
  [`GET /hit?id=a&key=${KEY}&key=${KEY}`, 400, true],
  ["GET /hit.svg?id=a&k%65y=wrong", 401, true],
  [`GET /hit?id=%00&key=${KEY}&token=${SECRET}`, 400, false],
  ["GET /hit?id=a&xkey=x", 401, false],
  ["GET /hit?id=key=", 401, false],
];

for (const [line, status, isShared] of LINES) {
  const origins = isShared ? "pages of every site" : "no other page";
  Deno.test(`${origins} may read the response to ${line.replace(SECRET, "…")}`, async () => {
    await using app = await memoryApp({ openReads: false });
    const got = await app.send(line, { origin: "https://blog.example" });
    strictEqual(got.status, status);
    deepStrictEqual(corsOf(got.headers), isShared ? EXPOSED : {});
  });
}

Deno.test("pages of every site may read of a prefetch and of a store that is away, by the key", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const prefetch = await app.send(`GET /hit?id=a&key=${KEY}`, { "sec-purpose": "prefetch" });
  strictEqual(prefetch.headers["x-tallymark"], "prefetch");
  deepStrictEqual(corsOf(prefetch.headers), EXPOSED);
  for (const failure of ["store-unavailable", "outcome-unknown"] as const) {
    store.failure = failure;
    for (const path of ["/hit", "/hit.svg"]) {
      const { headers } = await app.send(`GET ${path}?id=a&key=${KEY}`);
      strictEqual(headers["x-tallymark"], failure);
      deepStrictEqual(corsOf(headers), EXPOSED);
    }
  }
});

const EVENT = "the secret is exposed in a web page: use a counter key there and change the secret";

Deno.test("the secret in a page of another site works, and is told once for each origin and hour", async () => {
  await using app = await memoryApp();
  const crossSite = { "sec-fetch-site": "cross-site" };
  const send = async (line: string, headers: Record<string, string>) =>
    strictEqual((await app.send(line, { ...crossSite, ...headers })).status, 200);
  await send(`GET /hit?id=a&token=${SECRET}`, { referer: "https://one.example/page?a=b" });
  await send(`GET /hit.svg?id=a&token=${SECRET}`, { referer: "https://one.example/other" });
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example" });
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example" });
  const referer = "https://three.example/page";
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example", referer });
  await send("POST /hit?id=a", { authorization: `Bearer ${SECRET}`, origin: "null" });
  await send(`GET /hit?id=a&token=${SECRET}`, { referer: "rubbish" });
  await send(`GET /hit?id=a&token=${SECRET}`, {});
  const lines = app.log.map((line): unknown => JSON.parse(line));
  deepStrictEqual(
    lines.map((line) => [field(line, "level"), field(line, "event"), field(line, "origin")]),
    ["https://one.example", "https://two.example", "null", "unknown"].map((origin) => [
      ...["warn", EVENT],
      origin,
    ]),
  );
  strictEqual(await app.count("a"), 8);
});

Deno.test("the secret in a page of another site is logged again in the next hour, for each origin", async () => {
  const { now } = Date;
  const hour = Date.parse("2026-11-24T12:00:00Z");
  await using app = await memoryApp();
  const origins = () => app.log.map((line) => String(field(JSON.parse(line), "origin")));
  const sendAt = async (time: number, origin: string) => {
    Date.now = () => time;
    await app.send("POST /hit?id=a", { ...authorized, "sec-fetch-site": "cross-site", origin });
  };
  const [one, two] = ["https://one.example", "https://two.example"];
  try {
    await sendAt(hour, one);
    await sendAt(hour + 3_599_999, one);
    deepStrictEqual(origins(), [one]);
    await sendAt(hour + 3_599_999, two);
    deepStrictEqual(origins(), [one, two]);
    await sendAt(hour + 7_200_000, one);
    await sendAt(hour + 7_200_000, two);
    await sendAt(hour + 7_200_001, one);
    deepStrictEqual(origins(), [one, two, one, two]);
  } finally {
    Date.now = now;
  }
});

Deno.test("a key in a page of another site, and the secret anywhere else, are told to nobody", async () => {
  await using app = await memoryApp({ openReads: false });
  const crossSite = { "sec-fetch-site": "cross-site", "origin": "https://one.example" };
  await app.send(`GET /hit?id=a&key=${KEY}`, crossSite);
  await app.send("GET /hit?id=a&token=wrong", crossSite);
  await app.send("GET /hit?id=a", authorized);
  for (const site of ["same-origin", "same-site", "none"]) {
    await app.send("GET /count?id=a", { ...authorized, "sec-fetch-site": site });
  }
  deepStrictEqual(app.log, []);
});
