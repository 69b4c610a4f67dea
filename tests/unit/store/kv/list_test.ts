import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../../src/domain/counter_id.ts";
import { type Day, firstDayOf } from "../../../../src/domain/history.ts";
import type { CounterStore, ListedCounter } from "../../../../src/domain/store.ts";
import { betweenLists, isSweep } from "../../../support/between_lists.ts";
import { kvStore, type KvStoreSetup, SOME_DAY } from "../../../support/kv_store.ts";
import { addition } from "../../../support/store_contract.ts";

const A = counterId("a");
const B = counterId("b");
const ALL = { prefix: "", since: -Infinity };

/** The last day of a year. */
const LONG_AGO = firstDayOf(2025) - 1;
/** Changes between the read of the totals and that of their days. */
const MEANWHILE: readonly {
  what: string;
  change(store: CounterStore): Promise<unknown>;
  /** The total of A after the change and the sum of its days; undefined if A was deleted. */
  after: { hits: number; sum: number } | undefined;
}[] = [
  {
    what: "a hit in the next year",
    change: (store) => store.add([addition(A, 2)]),
    after: { hits: 5, sum: 5 },
  },
  {
    what: "an update",
    change: (store) =>
      store.write([{
        id: A,
        update: { hits: 70, days: { newest: SOME_DAY, hits: [30, 40] }, mode: "replace" },
      }]),
    after: { hits: 70, sum: 70 },
  },
  {
    what: "a removal",
    change: (store) => store.write([{ id: A, update: undefined }]),
    after: undefined,
  },
];

for (const { what, change, after } of MEANWHILE) {
  for (const list of [2, 3]) {
    Deno.test(`on a shared Deno KV, ${what} before read ${list} of a list leaves no line of two instants`, async () => {
      const kv = await Deno.openKv(":memory:");
      const clock = { today: LONG_AGO };
      const store = await hitThrice({ kv, shared: true }, clock);
      clock.today = firstDayOf(2027);
      betweenLists(kv, () => change(store), list);
      const changed = after === undefined ? [] : [{ id: A, ...after }];
      deepStrictEqual(sums(await listed(store)), [...changed, { id: B, hits: 3, sum: 3 }]);
      await store.close();
    });
  }

  Deno.test(`on a Deno KV of its own, ${what} waits until a page of a list is read`, async () => {
    const kv = await Deno.openKv(":memory:");
    const clock = { today: LONG_AGO };
    const store = await hitThrice({ kv }, clock);
    clock.today = firstDayOf(2027);
    let changing: Promise<unknown> | undefined;
    betweenLists(kv, () => {
      changing = change(store);
      return Promise.resolve();
    });
    const before = [{ id: A, hits: 3, sum: 3 }, { id: B, hits: 3, sum: 3 }];
    deepStrictEqual(sums(await listed(store)), before);
    await changing;
    const changed = after === undefined ? [] : [{ id: A, ...after }];
    deepStrictEqual(sums(await listed(store)), [...changed, { id: B, hits: 3, sum: 3 }]);
    await store.close();
  });
}

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";
  Deno.test(`on Deno KV ${kind}, a list reads closed years by pages, and not by counters`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, shared });
    const ids = Array.from({ length: 150 }, (_, index) => counterId(`n${1000 + index}`));
    const days = { newest: SOME_DAY, hits: Array(900).fill(1) };
    for (const some of [ids.slice(0, 75), ids.slice(75)]) {
      await store.write(some.map((id) => ({ id, update: { hits: 900, days, mode: "replace" } })));
    }
    const reads = countReads(kv);
    const found = await listed(store);
    deepStrictEqual(found.map(({ id, days }) => ({ id, days })), ids.map((id) => ({ id, days })));
    // Two pages, and five lists for each at most.
    ok(reads() <= 10, `${reads()} reads`);
    await store.close();
  });
}

Deno.test("on Deno KV, hits go to the journal while nobody takes the next page of a list", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv, source: "memory" });
  const ids = Array.from({ length: 100 }, (_, index) => counterId(`n${1000 + index}`));
  const hit = () => store.add(ids.map((id) => addition(id, 1)));
  const rows = () => Array.fromAsync(kv.list({ prefix: ["tallymark", "journal"] }));
  await hit();
  await hit();
  const pages = store.list(ALL);
  strictEqual((await pages.next()).done, false);
  const before = (await rows()).length;
  await hit();
  strictEqual((await rows()).length, before + 1);
  await pages.return(undefined);
  deepStrictEqual((await listed(store)).map(({ hits }) => hits), ids.map(() => 3));
  await store.close();
});

Deno.test("on Deno KV, what is no counter, or has a name that nobody can ask for, is counted as foreign", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv, source: "memory" });
  await store.add([addition(A, 1)]);
  await kv.set(["hits:", "b"], "no counter");
  for (const key of [" a", "e\u0301", "", "a\u0000"]) {
    await kv.set(["hits:", key], new Deno.KvU64(1n));
  }
  await kv.set(["hits:", "a", "more"], new Deno.KvU64(1n));
  for await (const { counters, foreign } of store.list(ALL)) {
    deepStrictEqual(counters.map(({ id }) => id), [A]);
    strictEqual(foreign, 6);
  }
  await store.close();
});

async function listed(store: CounterStore): Promise<ListedCounter[]> {
  const found: ListedCounter[] = [];
  for await (const { counters } of store.list(ALL)) found.push(...counters);
  return found;
}

/** A store with A and B, which were hit on three days of as many years. */
async function hitThrice(setup: KvStoreSetup, clock: { today: Day }): Promise<CounterStore> {
  const store = await kvStore({ ...setup, today: () => clock.today });
  for (const day of [LONG_AGO, LONG_AGO + 1, firstDayOf(2026)]) {
    clock.today = day;
    await store.add([addition(A, 1), addition(B, 1)]);
  }
  return store;
}

function sums(found: readonly ListedCounter[]): { id: CounterId; hits: number; sum: number }[] {
  return found.map(({ id, hits, days }) => {
    return { id, hits, sum: days?.hits.reduce((sum, number) => sum + number, 0) ?? 0 };
  });
}

/** Counts how often a Deno KV is read from now on, but for the sweeper. */
function countReads(kv: Deno.Kv): () => number {
  let reads = 0;
  const list = kv.list.bind(kv);
  Object.defineProperty(kv, "list", {
    value: (...args: Parameters<typeof list>) => {
      if (!isSweep(args[0])) reads++;
      return list(...args);
    },
  });
  for (const name of ["getMany", "get"] as const) {
    const read = kv[name].bind(kv);
    Object.defineProperty(kv, name, {
      value: (...args: unknown[]) => {
        reads++;
        return Reflect.apply(read, kv, args);
      },
    });
  }
  return () => reads;
}
