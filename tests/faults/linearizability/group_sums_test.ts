import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Day, firstDayOf, formatDay, parseDay, yearOf } from "../../../src/domain/history.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { Caller } from "../caller.ts";
import { importLines } from "../../support/import_lines.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { startCluster } from "../../support/redis_cluster.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { authorized, authorizedRequest } from "../../support/secret.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { times } from "../../support/times.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { type Event, possibilities, type Possibility } from "./linearizable.ts";
import { slotMover } from "./moving_slots.ts";
import { type RandomWorkload, startRandomWorkload } from "./random_workload.ts";
import { Recorder } from "./recorder.ts";
import { exportOf, openRoom, type Room } from "./service_harness.ts";

/** Number of nested groups, which is the maximum number of slashes in a prefix. */
const DEPTH = 8;
const INNERMOST = "s/".repeat(DEPTH);
/**
 * Returns the reads that run while counters change. Each sum, of a group or of its days since a
 * year, is read once at each process, because a cached sum may be some seconds old.
 */
function asked({ years }: Place): readonly Asked[] {
  return Array.from({ length: times(4, DEPTH - 1) }, (_, depth): Asked[] => {
    const prefix = "s/".repeat(depth + 1);
    if (!fullNumbers) return depth % 2 === 0 ? [{ prefix }] : [{ prefix, since: beginning(depth) }];
    const since = Array.from({ length: years }, (_, back) => ({ prefix, since: beginning(back) }));
    return [{ prefix }, ...since];
  }).flat();
}
/** The counters that change, which are among the others in key order. */
const CALLED = ["n0", "n0150}b", "{n}", "n0222日本"].map((name) => INNERMOST + name);
/** Counters outside the groups. */
const OTHERS = ["s", "t/a"];

/** The first day of a year, so many before this one. */
function beginning(back: number): Day {
  return firstDayOf(yearOf(createCalendar(TIME_ZONE).today()) - back);
}

interface Asked {
  readonly prefix: string;
  /** Undefined where the total alone is asked for. */
  readonly since?: Day;
}

interface Place extends AsyncDisposable {
  readonly env: Record<string, string>;
  readonly services: number;
  /** Places of services with processes of their own, see `RoomOptions`. */
  readonly processes?: readonly number[];
  /**
   * Number of counters that do not change. A scan reads them page by page while the others change.
   */
  readonly still: number;
  /** From how many years on the days of each group are asked for, with the full numbers. */
  readonly years: number;
  /** Number of operations while a sum is read; as many as there is time for by default. */
  readonly operations?: number;
  /** Happens while a sum is read, and may make it fail until it is over. */
  readonly meanwhile?: () => Promise<void>;
}

