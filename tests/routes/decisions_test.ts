import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp, type TestApp } from "../support/app.ts";
import { ScriptedStore } from "../support/scripted_store.ts";
import { authorized } from "../support/secret.ts";

/** The ids and outcomes that `/decisions` tells, the newest first. */
async function outcomes(app: TestApp): Promise<unknown[]> {
  const { status, json } = await app.send("GET /decisions", authorized);
  strictEqual(status, 200);
  const decisions = field(json, "decisions");
  ok(Array.isArray(decisions));
  for (const decision of decisions) match(String(field(decision, "time")), /^\d{4}-.*Z$/);
  return decisions.map(({ id, outcome }) => [id, outcome]);
}

Deno.test("GET /decisions tells what became of hits, the newest first, and of nothing else", async () => {
  await using app = await memoryApp();
  await app.hit("home");
  await app.send("GET /hit.svg?id=user/repo", authorized);
  await app.send("GET /hit?id=home", { ...authorized, "sec-purpose": "prefetch" });
  await app.send("POST /hit?id=home");
  await app.send("GET /hit.svg?id=%00", authorized);
  await app.send("HEAD /hit.svg?id=home", authorized);
  await app.send("GET /count?id=home");
  await app.send("GET /badge?id=%00");
  deepStrictEqual(await outcomes(app), [
    [undefined, "bad-id"],
    ["home", "unauthorized"],
    ["home", "prefetch"],
    ["user/repo", "counted"],
    ["home", "counted"],
  ]);
});

Deno.test("GET /decisions tells of hits that the store did not take, drawn or not", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("home");
  store.failure = "store-unavailable";
  await app.send("GET /hit.svg?id=home", authorized);
  await app.send("POST /hit?id=new", authorized);
  deepStrictEqual(await outcomes(app), [
    ["new", "store-unavailable"],
    ["home", "store-unavailable"],
    ["home", "counted"],
  ]);
});

Deno.test("GET /decisions keeps the last 100", async () => {
  await using app = await memoryApp();
  for (let number = 1; number <= 130; number++) await app.hit(`n${number}`);
  const ids = (await outcomes(app)).map((pair) => Array.isArray(pair) ? pair[0] : undefined);
  deepStrictEqual(ids, Array.from({ length: 100 }, (_, index) => `n${130 - index}`));
});

Deno.test("GET /decisions is for the owner alone", async () => {
  await using app = await memoryApp();
  strictEqual((await app.send("GET /decisions")).status, 401);
});
