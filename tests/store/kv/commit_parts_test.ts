import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId, MAX_ID_BYTES } from "../../../src/counter/counter_id.ts";
import type { Change } from "../../../src/counter/store.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { addition } from "../../support/store_contract.ts";

const LONGEST_PREFIX = "日".repeat(200);
/** Hits of each day of ten years, as many as can be added up. */
const TEN_YEARS = { newest: SOME_DAY, hits: Array(3653).fill(Math.floor(2 ** 52 / 3653)) };

const IDS = Array.from({ length: 100 }, (_, index) => {
  return counterId(`${index}`.padStart(MAX_ID_BYTES, "x"));
});

const BATCHES: readonly { what: string; prefix: string; change(id: typeof IDS[0]): Change }[] = [
  { what: "first hits", prefix: "hits:", change: (id) => addition(id, 1) },
  {
    what: "first hits under the longest prefix",
    prefix: LONGEST_PREFIX,
    change: (id) => addition(id, 1),
  },
  {
    what: "settings of ten years",
    prefix: "hits:",
    change: (id) => ({ kind: "set", id, hits: 1, days: TEN_YEARS, mode: "replace" }),
  },
  {
    what: "settings of ten years under the longest prefix",
    prefix: LONGEST_PREFIX,
    change: (id) => ({ kind: "set", id, hits: 1, days: TEN_YEARS, mode: "replace" }),
  },
];

for (const { what, prefix, change } of BATCHES) {
  Deno.test(`createKvStore: a batch of ${what} is carried out whole, however much it holds`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, prefix, source: "memory" });
    await store.change(IDS.map(change));
    deepStrictEqual(await store.read(IDS), IDS.map(() => 1));
    const removed = await store.change(IDS.map((id) => ({ kind: "delete", id })));
    strictEqual(removed.length, IDS.length);
    deepStrictEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
    await store.close();
  });
}
