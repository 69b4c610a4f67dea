import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { reservePort } from "../support/reserved_port.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { type Service, startService, statusOf } from "../support/service.ts";
import { timeLimit } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { waitFor } from "../support/wait_for.ts";
import { Ledger } from "./ledger.ts";
import { hitOnce, pause, startCallers, startSteady } from "./load.ts";
import {
  checkGrowth,
  residentMemory,
  waitForCount,
  waitForHits,
  waitForRefusals,
} from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

Deno.test(
  "without Redis the service listens, says so, and counts once Redis is there",
  needsRedis,
  async () => {
    const port = reservePort();
    const ledger = new Ledger();
    await using service = await startLocalService({
      SECRET_TOKEN: SECRET,
      STORE_URL: `redis://127.0.0.1:${port}`,
    });
    strictEqual(await statusOf(`${service.url}/healthz`), 200);
    strictEqual(await statusOf(`${service.url}/readyz`), 503);
    // Long enough for the pauses between the tries to have become long.
    for (let hit = 0; hit < 20; hit++) {
      const { answer, milliseconds } = await hitOnce({ service, ledger });
      strictEqual(answer?.status, 503);
      ok(answer?.headers.has("retry-after"));
      ok(milliseconds <= timeLimit(100), `503 after ${milliseconds} ms`);
      await pause(100);
    }
    await using load = startSteady({ service, ledger, rate: 100 });
    await using redis = await startRedis({ port });
    await waitForCount(ledger, "the arrival of Redis", 2500);
    strictEqual(await statusOf(`${service.url}/readyz`), 200);
    await load.stop();
    ledger.checkOutcomes(200, 503, ...ledger.late);
    ledger.check(await storedInRedis(redis));
    const stderr = service.stderr();
    deepStrictEqual(outagesIn(stderr), { away: 1, back: 1 }, stderr);
  },
);

const outages = [
  {
    title: "Redis stopped and started again",
    args: ["--appendonly", "yes"],
    through: false,
  },
  { title: "the way to Redis cut and open again", args: [], through: true },
];

for (const { title, args, through } of outages) {
  Deno.test(`/hit: nothing is lost or made up with ${title} under load`, needsRedis, async () => {
    const runs = times(3, 8);
    await using proxied = await startProxiedRedis({ args });
    const { redis, proxy, url } = proxied;
    const STORE_URL = through ? url : redis.url;
    await using service = await startLocalService({ SECRET_TOKEN: SECRET, STORE_URL });
    await using load = startCallers({ service, callers: 50 });
    const { ledger } = load;
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 100);
      if (through) {
        await proxy.refuse();
        proxy.cut();
      } else await redis.stop();
      await logged(service, "away", run);
      // A longer one finds longer pauses between the tries to connect.
      if (run % 2 === 0) await pause(1500);
      if (through) proxy.accept();
      else await redis.start();
      await waitForCount(ledger, "the return", 2500);
      await logged(service, "back", run);
    }
    await load.stop();
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.count(503) > 0, "no hit was refused, so Redis was not away");
    ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
    ledger.check(await storedInRedis(redis));
    const log = service.stderr();
    deepStrictEqual(outagesIn(log), { away: runs, back: runs }, log);
  });
}

/**
 * Waits until the log has told an event so many times, so that no outage is taken for a part of the
 * one before.
 */
async function logged(service: LocalService, event: "away" | "back", times: number): Promise<void> {
  await waitFor(`"store ${event}", ${times} times`, () => {
    return outagesIn(service.stderr())[event] >= times || undefined;
  });
}

/** Hits a second while Redis hangs. More than a busy machine can answer would wait for it alone. */
const RATE = times(100, 500);

for (const title of ["Redis stopped with SIGSTOP", "a black hole before Redis"]) {
  Deno.test(
    `/hit: every request is answered in 2.2 s with ${title}, and the service recovers`,
    needsRedis,
    async () => {
      const seconds = times(3, 20);
      const stops = title.includes("SIGSTOP");
      await using proxied = await startProxiedRedis();
      const { redis, proxy, url } = proxied;
      const STORE_URL = stops ? redis.url : url;
      await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL } });
      await using load = startSteady({ service, rate: RATE });
      const { ledger } = load;
      await waitForHits(ledger, RATE);
      const before = await residentMemory(service.pid);
      const counted = ledger.acknowledged;

      if (stops) await redis.kill("SIGSTOP");
      else proxy.blackHole();
      try {
        await waitForRefusals(ledger, seconds * RATE);
      } finally {
        if (stops) await redis.kill("SIGCONT");
        else proxy.resume();
      }
      await waitForCount(ledger, "Redis' return", 2500);
      await load.stop();

      ok(ledger.acknowledged > counted);
      ledger.checkOutcomes(200, 503, 504);
      ok(ledger.count(504) > 0, "no hit was unknown, so Redis did not hang");
      ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
      // A heap that serves anything at all takes 40 MiB to settle.
      checkGrowth(before, await residentMemory(service.pid), 60);
      ledger.check(await storedInRedis(redis));
    },
  );
}

