import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { counterId } from "../../../src/counter/counter_id.ts";
import type { Write } from "../../../src/counter/store.ts";
import { readRecords } from "../../../src/store/kv/records.ts";
import { createRangeReader } from "../../../src/store/kv/range_reads.ts";
import { times } from "../../faults/numbers.ts";
import { betweenLists } from "../../support/between_lists.ts";
import { kvStore, placeOf, SOME_DAY } from "../../support/kv_store.ts";
import { addition } from "../../support/store_contract.ts";

const ALL = Array.from({ length: 400 }, (_, index) => `n${1000 + index}`);
const OUT_OF_ORDER = ["n9\u{1f600}", "n9\uff21"];

for (
  const [what, held, asked] of [
    ["all that are there", ALL, ALL.slice(0, 100)],
    ["those that are not there", [], ALL.slice(0, 100)],
    ["some that are there and some that are not", ALL.filter((_, index) => index % 3 > 0), ALL],
    ["some of those that lie there", ALL, ALL.filter((_, index) => index % 4 === 1)],
    ["those of which many lie near", ALL, [...ALL.slice(0, 30), ...ALL.slice(-10)]],
    ["those of which few lie near", ALL, [...ALL.slice(0, 10), ...ALL.slice(-15)]],
    ["a few far ones", ALL, [...ALL.slice(0, 50), ...ALL.slice(-50)].reverse()],
    ["ids that JavaScript puts in another order", [...ALL, ...OUT_OF_ORDER], [
      ...ALL.slice(-50),
      ...OUT_OF_ORDER,
    ]],
    ["fewer than are worth it", ALL, ALL.slice(0, 3)],
    ["none", ALL, []],
  ] as const
) {
  Deno.test(`createRangeReader: of ${what} it finds what a read of each finds, each time`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv });
    const changes = held.map((id, index) => addition(counterId(id), index + 1));
    for (let start = 0; start < changes.length; start += 100) {
      await store.add(changes.slice(start, start + 100));
    }
    await kv.set(["hits:", "n1001", "n1002"], "somebody else's");
    await kv.set(["hits:", "n1003"], "no counter");
    const queries = asked.map((id) => ({ id: counterId(id), withLedger: true }));
    const expected = await readRecords(placeOf(kv), queries);
    const readRange = createRangeReader();
    for (let time = 0; time < 12; time++) {
      deepStrictEqual(await readRange(placeOf(kv), queries), expected);
    }
    await store.close();
  });
}

Deno.test("createRangeReader: a total and its ledger are of one instant", async () => {
  const kv = await Deno.openKv(":memory:");
  const ids = ALL.slice(0, 50).map(counterId);
  const today = await kvStore({ kv, shared: true });
  await today.add(ids.map((id) => addition(id, 5)));
  const tomorrow = await kvStore({ kv, shared: true, today: () => SOME_DAY + 1 });
  betweenLists(kv, () => tomorrow.add(ids.map((id) => addition(id, 1))));
  const queries = ids.map((id) => ({ id, withLedger: true }));
  deepStrictEqual(
    await createRangeReader()(placeOf(kv), queries),
    await readRecords(placeOf(kv), queries),
  );
  await today.close();
});

Deno.test("openKvStore shared: a hit that comes between two reads for many that are set is before them", async () => {
  const kv = await Deno.openKv(":memory:");
  const [first = "", ...others] = ALL.slice(0, 50);
  const A = counterId(first);
  await (await kvStore({ kv, shared: true })).add([addition(A, 5)]);
  const tomorrow = await kvStore({ kv, shared: true, today: () => SOME_DAY + 1 });
  betweenLists(kv, () => tomorrow.add([addition(A, 1)]));
  const store = await kvStore({ kv, shared: true });
  const [held] = await store.write([A, ...others.map(counterId)].map((id): Write => {
    return { id, update: { hits: 100, days: undefined, mode: "replace" } };
  }));
  deepStrictEqual(held, { hits: 6, days: { newest: SOME_DAY + 1, hits: [1, 5] } });
  deepStrictEqual(await store.history([{ id: A, since: -Infinity }]), [
    { hits: 100, days: { newest: SOME_DAY + 1, hits: [1, 5] } },
  ]);
  await store.close();
});

/** Some of the counters: so many, from one on, each so far from the one before. */
const some = fc.record({
  first: fc.nat(ALL.length - 1),
  step: fc.constantFrom(1, 2, 7, 31),
  count: fc.integer({ min: 1, max: 60 }),
});
const updates = fc.record({
  kind: fc.constantFrom("set" as const, "set" as const, "set" as const, "delete" as const),
  ids: some,
  mode: fc.constantFrom("replace" as const, "max" as const),
  hits: fc.nat(50),
  days: fc.option(
    fc.record({
      newest: fc.integer({ min: SOME_DAY - 900, max: SOME_DAY }),
      hits: fc.array(fc.nat(9), { minLength: 1, maxLength: 500 }),
    }),
    { nil: undefined },
  ),
});

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";
  Deno.test(`openKvStore ${kind}: many set together become what they become one by one`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(updates, { maxLength: 12 }), async (taken) => {
        const together = await kvStore({ kv: await Deno.openKv(":memory:"), shared });
        const apart = await kvStore({ kv: await Deno.openKv(":memory:"), shared });
        for (const { kind, ids, mode, hits, days } of taken) {
          const update = kind === "delete" ? undefined : { mode, hits, days };
          const writes = chosen(ids).map((id): Write => ({ id, update }));
          const expected = [];
          for (const write of writes) expected.push(...await apart.write([write]));
          deepStrictEqual(await together.write(writes), expected);
        }
        const queries = ALL.map((id) => ({ id: counterId(id), since: -Infinity }));
        deepStrictEqual(await together.history(queries), await apart.history(queries));
        await Promise.all([together.close(), apart.close()]);
      }),
      { numRuns: times(15, 500) },
    );
  });
}

function chosen({ first, step, count }: { first: number; step: number; count: number }) {
  const places = Array.from({ length: count }, (_, index) => (first + index * step) % ALL.length);
  return [...new Set(places)].map((place) => counterId(ALL[place] ?? ""));
}
