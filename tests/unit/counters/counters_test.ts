import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type Day, parseDay } from "../../../src/domain/history.ts";
import type { ListPage } from "../../../src/domain/store.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { field, memoryApp, memoryStore } from "../../support/app.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";

const HOME = counterId("home");
const OTHER = counterId("other");
/** Resolves never. */
const never = new Promise<never>(() => {});

Deno.test("opening touches nothing, and the source is the store's", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  strictEqual(counters.source, store.source);
  strictEqual(store.touched, 0);
  await counters.close();
});

Deno.test("a hit alone is one call of the store, and so is a read", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  for (let number = 1; number <= 3; number++) {
    strictEqual(await counters.hit(HOME), number);
    strictEqual(await counters.total(HOME), number);
  }
  deepStrictEqual([store.calls.add, store.calls.read, store.touched], [3, 3, 6]);
  await counters.close();
});

Deno.test("a number that the store knows is returned without a read, until it is closed", async () => {
  class Sure extends ScriptedStore {
    known(id: string): number | undefined {
      return id === HOME ? 7 : undefined;
    }
  }
  const store = new Sure();
  const counters = createCounters(store);
  strictEqual(counters.total(HOME), 7);
  strictEqual(counters.lastKnown(HOME), 7);
  strictEqual(await counters.total(OTHER), 0);
  strictEqual(store.calls.read, 1);
  await counters.close();
  await rejectsWith("shutting-down", counters.total(HOME));
});

Deno.test("many concurrent hits and reads are a few calls to the store", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  const hits = Array.from({ length: 1000 }, () => counters.hit(HOME));
  const counts = Array.from({ length: 1000 }, () => counters.total(OTHER));
  deepStrictEqual(await Promise.all(hits), hits.map((_, index) => index + 1));
  deepStrictEqual(await Promise.all(counts), counts.map(() => 0));
  ok(store.touched <= 4, JSON.stringify(store.calls));
  await counters.close();
});

Deno.test("hits with keys that are sent together are numbered in the order of arrival", async () => {
  const counters = createCounters(new ScriptedStore());
  const hitWith = (key: string) => counters.hitDeduplicated(HOME, { key });
  const first = await Promise.all(["a", "b", "c", "a"].map(hitWith));
  deepStrictEqual(first.map(({ hits }) => hits), [1, 2, 3, 1]);
  deepStrictEqual(await hitWith("b"), { hits: 2, repeat: true });
  await counters.close();
});

Deno.test("after 2 s without an answer a hit is unknown, and a read and the salt are refused", async () => {
  await using _clock = skippingClock();
  const store = new ScriptedStore();
  const counters = createCounters(store);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const start = performance.now();
  await Promise.all([
    rejectsWith("outcome-unknown", counters.hit(HOME)),
    rejectsWith("store-unavailable", counters.total(HOME)),
    rejectsWith("store-unavailable", counters.salt()),
  ]);
  const took = performance.now() - start;
  ok(took >= 2000 && took <= 2200, `${took} ms`);

  const { add, read } = store.calls;
  const later = performance.now();
  await rejectsWith("store-unavailable", counters.hit(HOME));
  await rejectsWith("store-unavailable", counters.hit(OTHER));
  await rejectsWith("store-unavailable", counters.total(OTHER));
  strictEqual(performance.now(), later);
  deepStrictEqual({ add: store.calls.add, read: store.calls.read }, { add, read });

  gate.resolve();
  store.gate = undefined;
  // The overdue hit was counted after all; its number is not given again.
  await new Promise((resolve) => setImmediate(resolve));
  strictEqual(await counters.hit(HOME), 2);
  await counters.close();
});

Deno.test("10,000 hits and reads may wait together, and the next is rejected", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const hits = Array.from({ length: 6000 }, () => counters.hit(HOME));
  const counts = Array.from({ length: 4000 }, () => counters.total(OTHER));
  const touched = store.touched;
  await rejectsWith("overloaded", counters.hit(HOME));
  await rejectsWith("overloaded", counters.total(HOME));
  ok(store.touched <= touched + 2);
  gate.resolve();
  deepStrictEqual(await Promise.all(hits), hits.map((_, index) => index + 1));
  await Promise.all(counts);
  strictEqual(await counters.hit(HOME), 6001);
  await counters.close();
});

