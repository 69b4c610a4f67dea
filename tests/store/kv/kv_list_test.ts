import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../src/counter/counter_id.ts";
import type { CounterStore, ListedCounter } from "../../../src/counter/store.ts";
import { betweenLists } from "../../support/between_lists.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { addition } from "../../support/store_contract.ts";

const A = counterId("a");
const B = counterId("b");
const ALL = { prefix: "", since: -Infinity };

/** What may come between the reading of the totals and that of the ledgers of a page. */
const MEANWHILE: readonly {
  what: string;
  change(store: CounterStore): Promise<unknown>;
  expected: readonly { id: CounterId; hits: number; days: readonly number[] }[];
}[] = [
  {
    what: "a hit on the next day",
    change: (store) => store.add([addition(A, 2)]),
    expected: [{ id: A, hits: 3, days: [2, 1] }, { id: B, hits: 1, days: [1] }],
  },
  {
    what: "a setting",
    change: (store) =>
      store.write([{
        id: A,
        setting: { hits: 70, days: { newest: SOME_DAY, hits: [30, 40] }, mode: "replace" },
      }]),
    expected: [{ id: A, hits: 70, days: [0, 30, 40] }, { id: B, hits: 1, days: [1] }],
  },
  {
    what: "a removal",
    change: (store) => store.write([{ id: A, setting: undefined }]),
    expected: [{ id: B, hits: 1, days: [1] }],
  },
];

for (const { what, change, expected } of MEANWHILE) {
  Deno.test(`createKvStore: ${what} between two reads of a list leaves no line of two instants`, async () => {
    const kv = await Deno.openKv(":memory:");
    let today = SOME_DAY;
    const store = await kvStore({ kv, source: "memory", today: () => today });
    await store.add([addition(A, 1), addition(B, 1)]);
    today++;
    betweenLists(kv, () => change(store));
    const found = await listed(store);
    deepStrictEqual(
      found.map(({ id, hits, days }) => ({ id, hits, days: days?.hits })),
      expected,
    );
    await store.close();
  });
}

Deno.test("createKvStore: what is no counter, or has a name that nobody can ask for, is counted as foreign", async () => {
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
