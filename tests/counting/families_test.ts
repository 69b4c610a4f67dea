import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createCalendar, hitsIn, PERIODS } from "../../src/counter/calendar.ts";
import { type CounterId, counterId } from "../../src/counter/counter_id.ts";
import type { Day, Days } from "../../src/counter/days.ts";
import { type ListedCounter, type ListOptions, MAX_HITS } from "../../src/counter/store.ts";
import { createFamilies } from "../../src/counting/families.ts";
import { Problem } from "../../src/problem.ts";
import { rejectsWith } from "../support/store_contract.ts";
import { waitFor } from "../support/wait_for.ts";

const BLOG = counterId("blog/");
const OTHER = counterId("other/");
const TODAY = 20_780; // 2026-11-23
const calendar = createCalendar("UTC", () => TODAY * 86_400_000);

Deno.test("Families.sum: adds up the counters whose ids begin with the prefix, and tells how many there are", async () => {
  await using families = open([
    one("blog/a", 3),
    one("blog/b/c", 4),
    one("blog2/a", 50),
    one("blo", 9),
  ]);
  deepStrictEqual(await families.sum(BLOG, "total"), { hits: 7, counters: 2 });
  deepStrictEqual(await families.sum(OTHER, "total"), { hits: 0, counters: 0 });
});

