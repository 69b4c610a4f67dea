import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../src/counter/counter_id.ts";
import { kvKeys } from "../../../src/store/kv/layout.ts";
import { openOwnDatabase } from "../../../src/store/kv/own_database.ts";
import {
  additionPlan,
  assumesAbsent,
  createPlanner,
  type Plan,
} from "../../../src/store/kv/planner.ts";
import { placeOf } from "../../support/kv_store.ts";
import { overrideNextCommit } from "../../support/next_commit.ts";
import { rejectsWith } from "../../support/store_contract.ts";

const CALENDAR = { timeZone: "UTC", today: () => 0, msUntilMidnight: () => 86_400_000 };
const keys = kvKeys("hits:");
const A = counterId("a");
const B = counterId("b");

for (
  const [says, problem] of [
    ["database or disk is full", "store-unavailable"],
    ["database is locked", "store-unavailable"],
    ["attempt to write a readonly database", "store-unavailable"],
    ["disk I/O error", "outcome-unknown"],
    ["something new", "outcome-unknown"],
  ] as const
) {
  Deno.test(`openOwnDatabase: a commit that fails with "${says}" and is not there is ${problem}`, async () => {
    using kv = await Deno.openKv(":memory:");
    const database = await openOwnDatabase(placeOf(kv));
    overrideNextCommit(kv, () => Promise.reject(new TypeError(says)));
    await rejectsWith(problem, database.commit([firstHit(A)]));
    strictEqual(database.known(A), undefined);
  });
}

Deno.test("openOwnDatabase: a commit that fails and is there all the same was carried out", async () => {
  using kv = await Deno.openKv(":memory:");
  const database = await openOwnDatabase(placeOf(kv));
  overrideNextCommit(kv, async (carryOut) => {
    await carryOut();
    throw new TypeError("disk I/O error");
  });
  strictEqual(await database.commit([firstHit(A)]), true);
  strictEqual(database.known(A)?.versionstamp, (await kv.get(keys.total(A))).versionstamp);
});

Deno.test("openOwnDatabase: a commit that fails is not taken for carried out because somebody else changed one of its counters", async () => {
  using kv = await Deno.openKv(":memory:");
  const database = await openOwnDatabase(placeOf(kv));
  overrideNextCommit(kv, async () => {
    await kv.set(keys.total(B), new Deno.KvU64(7n));
    throw new TypeError("disk I/O error");
  });
  await rejectsWith("outcome-unknown", database.commit([firstHit(A), firstHit(B)]));
  strictEqual(database.known(A), undefined);
});

Deno.test("openOwnDatabase: after an optimistic insert that fails nobody knows whether its counters were there before", async () => {
  using kv = await Deno.openKv(":memory:");
  const ids = Array.from({ length: 50 }, (_, index) => counterId(`n${index}`));
  const database = await openOwnDatabase(placeOf(kv));
  const update = { hits: 5, days: undefined, mode: "replace" } as const;
  const plans = await createPlanner(database, CALENDAR)
    .writes(ids.map((id) => ({ id, update })), false);
  ok(plans.every(assumesAbsent));
  // Nothing says that it is not this very commit, as an earlier import may have set them together.
  strictEqual(await (await openOwnDatabase(placeOf(kv))).commit(plans), true);
  overrideNextCommit(kv, () => Promise.reject(new TypeError("disk I/O error")));
  await rejectsWith("outcome-unknown", database.commit(plans));
  strictEqual(database.known(A), undefined);
});

Deno.test("openOwnDatabase: what is read while a commit is under way is not kept", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(keys.total(B), new Deno.KvU64(7n));
  const database = await openOwnDatabase(placeOf(kv));
  const question = { id: B, withLedger: false };
  const slow = Promise.withResolvers<void>();
  overrideNextCommit(kv, (carryOut) => slow.promise.then(carryOut));
  const late = database.commit([firstHit(A)]);
  deepStrictEqual((await database.read([question])).map(({ outcome }) => outcome), [7]);
  strictEqual(database.known(B), undefined);
  slow.resolve();
  strictEqual(await late, true);
  await database.read([question]);
  strictEqual(database.known(B)?.outcome, 7);
});

Deno.test("openOwnDatabase: the number that was seen last stays although it is sure no more, also a 0", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(keys.total(B), new Deno.KvU64(7n));
  const database = await openOwnDatabase(placeOf(kv));
  strictEqual(database.lastSeen(A), undefined);
  const queries = [A, B].map((id) => ({ id, withLedger: false }));
  await database.read(queries);
  deepStrictEqual([A, B].map((id) => database.lastSeen(id)), [0, 7]);
  deepStrictEqual([A, B].map((id) => database.known(id)?.outcome), [undefined, 7]);
  overrideNextCommit(kv, () => Promise.reject(new TypeError("disk I/O error")));
  await rejectsWith("outcome-unknown", database.commit([firstHit(A), firstHit(B)]));
  deepStrictEqual([A, B].map((id) => database.lastSeen(id)), [0, 7]);
  strictEqual(database.known(B), undefined);
  // Nobody knows what became of that commit: what is read now is not sure either.
  await kv.set(keys.total(B), new Deno.KvU64(9n));
  await database.read(queries);
  strictEqual(database.lastSeen(B), 9);
  strictEqual(database.known(B), undefined);
  await kv.set(keys.total(B), "no counter");
  await database.serialize(() => database.read(queries));
  strictEqual(database.lastSeen(B), 9);
});

function firstHit(id: CounterId): Plan {
  const absent = { outcome: 0, versionstamp: null, openDay: -Infinity };
  return additionPlan({ id, amount: 1 }, absent, 0);
}