Deno.test(
  "/hit: a number that arrives while the service is suspended for 3 s is returned",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { redis, proxy, url } = proxied;
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: url } });
    deepStrictEqual(await hitHome(service), [200, 1]);
    // Time to suspend the service once Redis has counted.
    proxy.delay(200);
    const hit = hitHome(service);
    await waitFor("the hit", async () => await redis.command("GET", "hits:home") === "2");
    service.signal("SIGSTOP");
    await pause(3000);
    service.signal("SIGCONT");
    deepStrictEqual(await hit, [200, 2]);
  },
);

/** Sends a hit. Returns the status and the number of the response. */
async function hitHome({ url }: Service): Promise<[status: number, hits: unknown]> {
  const response = await fetch(`${url}/hit?id=home`, { headers: authorized });
  return [response.status, (await response.json()).hits];
}

/** The one setting with which Redis loses nothing that it has acknowledged. */
const durable = ["--appendonly", "yes", "--appendfsync", "always"];

Deno.test(
  "on Redis, killed under 200 callers it has stored every hit that was acknowledged",
  needsRedis,
  async () => {
    const runs = times(3, 10);
    await using redis = await startRedis({ args: durable });
    await using service = await startLocalService({ SECRET_TOKEN: SECRET, STORE_URL: redis.url });
    await using load = startCallers({ service, callers: 200 });
    const { ledger } = load;
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 500 + Math.random() * 1000);
      await redis.kill("SIGKILL");
      await waitForRefusals(ledger, 1);
      await redis.start();
      await waitForCount(ledger, "Redis' return", 2500);
    }
    await load.stop();
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
    ledger.check(await storedInRedis(redis));
  },
);

/** Far longer than anything here takes, however slow the machine is. */
const timeout = 60_000;

Deno.test(
  "/hit: after a failover hits go to the new master as soon as the name leads there, and none is lost",
  needsRedis,
  async () => {
    await using next = await startRedis();
    await using proxied = await startProxiedRedis({ args: ["--repl-diskless-sync-delay", "0"] });
    const { redis, proxy, url } = proxied;
    await using service = await startLocalService({ SECRET_TOKEN: SECRET, STORE_URL: url });
    await using load = startCallers({ service, callers: 20 });
    const { ledger } = load;
    await waitForCount(ledger, "the start", timeout);
    await failOver(redis, next);

    // The name still leads to the old master, which may be read only.
    await waitFor("a refused hit", () => ledger.count(503) > 0 || undefined, { timeout });
    await waitForStatus(service, 503);
    proxy.redirect(next);
    await waitForCount(ledger, "the failover", timeout);
    await waitForStatus(service, 200);

    await load.stop();
    ledger.checkOutcomes(200, 503, ...ledger.late);
    ledger.check(await storedInRedis(next));
    const log = service.stderr();
    strictEqual(log.match(/store unavailable.*READONLY/g)?.length, 1, log);
    deepStrictEqual(outagesIn(log), { away: 1, back: 1 }, log);
  },
);

/** Makes `next` the master when it holds all that the old one holds. */
async function failOver(redis: RedisServer, next: RedisServer): Promise<void> {
  await next.command("REPLICAOF", "127.0.0.1", String(redis.port));
  await waitForRole(redis, /connected_slaves:1/);
  await waitForRole(next, /master_link_status:up/);
  await redis.command("FAILOVER");
  await waitForRole(redis, /role:slave/);
  await waitForRole(next, /role:master/);
}

async function waitForRole(redis: RedisServer, role: RegExp): Promise<void> {
  await waitFor(
    String(role),
    async () => role.test(String(await redis.command("INFO", "replication"))) || undefined,
    { timeout },
  );
}

async function waitForStatus(service: LocalService, status: number): Promise<void> {
  const isThere = async () => await statusOf(`${service.url}/readyz`) === status;
  await waitFor(`/readyz to be ${status}`, isThere, { timeout });
}

/**
 * Returns how often a log reports that the store became unreachable and reachable. Outages because
 * a busy machine delayed Redis are left out.
 */
function outagesIn(log: string): { away: number; back: number } {
  let [away, back, isAway] = [0, 0, false];
  for (const [event] of log.matchAll(/"store (?:un)?available".*/g)) {
    if (event.includes("Redis does not answer")) continue;
    if (event.startsWith('"store unavailable"')) {
      away++;
      isAway = true;
    } else if (isAway) {
      back++;
      isAway = false;
    }
  }
  return { away, back };
}