Deno.test("Families: whatever the counters hold, sums and rankings are those of the counters one by one", async () => {
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
      await using families = open(counters);
      const each = counters.map((held) => ({
        id: held.id,
        hits: hitsIn(period, { held, today: TODAY }),
      }));
      const hits = each.reduce((sum, { hits }) => sum + hits, 0);
      deepStrictEqual(await families.sum(BLOG, period), { hits, counters: counters.length });
      const expected = each.sort((one, other) =>
        other.hits - one.hits || (one.id < other.id ? -1 : 1)
      );
      deepStrictEqual(await families.ranking(BLOG, period), expected.slice(0, 100));
      const since = TODAY - 400;
      const { hits: total, days } = await families.history(BLOG, since);
      strictEqual(total, counters.reduce((sum, { hits }) => sum + hits, 0));
      for (let day = since; day <= TODAY + 1; day++) {
        const sum = counters.reduce((sum, { days }) => sum + onDay(days, day), 0);
        strictEqual(onDay(days, day), sum, `day ${day}`);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("Families.history: history begins where that of the first counter does, and a family without days has none", async () => {
  await using families = open([
    one("blog/a", 5, { newest: TODAY, hits: [1, 2] }),
    one("blog/b", 9, { newest: TODAY - 1, hits: [4, 0, 3] }),
    one("blog/c", 100),
    one("other/a", 7),
  ]);
  deepStrictEqual(await families.history(BLOG, TODAY - 30), {
    hits: 114,
    days: { newest: TODAY, hits: [1, 6, 0, 3] },
  });
  deepStrictEqual(await families.history(OTHER, TODAY - 30), { hits: 7, days: undefined });
});

Deno.test("Families: all who ask at once get what one scan finds, and who asks within ten seconds gets it too", async () => {
  await using clock = fakeClock();
  await using families = open([one("blog/a", 3)]);
  const asked = Array.from({ length: 50 }, () => families.sum(BLOG, "total"));
  deepStrictEqual(new Set((await Promise.all(asked)).map(({ hits }) => hits)), new Set([3]));
  strictEqual(families.lists.length, 1);
  families.counters = [one("blog/a", 4)];
  clock.pass(4000);
  strictEqual((await families.sum(BLOG, "total")).hits, 3);
  strictEqual(families.lists.length, 1);
});

Deno.test("Families: what is older than six and a half seconds is made again while callers get it, and what is older than ten is not given any more", async () => {
  await using clock = fakeClock();
  await using families = open([one("blog/a", 3)]);
  await families.sum(BLOG, "total");
  families.counters = [one("blog/a", 4)];
  clock.pass(5500);
  strictEqual((await families.sum(BLOG, "total")).hits, 3);
  // A scan would begin in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  strictEqual(families.lists.length, 1);
  clock.pass(1100);
  strictEqual((await families.sum(BLOG, "total")).hits, 3);
  await waitFor(
    "the new sum",
    async () => (await families.sum(BLOG, "total")).hits === 4 || undefined,
  );
  strictEqual(families.lists.length, 2);
  families.counters = [one("blog/a", 5)];
  clock.pass(10_001);
  strictEqual((await families.sum(BLOG, "total")).hits, 5);
});

Deno.test("Families: a sum that fails to be made again is given until it is ten seconds old", async () => {
  await using clock = fakeClock();
  await using families = open([one("blog/a", 3)]);
  await families.sum(BLOG, "total");
  families.failure = new Problem("store-unavailable");
  clock.pass(7000);
  strictEqual((await families.sum(BLOG, "total")).hits, 3);
  clock.pass(4000);
  await rejectsWith("store-unavailable", families.sum(BLOG, "total"));
  families.failure = undefined;
  strictEqual((await families.sum(BLOG, "total")).hits, 3);
});

Deno.test("Families: the scans that wait share a pass where it passes over all counters anyway", async () => {
  for (const byId of [false, true]) {
    await using families = open([one("blog/a", 3), one("blog/x/b", 4), one("bo/c", 5)], { byId });
    const results = await Promise.all([
      families.sum(BLOG, "total"),
      families.sum(counterId("blog/x/"), "total"),
      families.sum(BLOG, "today"),
      families.history(counterId("bo/"), TODAY - 7),
    ]);
    deepStrictEqual(results.map(({ hits }) => hits), [7, 4, 0, 5]);
    const prefixes = families.lists.map(({ prefix }) => prefix);
    deepStrictEqual(prefixes, byId ? ["blog/", "blog/x/", "bo/"] : ["b"]);
  }
});

Deno.test("Families: more than 100,000 counters are too many, which is not counted again at once and spoils no other scan", async () => {
  const many = Array.from({ length: 100_001 }, (_, index) => one(`blog/${index}`, 1));
  await using families = open([...many, one("other/a", 2)], { byId: false });
  const [other] = await Promise.all([
    families.sum(OTHER, "total"),
    rejectsWith("family-too-large", families.sum(BLOG, "total")),
  ]);
  strictEqual(other.hits, 2);
  const lists = families.lists.length;
  await rejectsWith("family-too-large", families.sum(BLOG, "total"));
  strictEqual(families.lists.length, lists);
  families.counters = many.slice(1);
  strictEqual((await families.sum(BLOG, "30d")).counters, 100_000);
});

Deno.test("Families: what adds up to more than can be counted exactly is too large", async () => {
  await using families = open([
    one("blog/a", MAX_HITS),
    one("blog/b", 1),
    one("other/a", MAX_HITS),
  ]);
  await rejectsWith("family-too-large", families.sum(BLOG, "total"));
  strictEqual((await families.sum(OTHER, "total")).hits, MAX_HITS);
});

Deno.test("Families: a scan that is not done within ten seconds is given up", async () => {
  await using clock = fakeClock();
  await using families = open([one("blog/a", 3), one("blog/b", 4)]);
  families.beforePage = () => clock.pass(6000);
  await rejectsWith("store-unavailable", families.sum(BLOG, "total"));
});

Deno.test("Families: no more than a hundred scans wait", async () => {
  const gate = Promise.withResolvers<void>();
  await using families = open([one("blog/a", 3)], { byId: true });
  families.beforePage = () => gate.promise;
  const sums = Array.from(
    { length: 100 },
    (_, index) => families.sum(counterId(`${index}/`), "total"),
  );
  await rejectsWith("overloaded", families.sum(BLOG, "total"));
  gate.resolve();
  await Promise.all(sums);
});

Deno.test("Families: hits have their turn before the next page is read", async () => {
  const happened: string[] = [];
  await using families = open([one("blog/a", 3), one("blog/b", 4)], { hitsWait: () => true });
  families.beforePage = () => void happened.push("page");
  const sum = families.sum(BLOG, "total");
  families.afterPage = () => void setTimeout(() => happened.push("hits"), 0);
  await sum;
  deepStrictEqual(happened, ["page", "hits", "page", "hits"]);
});

Deno.test("Families: a scan that somebody waits for leaves hits less time than one that nobody waits for", async () => {
  await using clock = fakeClock();
  let turns = 0;
  const counters = Array.from({ length: 8 }, (_, index) => one(`blog/${index}`, 1));
  await using families = open(counters, { hitsWait: () => ++turns > 0 });
  families.beforePage = () => clock.pass(400);
  await families.sum(BLOG, "total");
  const first = turns;
  turns = 0;
  families.beforePage = () => clock.pass(200);
  clock.pass(4000);
  // It gets the old one.
  await families.sum(BLOG, "total");
  await waitFor("more turns of the hits", () => Promise.resolve(turns > 3 || undefined));
  ok(first <= 3, `${first} turns`);
});

Deno.test("Families: the end of the service ends the scan that goes on, and the next ones", async () => {
  const gate = Promise.withResolvers<void>();
  const families = open([one("blog/a", 3), one("blog/b", 3)]);
  families.beforePage = () => gate.promise;
  const sum = rejectsWith("store-unavailable", families.sum(BLOG, "total"));
  const end = families[Symbol.asyncDispose]();
  gate.resolve();
  await Promise.all([sum, end]);
  await rejectsWith("store-unavailable", families.sum(OTHER, "total"));
  ok(families.lists.length === 1);
});

function one(id: string, hits: number, days?: Days): ListedCounter {
  // Most of the time of the largest family would go into the check of its ids.
  return { id: id as CounterId, hits, days };
}

function onDay(days: Days | undefined, day: Day): number {
  return days?.hits[days.newest - day] ?? 0;
}

/** Families of counters in a list whose pages have one counter each, or many where there are many. */
function open(
  counters: readonly ListedCounter[],
  { byId = true, hitsWait = () => false }: { byId?: boolean; hitsWait?: () => boolean } = {},
) {
  const room = {
    counters,
    lists: [] as ListOptions[],
    failure: undefined as Problem | undefined,
    beforePage: (): Promise<void> | void => {},
    afterPage: (): void => {},
  };
  async function* list(options: ListOptions) {
    room.lists.push(options);
    if (room.failure !== undefined) throw room.failure;
    const listed = room.counters.filter(({ id }) => id.startsWith(options.prefix));
    const size = listed.length > 1000 ? 1000 : 1;
    for (let start = 0; start < listed.length; start += size) {
      await room.beforePage();
      room.afterPage();
      yield { counters: listed.slice(start, start + size), foreign: 0 };
    }
  }
  const families = createFamilies({ list, byId, calendar, hitsWait });
  return Object.assign(room, families, { [Symbol.asyncDispose]: () => families.end() });
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
