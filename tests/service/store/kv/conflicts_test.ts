import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../../../src/domain/counter_id.ts";
import type { CounterStore, Write } from "../../../../src/domain/store.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import { times } from "../../../support/times.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { overrideNextCommit, overrideNextRead } from "../../../support/next_commit.ts";
import { addition, rejectsWith, shown } from "../../../support/store_contract.ts";

const PREFIX = "hits:";
const A = counterId("a");
const B = counterId("b");
/** More counters than fit into one commit. */
const MANY = Array.from({ length: 150 }, (_, index) => counterId(`n${1000 + index}`));
const FIVE = { hits: 5, days: undefined, mode: "replace" } as const;

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";

  for (
    const { what, change, stored } of [
      {
        what: "hits",
        change: (store: CounterStore) => store.add(MANY.map((id) => addition(id, 2))),
        stored: 2,
      },
      {
        what: "updates",
        change: (store: CounterStore) => store.write(MANY.map((id) => ({ id, update: FIVE }))),
        stored: 5,
      },
    ]
  ) {
    for (const contested of [0, 149]) {
      Deno.test(`on Deno KV ${kind}, endless conflicts on counter ${contested} of 150 fail only the ${what} of its commit`, async () => {
        const kv = await Deno.openKv(":memory:");
        const store = await kvStore({ kv, shared });
        const id = MANY[contested] ?? A;
        writeBeforeCommits(kv, id);
        const outcomes = (await change(store)).map((outcome) => {
          return outcome instanceof Failure ? outcome.kind : "stored";
        });
        const failed = outcomes.flatMap((outcome, index) => outcome === "stored" ? [] : index);
        ok(failed.includes(contested) && failed.length <= 100, `${failed}`);
        deepStrictEqual(
          failed.map((index) => outcomes[index]),
          failed.map(() => "store-unavailable"),
        );
        const totals = await Promise.all(MANY.map((id) => totalIn(kv, id)));
        totals.forEach((total, index) => {
          if (index !== contested) strictEqual(total, failed.includes(index) ? 0 : stored);
        });
        await store.close();
      });
    }
  }

  Deno.test(`on Deno KV ${kind}, a hit that another process makes between read and commit is counted on`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, shared });
    overrideNextCommit(kv, async (carryOut) => {
      await kv.set([PREFIX, A], new Deno.KvU64(5n));
      return await carryOut();
    });
    deepStrictEqual(await store.add([addition(A, 1), addition(B, 1)]), [6, 1]);
    await store.close();
  });

  Deno.test(`on Deno KV ${kind}, many set together become what they become one by one`, async () => {
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
        const queries = MANY.map((id) => ({ id, since: -Infinity }));
        deepStrictEqual(await together.history(queries), await apart.history(queries));
        await Promise.all([together.close(), apart.close()]);
      }),
      { numRuns: times(8, 500) },
    );
  });
}

for (
  const [says, problem, shared = false] of [
    ["database or disk is full", "store-unavailable"],
    ["database is locked", "store-unavailable"],
    ["attempt to write a readonly database", "store-unavailable"],
    ["disk I/O error", "outcome-unknown"],
    ["something new", "outcome-unknown"],
    ["connection reset", "outcome-unknown", true],
  ] as const
) {
  Deno.test(`on ${shared ? "a shared" : "one's own"} Deno KV, a commit that fails with "${says}" is ${problem}, and leaves nothing known`, async () => {
    const kv = await Deno.openKv(":memory:");
    const store = await kvStore({ kv, shared });
    await store.add([addition(A, 1)]);
    overrideNextCommit(kv, () => Promise.reject(new TypeError(says)));
    await rejectsWith(problem, store.add([addition(A, 1)]));
    strictEqual(store.known?.(A), undefined);
    deepStrictEqual(await store.add([addition(A, 1)]), [2]);
    await store.close();
  });
}

Deno.test("on Deno KV, one commit that fails says nothing of the others of a batch", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv });
  overrideNextCommit(kv, () => Promise.reject(new TypeError("database or disk is full")));
  const outcomes = (await store.add(MANY.map((id) => addition(id, 1)))).map(shown);
  deepStrictEqual(outcomes, MANY.map((_, index) => index < 100 ? "store-unavailable" : 1));
  deepStrictEqual(
    (await store.add(MANY.map((id) => addition(id, 1)))).map(shown),
    MANY.map((_, index) => index < 100 ? 1 : 2),
  );
  await store.close();
});

Deno.test("on a shared Deno KV, a hit between the read and the commit of a set is part of what it replaces", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv, shared: true });
  await store.add([addition(A, 5)]);
  const tomorrow = await kvStore({ kv, shared: true, today: () => SOME_DAY + 1 });
  overrideNextRead(kv, async (read) => {
    const entries = await read();
    await tomorrow.add([addition(A, 1)]);
    return entries;
  });
  const update = { hits: 100, days: undefined, mode: "replace" } as const;
  const held = { hits: 6, days: { newest: SOME_DAY + 1, hits: [1, 5] } };
  deepStrictEqual(await store.write([{ id: A, update }]), [held]);
  deepStrictEqual(await store.history([{ id: A, since: -Infinity }]), [{ ...held, hits: 100 }]);
  await store.close();
});

/** Lets another writer change a counter before each commit that checks it. */
function writeBeforeCommits(kv: Deno.Kv, id: CounterId): void {
  const begin = kv.atomic.bind(kv);
  let total = 1000n;
  Object.defineProperty(kv, "atomic", {
    value() {
      const operation = begin();
      const [check, commit] = [operation.check.bind(operation), operation.commit.bind(operation)];
      let isContested = false;
      return Object.defineProperties(operation, {
        check: {
          value: (...checks: Deno.AtomicCheck[]) => {
            isContested ||= checks.some(({ key }) => key[1] === id);
            return check(...checks);
          },
        },
        commit: {
          value: async () => {
            if (isContested) await kv.set([PREFIX, id], new Deno.KvU64(++total));
            return await commit();
          },
        },
      });
    },
  });
}

async function totalIn(kv: Deno.Kv, id: CounterId): Promise<number> {
  return Number((await kv.get<Deno.KvU64>([PREFIX, id])).value?.value ?? 0);
}

/** Some of the counters: so many, from one on, each so far from the one before. */
const some = fc.record({
  first: fc.nat(MANY.length - 1),
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

function chosen({ first, step, count }: { first: number; step: number; count: number }) {
  const places = Array.from({ length: count }, (_, index) => (first + index * step) % MANY.length);
  return [...new Set(places)].map((place) => MANY[place] ?? A);
}
