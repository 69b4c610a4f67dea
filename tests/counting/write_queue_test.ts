import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../src/counter/counter_id.ts";
import type { CounterState } from "../../src/counter/days.ts";
import type { Write } from "../../src/counter/store.ts";
import { Callers, Slots } from "../../src/counting/batcher.ts";
import { WriteQueue } from "../../src/counting/write_queue.ts";
import { BatchMeter } from "../../src/metrics.ts";
import { Problem } from "../../src/problem.ts";
import { rejectsWith } from "../support/store_contract.ts";
import { waitFor } from "../support/wait_for.ts";

const [A, B, C] = [counterId("a"), counterId("b"), counterId("c")] as const;

Deno.test("WriteQueue: a write of an idle store is sent in the same turn, and those of other counters with it", async () => {
  await using queue = open({ batches: 4 });
  const results = [queue.set(A, 1), queue.set(B, 2)];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1", "b 2"]]);
  queue.sent[0]?.answer([5, 6]);
  deepStrictEqual(await Promise.all(results), [[5], [6]]);
});

Deno.test("WriteQueue: writes of one counter are sent one after the other, in the order in which they came", async () => {
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
  deepStrictEqual(await Promise.all(results), [[0], [1], [0], [2]]);
});

Deno.test("WriteQueue: a chunk waits for every write before it on one of its counters", async () => {
  await using queue = open({ batches: 4, idsPerBatch: 1 });
  const results = [queue.set(A, 1), queue.set(B, 2), queue.setAll([A, B, C], 3), queue.set(C, 4)];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1"], ["b 2"]]);
  queue.sent[0]?.answer([0]);
  await results[0];
  strictEqual(queue.sent.length, 2);
  queue.sent[1]?.answer([0]);
  await results[1];
  deepStrictEqual(queue.shapes.slice(2), [["a 3", "b 3", "c 3"]]);
  queue.sent[2]?.answer([1, 2, 0]);
  deepStrictEqual(await results[2], [1, 2, 0]);
  queue.sent[3]?.answer([3]);
  deepStrictEqual(await results[3], [3]);
});

Deno.test("WriteQueue: a batch holds no more ids than it may, and no more batches are sent than there are slots", async () => {
  await using queue = open({ batches: 2, idsPerBatch: 3 });
  const ids = ["d", "e", "f", "g"].map(counterId);
  const results = [
    queue.setAll([A, B], 1),
    queue.set(C, 1),
    ...ids.map((id) => queue.set(id, 1)),
  ];
  await turn();
  deepStrictEqual(queue.shapes, [["a 1", "b 1", "c 1"], ["d 1", "e 1", "f 1"]]);
  queue.sent[1]?.answer([0, 0, 0]);
  await results[2];
  deepStrictEqual(queue.shapes.slice(2), [["g 1"]]);
  for (const batch of queue.sent) if (!batch.ended) batch.answer(batch.writes.map(() => 0));
  await Promise.all(results);
});

Deno.test("WriteQueue: the problem of one counter is that of its write alone, and one of the store is everybody's", async () => {
  await using queue = open();
  const [a, b] = [queue.raw(A), queue.raw(B)];
  await turn();
  queue.sent[0]?.answer([new Problem("not-a-counter"), 7]);
  deepStrictEqual((await a).map((held) => held instanceof Problem && held.kind), [
    "not-a-counter",
  ]);
  deepStrictEqual(await b, [{ hits: 7, days: undefined }]);
  const failed = [queue.raw(A), queue.raw(B)].map((write) =>
    rejectsWith("store-unavailable", write)
  );
  await turn();
  queue.sent[1]?.fail(new Problem("store-unavailable"));
  await Promise.all(failed);
});

Deno.test("WriteQueue: where the store gives another number of outcomes all writes fail, as nobody's is known", async () => {
  for (const outcomes of [[], [1], [1, 2, 3]]) {
    await using queue = open();
    const writes = [queue.raw(A), queue.raw(B)];
    await turn();
    queue.sent[0]?.answer(outcomes);
    for (const write of writes) await rejects(write, { message: /2 ids: the store gave/ });
  }
});

Deno.test("WriteQueue: one that gave up after it was sent keeps its counter until the store answers, and those behind it changed nothing", async () => {
  await using queue = open({ batches: 2, deadlineMs: 50 });
  const first = rejectsWith("outcome-unknown", queue.set(A, 1));
  await turn();
  await Promise.all([
    first,
    rejectsWith("store-unavailable", queue.set(A, 2)),
    rejectsWith("store-unavailable", queue.setAll([A, B], 3)),
    rejectsWith("store-unavailable", queue.set(A, 4)),
  ]);
  strictEqual(queue.sent.length, 1);
  const next = queue.set(A, 5);
  const other = queue.set(C, 6);
  await turn();
  // The other slot is free, but not the counter.
  deepStrictEqual(queue.shapes.slice(1), [["c 6"]]);
  queue.sent[1]?.answer([0]);
  await other;
  queue.sent[0]?.answer([0]);
  await waitFor("the next write", () => queue.sent[2]);
  deepStrictEqual(queue.shapes.slice(2), [["a 5"]]);
  queue.sent[2]?.answer([1]);
  deepStrictEqual(await next, [1]);
});

