import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../src/domain/counter_id.ts";
import { createCounters } from "../../src/counters/counters.ts";
import {
  type CounterStore,
  type DeduplicationKeys,
  MAX_HITS,
  type OnceOutcome,
} from "../../src/domain/store.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Backend, StoreKind } from "./store_contract.ts";

const ID = counterId("a");
/** A day to count on. */
const DAY = 20_000;

/** Registers the tests of hits that count once, which every store has to pass. */
export function testOnce(name: string, kind: StoreKind): void {
  const { ignore = false, start, foreign, writers, keeps } = kind;

  function test(what: string, body: (backend: Backend) => Promise<void>): void {
    Deno.test({
      name: `on ${name}, ${what}`,
      ignore,
      async fn() {
        await using backend = await start();
        await body(backend);
      },
    });
  }

  test("a key makes hits the same: the first number again, whatever came since", async (backend) => {
    await using store = await opened(backend);
    deepStrictEqual(await store.once({ key: "k" }), { hits: 1, repeat: false });
    await store.add(5);
    deepStrictEqual(await store.once({ key: "k" }), { hits: 1, repeat: true });
    deepStrictEqual(await store.once({ key: "K" }), { hits: 7, repeat: false });
    strictEqual(await store.count(), 7);
  });

  test("a key belongs to its counter", async (backend) => {
    await using store = await opened(backend);
    for (const id of ["a", "b", "a}b", "a{b}c", "{a}", "日本", "a k", "x".repeat(200)]) {
      deepStrictEqual(await store.once({ key: "k" }, counterId(id)), { hits: 1, repeat: false });
      deepStrictEqual(await store.once({ key: "k" }, counterId(id)), { hits: 1, repeat: true });
    }
  });

  test("a visitor counts once a day, and is told the present number", async (backend) => {
    let day = DAY;
    await using store = await opened(backend, () => day);
    const visitor = { visitor: "v", remember: true };
    deepStrictEqual(await store.once(visitor), { hits: 1, repeat: false });
    await store.add(5);
    deepStrictEqual(await store.once(visitor), { hits: 6, repeat: true });
    deepStrictEqual(await store.once({ visitor: "w", remember: true }), { hits: 7, repeat: false });
    day++;
    deepStrictEqual(await store.once(visitor), { hits: 8, repeat: false });
    strictEqual(await store.count(), 8);
  });

  test("a visitor who is not to be remembered counts each time; one who is remembered does not", async (backend) => {
    await using store = await opened(backend);
    deepStrictEqual(await store.once({ visitor: "v", remember: true }), outcome(1));
    for (const number of [2, 3]) {
      deepStrictEqual(await store.once({ visitor: "w" }), outcome(number));
    }
    deepStrictEqual(await store.once({ visitor: "v" }), outcome(3, "repeat"));
  });

  test("a key is looked at before the visitor beside it", async (backend) => {
    await using store = await opened(backend);
    const both = (key: string) => store.once({ key, visitor: "v", remember: true });
    deepStrictEqual(await both("k"), outcome(1));
    await store.add(2);
    deepStrictEqual(await both("k"), outcome(1, "repeat"));
    deepStrictEqual(await both("l"), outcome(3, "repeat"));
    await store.add(2);
    deepStrictEqual(await both("l"), outcome(3, "repeat"));
    strictEqual(await store.count(), 5);
  });

  test("a counter that was deleted forgets who came and which keys were sent", async (backend) => {
    await using store = await opened(backend);
    const hits = (): Promise<OnceOutcome>[] => [
      store.once({ key: "k" }),
      store.once({ key: "l", visitor: "v", remember: true }),
      store.once({ visitor: "w", remember: true }),
    ];
    for (let life = 0; life < 3; life++) {
      deepStrictEqual(await Promise.all(hits()), [outcome(1), outcome(2), outcome(3)]);
      const repeated = [outcome(1, "repeat"), outcome(2, "repeat"), outcome(3, "repeat")];
      deepStrictEqual(await Promise.all(hits()), repeated);
      strictEqual((await store.counters.delete(ID)).hits, 3);
    }
    // Others stay as they are, also where one begins with the other.
    const other = counterId("a/b");
    await store.once({ key: "k" }, other);
    await store.once({ key: "k" });
    await store.counters.delete(ID);
    deepStrictEqual(await store.once({ key: "k" }, other), outcome(1, "repeat"));
    deepStrictEqual(await store.once({ key: "k" }), outcome(1));
  });

  test("hits that are sent together see each other, in their order", async (backend) => {
    await using store = await opened(backend);
    const hits: DeduplicationKeys[] = [
      ...[{ key: "k" }, { key: "l" }, { key: "k" }, { visitor: "v", remember: true }],
      ...[{ visitor: "v", remember: true }, { key: "m", visitor: "v", remember: true }, {}],
    ];
    deepStrictEqual(await store.store.addOnce([{ id: ID, hits }]), [[
      ...[outcome(1), outcome(2), outcome(1, "repeat"), outcome(3)],
      ...[outcome(3, "repeat"), outcome(3, "repeat"), outcome(4)],
    ]]);
    strictEqual(await store.count(), 4);
  });

  for (const value of foreign) {
    test(`what holds ${value} takes no mark and stays as it is`, async (backend) => {
      await using store = await opened(backend);
      await backend.setForeign(ID, value);
      const before = await backend.raw(ID);
      for (const _ of [1, 2]) await rejects(store.once({ key: "k" }), isFailure("not-a-counter"));
      deepStrictEqual(await backend.raw(ID), before);
    });
  }

  test("a counter that is full takes no mark", async (backend) => {
    await using store = await opened(backend);
    await backend.setNumber(ID, MAX_HITS);
    for (const _ of [1, 2]) await rejects(store.once({ key: "k" }), isFailure("counter-full"));
    strictEqual(await store.count(), MAX_HITS);
  });

  test("hits that count once belong to their day", async (backend) => {
    let day = DAY;
    await using store = await opened(backend, () => day);
    await store.once({ key: "k" });
    day++;
    await store.once({ key: "k" });
    await store.once({ key: "l" });
    await store.once({ visitor: "v", remember: true });
    const { days } = await store.counters.history(ID, DAY);
    deepStrictEqual(days, { newest: day, hits: [2, 1] });
  });

  test("a thousand callers with one key are one hit", async (backend) => {
    await using store = await opened(backend);
    const all = await Promise.all(Array.from({ length: 1000 }, () => store.once({ key: "k" })));
    strictEqual(all.filter(({ repeat }) => !repeat).length, 1);
    ok(all.every(({ hits }) => hits === 1));
    strictEqual(await store.count(), 1);
  });

  test("keys, visitors and plain hits of many counters at once: each counts as it should", async (backend) => {
    await using store = await opened(backend);
    const ids = Array.from({ length: 30 }, (_, number) => counterId(`c${number}`));
    const marksOf = (id: CounterId) =>
      Array.from(
        { length: 60 },
        (_, number): DeduplicationKeys =>
          number % 2 === 0
            ? { key: `k${number % 20}` }
            : { visitor: `${id} ${number % 10}`, remember: true },
      );
    await Promise.all(
      ids.flatMap((id) =>
        marksOf(id).flatMap((marks) => [store.once(marks, id), store.counters.hit(id)])
      ),
    );
    for (const id of ids) strictEqual(await store.counters.total(id), 60 + 10 + 5);
  });

  test("the salt of a day is one for all who ask, and another one the day after", async (backend) => {
    const stores = await Promise.all(
      Array.from({ length: writers }, () => backend.open(() => DAY)),
    );
    const salts = await Promise.all(stores.flatMap((store) => [store.salt(DAY), store.salt(DAY)]));
    strictEqual(new Set(salts).size, 1);
    ok((salts[0]?.length ?? 0) >= 32);
    notStrictEqual(await stores[0]?.salt(DAY + 1), salts[0]);
    // The salt is deleted with its day, so that visitors cannot be identified later. A new one is
    // made.
    notStrictEqual(await stores[0]?.salt(DAY), salts[0]);
    await Promise.all(stores.map((store) => store.close()));
  });

  if (keeps) {
    test("deduplication keys and salt are there when the store is opened again", async (backend) => {
      let salt;
      {
        await using store = await opened(backend, () => DAY);
        await store.once({ key: "k" });
        await store.once({ visitor: "v", remember: true });
        salt = await store.store.salt(DAY);
      }
      await using store = await opened(backend, () => DAY);
      deepStrictEqual(await store.once({ key: "k" }), outcome(1, "repeat"));
      deepStrictEqual(await store.once({ visitor: "v", remember: true }), outcome(2, "repeat"));
      strictEqual(await store.store.salt(DAY), salt);
    });
  }

  if (writers > 1) {
    test("callers of several processes with the same keys and visitors are counted once", async (backend) => {
      const rooms = await Promise.all(Array.from({ length: writers }, () => opened(backend)));
      const all = await Promise.all(
        rooms.flatMap((room) =>
          Array.from({ length: 200 }, (_, number) =>
            room.once(
              number % 2 === 0 ? { key: `k${number % 40}` } : { visitor: "v", remember: true },
            ))
        ),
      );
      strictEqual(all.filter(({ repeat }) => !repeat).length, 20 + 1);
      strictEqual(await rooms[0]?.count(), 21);
      await Promise.all(rooms.map((room) => room[Symbol.asyncDispose]()));
    });
  }
}

async function opened(backend: Backend, today = () => DAY) {
  const store: CounterStore = await backend.open(today);
  const counters = createCounters(store);
  return {
    store,
    counters,
    once: (marks: DeduplicationKeys, id: CounterId = ID) => counters.hitDeduplicated(id, marks),
    count: async () => await counters.total(ID),
    async add(times: number) {
      for (let time = 0; time < times; time++) await counters.hit(ID);
    },
    [Symbol.asyncDispose]: () => counters.close(),
  };
}

function outcome(hits: number, repeat?: "repeat"): OnceOutcome {
  return { hits, repeat: repeat !== undefined };
}

function isFailure(kind: Failure["kind"]): (error: unknown) => boolean {
  return (error) => error instanceof Failure && error.kind === kind;
}
