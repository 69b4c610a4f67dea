import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../src/counter/counter_id.ts";
import { createOwnDatabase } from "../../../src/store/kv/own_database.ts";
import type { KvDatabase } from "../../../src/store/kv/kv_database.ts";
import { rejectsWith } from "../../support/store_contract.ts";

const PREFIX = "hits:";
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
  Deno.test(`createOwnDatabase: a commit that fails with "${says}" and is not there is ${problem}`, async () => {
    using kv = await Deno.openKv(":memory:");
    const database = createOwnDatabase({ kv, prefix: PREFIX });
    const failing = overridden(kv.atomic(), () => Promise.reject(new TypeError(says)));
    await rejectsWith(problem, commit(database, failing, A));
    strictEqual(database.known(A), undefined);
  });
}

Deno.test("createOwnDatabase: a commit that fails and is there all the same was carried out", async () => {
  using kv = await Deno.openKv(":memory:");
  const database = createOwnDatabase({ kv, prefix: PREFIX });
  const operation = kv.atomic();
  const carryOut = operation.commit.bind(operation);
  const failing = overridden(operation, async () => {
    await carryOut();
    throw new TypeError("disk I/O error");
  });
  const versionstamp = await commit(database, failing, A);
  strictEqual(versionstamp, (await kv.get([PREFIX, A])).versionstamp);
});

Deno.test("createOwnDatabase: what is read while any of several commits is under way is not kept", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set([PREFIX, B], new Deno.KvU64(7n));
  const database = createOwnDatabase({ kv, prefix: PREFIX });
  const slow = Promise.withResolvers<void>();
  const operation = kv.atomic();
  const carryOut = operation.commit.bind(operation);
  const late = commit(
    database,
    overridden(operation, () => slow.promise.then(() => carryOut())),
    A,
  );
  await commit(database, kv.atomic(), A);
  deepStrictEqual((await database.read([B])).map(({ outcome }) => outcome), [7]);
  strictEqual(database.known(B), undefined);
  slow.resolve();
  await late;
  await database.read([B]);
  strictEqual(database.known(B)?.outcome, 7);
});

/** Sets a counter that was not there. */
function commit(database: KvDatabase, operation: Deno.AtomicOperation, id: CounterId) {
  operation.set([PREFIX, id], new Deno.KvU64(1n));
  return database.commit(operation, {
    ids: [id],
    entries: [{ outcome: 0, versionstamp: null }],
  });
}

/** The operation with another way to be carried out. */
function overridden(
  operation: Deno.AtomicOperation,
  commit: Deno.AtomicOperation["commit"],
): Deno.AtomicOperation {
  return Object.defineProperty(operation, "commit", { value: commit });
}
