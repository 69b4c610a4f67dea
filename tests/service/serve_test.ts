import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Ledger } from "../faults/ledger.ts";
import { startCallers } from "../faults/load.ts";
import { waitForHits } from "../faults/recovery.ts";
import { storedInRedis } from "../faults/stored.ts";
import { projectFolder } from "../support/programs.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { runService, type Service, startService } from "../support/service.ts";
import { startFlags } from "../support/service_command.ts";
import { fullNumbers } from "../support/time_limit.ts";
import { TIME_ZONE } from "../support/time_zones.ts";
import { waitFor } from "../support/wait_for.ts";
import { haveStores, json, send, serving } from "../support/workers.ts";

/** Options of steps that share a service, whose output is read from step to step. */
const shared = { sanitizeOps: false, sanitizeResources: false };

for (const workers of fullNumbers ? [2, 8] : [2]) {
  Deno.test(`deno serve with ${workers} workers`, needsRedis, async (t) => {
    await using redis = await startRedis();
    await using service = await startWorkers(redis, workers, { PORT: "9", TIME_ZONE });
    await haveStores(service, workers);
    const ledger = new Ledger();

    await t.step({
      name: "they share visitors, idempotency keys, sessions and keys",
      ...shared,
      async fn() {
        const session = await json(service, "/session", { method: "POST" });
        const { key } = await json(service, "/key?id=a");
        for (let request = 0; request < 10; request++) {
          const once = await json(service, "/hit?id=once&once=day&visitor=ada", { method: "POST" });
          strictEqual(once.hits, 1);
          const headers = { "idempotency-key": "one" };
          strictEqual((await json(service, "/hit?id=idem", { method: "POST", headers })).hits, 1);
          const bearer = { authorization: `Bearer ${session.token}`, "x-auth-token": "" };
          strictEqual((await json(service, "/counters?id=once", { headers: bearer })).hits, 1);
          const byKey = {
            "x-auth-token": "",
            "user-agent": "Mozilla/5.0 (X11; Linux x64) Firefox/148.0",
          };
          strictEqual(
            (await json(service, `/hit?id=a&key=${key}`, { headers: byKey })).hits,
            request + 1,
          );
        }
        // The next steps know their own counters only.
        await redis.command("FLUSHALL");
      },
    });

    await t.step({
      name: "a scrape of the metrics says which worker it saw",
      ...shared,
      async fn() {
        const seen = new Set<string>();
        await waitFor("all workers", async () => {
          const text = await (await send(service, "/metrics")).text();
          const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
          const names = new Set(
            samples.map((line) => /\{worker="([\da-f]{8})"[,}]/.exec(line)?.[1] ?? line),
          );
          strictEqual(names.size, 1, [...names].join());
          for (const name of names) seen.add(name);
          return seen.size === workers || undefined;
        });
      },
    });

    await t.step({
      name: "each hit under load has a number of its own",
      ...shared,
      async fn() {
        await using load = startCallers({ service, callers: 100, ledger });
        await waitForHits(ledger, 500);
        await load.stop();
        ledger.checkOutcomes(200, ...ledger.late);
        ledger.checkAnswered(await storedInRedis(redis));
      },
    });

    await t.step({
      name: "SIGTERM ends all once each accepted hit is answered",
      ...shared,
      async fn() {
        await using load = startCallers({ service, callers: 100, ledger });
        await waitForHits(ledger, 300);
        const { code, stderr } = await service.stop("SIGTERM");
        await load.stop();
        strictEqual(code, 0, stderr);
        ledger.checkAnswered(await storedInRedis(redis));
      },
    });

    await t.step(
      "the log has one JSON line per event, and PORT and HOST are reported once",
      async () => {
        const { stderr } = await service.ended;
        const lines = stderr.split("\n").filter((line) => line.includes('"event"'));
        const events: string[] = lines.map((line) => JSON.parse(line).event);
        const ignored = events.filter((event) => event.startsWith("PORT and HOST ignored"));
        strictEqual(ignored.length, 1, stderr);
        strictEqual(events.filter((event) => event === "start").length, 1, stderr);
        ok(!stderr.includes(SECRET));
      },
    );
  });
}

Deno.test(
  "under deno serve, without SECRET_TOKEN, all workers use data/secret and need one that stays, and when killed have stored every acknowledged hit",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    const options = serving(2, { STORE_URL: redis.url });
    await using service = await startService(options);
    const token = (await Deno.readTextFile(join(service.cwd, "data/secret"))).trim();
    const headers = { "x-auth-token": token };
    await haveStores(service, 2, headers);
    for (let call = 1; call <= 8; call++) {
      strictEqual((await json(service, "/hit", { method: "POST", headers })).hits, call);
    }
    const flags = startFlags().filter((flag) => !flag.startsWith("--allow-write"));
    const refused = await runService({ ...options, flags });
    strictEqual(refused.code, 1);
    match(
      refused.stderr,
      /Set SECRET_TOKEN: all workers need the same one, and .*data\/secret cannot/,
    );
    const numbers: number[] = [];
    const callers = Promise.allSettled(Array.from({ length: 50 }, async () => {
      for (;;) numbers.push((await json(service, "/hit", { method: "POST", headers })).hits);
    }));
    await waitFor("300 hits", () => numbers.length >= 300);
    await service.kill();
    await callers;
    strictEqual(new Set(numbers).size, numbers.length);
    ok(Number(await redis.command("GET", "hits:home")) >= Math.max(...numbers));
  },
);

Deno.test("under deno serve, with counters in memory, it does not start", async () => {
  const env = { STORE_URL: "memory:", SECRET_TOKEN: SECRET };
  const { code, stderr } = await runService(serving(2, env));
  strictEqual(code, 1);
  match(stderr, /Workers share a Redis: set STORE_URL to one/);
});

Deno.test("under deno serve, one worker counts in a file, and a second one stops the process with one sentence", async () => {
  const env = { SECRET_TOKEN: SECRET };
  await using service = await startService(serving(1, env));
  strictEqual((await json(service, "/hit", { method: "POST" })).hits, 1);
  strictEqual((await service.stop()).code, 0);
  const { code, stderr } = await runService(serving(2, env));
  strictEqual(code, 1, stderr);
  strictEqual(stderr.match(/Tallymark cannot start/g)?.length, 1, stderr);
  match(stderr, /Workers cannot share a counter file: set STORE_URL to a Redis/);
});

Deno.test("under deno serve, the documented command runs it with the flags of the start task", async () => {
  const page = await Deno.readTextFile(join(projectFolder, ".deploy/README.md"));
  const flags = ["--parallel --port 8000 --unstable-kv", ...startFlags()].join(" ");
  ok(page.includes(` deno serve ${flags} src/serve.ts\n`));
});

function startWorkers(redis: RedisServer, count: number, env = {}): Promise<Service> {
  return startService(serving(count, { SECRET_TOKEN: SECRET, STORE_URL: redis.url, ...env }));
}
