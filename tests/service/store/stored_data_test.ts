import { deepStrictEqual, notDeepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { type Day, type Days, parseDay } from "../../../src/domain/history.ts";
import type { CounterStore, Update } from "../../../src/domain/store.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { overrideNextRead } from "../../support/next_commit.ts";
import { testRedis } from "../../support/redis_backend.ts";

const HOME = counterId("home");

/** The stored days of a counter: its ledger and at most one closed year. */
interface StoredDays {
  readonly openDay: Day;
  readonly totalAtDayStart: number;
  readonly firstYear?: number;
  /** The hits of the days before the open day, backwards. */
  readonly before: readonly number[];
  readonly year?: { readonly year: number; readonly last: Day; readonly hits: readonly number[] };
}

function day(text: string): Day {
  return parseDay(text) ?? NaN;
}

const JANUARY_3 = day("2026-01-03");
const open = { openDay: JANUARY_3, totalAtDayStart: 40 };

/** The total is 50 in all of them; `expected` is undefined if the days are refused. */
const rows: [name: string, stored: StoredDays, expected: Days["hits"] | undefined][] = [
  ["two days before January 3", { ...open, before: [1, 2] }, [10, 1, 2]],
  ["three days before January 3", { ...open, before: [1, 2, 3] }, undefined],
  ["no day before January 1", { ...open, openDay: JANUARY_3 - 2, before: [] }, [10]],
  ["one day before January 1", { ...open, openDay: JANUARY_3 - 2, before: [1] }, undefined],
  [
    "364 days before December 31",
    { ...open, openDay: day("2025-12-31"), before: Array(364).fill(1) },
    [10, ...Array(364).fill(1)],
  ],
  [
    "365 days before December 31",
    { ...open, openDay: day("2025-12-31"), before: Array(365).fill(1) },
    undefined,
  ],
  ["a first year that is not over", { ...open, firstYear: 2026, before: [1, 2] }, undefined],
  [
    "a whole year before",
    {
      ...open,
      before: [1, 2],
      firstYear: 2025,
      year: { year: 2025, last: day("2025-12-31"), hits: Array(365).fill(3) },
    },
    [10, 1, 2, ...Array(365).fill(3)],
  ],
  [
    "a year before of 366 days, which had 365",
    {
      ...open,
      before: [1, 2],
      firstYear: 2025,
      year: { year: 2025, last: day("2025-12-31"), hits: Array(366).fill(3) },
    },
    undefined,
  ],
  [
    "a year before that ends in another year",
    {
      ...open,
      before: [1, 2],
      firstYear: 2025,
      year: { year: 2025, last: day("2026-01-01"), hits: [3] },
    },
    undefined,
  ],
];

for (const [name, stored, expected] of rows) {
  const shown = expected === undefined ? "is refused" : `has ${expected.length} days`;

  Deno.test(`on Deno KV, a counter that is stored with ${name} ${shown}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const { openDay, totalAtDayStart, firstYear = 0, before, year } = stored;
    await kv.set(["hits:", HOME], new Deno.KvU64(50n));
    const ledger = [openDay, 2 * firstYear, totalAtDayStart, ...before];
    await kv.set(["tallymark", "days", "hits:", HOME], bytes(ledger));
    if (year !== undefined) {
      const entry = bytes([year.last, ...year.hits]);
      await kv.set(["tallymark", "years", "hits:", HOME, year.year], entry);
    }
    const store = await kvStore({ kv, today: () => openDay });
    await check(store, stored, expected);
    await store.close();
  });

  testRedis(`a counter that is stored with ${name} ${shown}`, async ({ redis, open }) => {
    const { openDay, totalAtDayStart, firstYear, before, year } = stored;
    await redis.command("SET", "hits:home", "50");
    const ledger = [openDay, totalAtDayStart, firstYear ?? "-", ...before].join(" ");
    await redis.command("SET", "{hits:home}days", ledger);
    if (year !== undefined) {
      const entry = [year.last, ...year.hits].join(" ");
      await redis.command("SET", `{hits:home}days${year.year}`, entry);
    }
    await check(await open({ today: () => openDay }), stored, expected);
  });
}

async function check(
  store: CounterStore,
  { openDay }: StoredDays,
  expected: Days["hits"] | undefined,
): Promise<void> {
  const [held] = await store.history([{ id: HOME, since: -Infinity }]);
  const states = [held];
  for await (const { counters } of store.list({ prefix: "", since: -Infinity })) {
    states.push(...counters);
  }
  for (const state of states) {
    const days = state !== undefined && "days" in state ? state.days : undefined;
    deepStrictEqual(withoutZeros(days?.hits), expected);
    if (expected === undefined) continue;
    strictEqual(days?.newest, openDay);
    strictEqual(state !== undefined && "hits" in state && state.hits, 50);
  }
}

/** Days without hits at the beginning of history say nothing. */
function withoutZeros(hits: readonly number[] | undefined): readonly number[] | undefined {
  return hits?.slice(0, hits.findLastIndex((number) => number > 0) + 1);
}

/** Whole numbers as Deno KV stores them: seven bits a byte, the lowest first (LEB128). */
function bytes(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(numbers.flatMap((number) => {
    const some: number[] = [];
    for (; number >= 128; number = Math.floor(number / 128)) some.push(number % 128 + 128);
    return [...some, number];
  }));
}

const at = SOME_DAY * 86_400_000;

function update(change: Partial<Update>): Update {
  return { hits: undefined, days: undefined, mode: "max", ...change };
}

/**
 * Checks that a counter without a report is stored as if it never had one. `entries` describes the
 * entries of the counter by their keys and sizes.
 */
async function checkEntries(store: CounterStore, entries: () => Promise<string[]>): Promise<void> {
  const write = (update: Update | undefined) => store.write([{ id: HOME, update }]);
  await store.add([{ id: HOME, amount: 3 }]);
  await write(update({ hits: 5 }));
  const without = await entries();
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  const reported = await entries();
  notDeepStrictEqual(reported, without);
  await store.add([{ id: HOME, amount: 1 }]);
  await write(update({ hits: 7, mode: "replace" }));
  deepStrictEqual(await entries(), reported);
  await write(update({ hits: 7, mode: "replace", report: null }));
  deepStrictEqual(await entries(), without);
  await write(undefined);
  const deleted = await entries();
  await write(update({ hits: 5 }));
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  await write(undefined);
  deepStrictEqual(await entries(), deleted);
  await store.close();
}

/** Checks that the last report stays when hits open a day, also in a new year. */
async function checkNextDays(store: CounterStore, clock: { day: Day }): Promise<void> {
  await store.write([{ id: HOME, update: update({ hits: 5 }) }]);
  await store.write([{ id: HOME, update: update({ report: { seen: 9, at, day: SOME_DAY } }) }]);
  for (clock.day = SOME_DAY; clock.day < SOME_DAY + 60; clock.day++) {
    await store.add([{ id: HOME, amount: 1 }]);
  }
  const next = { seen: 12, at: at + 1, day: SOME_DAY };
  await store.write([{ id: HOME, update: update({ report: next }) }]);
  const [held] = await store.history([{ id: HOME, since: SOME_DAY }]);
  if (held === undefined || held instanceof Failure) throw held;
  deepStrictEqual([held.hits, held.days?.hits.at(-1)], [5 + 60 + 3, 1 + 3]);
  deepStrictEqual(held.report, { seen: 12, at: at + 1 });
  await store.close();
}

for (const shared of [false, true]) {
  Deno.test(`openKvStore ${shared ? "shared" : "of its own"}: nothing is left of a report after it or its counter was deleted`, async () => {
    const kv = await Deno.openKv(":memory:");
    await checkEntries(await kvStore({ kv, shared }), async () => {
      const entries = await Array.fromAsync(kv.list({ prefix: [] }));
      return entries.filter(({ key }) => key[1] !== "writer").map(({ key, value }) => {
        return `${key.join()} ${value instanceof Uint8Array ? value.length : typeof value}`;
      });
    });
  });

  Deno.test(`openKvStore ${shared ? "shared" : "of its own"}: a report stays when hits open a day`, async () => {
    const clock = { day: SOME_DAY };
    const kv = await Deno.openKv(":memory:");
    await checkNextDays(await kvStore({ kv, shared, today: () => clock.day }), clock);
  });
}

Deno.test("on a shared Deno KV, an ignored report returns what the counter held at one instant", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv, shared: true });
  const other = await kvStore({ kv, shared: true });
  const [old, now] = [3, 4].map((each): Update => {
    const days = { newest: SOME_DAY, hits: Array(500).fill(each) };
    const report = { seen: 9, at, day: SOME_DAY };
    return { hits: 500 * each, days, mode: "replace", report };
  });
  await store.write([{ id: HOME, update: old }]);
  // Another process changes the counter before its closed years are read.
  overrideNextRead(kv, async (read) => {
    const entries = await read();
    await other.write([{ id: HOME, update: now }]);
    return entries;
  });
  const [held] = await store.write([
    { id: HOME, update: update({ report: { seen: 1, at: at - 1, day: SOME_DAY } }) },
  ]);
  deepStrictEqual(held, { hits: now?.hits, days: now?.days });
  await store.close();
});

testRedis("a report stays when hits open a day", async ({ open }) => {
  const clock = { day: SOME_DAY };
  await checkNextDays(await open({ today: () => clock.day }), clock);
});

testRedis(
  "nothing is left of a report after it or its counter was deleted",
  async ({ redis, open }) => {
    await checkEntries(await open({ today: () => SOME_DAY }), async () => {
      const keys = await redis.command("KEYS", "*");
      return (Array.isArray(keys) ? keys.map(String) : String(keys).split("\n")).sort();
    });
  },
);