Deno.test("WriteQueue: one that gave up before it was sent is never sent, also where nothing was before it", async () => {
  const slots = new Slots(1, new BatchMeter());
  const other = Promise.withResolvers<readonly never[]>();
  slots.send({
    ...{ size: 0, sentAt: performance.now(), isOverdue: false },
    send: () => other.promise,
    end() {},
    answer() {},
  });
  await using queue = open({ slots, deadlineMs: 50 });
  await rejectsWith("store-unavailable", queue.set(A, 1));
  other.resolve([]);
  const next = queue.set(A, 2);
  await turn();
  deepStrictEqual(queue.shapes, [["a 2"]]);
  queue.sent[0]?.answer([0]);
  deepStrictEqual(await next, [0]);
});

/** What happens next: a write of some counters, the end of a batch, or a turn of the event loop. */
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

Deno.test("WriteQueue: writes of each counter are carried out in the order in which they came, however batches end", async () => {
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
        batch?.answer(batch.writes.map(() => 0));
      }

      for (const [number, next] of steps.entries()) {
        if (next === "turn") await turn();
        else if ("end" in next) endOne(next.end);
        else {
          for (const id of next.write) expected.get(id)?.push(number);
          results.push(queue.setAll(next.write, number));
        }
        const open = queue.sent.filter(({ ended }) => !ended);
        ok(open.length <= limits.batches);
        const ids = open.flatMap(({ writes }) => writes.map(({ id }) => id));
        strictEqual(new Set(ids).size, ids.length);
      }
      while (queue.waiting > 0) {
        await turn();
        endOne(0);
      }
      await Promise.all(results);
      for (const [id, numbers] of expected) {
        const sent = queue.sent.flatMap(({ writes }) =>
          writes.filter((write) => write.id === id).map(({ update }) => update?.hits)
        );
        deepStrictEqual(sent, numbers);
      }
    }),
    { numRuns: 200 },
  );
});

/** A batch that was sent, to be ended by the test. */
interface Sent {
  readonly writes: readonly Write[];
  ended: boolean;
  answer(outcomes: readonly (number | Problem)[]): void;
  fail(problem: unknown): void;
}

function open(
  { batches = 1, slots = new Slots(batches, new BatchMeter()), ...limits }: {
    batches?: number;
    slots?: Slots;
    idsPerBatch?: number;
    deadlineMs?: number;
  } = {},
) {
  const sent: Sent[] = [];
  const callers = new Callers();
  const queue = new WriteQueue({
    callers,
    idsPerBatch: 100,
    deadlineMs: 60_000,
    ...limits,
    slots,
    send(writes) {
      const { promise, resolve, reject } = Promise.withResolvers<
        readonly (CounterState | Problem)[]
      >();
      const batch: Sent = {
        writes,
        ended: false,
        answer(outcomes) {
          batch.ended = true;
          resolve(
            outcomes.map((outcome) =>
              outcome instanceof Problem ? outcome : { hits: outcome, days: undefined }
            ),
          );
        },
        fail(problem) {
          batch.ended = true;
          reject(problem);
        },
      };
      sent.push(batch);
      return promise;
    },
  });
  const watch = setInterval(() => queue.expire(), 10);
  const raw = (...ids: CounterId[]) => queue.enqueue(ids.map((id) => ({ id, update: setTo(0) })));
  return {
    sent,
    raw,
    get waiting() {
      return callers.waiting;
    },
    /** What was sent, in words. */
    get shapes() {
      return sent.map(({ writes }) => writes.map(({ id, update }) => `${id} ${update?.hits}`));
    },
    set(id: CounterId, hits: number) {
      return this.setAll([id], hits);
    },
    async setAll(ids: readonly CounterId[], hits: number): Promise<number[]> {
      const outcomes = await queue.enqueue(ids.map((id) => ({ id, update: setTo(hits) })));
      return outcomes.map((held) => {
        if (held instanceof Problem) throw held;
        return held.hits;
      });
    },
    async [Symbol.asyncDispose]() {
      await callers.drain();
      clearInterval(watch);
    },
  };
}

function setTo(hits: number) {
  return { hits, days: undefined, mode: "replace" } as const;
}

/** Resolves when the event loop has handed out what it had. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
