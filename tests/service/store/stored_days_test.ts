import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type Day, type Days, parseDay } from "../../../src/domain/history.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { kvStore } from "../../support/kv_store.ts";
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
    [10, 1, 2],
  ],
  [
    "a year before that ends in another year",
    {
      ...open,
      before: [1, 2],
      firstYear: 2025,
      year: { year: 2025, last: day("2026-01-01"), hits: [3] },
    },
    [10, 1, 2],
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
