import { ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../src/domain/counter_id.ts";
import { type Counters, createCounters } from "../../src/counters/counters.ts";
import { Failure } from "../../src/domain/errors.ts";
import { openRedisStore } from "../support/redis_backend.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { needsRedis } from "../support/redis_server.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { pause } from "./load.ts";
import { times } from "../support/times.ts";

const HOME = counterId("home");
/**
 * Far more than hits come between two settings, so that a number tells after which one it was
 * given.
 */
const STRIDE = 10_000_000;

Deno.test(
  "hits keep their order with settings and all their days while Redis is killed, ways are cut and midnight passes",
  needsRedis,
  async () => {
    const rounds = times(6, 40);
    await using proxied = await startProxiedRedis({
      args: ["--appendonly", "yes", "--appendfsync", "always"],
    });
    const { redis, proxy, url } = proxied;
    let day = 20_815;
    let settings = 0;
    const open = async (at: string) =>
      createCounters(await openRedisStore(at, { today: () => day }));
    const processes = [await open(redis.url), await open(redis.url), await open(url)];
    const told = new Told();
    const callers = processes.flatMap((
      counters,
    ) => [told.callAgainAndAgain(counters), told.callAgainAndAgain(counters)]);

    const [owner = await open(redis.url)] = processes;
    for (let round = 1; round <= rounds; round++) {
      const before = told.hits;
      await waitFor("hits", () => told.hits > before + 50 || undefined, { timeout: FAR_AWAY_MS });
      // One that is unknown is not sent again: it would set the counter back to what it was.
      await settled(() =>
        owner.set(HOME, { hits: ++settings * STRIDE, days: undefined, mode: "replace" })
      );
      told.floor = settings * STRIDE;
      day += round % 2;
      if (round % 3 === 0) {
        await redis.kill("SIGKILL");
        await redis.start();
      } else proxy.cut();
    }
    told.stop();
    await Promise.all(callers);

    const { hits, days } = await settled(() => owner.history(HOME, -Infinity));
    ok(hits < (settings + 1) * STRIDE, `${hits}`);
    const ofDays = days?.hits.reduce((sum, number) => sum + number, 0) ?? 0;
    const more = ofDays - told.hits;
    ok(more >= 0 && more <= told.unknown, `${more} more than told of, ${told.unknown} unknown`);
    strictEqual(days?.hits.some((number) => number < 0), false);
    // A client between two tries would go on for a moment after it was closed.
    await Promise.all(processes.map((counters) => settled(() => counters.history(HOME, Infinity))));
    await Promise.all(processes.map((counters) => counters.close()));
  },
);

/** The numbers that callers received, and the numbers that they may receive. */
class Told {
  hits = 0;
  unknown = 0;
  /** The total that was set before a hit began. The number of the hit must be larger. */
  floor = 0;
  #stopped = false;
  readonly #numbers = new Set<number>();

  stop(): void {
    this.#stopped = true;
  }

  async callAgainAndAgain(counters: Counters): Promise<void> {
    while (!this.#stopped) {
      const { floor } = this;
      try {
        this.#note(await counters.hit(HOME), floor);
      } catch (problem) {
        if (!(problem instanceof Failure)) throw problem;
        if (problem.kind === "outcome-unknown") this.unknown++;
        await pause(10);
      }
    }
  }

  #note(number: number, floor: number): void {
    ok(number > floor, `${number} after the counter was set to ${floor}`);
    ok(!this.#numbers.has(number), `${number} was given twice`);
    this.#numbers.add(number);
    this.hits++;
  }
}

/** Tries until it goes well. */
async function settled<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return await waitFor("an answer", () => attempt().catch(() => undefined), {
    timeout: FAR_AWAY_MS,
  });
}
