import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId, MAX_ID_BYTES } from "../../../../src/domain/counter_id.ts";
import type { CounterStore } from "../../../../src/domain/store.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { addition } from "../../../support/store_contract.ts";

const MAX_PREFIX = "日".repeat(200);
/** Hits of each day of ten years, as many as can be added up. */
const TEN_YEARS = { newest: SOME_DAY, hits: Array(3653).fill(Math.floor(2 ** 52 / 3653)) };

const IDS = Array.from({ length: 100 }, (_, index) => {
  return counterId(`${index}`.padStart(MAX_ID_BYTES, "x"));
});

const BATCHES: readonly {
  what: string;
  prefix: string;
  change(store: CounterStore): Promise<unknown>;
}[] = [
  { what: "first hits", prefix: "hits:", change: hitAll },
  {
    what: "first hits under the longest prefix",
    prefix: MAX_PREFIX,
    change: hitAll,
  },
  {
    what: "updates of ten years",
    prefix: "hits:",
    change: setAll,
  },
  {
    what: "updates of ten years under the longest prefix",
    prefix: MAX_PREFIX,
    change: setAll,
  },
];

function hitAll(store: CounterStore): Promise<unknown> {
  return store.add(IDS.map((id) => addition(id, 1)));
}

function setAll(store: CounterStore): Promise<unknown> {
  const update = { hits: 1, days: TEN_YEARS, mode: "replace" } as const;
  return store.write(IDS.map((id) => ({ id, update })));
}

for (const { what, prefix, change } of BATCHES) {
  Deno.test(`on Deno KV, a batch of ${what} is carried out whole, however much it holds`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, prefix, source: "memory" });
    await change(store);
    deepStrictEqual(await store.read(IDS), IDS.map(() => 1));
    const removed = await store.write(IDS.map((id) => ({ id, update: undefined })));
    strictEqual(removed.length, IDS.length);
    const left = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key.slice(0, 2));
    deepStrictEqual(left, IDS.map(() => ["tallymark", "deleted"]));
    await store.close();
  });
}
