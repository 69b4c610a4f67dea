import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterId, counterId, MAX_ID_BYTES } from "../../../../src/domain/counter_id.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import type { CounterStore, Write } from "../../../../src/domain/store.ts";
import { encodeLedger, encodeYear } from "../../../../src/store/kv/kv_layout.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { addition } from "../../../support/store_contract.ts";

const A = counterId("a");
const B = counterId("b");
const deletion = (id: CounterId): Write => ({ id, update: undefined });
const LEDGER = ["tallymark", "days", "hits:", B];
const YEAR = ["tallymark", "years", "hits:", B, 2024];
const INVALID = [
  [
    "a day that is none",
    LEDGER,
    encodeLedger({ openDay: 2 ** 62, totalAtDayStart: 1, firstYear: undefined, before: [] }),
  ],
  ["a text", LEDGER, "20777 1 -"],
  ["a day outside of its year", YEAR, encodeYear({ year: 2024, last: 5, hits: [7] })],
] as const;

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";
  for (const [what, key, value] of INVALID) {
    Deno.test(`on Deno KV ${kind}, a counter whose days hold ${what} is none, and nothing of it is changed`, async () => {
      const kv = await Deno.openKv(":memory:");
      const ledger = { openDay: SOME_DAY, totalAtDayStart: 0, firstYear: 2024, before: [] };
      await kv.atomic().set(["hits:", B], new Deno.KvU64(3n)).set(LEDGER, encodeLedger(ledger))
        .set(YEAR, encodeYear({ year: 2024, last: 19_900, hits: [7] })).set(key, value).commit();
      const before = await Array.fromAsync(kv.list({ prefix: [] }));
      const store = await kvStore({ kv, shared, today: () => SOME_DAY + 1 });
      await store.add([addition(A, 3)]);
      const update = { hits: 5, days: undefined, mode: "replace" } as const;
      const outcomes = [
        ...await store.history([{ id: B, since: -Infinity }]),
        ...await store.write([{ id: B, update }]),
        ...await store.write([deletion(B)]),
        ...await store.write([{ id: B, update: undefined, to: A }]),
        ...await store.write([{ id: A, update: undefined, to: B }]),
        // A hit reads the open year alone.
        ...key === LEDGER ? await store.add([addition(B, 1)]) : [],
        ...key === LEDGER ? await store.addOnce([{ id: B, hits: [{ key: "k" }] }]) : [],
      ];
      for (const one of outcomes) strictEqual(one instanceof Failure && one.kind, "not-a-counter");
      const [page] = await Array.fromAsync(store.list({ prefix: "", since: -Infinity }));
      deepStrictEqual(page?.counters.map(({ id, hits }) => [id, hits]), [[A, 3]]);
      strictEqual(page?.foreign, 1);
      for (const entry of before) deepStrictEqual(await kv.get(entry.key), entry);
      await store.close();
    });
  }
}

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
