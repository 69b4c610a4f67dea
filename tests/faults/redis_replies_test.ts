import { ok, strictEqual } from "node:assert/strict";
import { startProxiedService } from "../support/proxied_redis.ts";
import { needsRedis } from "../support/redis_server.ts";
import { fullNumbers } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { waitFor } from "../support/wait_for.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { hitHead, hitOnce } from "./load.ts";
import { storedInRedis } from "./stored.ts";

const ONE_WAY = 20;
const CALLERS = 200;
const LIMIT = 1.4;

Deno.test(
  "/hit: a hit goes to Redis although no reply to the one before it has come",
  needsRedis,
  async () => {
    await using proxied = await startProxiedService();
    const { redis, proxy, service } = proxied;
    let attempt = 0;
    // On a busy machine the service may give Redis up before the second hit has come: again.
    await waitFor("a second hit at Redis before the first is answered", async () => {
      const [first, second] = [`first-${++attempt}`, `second-${attempt}`];
      await service.storeReady();
      // On a day that is known to be open a hit is one plain command.
      for (const id of [first, second]) await hitOnce({ service }, id);
      proxy.swallowReplies();
      const one = hitWatched(first);
      await waitFor("the first hit", async () => one.answered || await isStored(first));
      const other = hitWatched(second);
      await waitFor("the second hit", async () => one.answered || await isStored(second));
      const conclusive = !one.answered;
      const results = await Promise.all([one.result, other.result]);
      if (conclusive) { for (const { answer } of results) strictEqual(answer?.status, 504); }
      proxy.resume();
      return conclusive || undefined;
    });

    function hitWatched(id: string) {
      const watched = { answered: false, result: hitOnce({ service }, id) };
      watched.result.finally(() => watched.answered = true);
      return watched;
    }

    async function isStored(id: string): Promise<true | undefined> {
      return await redis.command("GET", `hits:${id}`) === "2" || undefined;
    }
  },
);

// A figure, which other load on the machine changes: held to where the full numbers are asked for.
Deno.test(
  "/hit: 20 ms away from Redis half of the hits of 200 callers take 1.4 round trips at most",
  { ignore: !fullNumbers || needsRedis.ignore },
  async () => {
    const ledger = new Ledger();
    const rounds = times(30, 100);
    await using proxied = await startProxiedService();
    const { redis, proxy, service } = proxied;
    await service.storeReady();
    proxy.delay(ONE_WAY);
    let best = Infinity;
    // Other load on the machine can only make it slower, so the best of three runs counts.
    for (let run = 1; run <= 3 && best > LIMIT; run++) {
      best = Math.min(best, await medianOf(service.url, rounds) / (2 * ONE_WAY));
    }
    ok(best <= LIMIT, `p50 took ${best.toFixed(2)} round trips`);
    ledger.checkOutcomes(200, 503);
    ledger.check(await storedInRedis(redis));

    async function medianOf(url: string, rounds: number): Promise<number> {
      const waits: number[] = [];
      await Promise.all(Array.from({ length: CALLERS }, async (_, number) => {
        const caller = new Caller();
        for (let round = 0; round < rounds; round++) {
          const id = `c${(number + round) % 50}`;
          const result = await caller.send(url, hitHead(id));
          ledger.note(id, result);
          // The first rounds start together and warm up.
          if (round >= 5) waits.push(result.milliseconds);
        }
        caller.close();
      }));
      return waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? Infinity;
    }
  },
);

/** Callers whose hits are under way when the reply is lost. */
const WAITING = 20;

Deno.test(
  "/hit: a lost reply leaves every hit of its batch unknown and none counted twice",
  needsRedis,
  async () => {
    const runs = times(3, 20);
    await using proxied = await startProxiedService();
    const { redis, proxy, service } = proxied;
    const ledger = new Ledger();
    for (let run = 1; run <= runs; run++) {
      await service.storeReady();
      for (let id = 0; id < 3; id++) await hitOnce({ service, ledger }, `c${id}`);
      const cut = proxy.cutAfterNextRequest("INCRBY");
      await Promise.all(
        Array.from(
          { length: WAITING },
          (_, caller) => hitOnce({ service, ledger }, `c${caller % 3}`),
        ),
      );
      await cut;
    }
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.count(504) >= runs);
    ledger.check(await storedInRedis(redis));
  },
);
