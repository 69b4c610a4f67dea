import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type CounterId, counterId, MAX_ID_BYTES } from "../../src/domain/counter_id.ts";
import type { CounterState, Day } from "../../src/domain/history.ts";
import { type Counters, createCounters } from "../../src/counters/counters.ts";
import {
  type Addition,
  type CounterStore,
  MAX_HITS,
  type Outcome,
} from "../../src/domain/store.ts";
import { Failure, type FailureKind } from "../../src/domain/errors.ts";
import { fakeClock } from "./fake_clock.ts";

/** A place that keeps counters, empty at first, and the ways into it that go past the store. */
export interface Backend extends AsyncDisposable {
  /** Opens one more store on it, whose clock says that it is some day; the caller closes that. */
  open(today?: () => Day): Promise<CounterStore>;
  /** Writes a counter with this number. */
  setNumber(id: CounterId, number: number): Promise<unknown>;
  /** Writes something that is not a counter, by its name in `foreign`. */
  setForeign(id: CounterId, name: string): Promise<unknown>;
  /** Returns the raw value of an id for comparisons, or undefined if there is none. */
  raw(id: CounterId): Promise<unknown>;
}

/** A kind of store, as the contract needs it. */
export interface StoreKind {
  ignore?: boolean;
  start(): Promise<Backend>;
  /** Names of values that are not counters. */
  foreign: readonly string[];
  /** Number of stores that may be open on a backend at the same time. */
  writers: 1 | 3;
  /** True if data is kept when the store is opened again. */
  keeps: boolean;
}

/** Ids that a careless store would mix up. */
const HOSTILE_IDS = [
  ...["a", "a:", "a:b", "a\\:b", "a b", "A", "*", "?", "[a-z]", "é", "e", "日本", "__proto__"],
  ...["constructor", "hits:a", "0", "-1", "$", "%00", "{a}", "{b}", "\u{1f600}", "https://x/y?z#"],
  "x".repeat(MAX_ID_BYTES),
  `${"x".repeat(MAX_ID_BYTES - 1)}y`,
  "é".repeat(MAX_ID_BYTES / 2),
].map(counterId);