Deno.test("lastKnown is the number of the last successful hit or read", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  strictEqual(counters.lastKnown(HOME), undefined);
  await counters.hit(HOME);
  strictEqual(counters.lastKnown(HOME), 1);
  await counters.total(OTHER);
  strictEqual(counters.lastKnown(OTHER), 0);
  // A repeat adds nothing, which the answer does not say.
  const addition = { mode: "add", name: "a", hits: 5, days: undefined } as const;
  await counters.set(OTHER, addition);
  strictEqual(counters.lastKnown(OTHER), undefined);
  await counters.total(OTHER);
  store.failure = "outcome-unknown";
  await rejectsWith("outcome-unknown", counters.hit(HOME));
  await rejectsWith("outcome-unknown", counters.total(OTHER));
  strictEqual(counters.lastKnown(HOME), 1);
  strictEqual(counters.lastKnown(OTHER), 5);
  await counters.close();
});

Deno.test("lastKnown remembers the last 10,000 counters, and not all before them", async () => {
  const counters = createCounters(new ScriptedStore());
  const ids = Array.from({ length: 20_001 }, (_, index) => counterId(`page/${index}`));
  await counters.hit(ids[0] ?? HOME);
  for (const start of [1, 10_001]) {
    await Promise.all(ids.slice(start, start + 10_000).map((id) => counters.hit(id)));
  }
  strictEqual(counters.lastKnown(ids[0] ?? HOME), undefined);
  deepStrictEqual(ids.slice(-10_000).map(counters.lastKnown), ids.slice(-10_000).map(() => 1));
  await counters.close();
});

Deno.test("an unexpected error is thrown as it is", async () => {
  const store = new ScriptedStore();
  const counters = createCounters(store);
  store.failure = new TypeError("unexpected");
  await rejects(counters.hit(HOME), store.failure);
  await rejects(async () => await counters.total(HOME), store.failure);
  store.failure = undefined;
  strictEqual(await counters.hit(HOME), 1);
  await waitFor("the salt, which is asked for again", () => counters.salt());
  await counters.close();
});

Deno.test("ready asks the store, and waits a second at most", async () => {
  await using _clock = skippingClock();
  const store = new ScriptedStore();
  const counters = createCounters(store);
  await counters.ready();
  strictEqual(store.calls.check, 1);
  store.failure = "store-unavailable";
  await rejectsWith("store-unavailable", counters.ready());
  store.gate = never;
  const start = performance.now();
  await rejectsWith("store-unavailable", counters.ready());
  strictEqual(performance.now() - start, 1000);
  await counters.close();
});

Deno.test("close answers pending calls, rejects new ones, and closes the store once", async () => {
  class Closing extends ScriptedStore {
    closed = 0;
    override close(): Promise<void> {
      this.closed++;
      return Promise.resolve();
    }
  }
  const store = new Closing();
  const counters = createCounters(store);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const hits = Promise.all([counters.hit(HOME), counters.hit(OTHER), counters.hit(HOME)]);
  const closes = [counters.close(), counters.close()];
  const late = [counters.hit(HOME), counters.total(HOME), counters.delete(HOME)];
  for (const call of late) await rejectsWith("shutting-down", call);
  await rejectsWith("shutting-down", counters.groups.sum(HOME, "total"));
  await rejectsWith("shutting-down", counters.list({ prefix: "", since: undefined }).next());
  strictEqual(store.closed, 0);
  gate.resolve();
  deepStrictEqual(await hits, [1, 1, 2]);
  await Promise.all(closes);
  await counters.close();
  strictEqual(store.closed, 1);
  await rejectsWith("store-unavailable", counters.ready());
  strictEqual(store.calls.check, 0);
});

