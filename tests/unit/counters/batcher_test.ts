import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { type BatcherLimits, openBatcher, turn } from "../../support/sent_batches.ts";
import { rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";

const [A, B, C] = [counterId("a"), counterId("b"), counterId("c")] as const;
Deno.test("calls that queue up are sent as one batch when the store answers, in the order of arrival", async () => {
  await using calls = open();
  const { sent } = calls;
  const first = calls.join(A);
  await turn();
  const rest = [B, A, B, C, A, B].map((id) => calls.join(id));
  await turn();
  strictEqual(sent.length, 1);
  sent[0]?.answer([1]);
  strictEqual(await first, 1);
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { b: 3, a: 2, c: 1 }]);
  sent[1]?.answer([43, 3, 1]);
  deepStrictEqual(await Promise.all(rest), [41, 2, 42, 1, 3, 43]);
  strictEqual(calls.pending.waiting, 0);
});

Deno.test("no more batches are in flight than the limit, nor ids in one", async () => {
  await using calls = open({ batches: 2, idsPerBatch: 2 });
  const { sent } = calls;
  const hits: Promise<number>[] = [];
  for (const id of [A, B, C]) {
    hits.push(calls.join(id));
    await turn();
  }
  for (const id of [A, B, C, A]) hits.push(calls.join(id));
  await turn();
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { b: 1 }]);
  sent[1]?.answer([1]);
  strictEqual(await hits[1], 1);
  // C was queued first.
  deepStrictEqual(sent.map(shape).slice(2), [{ c: 2, a: 2 }]);
  sent[0]?.answer([1]);
  sent[2]?.answer([2, 3]);
  await turn();
  sent[3]?.answer([2]);
  deepStrictEqual(await Promise.all(hits), [1, 1, 1, 2, 2, 2, 3]);
});

Deno.test("the problem of one id is that of its callers only", async () => {
  await using calls = open();
  const { sent } = calls;
  const [a, b, again] = [calls.join(A), calls.join(B), calls.join(A)];
  await turn();
  const problem = rejectsWith("not-a-counter", a);
  const same = rejectsWith("not-a-counter", again);
  sent[0]?.answer([new Failure("not-a-counter"), 5]);
  await Promise.all([problem, same]);
  strictEqual(await b, 5);
});

Deno.test("if a batch fails, all its callers are told, and the next is sent", async () => {
  await using calls = open();
  const { sent } = calls;
  const first = [calls.join(A), calls.join(B)].map((hit) => rejectsWith("store-unavailable", hit));
  await turn();
  const next = calls.join(A);
  sent[0]?.fail(new Failure("store-unavailable"));
  await Promise.all(first);
  sent[1]?.answer([1]);
  strictEqual(await next, 1);
});

Deno.test("a batch without an answer times out, and no other is sent until the store answers", async () => {
  await using _clock = skippingClock();
  await using calls = open({ deadlineMs: 150 });
  const { sent } = calls;
  const start = performance.now();
  const hit = rejectsWith("outcome-unknown", calls.join(A));
  await turn();
  const gathered = rejectsWith("store-unavailable", calls.join(B));
  await hit;
  const took = performance.now() - start;
  ok(took >= 150 && took <= 300, `${took} ms`);
  await gathered;
  await rejectsWith("store-unavailable", calls.join(A));
  strictEqual(calls.pending.waiting, 0);
  strictEqual(sent.length, 1);
  // A late answer has no caller.
  sent[0]?.answer([1]);
  await turn();
  const next = calls.join(A);
  await turn();
  strictEqual(sent.length, 2);
  sent[1]?.answer([2]);
  strictEqual(await next, 2);
});

Deno.test("while one of several batches has timed out, others are sent", async () => {
  await using _clock = skippingClock();
  await using calls = open({ batches: 2, deadlineMs: 100 });
  const { sent } = calls;
  await Promise.all([rejectsWith("outcome-unknown", calls.join(A)), turn()]);
  for (let number = 1; number <= 3; number++) {
    const hit = calls.join(B);
    await waitFor("the batch", () => sent[number]);
    sent[number]?.answer([number]);
    strictEqual(await hit, number);
  }
  sent[0]?.answer([1]);
});