/** Registers the tests that every store has to pass. */
export function testStore(name: string, kind: StoreKind): void {
  const { ignore = false, start, foreign, writers, keeps } = kind;

  function test(what: string, body: (room: Room) => Promise<void>): void {
    Deno.test({
      name: `on ${name}, ${what}`,
      ignore,
      async fn() {
        await using backend = await start();
        const store = await backend.open();
        const counters = createCounters(store);
        try {
          await body({ backend, store, counters });
        } finally {
          await counters.close();
        }
      },
    });
  }

  test("a counter that was never hit is 0, and reading it writes nothing", async (room) => {
    const { backend, counters, store } = room;
    strictEqual(await counters.total(counterId("new")), 0);
    deepStrictEqual(await store.read(HOSTILE_IDS), HOSTILE_IDS.map(() => 0));
    await counters.ready();
    for (const id of [counterId("new"), counterId("home")]) {
      strictEqual(await backend.raw(id), undefined);
    }
  });

  test("ids do not leak into each other", async ({ counters }) => {
    strictEqual(new Set(HOSTILE_IDS).size, HOSTILE_IDS.length);
    const times = new Map(HOSTILE_IDS.map((id, index) => [id, index + 1]));
    const hits = [...times].flatMap(([id, count]) => Array.from({ length: count }, () => id));
    await Promise.all(hits.map((id) => counters.hit(id)));
    for (const [id, count] of times) strictEqual(await counters.total(id), count, id);
  });

  test("10,000 hits at once on one id are answered exactly 1 to 10,000", async (room) => {
    const { backend, counters } = room;
    const id = counterId("hot");
    const numbers = await Promise.all(Array.from({ length: 10_000 }, () => counters.hit(id)));
    deepStrictEqual(sorted(numbers), padToDay(10_000));
    strictEqual(await counters.total(id), 10_000);
    strictEqual(counters.lastKnown(id), 10_000);
    ok(await backend.raw(id) !== undefined);
  });

  test("a batch as large as the store allows is answered in its order", async ({ store }) => {
    const ids = Array.from({ length: store.idsPerBatch }, (_, index) => {
      return counterId(String(index).padStart(MAX_ID_BYTES, "x"));
    });
    const amounts = ids.map((_, index) => index + 1);
    const additions = ids.map((id, index) => addition(id, index + 1));
    deepStrictEqual(await store.add(additions), amounts);
    deepStrictEqual(await store.read(ids), amounts);
    deepStrictEqual(await store.add(additions), amounts.map((amount) => 2 * amount));
  });

  test("a read sees every hit that was acknowledged before it began", async ({ counters }) => {
    const id = counterId("home");
    for (let round = 0; round < 100; round++) {
      const others = [counters.total(id), counters.hit(id), counters.total(counterId("other"))];
      const number = await counters.hit(id);
      const seen = await counters.total(id);
      ok(seen >= number, `${seen} after ${number}`);
      await Promise.all(others);
    }
    strictEqual(await counters.total(id), 200);
  });

  for (const value of foreign) {
    test(`${value} under an id is that id's problem alone, and stays`, async (room) => {
      const { backend, store, counters } = room;
      const [before, bad, after] = ["before", "bad", "after"].map(counterId);
      if (!before || !bad || !after) throw new Error("Three ids are given");
      await backend.setForeign(bad, value);
      const held = await backend.raw(bad);

      const batch = [before, bad, after].map((id, index) => addition(id, index + 1));
      deepStrictEqual((await store.add(batch)).map(shown), [1, "not-a-counter", 3]);
      deepStrictEqual((await store.read([before, bad, after])).map(shown), [1, "not-a-counter", 3]);
      await rejectsWith("not-a-counter", counters.hit(bad));
      await rejectsWith("not-a-counter", counters.total(bad));
      const answers = await Promise.all(
        [before, bad, after, bad].map((id) => counters.hit(id).catch((problem) => problem)),
      );
      deepStrictEqual(answers.map(shown), [2, "not-a-counter", 4, "not-a-counter"]);

      deepStrictEqual(await backend.raw(bad), held);
      strictEqual(counters.lastKnown(bad), undefined);
    });
  }

  for (const [below, amount] of [[0, 1], [0, 3], [1, 2], [2, 1000]] as const) {
    test(`${amount} more at 2^52-${below} is one too many, and the counter stays`, async (room) => {
      const { backend, store } = room;
      const [full, other] = [counterId("full"), counterId("other")];
      await backend.setNumber(full, MAX_HITS - below);
      const held = await backend.raw(full);
      const batch = [addition(full, amount), addition(other, 1)];
      deepStrictEqual((await store.add(batch)).map(shown), ["counter-full", 1]);
      deepStrictEqual(await backend.raw(full), held);
      deepStrictEqual(await store.read([full]), [MAX_HITS - below]);
    });
  }

  test("a counter takes hits up to 2^52 and no more", async ({ backend, counters }) => {
    const id = counterId("full");
    await backend.setNumber(id, MAX_HITS - 1);
    strictEqual(await counters.hit(id), MAX_HITS);
    await rejectsWith("counter-full", counters.hit(id));
    strictEqual(await counters.total(id), MAX_HITS);
  });

  test("a counter that somebody set is counted on from there", async ({ backend, counters }) => {
    const id = counterId("moved");
    await backend.setNumber(id, 0);
    strictEqual(await counters.total(id), 0);
    strictEqual(await counters.hit(id), 1);
    const other = counterId("other");
    await backend.setNumber(other, 1234);
    strictEqual(await counters.hit(other), 1235);
  });

  test("close answers those who wait first, and may be called again", async (room) => {
    const { backend, counters, store } = room;
    const id = counterId("home");
    const hits = Promise.all(Array.from({ length: 300 }, () => counters.hit(id)));
    const count = counters.total(counterId("never"));
    await Promise.all([counters.close(), counters.close()]);
    deepStrictEqual(sorted(await hits), padToDay(300));
    strictEqual(await count, 0);
    await counters.close();
    await Promise.all([store.close(), store.close()]);
    await rejects(counters.hit(id), Failure);
    await rejectsWith("shutting-down", counters.total(id));
    if (!keeps) return;
    const again = createCounters(await backend.open());
    strictEqual(await again.hit(id), 301);
    await again.close();
  });

  if (writers === 1) return;

  test("several stores on one backend agree, and give no number twice", async (room) => {
    const { backend, counters } = room;
    // Their conflicts are given up after a while, which a busy machine may take.
    await using _clock = fakeClock({ isStopped: true });
    const others = await Promise.all([backend.open(), backend.open()]);
    const all = [counters, ...others.map((store) => createCounters(store))];
    const ids = ["hot", "warm", "a", "b", "c"].map(counterId);
    for (const id of ids) {
      const numbers = await Promise.all(all.map((each) => paced(each, id, 300)));
      deepStrictEqual(sorted(numbers.flat()), padToDay(900), id);
    }
    for (const each of all) {
      deepStrictEqual(await Promise.all(ids.map((id) => each.total(id))), ids.map(() => 900));
    }
    await Promise.all(all.map((each) => each.close()));
  });
}

/** Asserts that a promise rejects with this problem. */
export async function rejectsWith(kind: FailureKind, outcome: unknown): Promise<void> {
  await rejects(Promise.resolve(outcome), (problem: unknown) => {
    strictEqual(problem instanceof Failure ? problem.kind : problem, kind);
    return true;
  });
}

/** Returns the addition of `amount` hits to a counter. */
export function addition(id: CounterId, amount: number): Addition {
  return { id, amount };
}

/** An outcome as a test compares it: the number, or the name of the problem. */
export function shown(outcome: Outcome | CounterState): number | FailureKind {
  if (outcome instanceof Failure) return outcome.kind;
  return typeof outcome === "number" ? outcome : outcome.hits;
}

interface Room {
  readonly backend: Backend;
  readonly store: CounterStore;
  readonly counters: Counters;
}

/** Hits so many counters once each. */
export async function hitEach(store: CounterStore, count: number): Promise<void> {
  for (let first = 0; first < count; first += store.idsPerBatch) {
    const length = Math.min(store.idsPerBatch, count - first);
    await store.add(
      Array.from({ length }, (_, index) => addition(counterId(`n${first + index}`), 1)),
    );
  }
}

/** Hits in bursts of ten, so that the batches of several stores meet. */
async function paced(counters: Counters, id: CounterId, times: number): Promise<number[]> {
  const numbers: number[] = [];
  for (let done = 0; done < times; done += 10) {
    numbers.push(...await Promise.all(Array.from({ length: 10 }, () => counters.hit(id))));
  }
  return numbers;
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((one, other) => one - other);
}

function padToDay(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
