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
