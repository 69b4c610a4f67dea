// One process of the fleet that `fleet.ts` starts: many virtual nodes, each with its own
// connections, batcher and callers. Its argument is the job as JSON. It prints "ready", begins at
// the first line of its input, and stops where that ends.
import process from "node:process";
import { type Calendar, createCalendar } from "../../src/domain/calendar.ts";
import { type CounterId, counterId } from "../../src/domain/counter_id.ts";
import { type Counters, createCounters } from "../../src/counters/counters.ts";
import { Failure } from "../../src/domain/errors.ts";
import { storeOn } from "../support/redis_backend.ts";
import { linkTo } from "../support/redis_link.ts";
import { waitFor } from "../support/wait_for.ts";

/** The job of one process of the fleet. */
export interface FleetJob {
  url: string;
  nodes: number;
  /** Number of hits that each node keeps in flight. */
  callers: number;
  /** Number of counters. The n-th is hit 1/n as often as the first. */
  counters: number;
  replicas: number;
  /**
   * Days of this length, the first of which begins then by `Date.now()`; undefined for those of the
   * calendar.
   */
  days: { seconds: number; since: number } | undefined;
  /** Duration of the measurement in seconds, after a second of warming up. */
  seconds: number;
}

/** The output of a process at its end. */
export interface FleetResult {
  /** Hits that were answered within the time measured, and how long that was. */
  hits: number;
  seconds: number;
  /** CPU that this process took within it. */
  cpuSeconds: number;
  /** Latencies of the hits of one caller in 64, in milliseconds. */
  latencies: readonly number[];
  /** Hits of the whole run that surely were not counted, and those that may have been. */
  refused: number;
  unknown: number;
}

/** The counter that all hit if there is one only. */
const HOT = counterId("hot");

/** Number of nodes that connect at the same time. */
const CONNECTED_AT_ONCE = 25;
/** Delay after a failure before one caller of a node retries, in milliseconds. */
const RETRY_MS = 100;
const TIMED = 64;
/** Number of counters that are drawn in advance. */
const DRAWS = 1 << 20;
const FIRST_DAY = 20_000;

