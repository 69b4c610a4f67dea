import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../src/counter/counter_id.ts";
import type { Outcome } from "../../src/counter/store.ts";
import { Batcher, Callers, type Group, Slots } from "../../src/counting/batcher.ts";
import { BatchMeter } from "../../src/metrics.ts";
import { Problem } from "../../src/problem.ts";
import { rejectsWith } from "../support/store_contract.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";

const [A, B, C] = [counterId("a"), counterId("b"), counterId("c")] as const;
Deno.test("Batcher: one call at an idle store goes out in the same turn", async () => {
  const { calls, sent } = open();
  const hit = join(calls, A);
  await turn();
  deepStrictEqual(sent.map(shape), [{ a: 1 }]);
  sent[0]?.answer([1]);
  strictEqual(await hit, 1);
  await calls.drain();
});

Deno.test("Batcher: what gathers meanwhile goes as one batch, at once, in the order it came", async () => {
  const { calls, sent } = open();
  const first = join(calls, A);
  await turn();
  const rest = [B, A, B, C, A, B].map((id) => join(calls, id));
  await turn();
  strictEqual(sent.length, 1);
  sent[0]?.answer([1]);
  strictEqual(await first, 1);
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { b: 3, a: 2, c: 1 }]);
  sent[1]?.answer([43, 3, 1]);
  deepStrictEqual(await Promise.all(rest), [41, 2, 42, 1, 3, 43]);
  strictEqual(calls.waiting, 0);
  await calls.drain();
});

Deno.test("Batcher: a call that comes while a batch is at the store does not join that batch", async () => {
  const { calls, sent } = open();
  const first = join(calls, A);
  await turn();
  const second = join(calls, A);
  sent[0]?.answer([1]);
  strictEqual(await first, 1);
  sent[1]?.answer([2]);
  strictEqual(await second, 2);
  await calls.drain();
});

Deno.test("Batcher: no more batches are under way than the store takes, nor ids in one", async () => {
  const { calls, sent } = open({ batches: 2, idsPerBatch: 2 });
  const hits: Promise<number>[] = [];
  for (const id of [A, B, C]) {
    hits.push(join(calls, id));
    await turn();
  }
  for (const id of [A, B, C, A]) hits.push(join(calls, id));
  await turn();
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { b: 1 }]);
  sent[1]?.answer([1]);
  strictEqual(await hits[1], 1);
  // C came first of those that gather.
  deepStrictEqual(sent.map(shape).slice(2), [{ c: 2, a: 2 }]);
  sent[0]?.answer([1]);
  sent[2]?.answer([2, 3]);
  await turn();
  sent[3]?.answer([2]);
  deepStrictEqual(await Promise.all(hits), [1, 1, 1, 2, 2, 2, 3]);
  await calls.drain();
});

Deno.test("Batcher: the problem of one id is that of its callers only", async () => {
  const { calls, sent } = open();
  const [a, b, again] = [join(calls, A), join(calls, B), join(calls, A)];
  await turn();
  const problem = rejectsWith("not-a-counter", a);
  const same = rejectsWith("not-a-counter", again);
  sent[0]?.answer([new Problem("not-a-counter"), 5]);
  await Promise.all([problem, same]);
  strictEqual(await b, 5);
  await calls.drain();
});

Deno.test("Batcher: where a batch fails all its callers are told, and the next goes out", async () => {
  const { calls, sent } = open();
  const first = [join(calls, A), join(calls, B)].map((hit) =>
    rejectsWith("store-unavailable", hit)
  );
  await turn();
  const next = join(calls, A);
  sent[0]?.fail(new Problem("store-unavailable"));
  await Promise.all(first);
  sent[1]?.answer([1]);
  strictEqual(await next, 1);
  await calls.drain();
});

