import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Ledger } from "../faults/ledger.ts";
import { startCallers } from "../faults/load.ts";
import { waitForHits } from "../faults/recovery.ts";
import { storedInRedis } from "../faults/stored.ts";
import { projectFolder } from "../support/programs.ts";
import { copyProject } from "../support/project_copy.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import {
  drained,
  runService,
  type Service,
  type ServiceOptions,
  startService,
} from "../support/service.ts";
import { startFlags } from "../support/service_command.ts";
import { fullNumbers } from "../support/time_limit.ts";
import { TIME_ZONE } from "../support/time_zones.ts";
import { waitFor } from "../support/wait_for.ts";

/** Options of steps that share a service, whose output is read from step to step. */
const shared = { sanitizeOps: false, sanitizeResources: false };

for (const workers of fullNumbers ? [2, 8] : [2]) {
  Deno.test(`deno serve with ${workers} workers`, needsRedis, async (t) => {
    await using redis = await startRedis();
    await using service = await startWorkers(redis, workers);
    await haveStores(service, workers);
    const ledger = new Ledger();

    await t.step({
      name: "each hit under load has a number of its own",
      ...shared,
      async fn() {
        await using load = startCallers({ service, callers: 100, ledger });
        await waitForHits(ledger, 1000);
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
        await waitForHits(ledger, 500);
        const { code, stderr } = await service.stop("SIGTERM");
        await load.stop();
        strictEqual(code, 0, stderr);
        ledger.checkAnswered(await storedInRedis(redis));
      },
    });
  });
}

Deno.test(
  "under deno serve, a process that is killed has stored every acknowledged hit",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startWorkers(redis, 2);
    await haveStores(service, 2);
    await using load = startCallers({ service, callers: 100 });
    await waitForHits(load.ledger, 500);
    await service.kill();
    await load.stop();
    load.ledger.check(await storedInRedis(redis));
  },
);

Deno.test("deno serve with 4 workers", needsRedis, async (t) => {
  await using redis = await startRedis();
  const env = { PORT: "9", PUBLIC_READS: "1", TIME_ZONE };
  await using service = await startWorkers(redis, 4, env);
  await haveStores(service, 4);

  await t.step({
    name: "they share visitors, idempotency keys, sessions and keys",
    ...shared,
    async fn() {
      const session = await json(service, "/session", { method: "POST" });
      const { key } = await json(service, "/key?id=a");
      for (let request = 0; request < 20; request++) {
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
        const workers = new Set(
          samples.map((line) => /\{worker="([\da-f]{8})"[,}]/.exec(line)?.[1] ?? line),
        );
        strictEqual(workers.size, 1, [...workers].join());
        for (const worker of workers) seen.add(worker);
        return seen.size === 4 || undefined;
      });
    },
  });

  await t.step({
    name: "the log has one JSON line per event, and PORT and HOST are reported once",
    ...shared,
    async fn() {
      ok((await json(service, "/count")).source);
      const { stderr } = await service.stop();
      const lines = stderr.split("\n").filter((line) => line.includes('"event"'));
      const events: string[] = lines.map((line) => JSON.parse(line).event);
      strictEqual(
        events.filter((event) => event.startsWith("PORT and HOST ignored")).length,
        1,
        stderr,
      );
      strictEqual(events.filter((event) => event === "start").length, 1, stderr);
      ok(!stderr.includes(SECRET));
    },
  });
});

Deno.test(
  "under deno serve, without SECRET_TOKEN, all workers use data/secret, and need one that stays",
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

Deno.test(
  "deno task bundle:serve: the file for deno serve counts on Redis with several workers",
  needsRedis,
  async () => {
    await using project = await copyProject();
    await project.runTask("bundle:serve");
    await using redis = await startRedis();
    const entry = join(project.path, "dist/tallymark-serve.js");
    const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url };
    await using service = await startService({ ...serving(2, env, entry), entry });
    await haveStores(service, 2);
    strictEqual((await json(service, "/hit", { method: "POST" })).hits, 1);
    strictEqual((await service.stop()).code, 0);
  },
);

function startWorkers(redis: RedisServer, count: number, env = {}): Promise<Service> {
  return startService(serving(count, { SECRET_TOKEN: SECRET, STORE_URL: redis.url, ...env }));
}

/** Waits until each worker has opened its store. Until then it answers hits with 503. */
async function haveStores(service: Service, count: number, headers = {}): Promise<void> {
  const ready = new Set<string>();
  await waitFor("the stores of all workers", async () => {
    await drained(await send(service, "/readyz"));
    const text = await (await send(service, "/metrics", { headers })).text();
    const [, worker] = /\{worker="(.*)",endpoint="\/readyz",status="200"\}/.exec(text) ?? [];
    if (worker !== undefined) ready.add(worker);
    return ready.size === count;
  });
}

/** Starts the entry for `deno serve` where other tests start main.ts. */
function serving(
  workers: number,
  env: Record<string, string>,
  entry = join(projectFolder, "src", "serve.ts"),
): ServiceOptions {
  return {
    env: { PORT: "", HOST: "", DENO_JOBS: String(workers), ...env },
    wrap: ([deno = "", _run, ...rest]) => {
      const flags = rest.filter((word) => !/\.[jt]s$/.test(word));
      return [deno, "serve", "--parallel", "--host", "127.0.0.1", "--port", "0", ...flags, entry];
    },
  };
}

/** Sends a request with the secret over a connection of its own, which any worker may accept. */
function send(service: Service, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...authorized, connection: "close", ...init.headers };
  return fetch(service.url + path, { ...init, headers });
}

async function json(service: Service, path: string, init?: RequestInit) {
  const response = await send(service, path, init);
  strictEqual(response.status, 200);
  return await response.json();
}
