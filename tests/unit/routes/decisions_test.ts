import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MAX_HITS } from "../../../src/domain/store.ts";
import { field, memoryApp, memoryStore, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

/** The ids and outcomes that `/decisions` tells, the newest first. */
async function outcomes(
  app: TestApp,
  list: "decisions" | "rejected" = "decisions",
): Promise<unknown[]> {
  const { status, json } = await app.send("GET /decisions", authorized);
  strictEqual(status, 200);
  const decisions = field(json, list);
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
  await app.send("GET /hit?prefix=blog/", authorized);
  await app.send("HEAD /hit.svg?id=home", authorized);
  await app.send("HEAD /as/countapi/hit/abc/def", authorized);
  await app.send("GET /count?id=home");
  await app.send("GET /badge?id=%00");
  deepStrictEqual(await outcomes(app), [
    ["home", "prefetch"],
    ["user/repo", "counted"],
    ["home", "counted"],
  ]);
  const { json } = await app.send("GET /key?id=home", authorized);
  await app.send(`GET /hit?id=home&key=${field(json, "key")}`, { "user-agent": "curl/8.0" });
  const { body } = await app.send("GET /decisions", authorized);
  match(body, /"outcome":"bot","crawler":"curl\/8.0"/);
  deepStrictEqual(await outcomes(app, "rejected"), [
    [undefined, "hit-needs-id"],
    [undefined, "bad-id"],
    ["home", "unauthorized"],
  ]);
});

Deno.test("GET /decisions: rejected requests, which anyone can send, push out no hit", async () => {
  await using app = await memoryApp({ groupLimit: 0 });
  await app.hit("home");
  const { json } = await app.send("GET /key?prefix=a/", authorized);
  await app.send(`GET /hit?id=a/b&key=${field(json, "key")}`);
  for (let number = 0; number < 150; number++) {
    await app.send(`GET /hit${number % 2 ? ".svg" : ""}?id=n${number}`);
  }
  deepStrictEqual(await outcomes(app), [["a/b", "group-full"], ["home", "counted"]]);
  const expected = Array.from({ length: 100 }, (_, index) => [`n${149 - index}`, "unauthorized"]);
  deepStrictEqual(await outcomes(app, "rejected"), expected);
});

const rejectedIds: [query: string, id: string | undefined][] = [
  ["", "home"],
  ["?id=", "home"],
  ["?id=page?x=1", "page?x=1"],
  ["?id=a%2Fb+c", "a/b c"],
  ["?x=1&id=%C3%A9", "é"],
  ["?id=e%CC%81", "é"],
  ["?id=a&id=b", undefined],
  ["?id=%ff", undefined],
  ["?id=a&x=%ff", undefined],
  [`?id=${"a".repeat(201)}`, undefined],
  [`?id=a&x=${"x".repeat(9000)}`, undefined],
];

for (const [query, id] of rejectedIds) {
  Deno.test(`GET /decisions names ${id ?? "no counter"} for a rejected ${query.slice(0, 20) || "hit"}`, async () => {
    await using app = await memoryApp();
    await app.send(`POST /hit${query}`);
    deepStrictEqual((await outcomes(app, "rejected")).map((pair) => [pair].flat()[0]), [id]);
  });
}

Deno.test("GET /decisions tells of hits that the store did not take, drawn or not", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("home");
  store.failure = "store-unavailable";
  await app.send("GET /hit.svg?id=home", authorized);
  await app.send("POST /hit?id=new", authorized);
  deepStrictEqual(await outcomes(app, "rejected"), []);
  deepStrictEqual(await outcomes(app), [
    ["new", "store-unavailable"],
    ["home", "store-unavailable"],
    ["home", "counted"],
  ]);
});

Deno.test("GET /decisions lists a hit that a full counter or another value refused with the hits of the owner, not with those of strangers", async () => {
  const { store, kv } = await memoryStore();
  await using app = openApp({ store });
  await kv.set(["hits:", "other"], "text");
  await app.sendBody("PUT /counters?id=full", JSON.stringify({ hits: MAX_HITS }));
  const keyOf = async (id: string) => {
    return field((await app.send(`GET /key?id=${id}`, authorized)).json, "key");
  };
  const lines = [
    ["POST /hit?id=full", authorized],
    [`GET /hit?id=full&key=${await keyOf("full")}`, {}],
    [`GET /hit.svg?id=full&key=${await keyOf("full")}`, {}],
    ["POST /hit?id=other", authorized],
    ["GET /hit.svg?id=other", authorized],
  ] as const;
  for (const [line, headers] of lines) strictEqual((await app.send(line, headers)).status, 409);
  deepStrictEqual(await outcomes(app, "rejected"), []);
  deepStrictEqual(await outcomes(app), [
    ["other", "not-a-counter"],
    ["other", "not-a-counter"],
    ["full", "counter-full"],
    ["full", "counter-full"],
    ["full", "counter-full"],
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

Deno.test("GET /decisions tells of own visits and of pages that HIT_ORIGINS does not list", async () => {
  await using app = await memoryApp({ hitOrigins: ["https://blog.example"] });
  const key = field((await app.send("GET /key?id=a", authorized)).json, "key");
  const reader = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Firefox/148.0" };
  await app.send(`POST /hit?id=a&key=${key}&skip=1`, reader);
  await app.send(`GET /hit.svg?id=a&key=${key}`, { ...reader, origin: "https://mirror.example" });
  await app.send(`POST /hit?id=a&key=${key}`, { ...reader, origin: "https://blog.example" });
  await app.send("POST /hit?id=a&skip=1", { ...authorized, origin: "https://mirror.example" });
  strictEqual((await app.send(`POST /hit?id=a&key=${key}&skip=2`, reader)).status, 400);
  deepStrictEqual(await outcomes(app), [
    ["a", "counted"],
    ["a", "counted"],
    ["a", "other-site"],
    ["a", "skip"],
  ]);
});