Deno.test("Batcher: where the store gives another number of outcomes all are told, as nobody's is known", async () => {
  for (const outcomes of [[], [1], [1, 2, 3]]) {
    const { calls, sent } = open();
    const hits = [join(calls, A), join(calls, B)];
    await turn();
    sent[0]?.answer(outcomes);
    for (const hit of hits) {
      await rejects(hit, {
        message: new RegExp(`2 ids: the store gave ${outcomes.length} outcomes`),
      });
    }
    await calls.drain();
  }
});

Deno.test("Batcher: a batch without an answer is overdue, and no other goes out until it ends", async () => {
  const { calls, sent } = open({ deadlineMs: 150 });
  const start = performance.now();
  const hit = rejectsWith("outcome-unknown", join(calls, A));
  await turn();
  const gathered = rejectsWith("store-unavailable", join(calls, B));
  await hit;
  const took = performance.now() - start;
  ok(took >= 150 && took < timeLimit(500), `${took} ms`);
  await gathered;
  await rejectsWith("store-unavailable", join(calls, A));
  strictEqual(calls.waiting, 0);
  strictEqual(sent.length, 1);
  // A late answer is nobody's.
  sent[0]?.answer([1]);
  await turn();
  const next = join(calls, A);
  await turn();
  strictEqual(sent.length, 2);
  sent[1]?.answer([2]);
  strictEqual(await next, 2);
  await calls.drain();
});

Deno.test("Batcher: a late failure of an overdue batch is no trouble", async () => {
  const { calls, sent } = open({ deadlineMs: 50 });
  const hit = rejectsWith("outcome-unknown", join(calls, A));
  await hit;
  sent[0]?.fail(new Error("late"));
  await turn();
  const next = join(calls, A);
  await turn();
  sent[1]?.answer([1]);
  strictEqual(await next, 1);
  await calls.drain();
});

Deno.test("Batcher: while one of several batches is overdue the others go on", async () => {
  const { calls, sent } = open({ batches: 2, deadlineMs: 100 });
  await Promise.all([rejectsWith("outcome-unknown", join(calls, A)), turn()]);
  for (let number = 1; number <= 3; number++) {
    const hit = join(calls, B);
    await waitFor("the batch", () => sent[number]);
    sent[number]?.answer([number]);
    strictEqual(await hit, number);
  }
  sent[0]?.answer([1]);
  await calls.drain();
});

/** Longer than any test: a store that is near however slow this machine is. */
const NEAR = 60_000;

Deno.test("Batcher: of a store that is near one batch is under way at a time, unless the next is full", async () => {
  const { calls, sent } = open({ batches: 3, idsPerBatch: 2, nearMs: NEAR });
  const first = join(calls, A);
  await turn();
  sent[0]?.answer([1]);
  await first;
  const hits: Promise<number>[] = [];
  for (const id of [A, B, B]) {
    hits.push(join(calls, id));
    await turn();
  }
  deepStrictEqual(sent.map(shape), [{ a: 1 }, { a: 1 }]);
  hits.push(join(calls, C));
  await turn();
  deepStrictEqual(sent.map(shape).slice(2), [{ b: 2, c: 1 }]);
  hits.push(join(calls, A));
  await turn();
  strictEqual(sent.length, 3);
  sent[1]?.answer([2]);
  sent[2]?.answer([2, 1]);
  await turn();
  deepStrictEqual(sent.map(shape).slice(3), [{ a: 1 }]);
  sent[3]?.answer([3]);
  deepStrictEqual(await Promise.all(hits), [2, 1, 2, 1, 3]);
  await calls.drain();
});

Deno.test("Batcher: before a store has shown that it is near, and after it was not, batches go beside each other", async () => {
  const { calls, sent } = open({ batches: 2, nearMs: 0 });
  for (const round of [0, 1]) {
    const hits = [join(calls, A)];
    await turn();
    hits.push(join(calls, B));
    await turn();
    strictEqual(sent.length, 2 * round + 2);
    for (const batch of sent) if (!batch.ended) batch.answer([round + 1]);
    await Promise.all(hits);
  }
  await calls.drain();
});