Deno.test("a page of a list that does not arrive within 2 s ends the list, and the end of the service waits for it no longer", async () => {
  await using _clock = skippingClock();
  const store = new ScriptedStore();
  const counters = createCounters(store);
  store.gate = never;
  const start = performance.now();
  const refused = [
    rejectsWith("outcome-unknown", counters.hit(HOME)),
    rejectsWith("store-unavailable", counters.list({ prefix: "", since: undefined }).next()),
    rejectsWith("shutting-down", counters.groups.sum(HOME, "total")),
    rejectsWith("shutting-down", counters.groups.ranking(OTHER, "total")),
  ];
  await Promise.all([...refused, counters.close()]);
  const took = performance.now() - start;
  ok(took >= 2000 && took <= 2200, `${took} ms`);
});

Deno.test("a list goes no further than it is read, and a reader that stops ends it", async () => {
  const store = new Listing();
  const counters = createCounters(store);
  const read: string[] = [];
  for await (const { counters: page } of counters.list({ prefix: "", since: undefined })) {
    read.push(...page.map(({ id }) => id));
    if (read.length === 2) break;
  }
  deepStrictEqual(read, ["a", "b"]);
  deepStrictEqual(store.happened, ["page a", "page b", "end"]);
  await counters.close();
});

Deno.test("between the pages of lists and sums calls have their turn", async () => {
  await using _clock = skippingClock();
  for (const what of ["list", "sum"]) {
    const store = new Listing();
    const counters = createCounters(store);
    store.onPage = () => void counters.hit(HOME).then(() => store.happened.push("hit"));
    if (what === "sum") await counters.groups.sum(HOME, "total");
    else await Array.fromAsync(counters.list({ prefix: "", since: undefined }));
    deepStrictEqual(store.happened, ["page a", "hit", "page b", "hit", "page c", "hit", "end"]);
    await counters.close();
  }
});

const TODAY = parseDay("2026-11-24") ?? NaN;
const calendar = createCalendar("UTC", () => Date.parse("2026-11-24T12:00:00Z"));

Deno.test("of histories that are read together, each goes back as far as was asked for", async () => {
  const { store } = await memoryStore(calendar);
  const counters = createCounters(store, calendar);
  // A number for each day of three years, so that each of them is stored in an entry of its own.
  const hits = Array.from({ length: 1000 }, (_, back) => back + 1);
  await counters.set(HOME, { hits: 600_000, days: { newest: TODAY, hits }, mode: "replace" });
  const sinces: Day[] = [TODAY, TODAY - 400, TODAY - 800, TODAY - 10];
  for (const order of [sinces, sinces.toReversed()]) {
    const histories = await Promise.all(order.map((since) => counters.history(HOME, since)));
    histories.forEach(({ days }, index) => {
      const length = TODAY - (order[index] ?? NaN) + 1;
      strictEqual(days?.newest, TODAY);
      deepStrictEqual(days.hits.slice(0, length), hits.slice(0, length), `${order[index]}`);
    });
  }
  await counters.close();
});

Deno.test("reads of different periods that are sent at once each get the hits of their own period", async () => {
  await using app = await memoryApp({ calendar });
  const days = { "2026-11-24": 1, "2026-11-20": 10, "2026-11-01": 100, "2025-12-24": 1000 };
  await app.sendBody("POST /counters", JSON.stringify({ id: "home", hits: 1111, days }));
  const expected = { today: 1, "7d": 11, month: 111, year: 111, "365d": 1111 };
  for (const periods of [Object.keys(expected), Object.keys(expected).toReversed()]) {
    const responses = await Promise.all(
      periods.map((period) => app.send(`GET /count?id=home&period=${period}`)),
    );
    const found = responses.map(({ json }, index) => [periods[index], field(json, "hits")]);
    deepStrictEqual(Object.fromEntries(found), expected);
  }
});

/** A store whose list has three pages of one counter. */
class Listing extends ScriptedStore {
  readonly happened: string[] = [];
  onPage = () => {};

  override async *list(): AsyncGenerator<ListPage> {
    try {
      for (const id of ["a", "b", "c"].map(counterId)) {
        this.happened.push(`page ${id}`);
        this.onPage();
        // As long as a page takes: the pause after it is three times as long.
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield { counters: [{ id, hits: 1, days: undefined }], foreign: 0 };
      }
    } finally {
      this.happened.push("end");
    }
  }
}
