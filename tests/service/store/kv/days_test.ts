import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../../src/domain/counter_id.ts";
import type { CounterState } from "../../../../src/domain/history.ts";
import type { CounterStore, ListedCounter } from "../../../../src/domain/store.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import { testHistory } from "../../../support/history_contract.ts";
import { KV_KINDS } from "../../../support/kv_backend.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { addition } from "../../../support/store_contract.ts";

// A database in memory ends with its store, but these tests open it again.
const LASTING = KV_KINDS.filter(({ kind }) => kind.keeps);

for (const { name, kind } of LASTING) testHistory(name, kind);

const IDS = Array.from({ length: 700 }, (_, index) => counterId(`page/${index}`));
/** Set from time to time, whose days fill three years and always add up to the total. */
const SET = counterId("page/350");

for (const { name, kind } of LASTING) {
  Deno.test(`on ${name}, a list made while counters are hit, set and removed has each once, of one instant`, async () => {
    await using backend = await kind.start();
    let today = SOME_DAY;
    const store = await backend.open(() => today);
    for (const part of parts(IDS)) await store.add(part.map((id) => addition(id, 1)));
    let listing = true;
    const changing = (async () => {
      for (let round = 0; listing; round++) {
        today = SOME_DAY + round;
        const some = IDS.filter((id, index) => index % 7 === round % 7 && id !== SET);
        for (const part of parts(some)) await store.add(part.map((id) => addition(id, 2)));
        await setTo(store, round);
        const gone = counterId(`gone/${round % 3}`);
        if (round % 2 === 0) await store.add([addition(gone, 1)]);
        else await store.write([{ id: gone, update: undefined }]);
      }
    })();
    for (let list = 0; list < 6; list++) {
      const found = await listed(store);
      strictEqual(new Set(found.map(({ id }) => id)).size, found.length);
      deepStrictEqual(
        found.map(({ id }) => id).filter((id) => id.startsWith("page/")).toSorted(),
        IDS.toSorted(),
      );
      for (const counter of found) strictEqual(sumOf(counter), counter.hits, counter.id);
    }
    listing = false;
    await changing;
    await store.close();
  });
}

for (const { name, kind } of LASTING.filter(({ kind }) => kind.writers > 1)) {
  Deno.test(`on ${name}, the days of processes whose clocks differ add up to what was hit`, async () => {
    await using backend = await kind.start();
    const clocks = [SOME_DAY, SOME_DAY, SOME_DAY];
    const stores = await Promise.all(clocks.map((_, index) => {
      return backend.open(() => clocks[index] ?? SOME_DAY);
    }));
    const id = counterId("home");
    for (let round = 0; round < 12; round++) {
      // One is ahead over midnight, then all are there.
      clocks[round % 3] = SOME_DAY + Math.ceil((round + 1) / 3);
      await Promise.all(stores.map((store, index) => store.add([addition(id, index + 1)])));
    }
    const [held] = await stores[0]?.history([{ id, since: -Infinity }]) ?? [];
    ok(held !== undefined && !(held instanceof Failure));
    strictEqual(held.hits, 12 * 6);
    strictEqual(sumOf(held), held.hits);
    ok(held.days?.hits.every((hits) => hits >= 0));
    await Promise.all(stores.map((store) => store.close()));
  });
}

Deno.test("on Deno KV, a day that is ahead is reported with its counter by the hit that ends it", async () => {
  const reported: string[] = [];
  let today = SOME_DAY + 1;
  const store = await kvStore({
    kv: await Deno.openKv(":memory:"),
    today: () => today,
    msUntilMidnight: () => 43_200_000,
    onAhead: (id) => reported.push(id),
  });
  await store.add([addition(counterId("home"), 1)]);
  today = SOME_DAY;
  await store.add([addition(counterId("home"), 1)]);
  deepStrictEqual(reported, ["home"]);
  await store.close();
});

/** Sets a counter to a number that its days add up to. */
async function setTo(store: CounterStore, hits: number): Promise<void> {
  const days = { newest: SOME_DAY - 400, hits: [hits, ...Array(700).fill(0)] };
  await store.write([{ id: SET, update: { hits, days, mode: "replace" } }]);
}

function parts(ids: readonly CounterId[]): CounterId[][] {
  const size = 100;
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => {
    return ids.slice(part * size, (part + 1) * size);
  });
}

async function listed(store: CounterStore): Promise<ListedCounter[]> {
  const found: ListedCounter[] = [];
  for await (const { counters } of store.list({ prefix: "", since: -Infinity })) {
    found.push(...counters);
  }
  return found;
}

function sumOf({ days }: CounterState): number {
  return (days?.hits ?? []).reduce((sum, hits) => sum + hits, 0);
}