Deno.test("Batcher: those who wait for a batch of a store that was near go beside it once it takes longer", async () => {
  const { calls, sent } = open({ batches: 2, nearMs: 50 });
  const first = join(calls, A);
  await turn();
  sent[0]?.answer([1]);
  await first;
  const hits = [join(calls, A)];
  await turn();
  const since = performance.now();
  hits.push(join(calls, B));
  await waitFor("the batch beside", () => sent[2]);
  await waitFor("its age", () => performance.now() - since >= 50 || undefined);
  // One that is answered soon shows nothing while the other one waits.
  sent[2]?.answer([1]);
  strictEqual(await hits[1], 1);
  hits.push(join(calls, B));
  await turn();
  deepStrictEqual(sent.map(shape).slice(1), [{ a: 1 }, { b: 1 }, { b: 1 }]);
  sent[3]?.answer([2]);
  sent[1]?.answer([2]);
  deepStrictEqual(await Promise.all(hits), [2, 1, 2]);
  await calls.drain();
});

Deno.test("Batcher: drain waits for all who wait, also where it is called twice", async () => {
  const { calls, sent } = open();
  const first = join(calls, A);
  await turn();
  const second = join(calls, A);
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
  await calls.drain();
});

Deno.test("Batcher: drain ends with the deadline where the store does not answer", async () => {
  const { calls } = open({ deadlineMs: 100 });
  const hit = rejectsWith("outcome-unknown", join(calls, A));
  await calls.drain();
  await hit;
});

/** What happens next: a hit, the end of a batch under way, or a turn of the event loop. */
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