Deno.test("after the process was suspended, answers that have arrived are read before calls time out", async () => {
  await using clock = skippingClock();
  await using calls = open({ deadlineMs: 2000 });
  const { sent } = calls;
  const first = calls.join(A);
  await turn();
  clock.pass(3000);
  // Due after the check, which was due while the process was suspended.
  setTimeout(async () => {
    sent[0]?.answer([1]);
    await turn();
    sent[1]?.answer([2]);
  }, 0);
  deepStrictEqual(await Promise.all([first, calls.join(B)]), [1, 2]);
});

/** Longer than any test, so that the store counts as fast on any machine. */
const FAST = 60_000;

Deno.test("on a fast store one batch is in flight at a time, unless the next is full", async () => {
  await using calls = open({ batches: 3, idsPerBatch: 2, fastStoreMs: FAST });
  const { sent } = calls;
  const first = calls.join(A);
  await turn();
  sent[0]?.answer([1]);
  await first;
  const hits: Promise<number>[] = [];
  for (const id of [A, B, B]) {
    hits.push(calls.join(id));
    await turn();
  }
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { a: 1 }]);
  hits.push(calls.join(C));
  await turn();
  deepStrictEqual(sent.map(shape).slice(2), [{ b: 2, c: 1 }]);
  hits.push(calls.join(A));
  await turn();
  strictEqual(sent.length, 3);
  sent[1]?.answer([2]);
  sent[2]?.answer([2, 1]);
  await turn();
  deepStrictEqual(sent.map(shape).slice(3), [{ a: 1 }]);
  sent[3]?.answer([3]);
  deepStrictEqual(await Promise.all(hits), [2, 1, 2, 1, 3]);
});

Deno.test("until a store has proved fast, and after it was slow, batches are sent in parallel", async () => {
  await using calls = open({ batches: 2, fastStoreMs: 0 });
  const { sent } = calls;
  for (const round of [0, 1]) {
    const hits = [calls.join(A)];
    await turn();
    hits.push(calls.join(B));
    await turn();
    strictEqual(sent.length, 2 * round + 2);
    for (const batch of sent) if (!batch.ended) batch.answer([round + 1]);
    await Promise.all(hits);
  }
});

Deno.test("calls that wait for a batch of a fast store are sent in parallel once it takes longer", async () => {
  await using calls = open({ batches: 2, fastStoreMs: 50 });
  const { sent } = calls;
  const first = calls.join(A);
  await turn();
  sent[0]?.answer([1]);
  await first;
  const hits = [calls.join(A)];
  await turn();
  const since = performance.now();
  hits.push(calls.join(B));
  await waitFor("the batch beside", () => sent[2]);
  await waitFor("its age", () => performance.now() - since >= 50 || undefined);
  // A quick answer does not make the store fast while the other batch waits.
  sent[2]?.answer([1]);
  strictEqual(await hits[1], 1);
  hits.push(calls.join(B));
  await turn();
  deepStrictEqual(sent.map(shape).slice(1), [{ a: 1 }, { b: 1 }, { b: 1 }]);
  sent[3]?.answer([2]);
  sent[1]?.answer([2]);
  deepStrictEqual(await Promise.all(hits), [2, 1, 2]);
});

Deno.test("drain waits for all pending calls, also if it is called twice", async () => {
  await using calls = open();
  const { sent } = calls;
  const first = calls.join(A);
  await turn();
  const second = calls.join(A);
  let drained = 0;
  const drains = [1, 2].map(() => calls.drain().then(() => drained++));
  await turn();
  strictEqual(drained, 0);
  sent[0]?.answer([1]);
  await first;
  await turn();
  strictEqual(drained, 0);
  sent[1]?.answer([2]);
  strictEqual(await second, 2);
  await Promise.all(drains);
});

