import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterId, counterId, MAX_ID_BYTES } from "../../../../src/domain/counter_id.ts";
import type { CounterStore, ListedCounter, Write } from "../../../../src/domain/store.ts";
import { encodeLedger, encodeYear } from "../../../../src/store/kv/kv_layout.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { addition } from "../../../support/store_contract.ts";

const A = counterId("a");
const B = counterId("b");
const C = counterId("c");
const FIVE = { hits: 5, days: undefined, mode: "replace" } as const;
const deletion = (id: CounterId): Write => ({ id, update: undefined });
const LEDGER = ["tallymark", "days", "hits:", B];
const YEAR = ["tallymark", "years", "hits:", B, 2024];
const DAMAGED = [
  [
    "a day that is none",
    encodeLedger({ openDay: 2 ** 62, totalAtDayStart: 1, firstYear: undefined, before: [] }),
  ],
  ["a text", "20777 1 -"],
] as const;

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";
  for (const [what, value] of DAMAGED) {
    Deno.test(`on Deno KV ${kind}, a ledger that holds ${what} is none, and is reported once`, async () => {
      const kv = await Deno.openKv(":memory:");
      const reported: string[] = [];
      const store = await kvStore({ kv, shared, onDamaged: (id) => reported.push(id) });
      await store.add([A, B, C].map((id) => addition(id, 3)));
      await kv.set(LEDGER, value);
      await kv.set(YEAR, encodeYear({ year: 2024, last: 19_900, hits: [7] }));
      const found = await listed(store);
      deepStrictEqual(found.map(({ id, hits }) => [id, hits]), [[A, 3], [B, 3], [C, 3]]);
      deepStrictEqual(found.map(({ days }) => days?.hits), [[3], undefined, [3]]);
      deepStrictEqual(await store.history([{ id: B, since: -Infinity }]), [
        { hits: 3, days: undefined },
      ]);
      strictEqual(new Set(reported).size, 1);
      strictEqual(reported[0], B);
      await store.close();
    });

    for (
      const [how, change, expected] of [
        ["hit", (store) => store.add([addition(B, 2)]), 5],
        ["set", (store) => store.write([{ id: B, update: FIVE }]), { hits: 3, days: undefined }],
        ["deleted", (store) => store.write([deletion(B)]), { hits: 3, days: undefined }],
      ] as const satisfies [string, (store: CounterStore) => Promise<unknown>, unknown][]
    ) {
      Deno.test(`on Deno KV ${kind}, a counter that is ${how} whose ledger holds ${what} has no days of before`, async () => {
        const kv = await Deno.openKv(":memory:");
        await kv.set(["hits:", B], new Deno.KvU64(3n));
        await kv.set(LEDGER, value);
        await kv.set(YEAR, encodeYear({ year: 2024, last: 19_900, hits: [7] }));
        const store = await kvStore({ kv, shared });
        const days = { newest: 20_000, hits: [1, ...Array(700).fill(0), 2] };
        deepStrictEqual(await change(store), [expected]);
        // Days before and after that year, which would bring it to light.
        await store.write([{ id: B, update: { hits: 9, days, mode: "replace" } }]);
        const [held] = await store.history([{ id: B, since: -Infinity }]);
        const sum = held && "days" in held ? held.days?.hits.reduce((a, b) => a + b) : undefined;
        strictEqual(sum, 3);
        await store.write([deletion(B)]);
        const left = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key.slice(0, 2));
        deepStrictEqual(left.filter(([, kind]) => kind !== "writer" && kind !== "deleted"), []);
        await store.close();
      });
    }
  }

  Deno.test(`on Deno KV ${kind}, a year that is damaged is left out, and goes with its counter`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, shared });
    const days = { newest: SOME_DAY, hits: Array(1000).fill(1) };
    await store.write([{ id: B, update: { hits: 1000, days, mode: "replace" } }]);
    await kv.set(YEAR, encodeYear({ year: 2024, last: 5, hits: [7] }));
    const [line] = await listed(store);
    const hits = line?.days?.hits ?? [];
    // The 311 hits of 2024 are lost.
    strictEqual(hits.reduce((a, b) => a + b), 1000 - 311);
    await store.write([deletion(B)]);
    strictEqual((await kv.get(YEAR)).versionstamp, null);
    await store.close();
  });
}

async function listed(store: CounterStore): Promise<ListedCounter[]> {
  const found: ListedCounter[] = [];
  for await (const { counters } of store.list({ prefix: "", since: -Infinity })) {
    found.push(...counters);
  }
  return found;
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
