import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, keyOf, SECRET } from "../../support/secret.ts";

const KEY = keyOf("counter:a");

/** Hits "a" with this key. Returns the number and the remark. */
async function hit(app: TestApp, key: string, line = "POST /hit?id=a"): Promise<unknown[]> {
  const { status, json, headers } = await app.send(line, { ...authorized, "idempotency-key": key });
  strictEqual(status, 200);
  return [field(json, "hits"), headers["x-tallymark"]];
}

Deno.test("an Idempotency-Key makes hits the same, sent in whatever way", async () => {
  await using app = await memoryApp();
  deepStrictEqual(await hit(app, "k"), [1, undefined]);
  await app.hit("a", 3);
  for (const line of ["POST /hit?id=a", "GET /hit?id=a", `GET /hit?id=a&token=${SECRET}`]) {
    deepStrictEqual(await hit(app, "k", line), [1, "repeat"]);
    deepStrictEqual(await hit(app, '"k"', line), [1, "repeat"]);
  }
  deepStrictEqual(await hit(app, "K"), [5, undefined]);
  deepStrictEqual(await hit(app, "k", "POST /hit?id=b"), [1, undefined]);
  strictEqual(await app.count("a"), 5);
});

const good = ["a", "0", "_", "-", "A-Z_09", "x".repeat(64), '"x"', `"${"y".repeat(64)}"`];
const bad = [
  ...["", '""', "x".repeat(65), `"${"x".repeat(65)}"`, "a b", "a,b", "a.b", "a:b", '"a', 'a"'],
  ...['"a";b', "é", "a, a", "'a'", "<a>", '"a" "b"'],
];

Deno.test("an Idempotency-Key is 1 to 64 letters, digits, _ and -, bare or quoted", async () => {
  await using app = await memoryApp();
  for (const [place, key] of good.entries()) {
    deepStrictEqual(await hit(app, key), [place + 1, undefined], key);
  }
  for (const key of bad) {
    const headers = { ...authorized, "idempotency-key": key };
    const { status, json } = await app.send("POST /hit?id=a", headers);
    strictEqual(status, 400, key);
    strictEqual(field(json, "type"), "urn:problem-type:tallymark:bad-idempotency-key");
  }
  strictEqual(await app.count("a"), good.length);
});

Deno.test("an Idempotency-Key with a counter key is refused, as a stranger could fill the store with them", async () => {
  await using app = await memoryApp();
  const { status, json } = await app.send(`POST /hit?id=a&key=${KEY}`, { "idempotency-key": "k" });
  strictEqual(status, 400);
  match(String(field(json, "detail")), /needs the secret/);
  strictEqual((await app.send("POST /hit?id=a", { "idempotency-key": "k" })).status, 401);
  strictEqual(await app.count("a"), 0);
});

Deno.test("/hit.svg has no Idempotency-Key, nor has a prefetch", async () => {
  await using app = await memoryApp();
  const headers = { ...authorized, "idempotency-key": "k" };
  for (const _ of [1, 2]) strictEqual((await app.send("GET /hit.svg?id=a", headers)).status, 200);
  const prefetch = await app.send("GET /hit?id=a", { ...headers, "sec-purpose": "prefetch" });
  strictEqual(prefetch.headers["x-tallymark"], "prefetch");
  deepStrictEqual(await hit(app, "k"), [3, undefined]);
});

Deno.test("a 503 leaves no mark of an Idempotency-Key", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  store.failure = "store-unavailable";
  const headers = { ...authorized, "idempotency-key": "k" };
  strictEqual((await app.send("POST /hit?id=a", headers)).status, 503);
  store.failure = undefined;
  deepStrictEqual(await hit(app, "k"), [1, undefined]);
  deepStrictEqual(await hit(app, "k"), [1, "repeat"]);
});

const NESTED_KEY = keyOf("counter:a/b");
const CRAWLER = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://google.com/bot)" };
const READER = { "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Gecko Firefox/148.0" };

Deno.test("a query of HTML that was escaped twice is read as if it was escaped once", async () => {
  await using app = await memoryApp();
  const inImage = { accept: "image/avif,image/webp,image/*,*/*;q=0.8", ...READER };
  const query = `amp;id=a/b&amp;key=${NESTED_KEY}&amp;style=pill&amp;label=hits`;
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
  const line = `POST /hit?id=a/b&key=${NESTED_KEY}`;
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
