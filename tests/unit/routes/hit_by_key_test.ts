import { createHmac } from "node:crypto";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { field, memoryApp } from "../../support/app.ts";
import { authorized, SECRET } from "../../support/secret.ts";

function keyTo(what: string): string {
  return createHmac("sha256", SECRET).update(what).digest().subarray(0, 16).toString("base64url");
}

const KEYS = { "its own key": keyTo("counter:a/b"), "a group's key": keyTo("prefix:a/") };
const CRAWLER = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://google.com/bot)" };
const CAMO = { "user-agent": "github-camo (876de43e)" };
const READER = { "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Gecko Firefox/148.0" };

for (const [what, key] of Object.entries(KEYS)) {
  Deno.test(`a crawler that comes with ${what} is answered and not counted`, async () => {
    await using app = await memoryApp();
    await app.hit("a/b", 7);
    for (const line of ["GET /hit", "POST /hit", "GET /hit.svg"]) {
      const { status, headers, body } = await app.send(`${line}?id=a/b&key=${key}`, CRAWLER);
      strictEqual(status, 200);
      strictEqual(headers["x-tallymark"], "bot");
      strictEqual(headers["access-control-expose-headers"], "x-tallymark");
      match(body, /\b7\b/);
    }
    strictEqual(await app.count("a/b"), 7);
  });

  Deno.test(`an image proxy that comes with ${what} is counted, and told so`, async () => {
    await using app = await memoryApp();
    const image = await app.send(`GET /hit.svg?id=a/b&key=${key}`, CAMO);
    strictEqual(image.headers["x-tallymark"], "camo");
    const { json, headers } = await app.send(`GET /hit?id=a/b&key=${key}`, CAMO);
    deepStrictEqual([field(json, "hits"), headers["x-tallymark"]], [2, "camo"]);
    strictEqual(await app.count("a/b"), 2);
  });

  Deno.test(`a reader who comes with ${what} is counted, and nothing is said`, async () => {
    await using app = await memoryApp();
    for (const headers of [READER, {}]) {
      const answer = await app.send(`POST /hit?id=a/b&key=${key}`, headers);
      strictEqual(answer.headers["x-tallymark"], undefined);
    }
    strictEqual(await app.count("a/b"), 2);
  });
}

Deno.test("a query of HTML that was escaped twice is read as if it was escaped once", async () => {
  await using app = await memoryApp();
  const inImage = { accept: "image/avif,image/webp,image/*,*/*;q=0.8", ...READER };
  const query = `amp;id=a/b&amp;key=${KEYS["its own key"]}&amp;style=pill&amp;label=hits`;
  const hit = await app.send(`GET /hit.svg?${query}`, inImage);
  strictEqual(hit.headers["x-tallymark"], undefined);
  match(hit.body, />hits</);
  strictEqual(await app.count("a/b"), 1);
  for (const path of ["/badge", "/chart.svg", "/card.svg"]) {
    const escaped = await app.send(`GET ${path}?theme=light&amp;id=a/b&amp;label=hits`);
    const plain = await app.send(`GET ${path}?theme=light&id=a/b&label=hits`);
    deepStrictEqual([escaped.status, escaped.body], [200, plain.body], path);
  }
  strictEqual((await app.send("GET /badge?id=a&amp;id=b")).status, 400);
});

Deno.test("a reader of an app is counted from a page, though isbot takes a word of it for a crawler", async () => {
  await using app = await memoryApp();
  const line = `POST /hit?id=a/b&key=${KEYS["its own key"]}`;
  const page = { origin: "https://blog.example", "sec-fetch-mode": "cors" };
  const agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 " +
    "(KHTML, like Gecko) Mobile/15E148 SmartNews/24.5.10";
  const flagOf = async (headers: HeadersInit) =>
    (await app.send(line, headers)).headers["x-tallymark"];
  strictEqual(await flagOf({ ...page, "user-agent": agent }), undefined);
  strictEqual(await flagOf({ "user-agent": agent }), "bot");
  strictEqual(await flagOf({ ...page, ...CRAWLER }), "bot");
  strictEqual(await app.count("a/b"), 1);
});

Deno.test("with the secret everything counts, whatever it calls itself", async () => {
  await using app = await memoryApp();
  for (const agent of [CRAWLER, CAMO]) {
    const line = `POST /hit?id=a/b&key=${KEYS["its own key"]}`;
    const { headers } = await app.send(line, { ...authorized, ...agent });
    strictEqual(headers["x-tallymark"], undefined);
  }
  strictEqual(await app.count("a/b"), 2);
});

Deno.test("a crawler's prefetch is a prefetch, its HEAD is one of a reader, and without a key it gets a 401", async () => {
  await using app = await memoryApp();
  const query = `?id=a/b&key=${KEYS["its own key"]}`;
  const prefetch = await app.send(`GET /hit${query}`, { ...CRAWLER, "sec-purpose": "prefetch" });
  strictEqual(prefetch.headers["x-tallymark"], "prefetch");
  ok(!("x-tallymark" in (await app.send(`HEAD /hit.svg${query}`, CRAWLER)).headers));
  strictEqual((await app.send("GET /hit?id=a/b", CRAWLER)).status, 401);
  strictEqual(await app.count("a/b"), 0);
});