async function run(job: FleetJob): Promise<void> {
  const nodes: Counters[] = [];
  while (nodes.length < job.nodes) {
    const count = Math.min(CONNECTED_AT_ONCE, job.nodes - nodes.length);
    nodes.push(...await Promise.all(Array.from({ length: count }, () => openNode(job))));
  }
  const nextId = job.counters === 1 ? () => HOT : zipf(job.counters);
  console.log("ready");

  const input = Deno.stdin.readable.getReader();
  await input.read();
  const load = new Load(nextId);
  const ended: Promise<void>[] = [];
  for (const node of nodes) {
    ended.push(load.callAgainAndAgain(node, job.callers));
    // All at once, the first hits of hundreds of nodes would wait past their deadline.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const measured = await measure(load, job.seconds);
  while (!(await input.read()).done);
  load.stop();
  await Promise.all(ended);
  const { refused, unknown } = load;
  console.log(JSON.stringify({ ...measured, refused, unknown } satisfies FleetResult));
  await Promise.all(nodes.map((node) => node.close()));
}

async function openNode({ url, replicas, days }: FleetJob): Promise<Counters> {
  const calendar = days === undefined ? createCalendar("UTC") : shortDays(days);
  const { today, msUntilMidnight } = calendar;
  const link = await linkTo(url, { replicas });
  const counters = createCounters(await storeOn(link, { today, msUntilMidnight }), calendar);
  // One shard will do: on a busy machine not all of them answer in time at once.
  await waitFor("a node", () => counters.ready().then(() => true, () => undefined), {
    interval: 50,
  });
  return counters;
}

function shortDays({ seconds, since }: { seconds: number; since: number }): Calendar {
  const dayMs = seconds * 1000;
  return {
    ...createCalendar("UTC"),
    today: () => FIRST_DAY + Math.floor((Date.now() - since) / dayMs),
    msUntilMidnight: () => dayMs - (Date.now() - since) % dayMs,
  };
}

async function measure(load: Load, seconds: number) {
  await pause(1000);
  const [from, hits, cpu] = [performance.now(), load.answered, process.cpuUsage()];
  load.latencies.length = 0;
  await pause(seconds * 1000);
  const spent = process.cpuUsage(cpu);
  return {
    hits: load.answered - hits,
    seconds: (performance.now() - from) / 1000,
    cpuSeconds: (spent.user + spent.system) / 1e6,
    latencies: [...load.latencies],
  };
}

/**
 * Callers who hit as soon as they are answered, without async functions, which would cost more than
 * the hits.
 */
class Load {
  answered = 0;
  refused = 0;
  unknown = 0;
  readonly latencies: number[] = [];
  readonly #nextId: () => CounterId;
  #isEnding = false;

  /** `nextId` gives the counter of each hit. */
  constructor(nextId: () => CounterId) {
    this.#nextId = nextId;
  }

  /** Resolves when all callers have stopped. */
  callAgainAndAgain(node: Counters, callers: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const latencies = this.latencies;
    let calling = callers;
    /**
     * Callers whose last hit failed. If all of them tried again, they would leave nothing of the
     * CPU to a failover.
     */
    let failed: (() => void)[] = [];
    let retry: ReturnType<typeof setTimeout> | undefined;

    const stop = () => {
      if (--calling === 0) resolve();
    };
    const next = () => {
      if (this.#isEnding) stop();
      else node.hit(this.#nextId()).then(succeed, fail);
    };
    const succeed = () => {
      this.answered++;
      if (failed.length > 0) resume(failed.length);
      next();
    };
    const fail = (problem: unknown) => waitAfter(problem, next);
    const waitAfter = (problem: unknown, call: () => void) => {
      this.#noteFailure(problem);
      failed.push(call);
      retry ??= setTimeout(() => {
        retry = undefined;
        resume(this.#isEnding ? failed.length : 1);
      }, RETRY_MS);
    };
    const resume = (count: number) => {
      const calls = failed.slice(0, count);
      failed = failed.slice(count);
      for (const call of calls) call();
    };
    const nextTimed = () => {
      if (this.#isEnding) return stop();
      const since = performance.now();
      node.hit(this.#nextId()).then(() => {
        latencies.push(performance.now() - since);
        this.answered++;
        if (failed.length > 0) resume(failed.length);
        nextTimed();
      }, (problem) => waitAfter(problem, nextTimed));
    };

    for (let caller = 0; caller < callers; caller++) {
      if (caller % TIMED === 0) nextTimed();
      else next();
    }
    return promise;
  }

  stop(): void {
    this.#isEnding = true;
  }

  #noteFailure(problem: unknown): void {
    if (!(problem instanceof Failure)) throw problem;
    if (problem.kind === "outcome-unknown") this.unknown++;
    else this.refused++;
  }
}

/** Draws counters n1, n2, …, the n-th 1/n as often as the first. */
function zipf(count: number): () => CounterId {
  const ids = Array.from({ length: count }, (_, index) => counterId(`n${index + 1}`));
  const sums = new Float64Array(count);
  for (let index = 0, sum = 0; index < count; index++) sums[index] = sum += 1 / (index + 1);
  const total = sums.at(-1) ?? 0;
  const draws = Uint32Array.from({ length: DRAWS }, () => placeOf(Math.random() * total, sums));
  let drawn = 0;
  return () => ids[draws[drawn++ & DRAWS - 1] ?? 0] ?? HOT;
}

/** The first place whose sum is larger than this. */
function placeOf(wanted: number, sums: Float64Array): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = low + high >> 1;
    if ((sums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

if (import.meta.main) await run(JSON.parse(Deno.args[0] ?? ""));
