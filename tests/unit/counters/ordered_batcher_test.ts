import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { type BatcherLimits, openBatcher, turn } from "../../support/sent_batches.ts";
import { rejectsWith } from "../../support/store_contract.ts";

const [A, B, C] = [counterId("a"), counterId("b"), counterId("c")] as const;

Deno.test("a write that timed out in flight keeps its counter until the store answers, and those behind it change nothing", async () => {
  await using _clock = skippingClock();
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
  deepStrictEqual(queue.writes.slice(1), [[{ id: C, hits: 6 }]]);
  queue.sent[1]?.answer([0]);
  await other;
  queue.sent[0]?.answer([0]);
  await turn();
  deepStrictEqual(queue.writes.slice(2), [[{ id: A, hits: 5 }]]);
  queue.sent[2]?.answer([1]);
  strictEqual(await next, 1);
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
        const ids = open.flatMap(({ calls }) => calls.map(({ key }) => key.id));
        strictEqual(new Set(ids).size, ids.length);
      }
      while (queue.pending.waiting > 0) {
        await turn();
        endOne(0);
      }
      await Promise.all(results);
      for (const [id, numbers] of expected) {
        const sent = queue.writes.flat().filter((write) => write.id === id).map(({ hits }) => hits);
        deepStrictEqual(sent, numbers);
      }
    }),
    { numRuns: 200 },
  );
});

/** A write of a test. */
interface TestWrite {
  readonly id: CounterId;
  readonly hits: number;
}

/** Opens a batcher as the counters use it for writes. */
function open(limits: BatcherLimits) {
  const opened = openBatcher<TestWrite>(limits, ({ id }) => [id]);
  return {
    ...opened,
    /** The writes of each batch that was sent. */
    get writes() {
      return opened.sent.map(({ calls }) => calls.map(({ key }) => key));
    },
    set: (id: CounterId, hits: number) => opened.batcher.enqueue({ id, hits }).promise,
  };
}
