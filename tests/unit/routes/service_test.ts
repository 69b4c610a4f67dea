import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { tagOf } from "../../../src/http/conditional.ts";
import { field, memoryApp, openApp } from "../../support/app.ts";
import { openapi } from "../../support/surface.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

Deno.test("GET /key gives the same key for one id, others for others, and asks no store", async () => {
  const store = new ScriptedStore();
  store.failure = "store-unavailable";
  await using app = openApp({ store });
  const seen = new Map<unknown, string>();
  for (const id of ["home", "a", "b", "A", "a:b", "%E6%97%A5%E6%9C%AC"]) {
    const { status, json } = await app.send(`GET /key?id=${id}`, authorized);
    strictEqual(status, 200);
    const key = field(json, "key");
    strictEqual(seen.get(key), undefined);
    seen.set(key, id);
    deepStrictEqual((await app.send(`GET /key?id=+${id}`, authorized)).json, json);
  }
  deepStrictEqual(
    (await app.send("GET /key", authorized)).json,
    (await app.send("GET /key?id=home", authorized)).json,
  );
  strictEqual(store.touched, 0);
});

Deno.test("GET /status tells the owner the time zone, the risks of the store, and if it accepts no hits", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store, calendar: createCalendar("Asia/Tokyo") });
  strictEqual((await app.send("GET /status")).status, 401);
  const read = async () => (await app.send("GET /status", authorized)).json;
  deepStrictEqual(await read(), { timeZone: "Asia/Tokyo", warnings: [] });
  store.risks = () => new Map([["eviction", "Redis may forget counters"]]);
  deepStrictEqual(await read(), {
    timeZone: "Asia/Tokyo",
    warnings: ["Redis may forget counters"],
  });
  store.failure = "store-unavailable";
  const warnings = field(await read(), "warnings");
  ok(Array.isArray(warnings) && warnings.length === 2);
  match(String(warnings[0]), /not counted/i);
});

Deno.test("GET /openapi.json is the description, public also where reads are protected", async () => {
  await using app = await memoryApp({ openReads: false });
  for (let time = 0; time < 2; time++) {
    const { status, json } = await app.send("GET /openapi.json");
    strictEqual(status, 200);
    deepStrictEqual(json, openapi);
  }
});

Deno.test("GET /openapi.json is gzipped for callers that take that, and not sent again to those that have it", async () => {
  await using app = await memoryApp();
  const { headers, body } = await app.send("GET /openapi.json");
  strictEqual(headers["content-encoding"], undefined);
  strictEqual(headers.vary, "Accept-Encoding");
  strictEqual(headers.etag, `W/${tagOf(body)}`);
  const packed = await app.send("HEAD /openapi.json", { "accept-encoding": "br, gzip;q=0.5" });
  strictEqual(packed.headers["content-encoding"], "gzip");
  strictEqual(packed.headers.etag, headers.etag);
  for (const known of [headers.etag ?? "", `"other", ${headers.etag}`, "*"]) {
    const { status, body: none, headers: again } = await app.send("GET /openapi.json", {
      "if-none-match": known,
      "accept-encoding": "gzip",
    });
    strictEqual(status, 304);
    strictEqual(none, "");
    strictEqual(again.etag, headers.etag);
    strictEqual(again["content-type"], undefined);
    strictEqual(again["content-encoding"], undefined);
  }
  const { status } = await app.send("GET /openapi.json", { "if-none-match": 'W/"other"' });
  strictEqual(status, 200);
});

Deno.test("GET /healthz is 200 whatever the store does and the query says, and asks no store", async () => {
  const store = new ScriptedStore();
  store.failure = new Error("gone");
  await using app = openApp({ store, openReads: false, secret: undefined });
  for (const query of ["", "?id=%00", "?%ff", "?id=a&id=b"]) {
    const { status, body } = await app.send(`GET /healthz${query}`);
    strictEqual(status, 200);
    strictEqual(body, '{"status":"ok"}');
  }
  strictEqual(store.touched, 0);
});

for (const failure of ["store-unavailable", "outcome-unknown", new Error("gone")] as const) {
  Deno.test(`GET /readyz is 503 where the store fails with ${failure}, and 200 once it is back`, async () => {
    const store = new ScriptedStore();
    store.failure = failure;
    await using app = openApp({ store });
    const { status, headers } = await app.send("GET /readyz");
    strictEqual(status, 503);
    strictEqual(headers["retry-after"], "1");
    strictEqual((await app.send("HEAD /readyz")).status, 503);
    store.failure = undefined;
    strictEqual((await app.send("GET /readyz")).body, '{"status":"ok"}');
  });
}

Deno.test("GET /readyz is 503 where the store has not answered within a second", async () => {
  const store = new ScriptedStore();
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  await using app = openApp({ store });
  await using _clock = skippingClock();
  const begun = performance.now();
  const { status } = await app.send("GET /readyz");
  const waited = performance.now() - begun;
  gate.resolve();
  strictEqual(status, 503);
  strictEqual(waited, 1000);
});

Deno.test("GET / names the service and every endpoint, for anyone", async () => {
  await using app = await memoryApp({ openReads: false });
  const { status, body } = await app.send("GET /");
  strictEqual(status, 200);
  match(body, /^Tallymark/);
  for (const path of Object.keys(openapi.paths)) ok(body.includes(path), path);
});
