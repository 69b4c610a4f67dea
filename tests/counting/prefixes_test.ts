import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createCalendar, hitsIn, PERIODS } from "../../src/counter/calendar.ts";
import { type CounterId, counterId } from "../../src/counter/counter_id.ts";
import type { Day, Days } from "../../src/counter/days.ts";
import { type ListedCounter, type ListOptions, MAX_HITS } from "../../src/counter/store.ts";
import { createPrefixes } from "../../src/counting/prefixes.ts";
import { Problem } from "../../src/problem.ts";
import { rejectsWith } from "../support/store_contract.ts";
import { waitFor } from "../support/wait_for.ts";

const BLOG = counterId("blog/");
const OTHER = counterId("other/");
const TODAY = 20_780; // 2026-11-23
const calendar = createCalendar("UTC", () => TODAY * 86_400_000);

Deno.test("Prefixes.sum: adds up the counters whose ids begin with the prefix, and tells how many there are", async () => {
  await using prefixes = open([
    one("blog/a", 3),
    one("blog/b/c", 4),
    one("blog2/a", 50),
    one("blo", 9),
  ]);
  deepStrictEqual(await prefixes.sum(BLOG, "total"), { hits: 7, counters: 2 });
  deepStrictEqual(await prefixes.sum(OTHER, "total"), { hits: 0, counters: 0 });
});

