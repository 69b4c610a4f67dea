import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import { Batcher, ConcurrencyLimit } from "../../../src/counters/batcher.ts";
import { BatchMeter } from "../../../src/metrics.ts";
import type { Failure } from "../../../src/domain/errors.ts";
import { recordBatch, type SentBatch, turn } from "../../support/sent_batches.ts";
import { rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";
import { times } from "../../support/times.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { type Day, parseDay } from "../../../src/domain/history.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { field, memoryApp, memoryStore } from "../../support/app.ts";

const [A, B, C] = [counterId("a"), counterId("b"), counterId("c")] as const;

Deno.test("a write to an idle store is sent in the same turn, with those of other counters", async () => {
  await using queue = open({ batches: 4 });
  const results = [queue.set(A, 1), queue.set(B, 2)];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1", "b 2"]]);
  queue.sent[0]?.answer([5, 6]);
  deepStrictEqual(await Promise.all(results), [5, 6]);
});

Deno.test("writes of one counter are sent one after another, in the order of arrival", async () => {
  await using queue = open({ batches: 4 });
  const results = [queue.set(A, 1), queue.set(A, 2), queue.set(B, 3), queue.set(A, 4)];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1", "b 3"]]);
  queue.sent[0]?.answer([0, 0]);
  await results[0];
  deepStrictEqual(queue.shapes.slice(1), [["a 2"]]);
  queue.sent[1]?.answer([1]);
  await results[1];
  deepStrictEqual(queue.shapes.slice(2), [["a 4"]]);
  queue.sent[2]?.answer([2]);
  deepStrictEqual(await Promise.all(results), [0, 1, 0, 2]);
});

Deno.test("a write waits for the one before it on its counter, whatever other batches do", async () => {
  await using queue = open({ batches: 4, idsPerBatch: 1 });
  const results = [queue.set(A, 1), queue.set(B, 2), queue.set(A, 3), queue.set(B, 4)];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1"], ["b 2"]]);
  queue.sent[1]?.answer([0]);
  await results[1];
  deepStrictEqual(queue.shapes.slice(2), [["b 4"]]);
  queue.sent[2]?.answer([2]);
  await results[3];
  strictEqual(queue.sent.length, 3);
  queue.sent[0]?.answer([0]);
  await results[0];
  deepStrictEqual(queue.shapes.slice(3), [["a 3"]]);
  queue.sent[3]?.answer([1]);
  deepStrictEqual(await Promise.all(results), [0, 0, 1, 2]);
});

Deno.test("a write that timed out in flight keeps its counter until the store answers, and those behind it change nothing", async () => {
  await using queue = open({ batches: 2, deadlineMs: 50 });
  const first = rejectsWith("outcome-unknown", queue.set(A, 1));
  await turn();
  await Promise.all([
    first,
    rejectsWith("store-unavailable", queue.set(A, 2)),
    rejectsWith("store-unavailable", queue.set(A, 3)),
  ]);
  strictEqual(queue.sent.length, 1);
  const next = queue.set(A, 5);
  const other = queue.set(C, 6);
  await turn();
  // A second batch may be in flight, but not one with this counter.
  deepStrictEqual(queue.shapes.slice(1), [["c 6"]]);
  queue.sent[1]?.answer([0]);
  await other;
  queue.sent[0]?.answer([0]);
  await waitFor("the next write", () => queue.sent[2]);
  deepStrictEqual(queue.shapes.slice(2), [["a 5"]]);
  queue.sent[2]?.answer([1]);
  strictEqual(await next, 1);
});

Deno.test("a write that timed out in the queue is never sent", async () => {
  const limit = new ConcurrencyLimit(1, new BatchMeter());
  await using other = open({ limit });
  await using queue = open({ limit, deadlineMs: 50 });
  const blocking = other.set(B, 1);
  await turn();
  await rejectsWith("store-unavailable", queue.set(A, 1));
  other.sent[0]?.answer([0]);
  await blocking;
  const next = queue.set(A, 2);
  await turn();
  deepStrictEqual(queue.shapes, [["a 2"]]);
  queue.sent[0]?.answer([0]);
  strictEqual(await next, 0);
});

/** The next event: a write of some counters, the end of a batch, or a turn of the event loop. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      write: fc.uniqueArray(fc.constantFrom(A, B, C), { minLength: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ end: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant("turn" as const) },
);

Deno.test("writes of each counter are sent in the order of arrival, however batches end", async () => {
  const limits = fc.record({
    batches: fc.integer({ min: 1, max: 4 }),
    idsPerBatch: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
      await using queue = open(limits);
      const results: Promise<unknown>[] = [];
      const expected = new Map<CounterId, number[]>([[A, []], [B, []], [C, []]]);

      function endOne(which: number): void {
        const open = queue.sent.filter(({ ended }) => !ended);
        const batch = open[which % open.length];
        batch?.answer(batch.calls.map(() => 0));
      }

      for (const [number, next] of steps.entries()) {
        if (next === "turn") await turn();
        else if ("end" in next) endOne(next.end);
        else {
          for (const id of next.write) {
            expected.get(id)?.push(number);
            results.push(queue.set(id, number));
          }
        }
        const open = queue.sent.filter(({ ended }) => !ended);
        ok(open.length <= limits.batches);
        ok(open.every(({ calls }) => calls.length <= limits.idsPerBatch));
        const ids = open.flatMap(({ calls }) => calls.map(({ id }) => id));
        strictEqual(new Set(ids).size, ids.length);
      }
      while (queue.waiting > 0) {
        await turn();
        endOne(0);
      }
      await Promise.all(results);
      for (const [id, numbers] of expected) {
        const sent = queue.sent.flatMap(({ calls }) =>
          calls.filter((write) => write.id === id).map(({ hits }) => hits)
        );
        deepStrictEqual(sent, numbers);
      }
    }),
    { numRuns: times(200) },
  );
});

/** A write of a test. */
interface TestWrite {
  readonly id: CounterId;
  readonly hits: number;
}

type Sent = SentBatch<TestWrite, number | Failure>;

/** Opens a batcher as the counters use it for writes. */
function open(
  { batches = 1, limit = new ConcurrencyLimit(batches, new BatchMeter()), ...limits }: {
    batches?: number;
    limit?: ConcurrencyLimit;
    idsPerBatch?: number;
    deadlineMs?: number;
  } = {},
) {
  const sent: Sent[] = [];
  const pending = { waiting: 0 };
  const batcher = new Batcher<TestWrite, number>({
    pending,
    idsPerBatch: 100,
    fastStoreMs: 0,
    deadlineMs: 60_000,
    timeout: "outcome-unknown",
    ...limits,
    limit,
    inOrder: ({ id }) => id,
    send: (calls) => recordBatch(sent, calls.map(({ key }) => key)),
  });
  const watch = setInterval(() => batcher.rejectTimedOut(), 10);
  return {
    sent,
    get waiting() {
      return pending.waiting;
    },
    /** The batches that were sent, in words. */
    get shapes() {
      return sent.map(({ calls }) => calls.map(({ id, hits }) => `${id} ${hits}`));
    },
    set: (id: CounterId, hits: number) => batcher.enqueue({ id, hits }).promise,
    async [Symbol.asyncDispose]() {
      await batcher.drain();
      clearInterval(watch);
    },
  };
}

const HOME = counterId("home");
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
