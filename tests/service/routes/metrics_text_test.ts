import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Metrics } from "../../../src/metrics.ts";
import { createStoreHealth } from "../../../src/store/store_health.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { createLog } from "../../../src/log.ts";
import { routes } from "../../support/surface.ts";
import { memoryStore, openApp, type TestApp } from "../../support/app.ts";
import { findOnPath, projectFolder } from "../../support/programs.ts";
import { SECRET } from "../../support/secret.ts";
import { VERSION } from "../../../src/version.ts";

const headers = { "x-auth-token": SECRET };
const promtool = findOnPath(["promtool"]);

Deno.test("GET /metrics counts requests by endpoint and status, and hits by what became of them", async () => {
  await using room = await enter();
  await room.hit("home", 3);
  await room.send("GET /count?id=home");
  await room.send("GET /count?id=%ff");
  await room.send("POST /hit?id=home");
  await room.send("HEAD /badge?id=home");
  await room.send("BREW /invented");
  const numbers = await numbersOf(room);
  strictEqual(numbers.get('tallymark_http_requests_total{endpoint="/hit",status="200"}'), 3);
  strictEqual(numbers.get('tallymark_http_requests_total{endpoint="/hit",status="401"}'), 1);
  strictEqual(numbers.get('tallymark_http_requests_total{endpoint="/count",status="400"}'), 1);
  strictEqual(numbers.get('tallymark_http_requests_total{endpoint="/badge",status="200"}'), 1);
  strictEqual(numbers.get('tallymark_http_requests_total{endpoint="other",status="404"}'), 1);
  strictEqual(numbers.get('tallymark_http_request_duration_seconds_count{endpoint="/hit"}'), 4);
  strictEqual(numbers.get("tallymark_hits_total"), 3);
  strictEqual(numbers.get(`tallymark_build_info{version="${VERSION}"}`), 1);
  strictEqual(numbers.get("tallymark_hits_unknown_total"), 0);
  strictEqual(numbers.get('tallymark_store_batches_total{kind="change"}'), 3);
  strictEqual(numbers.get('tallymark_store_batch_ids_total{kind="change"}'), 3);
  strictEqual(numbers.get('tallymark_store_duration_seconds_count{kind="change"}'), 3);
  strictEqual(numbers.get("tallymark_waiting_requests"), 0);
});

Deno.test("GET /metrics counts a hit that is sent again once, and hits of which nobody knows apart", async () => {
  const metrics = new Metrics();
  const { store } = await memoryStore();
  await using room = openApp({ store, metrics });
  for (let time = 0; time < 3; time++) {
    await room.send("POST /hit?id=home", { ...headers, "idempotency-key": "same" });
  }
  strictEqual((await numbersOf(room)).get("tallymark_hits_total"), 1);
  const lost = { ...store, add: () => Promise.reject(new Failure("outcome-unknown")) };
  await using other = openApp({ store: lost, metrics });
  strictEqual((await other.send("POST /hit?id=home", headers)).status, 504);
  const numbers = await numbersOf(other);
  strictEqual(numbers.get("tallymark_hits_unknown_total"), 1);
  strictEqual(numbers.get("tallymark_hits_total"), 1);
});

Deno.test("GET /metrics counts hits of which nobody knows when they are answered, while the store hangs", async () => {
  const metrics = new Metrics();
  const { store } = await memoryStore();
  const hanging = Promise.withResolvers<number[]>();
  await using room = openApp({ store: { ...store, add: () => hanging.promise }, metrics });
  const answers = Array.from({ length: 3 }, () => room.send("POST /hit?id=home", headers));
  for (const { status } of await Promise.all(answers)) strictEqual(status, 504);
  strictEqual((await numbersOf(room)).get("tallymark_hits_unknown_total"), 3);
  hanging.resolve([3]);
  strictEqual((await numbersOf(room)).get("tallymark_hits_total"), 0);
});