Deno.test("Batcher: every number is given once, in order, however hits and batches interleave", async () => {
  const options = fc.record({
    batches: fc.integer({ min: 1, max: 4 }),
    idsPerBatch: fc.integer({ min: 1, max: 3 }),
    nearMs: fc.constantFrom(0, NEAR),
  });
  await fc.assert(
    fc.asyncProperty(options, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
      const { calls, sent } = open(limits);
      const store = new Ledger();
      const callers: { id: CounterId; answer: Promise<number | string> }[] = [];

      function end(batch: Sent, how: string): void {
        const totals = store.carryOut(batch, how !== "refuse");
        if (how === "answer") batch.answer(totals);
        else batch.fail(new Problem(how === "lose" ? "outcome-unknown" : "store-unavailable"));
      }

      for (const next of steps) {
        if (next === "turn") await turn();
        else if ("hit" in next) {
          callers.push({ id: next.hit, answer: answerOf(join(calls, next.hit)) });
        } else {
          const open = sent.filter(({ ended }) => !ended);
          const batch = open[next.batch % open.length];
          if (batch) end(batch, next.end);
        }
        ok(sent.filter(({ ended }) => !ended).length <= limits.batches);
      }
      while (calls.waiting > 0) {
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

Deno.test("Batcher: senders that share slots take turns where both have a batch that is due", async () => {
  const slots = new Slots(1, new BatchMeter());
  const { calls, sent } = open({ slots });
  const other = open({ slots });
  const hits = [join(calls, A), join(other.calls, B)];
  await turn();
  deepStrictEqual([sent.length, other.sent.length], [1, 0]);
  hits.push(join(calls, C));
  sent[0]?.answer([1]);
  await hits[0];
  deepStrictEqual([sent.length, other.sent.length], [1, 1]);
  hits.push(join(other.calls, A));
  other.sent[0]?.answer([2]);
  await hits[1];
  deepStrictEqual([sent.length, other.sent.length], [2, 1]);
  sent[1]?.answer([3]);
  await hits[2];
  other.sent[1]?.answer([4]);
  deepStrictEqual(await Promise.all(hits), [1, 2, 3, 4]);
  await Promise.all([calls.drain(), other.calls.drain()]);
});

Deno.test("Batcher: a slot whose batch is overdue is stuck for all who share it", async () => {
  const slots = new Slots(1, new BatchMeter());
  const { calls, sent } = open({ slots, deadlineMs: 50 });
  const other = open({ slots });
  await rejectsWith("outcome-unknown", join(calls, A));
  await rejectsWith("store-unavailable", join(other.calls, B));
  sent[0]?.answer([1]);
  await turn();
  const hit = join(other.calls, B);
  await turn();
  other.sent[0]?.answer([1]);
  strictEqual(await hit, 1);
  await Promise.all([calls.drain(), other.calls.drain()]);
});

Deno.test("Batcher: what callers add of their own goes with their group, in the order in which they came", async () => {
  const added: unknown[] = [];
  const callers = new Callers();
  const calls = new Batcher<string, number>({
    ...LIMITS,
    callers,
    slots: new Slots(1, new BatchMeter()),
    send(groups) {
      added.push(...groups.map(({ id, parts }) => [id, parts]));
      return Promise.resolve(groups.map(({ parts }) => parts.join()));
    },
  });
  const results = [calls.enqueue(A, 3), calls.enqueue(B, 1), calls.enqueue(A, 2)];
  deepStrictEqual(await Promise.all(results.map(({ result }) => result)), ["3,2", "1", "3,2"]);
  deepStrictEqual(added, [["a", [3, 2]], ["b", [1]]]);
  await callers.drain();
});

/** A batcher as the counters use it: callers have numbers of their own, and deadlines are looked after. */
class Calls {
  readonly #batcher: Batcher<number>;
  readonly #callers: Callers;
  readonly #watch: ReturnType<typeof setInterval>;

  constructor(batcher: Batcher<number>, callers: Callers) {
    this.#batcher = batcher;
    this.#callers = callers;
    this.#watch = setInterval(() => batcher.expire(), 10);
  }

  get waiting(): number {
    return this.#callers.waiting;
  }

  join(id: CounterId): Promise<number> {
    if (this.#batcher.isStuck) return Promise.reject(new Problem("store-unavailable"));
    const group = this.#batcher.enqueue(id);
    const place = group.callers;
    return group.result.then((total) => total - group.callers + place);
  }

  async drain(): Promise<void> {
    await this.#callers.drain();
    clearInterval(this.#watch);
  }
}

function join(calls: Calls, id: CounterId): Promise<number> {
  return calls.join(id);
}

/** A batch that was sent, to be ended by the test. */
interface Sent {
  readonly groups: readonly Group<number>[];
  ended: boolean;
  answer(outcomes: readonly Outcome[]): void;
  fail(problem: unknown): void;
}

const LIMITS = {
  idsPerBatch: 100,
  nearMs: 0,
  deadlineMs: 60_000,
  overdue: "outcome-unknown",
} as const;

function open(
  { batches = 1, slots = new Slots(batches, new BatchMeter()), ...limits }: {
    batches?: number;
    slots?: Slots;
    idsPerBatch?: number;
    nearMs?: number;
    deadlineMs?: number;
  } = {},
): { calls: Calls; sent: Sent[] } {
  const sent: Sent[] = [];
  const callers = new Callers();
  const batcher = new Batcher<number>({
    ...LIMITS,
    callers,
    ...limits,
    slots,
    send(groups) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Outcome[]>();
      const batch: Sent = {
        groups,
        ended: false,
        answer(outcomes) {
          batch.ended = true;
          resolve(outcomes);
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
  return { calls: new Calls(batcher, callers), sent };
}

/** What a store holds. */
class Ledger {
  readonly #numbers = new Map<CounterId, number>();

  number(id: CounterId): number {
    return this.#numbers.get(id) ?? 0;
  }

  carryOut({ groups }: Sent, counted: boolean): number[] {
    if (!counted) return [];
    return groups.map(({ id, callers }) => {
      this.#numbers.set(id, this.number(id) + callers);
      return this.number(id);
    });
  }
}

/** How many callers a batch has for each id. */
function shape({ groups }: Sent): Record<string, number> {
  return Object.fromEntries(groups.map(({ id, callers }) => [id, callers]));
}

/** Resolves when the event loop has handed out what it had. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function answerOf(hit: Promise<number>): Promise<number | string> {
  return hit.catch((problem) => problem instanceof Problem ? problem.kind : String(problem));
}
