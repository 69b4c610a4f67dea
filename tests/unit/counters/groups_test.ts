import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createCalendar, hitsIn, PERIODS } from "../../../src/domain/calendar.ts";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import type { Day, Days } from "../../../src/domain/history.ts";
import { type ListedCounter, type ListOptions, MAX_HITS } from "../../../src/domain/store.ts";
import { createGroups } from "../../../src/counters/groups.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { fakeClock, skippingClock } from "../../support/fake_clock.ts";
import { rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";
import { LongJob } from "../../../src/waiting.ts";

const BLOG = counterId("blog/");
const OTHER = counterId("other/");
const TODAY = 20_780; // 2026-11-23
const calendar = createCalendar("UTC", () => TODAY * 86_400_000);

Deno.test("Groups.sum adds up the counters with the prefix, and returns their number", async () => {
  await using groups = open([
    one("blog/a", 3),
    one("blog/b/c", 4),
    one("blog2/a", 50),
    one("blo", 9),
  ]);
  deepStrictEqual(await groups.sum(BLOG, "total"), { hits: 7, counters: 2 });
  deepStrictEqual(await groups.sum(OTHER, "total"), { hits: 0, counters: 0 });
});

Deno.test("whatever the counters hold, sums and rankings are those of the counters one by one", async () => {
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
      await using groups = open(counters);
      const each = counters.map((held) => ({
        id: held.id,
        hits: hitsIn(period, held, TODAY),
      }));
      const hits = each.reduce((sum, { hits }) => sum + hits, 0);
      deepStrictEqual(await groups.sum(BLOG, period), { hits, counters: counters.length });
      const expected = each.sort((one, other) =>
        other.hits - one.hits || (one.id < other.id ? -1 : 1)
      );
      deepStrictEqual(await groups.ranking(BLOG, period), expected.slice(0, 100));
      const since = TODAY - 400;
      const { hits: total, days } = await groups.history(BLOG, since);
      strictEqual(total, counters.reduce((sum, { hits }) => sum + hits, 0));
      for (let day = since; day <= TODAY + 1; day++) {
        const sum = counters.reduce((sum, { days }) => sum + onDay(days, day), 0);
        strictEqual(onDay(days, day), sum, `day ${day}`);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("history begins with that of the first counter, and a prefix without days has none", async () => {
  await using groups = open([
    one("blog/a", 5, { newest: TODAY, hits: [1, 2] }),
    one("blog/b", 9, { newest: TODAY - 1, hits: [4, 0, 3] }),
    one("blog/c", 100),
    one("other/a", 7),
  ]);
  deepStrictEqual(await groups.history(BLOG, TODAY - 30), {
    hits: 114,
    days: { newest: TODAY, hits: [1, 6, 0, 3] },
  });
  deepStrictEqual(await groups.history(OTHER, TODAY - 30), { hits: 7, days: undefined });
});

Deno.test("concurrent callers share one scan, and so do those of the next ten seconds", async () => {
  await using clock = fakeClock();
  await using groups = open([one("blog/a", 3)]);
  const asked = Array.from({ length: 50 }, () => groups.sum(BLOG, "total"));
  deepStrictEqual(new Set((await Promise.all(asked)).map(({ hits }) => hits)), new Set([3]));
  strictEqual(groups.lists.length, 1);
  groups.counters = [one("blog/a", 4)];
  clock.pass(4000);
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
  strictEqual(groups.lists.length, 1);
});

Deno.test("a result older than 6.5 s is refreshed while callers get it, and none older than 10 s is returned", async () => {
  await using clock = fakeClock();
  await using groups = open([one("blog/a", 3)]);
  await groups.sum(BLOG, "total");
  groups.counters = [one("blog/a", 4)];
  clock.pass(5500);
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
  // A scan would begin in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  strictEqual(groups.lists.length, 1);
  clock.pass(1100);
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
  await waitFor(
    "the new sum",
    async () => (await groups.sum(BLOG, "total")).hits === 4 || undefined,
  );
  strictEqual(groups.lists.length, 2);
  groups.counters = [one("blog/a", 5)];
  clock.pass(10_001);
  strictEqual((await groups.sum(BLOG, "total")).hits, 5);
});

Deno.test("a sum that cannot be refreshed is returned until it is ten seconds old", async () => {
  await using clock = fakeClock();
  await using groups = open([one("blog/a", 3)]);
  await groups.sum(BLOG, "total");
  groups.failure = new Failure("store-unavailable");
  clock.pass(7000);
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
  clock.pass(4000);
  await rejectsWith("store-unavailable", groups.sum(BLOG, "total"));
  groups.failure = undefined;
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
});

Deno.test("scans that wait share a pass if it goes through all counters anyway", async () => {
  for (const sortedById of [false, true]) {
    await using groups = open([one("blog/a", 3), one("blog/x/b", 4), one("bo/c", 5)], {
      sortedById,
    });
    const results = await Promise.all([
      groups.sum(BLOG, "total"),
      groups.sum(counterId("blog/x/"), "total"),
      groups.sum(BLOG, "today"),
      groups.history(counterId("bo/"), TODAY - 7),
    ]);
    deepStrictEqual(results.map(({ hits }) => hits), [7, 4, 0, 5]);
    const listed = groups.lists.map(({ prefix }) => prefix);
    deepStrictEqual(listed, sortedById ? ["blog/", "blog/x/", "bo/"] : [""]);
  }
});

Deno.test("more than 100,000 counters are too many, which is remembered and affects no other scan", async () => {
  const many = Array.from({ length: 100_001 }, (_, index) => one(`blog/${index}`, 1));
  await using groups = open([...many, one("other/a", 2)], { sortedById: false });
  const [other] = await Promise.all([
    groups.sum(OTHER, "total"),
    rejectsWith("group-too-large", groups.sum(BLOG, "total")),
  ]);
  strictEqual(other.hits, 2);
  const lists = groups.lists.length;
  await rejectsWith("group-too-large", groups.sum(BLOG, "total"));
  strictEqual(groups.lists.length, lists);
  groups.counters = many.slice(1);
  strictEqual((await groups.sum(BLOG, "30d")).counters, 100_000);
});

Deno.test("a sum that cannot be exact is too large", async () => {
  await using groups = open([
    one("blog/a", MAX_HITS),
    one("blog/b", 1),
    one("other/a", MAX_HITS),
  ]);
  await rejectsWith("group-too-large", groups.sum(BLOG, "total"));
  strictEqual((await groups.sum(OTHER, "total")).hits, MAX_HITS);
});

Deno.test("a scan that takes longer than ten seconds fails", async () => {
  await using clock = fakeClock();
  await using groups = open([one("blog/a", 3), one("blog/b", 4)]);
  groups.beforePage = () => clock.pass(6000);
  await rejectsWith("store-unavailable", groups.sum(BLOG, "total"));
});

Deno.test("Groups: no more than a hundred scans wait", async () => {
  const gate = Promise.withResolvers<void>();
  await using groups = open([one("blog/a", 3)], { sortedById: true });
  groups.beforePage = () => gate.promise;
  const sums = Array.from(
    { length: 100 },
    (_, index) => groups.sum(counterId(`${index}/`), "total"),
  );
  await rejectsWith("overloaded", groups.sum(BLOG, "total"));
  gate.resolve();
  await Promise.all(sums);
});

Deno.test("an owner waits for no scan of a stranger, and reads only the counters of the own prefix", async () => {
  const gate = Promise.withResolvers<void>();
  await using groups = open([one("blog/a", 3), one("other/a", 4)], { sortedById: false });
  groups.beforePage = () => gate.promise;
  const strangers = ["blog/", "", "blog/"].map((prefix) =>
    groups.sum(counterId(`${prefix}a`), "today")
  );
  await waitFor("the pass of the strangers", () => groups.lists[0]);
  groups.beforePage = () => {};
  strictEqual((await groups.sum(OTHER, "today", true)).hits, 0);
  strictEqual((await groups.sum(OTHER, "total", true)).hits, 4);
  deepStrictEqual(groups.lists.slice(1).map(({ prefix }) => prefix), ["other/", "other/"]);
  gate.resolve();
  await Promise.all(strangers);
});

Deno.test("after a failure of the store the scans that wait fail too, and the next one is tried", async () => {
  await using groups = open([one("blog/a", 3)]);
  groups.beforePage = () => Promise.reject(new Failure("store-unavailable"));
  await Promise.all(
    [BLOG, BLOG, counterId("a/"), counterId("b/")].map((prefix) =>
      rejectsWith("store-unavailable", groups.sum(prefix, "total"))
    ),
  );
  strictEqual(groups.lists.length, 1);
  groups.beforePage = () => {};
  strictEqual((await groups.sum(BLOG, "total")).hits, 3);
});

Deno.test("end stops the current scan, and rejects new ones", async () => {
  const gate = Promise.withResolvers<void>();
  const groups = open([one("blog/a", 3), one("blog/b", 3)]);
  groups.beforePage = () => gate.promise;
  const sum = rejectsWith("shutting-down", groups.sum(BLOG, "total"));
  const end = groups[Symbol.asyncDispose]();
  gate.resolve();
  await Promise.all([sum, end]);
  await rejectsWith("shutting-down", groups.sum(OTHER, "total"));
  ok(groups.lists.length === 1);
});

function one(id: string, hits: number, days?: Days): ListedCounter {
  // Checking the ids of the largest prefix would take most of the time of the test.
  return { id: id as CounterId, hits, days };
}

function onDay(days: Days | undefined, day: Day): number {
  return days?.hits[days.newest - day] ?? 0;
}

/** Groups of counters in a list of pages with one counter each, or with 1,000 of many. */
function open(
  counters: readonly ListedCounter[],
  { sortedById = true }: { sortedById?: boolean } = {},
) {
  const room = {
    counters,
    lists: [] as ListOptions[],
    failure: undefined as Failure | undefined,
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
  const groups = createGroups({ list, sortedById, calendar });
  return Object.assign(room, groups, { [Symbol.asyncDispose]: () => groups.end() });
}

Deno.test("the event loop turns after each piece, and there is no pause if no calls arrived", async () => {
  await using clock = skippingClock();
  const job = new LongJob(() => 0);
  let turned = false;
  setImmediate(() => turned = true);
  clock.pass(100);
  const began = performance.now();
  await job.endPiece();
  ok(turned);
  strictEqual(performance.now(), began);
});

Deno.test("if calls arrived during a piece it pauses three times as long as the piece took, up to 300 ms", async () => {
  await using clock = skippingClock();
  let calls = 0;
  const job = new LongJob(() => calls);
  for (const [pieceMs, pauseMs] of [[20, 60], [150, 300]] as const) {
    job.beginPiece();
    calls++;
    clock.pass(pieceMs);
    const began = performance.now();
    await job.endPiece();
    strictEqual(Math.round(performance.now() - began), pauseMs);
  }
});

Deno.test("it pauses no longer than it may in all", async () => {
  await using clock = skippingClock();
  let calls = 0;
  const job = new LongJob(() => calls++, 50);
  clock.pass(100);
  const began = performance.now();
  await job.endPiece();
  strictEqual(performance.now(), began);
});