const places: { name: string; ignore?: boolean; begin(): Promise<Place> | Place }[] = [
  {
    name: "a Deno KV file",
    begin: () => ({
      env: {},
      services: 1,
      still: 300,
      years: 9,
      async [Symbol.asyncDispose]() {},
    }),
  },
  {
    name: "a shared Deno KV, called through two services",
    begin() {
      const server = startKvConnect();
      return {
        env: { STORE_URL: `kv:${server.url}`, DENO_KV_ACCESS_TOKEN: server.token },
        services: 2,
        still: 300,
        years: 9,
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "a Redis, called through two services",
    ...needsRedis,
    async begin() {
      const redis = await startRedis();
      return {
        env: { STORE_URL: redis.url },
        services: 2,
        still: times(700, 3000),
        years: 9,
        [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "a Redis Cluster whose slots are moved meanwhile, called through two services",
    ...needsRedis,
    async begin() {
      const cluster = await startCluster({ replicas: 0 });
      return {
        env: { STORE_URL: cluster.url },
        services: 2,
        still: times(700, 3000),
        // The moves go on while a sum is read.
        processes: [0, 1],
        // Each sum waits until all slots have moved.
        years: 2,
        operations: 100,
        meanwhile: slotMover(cluster, CALLED),
        [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
      };
    },
  },
];

for (const { name, ignore = false, begin } of places) {
  Deno.test({
    name:
      `sums of a group on ${name} are of what each counter held at some instant of the scan, and those of a quiet store are exact`,
    ignore,
    async fn() {
      await using place = await begin();
      const zones = Array.from({ length: place.services }, () => TIME_ZONE);
      await using room = await openRoom(zones, place);
      await fill(room, place.still);
      const recorder = new Recorder();
      await using workload = startRandomWorkload(recorder, {
        doors: room.doors,
        callers: 3,
        ids: [...CALLED, ...OTHERS],
        isLimited: place.operations !== undefined,
      });
      const sums = await readSums(room, { place, workload });
      await workload.stop();
      recorder.check();
      const histories = CALLED.map((id) => possibilities(recorder.events(id)));
      for (const sum of sums) checkSum(sum, { histories, still: place.still });
      for (const { url } of room.doors) await checkQuiet(url);
    },
  });
}

/** A sum as its caller saw it. */
interface Sum extends Pick<Event, "start" | "end">, Asked {
  readonly hits: number;
  /** Number of counters; undefined for a sum of days. */
  readonly counters: number | undefined;
  readonly days: ReadonlyMap<Day, number>;
}

/** Adds the counters that do not change, with one hit each. */
async function fill({ doors: [door] }: Room, count: number): Promise<void> {
  const lines = Array.from(
    { length: count },
    (_, number) =>
      JSON.stringify({ id: `${INNERMOST}n${String(number).padStart(4, "0")}-`, hits: 1 }),
  );
  deepStrictEqual(await importLines(door?.url ?? "", [lines.join("\n")]), {
    status: 200,
    json: { counters: count },
  });
}

/** Reads all sums at every process, one after the other. */
async function readSums(
  { doors }: Room,
  { place, workload }: { place: Place; workload: RandomWorkload },
): Promise<Sum[]> {
  const sums: Sum[] = [];
  for (const question of asked(place)) {
    for (const { url } of doors) {
      workload.allow(place.operations ?? 0);
      const [sum, happening] = [readSum(url, question), place.meanwhile?.()];
      await Promise.allSettled([sum, happening]);
      await happening;
      sums.push(await sum);
    }
  }
  return sums;
}

async function readSum(url: string, asked: Asked): Promise<Sum> {
  const { prefix, since } = asked;
  const path = since === undefined ? "/count?" : `/days?from=${formatDay(since)}&`;
  const caller = new Caller();
  for (;;) {
    const request = authorizedRequest(`GET ${path}prefix=${encodeURIComponent(prefix)}`);
    const { answer, sentAt: start, milliseconds } = await caller.send(url, request);
    // While slots are on their way the store may say that there is no sum.
    if (answer?.status === 503) continue;
    strictEqual(answer?.status, 200, answer?.body);
    caller.close();
    const end = start + milliseconds;
    const json: { hits?: number; total?: number; counters?: number; days?: DayLine[] } = JSON
      .parse(answer.body);
    const days = new Map(json.days?.map(({ day, hits }) => [parseDay(day) ?? NaN, hits]));
    const { hits = json.total ?? NaN, counters } = json;
    return { ...asked, hits, counters, days, start, end };
  }
}

type DayLine = { day: string; hits: number };

/**
 * Fails where the counters did not add up to this, whatever each of them held and whenever that was
 * within the scan.
 */
function checkSum(
  sum: Sum,
  { histories, still }: { histories: readonly (readonly Possibility[])[]; still: number },
): void {
  const { since, start, end } = sum;
  const parts = histories.map((history) => {
    const then = history.filter(({ from, until }) => from <= end && until >= start);
    return new Set(then.map(({ counter: { hits, days } }) => {
      const counters = days === undefined ? 0 : 1;
      return codeOf(since === undefined ? { hits, counters } : { hits, days, since });
    }));
  });
  const half = Math.ceil(parts.length / 2);
  const [some, others] = [sumsOf(parts.slice(0, half)), sumsOf(parts.slice(half))];
  const rest = since === undefined ? { hits: still, counters: still } : { hits: still };
  const told = (codeOf(sum) + MODULUS - codeOf(rest)) % MODULUS;
  ok(
    some.values().some((sum) => others.has((told + MODULUS - sum) % MODULUS)),
    `no ${parts.map(({ size }) => size)} counters add up to ${JSON.stringify(sum)}`,
  );
}

const MODULUS = 2 ** 31 - 1;

/**
 * Returns a number that encodes the state of a counter. The code of several counters together is
 * the sum of their codes.
 */
function codeOf(
  { hits, counters = 0, days = new Map(), since = -Infinity }: {
    hits: number;
    counters?: number | undefined;
    days?: ReadonlyMap<Day, number> | undefined;
    since?: Day | undefined;
  },
): number {
  let code = hits + counters * 1_234_567;
  for (const [day, hits] of days) {
    if (day >= since) code += hits * (day * 7919 % 65_537) % MODULUS;
  }
  return code % MODULUS;
}

/** Every sum of one of each. */
function sumsOf(parts: readonly ReadonlySet<number>[]): Set<number> {
  let sums = new Set([0]);
  for (const part of parts) {
    sums = new Set([...sums].flatMap((sum) => [...part].map((each) => (sum + each) % MODULUS)));
  }
  return sums;
}

/** Fails where sums that are made now are not those of what an export says of each counter. */
async function checkQuiet(url: string): Promise<void> {
  const members = (await exportOf(url)).entries().filter(([id]) => id.startsWith(INNERMOST));
  let [hits, counters] = [0, 0];
  const days = new Map<Day, number>();
  for (const [, held] of members) {
    hits += held.hits;
    counters++;
    for (const [day, ofDay] of held.days ?? []) days.set(day, (days.get(day) ?? 0) + ofDay);
  }
  const sum = await read(url, `/count?prefix=${INNERMOST}`);
  deepStrictEqual([sum.hits, sum.counters], [hits, counters]);
  const from = formatDay(Math.min(...days.keys()));
  const history: { days: DayLine[] } = await read(url, `/days?prefix=${INNERMOST}&from=${from}`);
  deepStrictEqual(
    history.days.filter(({ hits }) => hits > 0),
    [...days].filter(([, hits]) => hits > 0).sort(([one], [other]) => one - other)
      .map(([day, hits]) => ({ day: formatDay(day), hits })),
  );
}

async function read(url: string, path: string) {
  const answer = await fetch(`${url}${path}`, { headers: authorized });
  const text = await answer.text();
  strictEqual(answer.status, 200, text);
  return JSON.parse(text);
}