Deno.test("Prefixes: whatever the counters hold, sums and rankings are those of the counters one by one", async () => {
  const held = fc.record({
    id: fc.integer({ min: 0, max: 300 }).map((number) => counterId(`blog/${number}`)),
    hits: fc.nat(40),
    days: fc.option(
      fc.record({
        newest: fc.integer({ min: TODAY - 800, max: TODAY + 1 }),
        hits: fc.array(fc.nat(9), { minLength: 1, maxLength: 900 }),
      }),
      { nil: undefined },
    ),
  });
  const counters = fc.uniqueArray(held, { maxLength: 300, selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(counters, fc.constantFrom(...PERIODS), async (counters, period) => {
      await using prefixes = open(counters);
      const each = counters.map((held) => ({
        id: held.id,
        hits: hitsIn(period, { held, today: TODAY }),
      }));
      const hits = each.reduce((sum, { hits }) => sum + hits, 0);
      deepStrictEqual(await prefixes.sum(BLOG, period), { hits, counters: counters.length });
      const expected = each.sort((one, other) =>
        other.hits - one.hits || (one.id < other.id ? -1 : 1)
      );
      deepStrictEqual(await prefixes.ranking(BLOG, period), expected.slice(0, 100));
      const since = TODAY - 400;
      const { hits: total, days } = await prefixes.history(BLOG, since);
      strictEqual(total, counters.reduce((sum, { hits }) => sum + hits, 0));
      for (let day = since; day <= TODAY + 1; day++) {
        const sum = counters.reduce((sum, { days }) => sum + onDay(days, day), 0);
        strictEqual(onDay(days, day), sum, `day ${day}`);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("Prefixes.history: history begins where that of the first counter does, and a family without days has none", async () => {
  await using prefixes = open([
    one("blog/a", 5, { newest: TODAY, hits: [1, 2] }),
    one("blog/b", 9, { newest: TODAY - 1, hits: [4, 0, 3] }),
    one("blog/c", 100),
    one("other/a", 7),
  ]);
  deepStrictEqual(await prefixes.history(BLOG, TODAY - 30), {
    hits: 114,
    days: { newest: TODAY, hits: [1, 6, 0, 3] },
  });
  deepStrictEqual(await prefixes.history(OTHER, TODAY - 30), { hits: 7, days: undefined });
});

Deno.test("Prefixes: all who ask at once get what one scan finds, and who asks within ten seconds gets it too", async () => {
  await using clock = fakeClock();
  await using prefixes = open([one("blog/a", 3)]);
  const asked = Array.from({ length: 50 }, () => prefixes.sum(BLOG, "total"));
  deepStrictEqual(new Set((await Promise.all(asked)).map(({ hits }) => hits)), new Set([3]));
  strictEqual(prefixes.lists.length, 1);
  prefixes.counters = [one("blog/a", 4)];
  clock.pass(4000);
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
  strictEqual(prefixes.lists.length, 1);
});

Deno.test("Prefixes: what is older than six and a half seconds is made again while callers get it, and what is older than ten is not given any more", async () => {
  await using clock = fakeClock();
  await using prefixes = open([one("blog/a", 3)]);
  await prefixes.sum(BLOG, "total");
  prefixes.counters = [one("blog/a", 4)];
  clock.pass(5500);
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
  // A scan would begin in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  strictEqual(prefixes.lists.length, 1);
  clock.pass(1100);
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
  await waitFor(
    "the new sum",
    async () => (await prefixes.sum(BLOG, "total")).hits === 4 || undefined,
  );
  strictEqual(prefixes.lists.length, 2);
  prefixes.counters = [one("blog/a", 5)];
  clock.pass(10_001);
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 5);
});

Deno.test("Prefixes: a sum that fails to be made again is given until it is ten seconds old", async () => {
  await using clock = fakeClock();
  await using prefixes = open([one("blog/a", 3)]);
  await prefixes.sum(BLOG, "total");
  prefixes.failure = new Problem("store-unavailable");
  clock.pass(7000);
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
  clock.pass(4000);
  await rejectsWith("store-unavailable", prefixes.sum(BLOG, "total"));
  prefixes.failure = undefined;
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
});

Deno.test("Prefixes: the scans that wait share a pass where it passes over all counters anyway", async () => {
  for (const sortedById of [false, true]) {
    await using prefixes = open([one("blog/a", 3), one("blog/x/b", 4), one("bo/c", 5)], {
      sortedById,
    });
    const results = await Promise.all([
      prefixes.sum(BLOG, "total"),
      prefixes.sum(counterId("blog/x/"), "total"),
      prefixes.sum(BLOG, "today"),
      prefixes.history(counterId("bo/"), TODAY - 7),
    ]);
    deepStrictEqual(results.map(({ hits }) => hits), [7, 4, 0, 5]);
    const listed = prefixes.lists.map(({ prefix }) => prefix);
    deepStrictEqual(listed, sortedById ? ["blog/", "blog/x/", "bo/"] : ["b"]);
  }
});

Deno.test("Prefixes: more than 100,000 counters are too many, which is not counted again at once and spoils no other scan", async () => {
  const many = Array.from({ length: 100_001 }, (_, index) => one(`blog/${index}`, 1));
  await using prefixes = open([...many, one("other/a", 2)], { sortedById: false });
  const [other] = await Promise.all([
    prefixes.sum(OTHER, "total"),
    rejectsWith("family-too-large", prefixes.sum(BLOG, "total")),
  ]);
  strictEqual(other.hits, 2);
  const lists = prefixes.lists.length;
  await rejectsWith("family-too-large", prefixes.sum(BLOG, "total"));
  strictEqual(prefixes.lists.length, lists);
  prefixes.counters = many.slice(1);
  strictEqual((await prefixes.sum(BLOG, "30d")).counters, 100_000);
});

Deno.test("Prefixes: what adds up to more than can be counted exactly is too large", async () => {
  await using prefixes = open([
    one("blog/a", MAX_HITS),
    one("blog/b", 1),
    one("other/a", MAX_HITS),
  ]);
  await rejectsWith("family-too-large", prefixes.sum(BLOG, "total"));
  strictEqual((await prefixes.sum(OTHER, "total")).hits, MAX_HITS);
});

Deno.test("Prefixes: a scan that is not done within ten seconds is given up", async () => {
  await using clock = fakeClock();
  await using prefixes = open([one("blog/a", 3), one("blog/b", 4)]);
  prefixes.beforePage = () => clock.pass(6000);
  await rejectsWith("store-unavailable", prefixes.sum(BLOG, "total"));
});

Deno.test("Prefixes: no more than a hundred scans wait", async () => {
  const gate = Promise.withResolvers<void>();
  await using prefixes = open([one("blog/a", 3)], { sortedById: true });
  prefixes.beforePage = () => gate.promise;
  const sums = Array.from(
    { length: 100 },
    (_, index) => prefixes.sum(counterId(`${index}/`), "total"),
  );
  await rejectsWith("overloaded", prefixes.sum(BLOG, "total"));
  gate.resolve();
  await Promise.all(sums);
});

Deno.test("Prefixes: after a failure of the store the scans that wait fail too, and the next one is tried", async () => {
  await using prefixes = open([one("blog/a", 3)]);
  prefixes.beforePage = () => Promise.reject(new Problem("store-unavailable"));
  await Promise.all(
    [BLOG, BLOG, counterId("a/"), counterId("b/")].map((prefix) =>
      rejectsWith("store-unavailable", prefixes.sum(prefix, "total"))
    ),
  );
  strictEqual(prefixes.lists.length, 1);
  prefixes.beforePage = () => {};
  strictEqual((await prefixes.sum(BLOG, "total")).hits, 3);
});

Deno.test("Prefixes: the end of the service ends the scan that goes on, and the next ones", async () => {
  const gate = Promise.withResolvers<void>();
  const prefixes = open([one("blog/a", 3), one("blog/b", 3)]);
  prefixes.beforePage = () => gate.promise;
  const sum = rejectsWith("store-unavailable", prefixes.sum(BLOG, "total"));
  const end = prefixes[Symbol.asyncDispose]();
  gate.resolve();
  await Promise.all([sum, end]);
  await rejectsWith("store-unavailable", prefixes.sum(OTHER, "total"));
  ok(prefixes.lists.length === 1);
});

function one(id: string, hits: number, days?: Days): ListedCounter {
  // Most of the time of the largest family would go into the check of its ids.
  return { id: id as CounterId, hits, days };
}

function onDay(days: Days | undefined, day: Day): number {
  return days?.hits[days.newest - day] ?? 0;
}

/** Prefixes of counters in a list whose pages have one counter each, or many where there are many. */
function open(
  counters: readonly ListedCounter[],
  { sortedById = true }: { sortedById?: boolean } = {},
) {
  const room = {
    counters,
    lists: [] as ListOptions[],
    failure: undefined as Problem | undefined,
    beforePage: (): Promise<void> | void => {},
  };
  async function* list(options: ListOptions) {
    room.lists.push(options);
    if (room.failure !== undefined) throw room.failure;
    const listed = room.counters.filter(({ id }) => id.startsWith(options.prefix));
    const size = listed.length > 1000 ? 1000 : 1;
    for (let start = 0; start < listed.length; start += size) {
      await room.beforePage();
      yield { counters: listed.slice(start, start + size), foreign: 0 };
    }
  }
  const prefixes = createPrefixes({ list, sortedById, calendar });
  return Object.assign(room, prefixes, { [Symbol.asyncDispose]: () => prefixes.end() });
}

/** Makes time pass for what looks at `performance.now`. */
function fakeClock() {
  const { now } = performance;
  let passed = 0;
  const set = (value: () => number) =>
    Object.defineProperty(performance, "now", { configurable: true, value });
  set(() => now.call(performance) + passed);
  return {
    pass: (milliseconds: number) => void (passed += milliseconds),
    [Symbol.asyncDispose]: () => Promise.resolve(void set(() => now.call(performance))),
  };
}