Deno.test("GET /metrics names endpoints of the service only, whatever is asked for", async () => {
  await using room = await enter();
  const paths = ["/a", "/b?endpoint=c", "/hit/x", "/%0a", '/"', "/metrics/"];
  for (const path of paths) await room.send(`GET ${path}`);
  const known = new Set([...routes.map(({ path }) => path), "other"]);
  for (const [, endpoint = ""] of (await textOf(room)).matchAll(/endpoint="([^"]*)"/g)) {
    ok(known.has(endpoint), endpoint);
  }
});

Deno.test("GET /metrics tells buckets that hold what smaller ones hold, and sums that fit", async () => {
  await using room = await enter();
  await room.hit("home", 5);
  const numbers = [...await numbersOf(room)].filter(([name]) =>
    name.startsWith("tallymark_http_request_duration_seconds") && name.includes('"/hit"')
  );
  const buckets = numbers.filter(([name]) => name.includes("_bucket")).map(([, count]) => count);
  deepStrictEqual(buckets, buckets.toSorted((one, other) => one - other));
  strictEqual(buckets.at(-1), 5);
  ok((numbers.find(([name]) => name.includes("_sum"))?.[1] ?? -1) >= 0);
});

Deno.test("GET /metrics tells whether each node of the store is up", async () => {
  const metrics = new Metrics();
  const health = createStoreHealth(silent, metrics, "10.0.0.1:7000");
  await using room = await enter(metrics);
  strictEqual((await numbersOf(room)).get('tallymark_store_up{node="10.0.0.1:7000"}'), 1);
  health.unreachable(new Error("gone"));
  strictEqual((await numbersOf(room)).get('tallymark_store_up{node="10.0.0.1:7000"}'), 0);
  health.readable();
  strictEqual((await numbersOf(room)).get('tallymark_store_up{node="10.0.0.1:7000"}'), 1);
});

Deno.test({
  name: "GET /metrics is what promtool takes without a word",
  ignore: promtool === undefined,
  async fn() {
    await using room = await enter();
    await room.hit("home");
    const check = new Deno.Command(promtool ?? "", {
      args: ["check", "metrics"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = check.stdin.getWriter();
    await writer.write(new TextEncoder().encode(await textOf(room)));
    await writer.close();
    const { code, stdout, stderr } = await check.output();
    const told = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    deepStrictEqual([code, told], [0, ""]);
  },
});

Deno.test({
  name: ".deploy/alerts.yaml: promtool takes the rules, whose metrics and labels exist",
  ignore: promtool === undefined,
  async fn() {
    const path = join(projectFolder, ".deploy/alerts.yaml");
    const { code, stderr } = await new Deno.Command(promtool ?? "", {
      args: ["check", "rules", path],
    }).output();
    strictEqual(code, 0, new TextDecoder().decode(stderr));
    const health = new Metrics();
    createStoreHealth(silent, health, "10.0.0.1:7000");
    await using room = await enter(health);
    await room.hit("home");
    const metrics = await textOf(room);
    for (const [name] of (await Deno.readTextFile(path)).matchAll(/tallymark_\w+/g)) {
      match(metrics, new RegExp(`^${name}\\{`, "m"));
    }
    match(metrics, /^tallymark_store_up\{node="/m);
    match(metrics, /^tallymark_http_requests_total\{.*status="200"/m);
  },
});

const silent = createLog({ secrets: [], write() {} });

async function enter(metrics = new Metrics()): Promise<TestApp> {
  const { store } = await memoryStore();
  return openApp({ store, metrics });
}

async function textOf(room: TestApp): Promise<string> {
  const { body } = await room.send("GET /metrics", headers);
  match(body, /\n$/);
  return body;
}

/** Every number by its name and labels. */
async function numbersOf(room: TestApp): Promise<ReadonlyMap<string, number>> {
  const lines = (await textOf(room)).trimEnd().split("\n").filter((line) => !line.startsWith("#"));
  return new Map(lines.map((line) => {
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  }));
}