Deno.test("drain ends with the deadline if the store does not answer", async () => {
  await using _clock = skippingClock();
  await using calls = open({ deadlineMs: 100 });
  const hit = rejectsWith("outcome-unknown", calls.join(A));
  await calls.drain();
  await hit;
});

/** The next event: a hit, the end of a batch in flight, or a turn of the event loop. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ hit: fc.constantFrom(A, B, C) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      end: fc.constantFrom("answer", "answer", "refuse", "lose"),
      batch: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.constant("turn" as const) },
);

Deno.test("every number is returned once, in order, however hits and batches interleave", async () => {
  const options = fc.record({
    batches: fc.integer({ min: 1, max: 4 }),
    idsPerBatch: fc.integer({ min: 1, max: 3 }),
    fastStoreMs: fc.constantFrom(0, FAST),
  });
  await fc.assert(
    fc.asyncProperty(options, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
      await using calls = open(limits);
      const { sent } = calls;
      const store = new Ledger();
      const callers: { id: CounterId; answer: Promise<number | string> }[] = [];

      function end(batch: Sent, how: string): void {
        const totals = store.carryOut(batch, how !== "refuse");
        if (how === "answer") batch.answer(totals);
        else batch.fail(new Failure(how === "lose" ? "outcome-unknown" : "store-unavailable"));
      }

      for (const next of steps) {
        if (next === "turn") await turn();
        else if ("hit" in next) {
          callers.push({ id: next.hit, answer: answerOf(calls.join(next.hit)) });
        } else {
          const open = sent.filter(({ ended }) => !ended);
          const batch = open[next.batch % open.length];
          if (batch) end(batch, next.end);
        }
        ok(sent.filter(({ ended }) => !ended).length <= limits.batches);
      }
      while (calls.pending.waiting > 0) {
        await turn();
        for (const batch of sent) if (!batch.ended) end(batch, "answer");
      }
      await calls.drain();
      for (const id of [A, B, C]) {
        const answers = await Promise.all(
          callers.filter((caller) => caller.id === id).map(({ answer }) => answer),
        );
        const numbers = answers.filter((answer) => typeof answer === "number");
        strictEqual(new Set(numbers).size, numbers.length);
        if (limits.batches === 1) {
          deepStrictEqual(
            numbers,
            numbers.toSorted((one, other) => one - other),
          );
        }
        const unknown = answers.filter((answer) => answer === "outcome-unknown").length;
        strictEqual(store.number(id), numbers.length + unknown);
      }
    }),
    { numRuns: 200 },
  );
});

/** Opens a batcher whose callers each get a number, as the counters do for hits. */
function open(options: BatcherLimits = {}) {
  const opened = openBatcher<CounterId>(options);
  const { batcher } = opened;
  return {
    ...opened,
    drain: () => batcher.drain(),
    join(id: CounterId): Promise<number> {
      if (batcher.isStuck) return Promise.reject(new Failure("store-unavailable"));
      const call = batcher.enqueue(id);
      const place = call.callers;
      return call.promise.then((total) => total - call.callers + place);
    },
  };
}

type Sent = ReturnType<typeof open>["sent"][number];

/** The numbers of a store. */
class Ledger {
  readonly #numbers = new Map<CounterId, number>();

  number(id: CounterId): number {
    return this.#numbers.get(id) ?? 0;
  }

  carryOut({ calls }: Sent, counted: boolean): number[] {
    if (!counted) return [];
    return calls.map(({ key, callers }) => {
      this.#numbers.set(key, this.number(key) + callers);
      return this.number(key);
    });
  }
}

/** Number of callers of each id in a batch. */
function shape({ calls }: Sent): Record<string, number> {
  return Object.fromEntries(calls.map(({ key, callers }) => [key, callers]));
}

function answerOf(hit: Promise<number>): Promise<number | string> {
  return hit.catch((problem) => problem instanceof Failure ? problem.kind : String(problem));
}
