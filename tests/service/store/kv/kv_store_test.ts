import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { createCounters } from "../../../../src/counters/counters.ts";
import type { StoreCalls } from "../../../../src/domain/store.ts";
import { isFullDisk } from "../../../../src/problem.ts";
import { fakeClock } from "../../../support/fake_clock.ts";
import { NOOP_HEALTH } from "../../../support/noop_health.ts";
import { testOnce } from "../../../support/once_contract.ts";
import { KV_KINDS, openRemote } from "../../../support/kv_backend.ts";
import { startKvConnect } from "../../../support/kv_connect.ts";
import { addition, hitEach, rejectsWith, testStore } from "../../../support/store_contract.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { overrideNextCommit, overrideNextRead } from "../../../support/next_commit.ts";
import { waitFor } from "../../../support/wait_for.ts";

const PREFIX = "hits:";
const HOME = counterId("home");
const OTHER = counterId("other");
/** More counters than the 10,000 whose numbers a process keeps. */
const MANY = 10_500;

for (const { name, kind } of KV_KINDS) {
  testStore(name, kind);
  testOnce(name, kind);
}

Deno.test("on Deno KV, a counter is a KvU64 under [prefix, id], its days are bytes elsewhere", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = createCounters(await kvStore({ kv, prefix: "", source: "memory" }));
  await counters.hit(HOME);
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  await counters.close();
  deepStrictEqual(entries.map(({ key }) => key), [["", HOME], ["tallymark", "days", "", HOME]]);
  deepStrictEqual(entries[0]?.value, new Deno.KvU64(1n));
  ok(entries[1]?.value instanceof Uint8Array);
});

Deno.test("on Deno KV, the longest ids fit into a commit with the longest prefix", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = await kvStore({ kv, prefix: "日".repeat(200), source: "memory" });
  const additions = Array.from(
    { length: counters.idsPerBatch },
    (_, index) => addition(counterId(`${index}`.padStart(200, "x")), 1),
  );
  deepStrictEqual(await counters.add(additions), additions.map(() => 1));
  await counters.close();
});

Deno.test("on Deno KV, hits on many counters read none of them again on the same day", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv });
  await hitEach(store, MANY);
  const reads = countReads(kv);
  await hitEach(store, MANY);
  strictEqual(reads(), 0);
  await store.close();
});

Deno.test("on Deno KV, an only writer commits known ids without reading them", async () => {
  await using server = startKvConnect();
  const only = await kvStore({ kv: await openRemote(server) });
  await only.add([addition(HOME, 1)]);
  const reads = server.reads;
  for (let total = 2; total <= 10; total++) {
    deepStrictEqual(await only.add([addition(HOME, 1)]), [total]);
  }
  strictEqual(server.reads, reads);
  strictEqual(server.commits, 10);
  await only.close();
});

Deno.test("on Deno KV, an only writer knows what is committed, and not before", async () => {
  await using server = startKvConnect();
  const only = await kvStore({ kv: await openRemote(server) });
  strictEqual(only.known?.(HOME), undefined);
  const first = only.add([addition(HOME, 1)]);
  strictEqual(only.known?.(HOME), undefined);
  await first;
  strictEqual(only.known?.(HOME), 1);
  const second = only.add([addition(HOME, 2)]);
  strictEqual(only.known?.(HOME), 1);
  await second;
  strictEqual(only.known?.(HOME), 3);
  await only.close();
});

Deno.test("on a shared Deno KV, no number is known without asking, as others write too", async () => {
  await using server = startKvConnect();
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  await shared.add([addition(HOME, 1)]);
  deepStrictEqual(await shared.read([HOME]), [1]);
  strictEqual(shared.known?.(HOME), undefined);
  await shared.close();
});

Deno.test("on Deno KV, what another wrote after all is found and counted on", async () => {
  const kv = await Deno.openKv(":memory:");
  const only = await kvStore({ kv, source: "memory" });
  await only.add([addition(HOME, 1)]);
  await kv.set([PREFIX, HOME], new Deno.KvU64(50n));
  deepStrictEqual(await only.add([addition(HOME, 2)]), [52]);
  await only.close();
});

Deno.test("on Deno KV, 300 hits at once on known ids are a few commits", async () => {
  await using server = startKvConnect();
  const counters = createCounters(await kvStore({ kv: await openRemote(server) }));
  await Promise.all(Array.from({ length: 300 }, () => counters.hit(HOME)));
  ok(server.commits <= 3, `${server.commits} commits`);
  await counters.close();
});

Deno.test("on a shared Deno KV, a commit whose answer was lost counts once", async () => {
  await using server = startKvConnect();
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  await shared.add([addition(HOME, 1)]);
  for (const as of ["status", "body"] as const) {
    const [before] = await shared.read([HOME]);
    server.loseNextAnswer({ as });
    deepStrictEqual(await shared.add([addition(HOME, 2)]), [Number(before) + 2], as);
    deepStrictEqual(await shared.read([HOME]), [Number(before) + 2], as);
  }
  await shared.close();
});

Deno.test("on a shared Deno KV, a commit that fails and is not stored is not tried again, because it may still arrive", async () => {
  const kv = await Deno.openKv(":memory:");
  const shared = await kvStore({ kv, shared: true });
  await shared.add([addition(HOME, 1)]);
  let arrive: () => unknown = () => fail("No commit was begun");
  overrideNextCommit(kv, (carryOut) => {
    arrive = carryOut;
    return Promise.reject(new Error("The connection is lost"));
  });
  await rejectsWith("outcome-unknown", shared.add([addition(HOME, 2)]));
  await arrive();
  deepStrictEqual(await shared.add([addition(HOME, 4)]), [7]);
  await shared.close();
});

for (
  const [what, hit] of [
    ["hit", (store: StoreCalls) => store.add([addition(HOME, 1)])],
    ["hit with a key", (store: StoreCalls) => store.addOnce([{ id: HOME, hits: [{ key: "k" }] }])],
    [
      "set",
      (store: StoreCalls) =>
        store.write([{ id: HOME, update: { hits: 1, days: undefined, mode: "replace" } }]),
    ],
  ] as const
) {
  Deno.test(`on a shared Deno KV, a ${what} that is repeated does not bring back what another process deleted`, async () => {
    await using server = startKvConnect();
    const shared = await kvStore({ kv: await openRemote(server), shared: true });
    const other = await kvStore({ kv: await openRemote(server), shared: true });
    const deleteByOther = () => other.write([{ id: HOME, update: undefined }]);
    for (let life = 0; life < 2; life++) {
      server.loseNextAnswer({ cut: () => server.conflictNext(deleteByOther) });
      await hit(shared);
      deepStrictEqual(await other.read([HOME]), [0], `life ${life}`);
    }
    deepStrictEqual(await shared.add([addition(HOME, 1)]), [1]);
    await Promise.all([shared.close(), other.close()]);
  });
}

Deno.test("on a shared Deno KV, a conflict with another writer is tried again", async () => {
  await using server = startKvConnect();
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  const other = await kvStore({ kv: await openRemote(server), shared: true });
  server.conflictNext(() => other.add([addition(HOME, 5)]));
  deepStrictEqual(await shared.add([addition(HOME, 1)]), [6]);
  await Promise.all([shared.close(), other.close()]);
});

Deno.test("on a shared Deno KV, a conflict is not taken for success because another commit of the store succeeded", async () => {
  await using server = startKvConnect();
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  const other = await kvStore({ kv: await openRemote(server), shared: true });
  await shared.add([addition(HOME, 1)]);
  server.conflictNext(async () => {
    await other.add([addition(HOME, 4)]);
    await shared.addOnce([{ id: counterId("post"), hits: [{ key: "k" }] }]);
  });
  deepStrictEqual(await shared.add([addition(HOME, 1)]), [6]);
  deepStrictEqual(await other.read([HOME]), [6]);
  await Promise.all([shared.close(), other.close()]);
});

Deno.test("on a shared Deno KV, a visitor whom another process counts meanwhile gets the number of then", async () => {
  const kv = await Deno.openKv(":memory:");
  const [shared, other] = await Promise.all([1, 2].map(() => kvStore({ kv, shared: true })));
  const addition = { id: HOME, hits: [{ visitor: "v", remember: true }] };
  overrideNextRead(kv, async (read) => {
    const entries = await read();
    await other?.addOnce([addition]);
    return entries;
  });
  deepStrictEqual(await shared?.addOnce([addition]), [[{ hits: 1, repeat: true }]]);
  await shared?.close();
});

Deno.test("on a shared Deno KV, after one process deletes a counter, hits of another on it are no repeats", async () => {
  const kv = await Deno.openKv(":memory:");
  const [shared, other] = await Promise.all([1, 2].map(() => kvStore({ kv, shared: true })));
  const hits = [{ key: "k" }, { visitor: "v", remember: true }];
  const first = [[{ hits: 1, repeat: false }, { hits: 2, repeat: false }]];
  for (let life = 0; life < 2; life++) {
    deepStrictEqual(await shared?.addOnce([{ id: HOME, hits }]), first);
    await other?.write([{ id: HOME, update: undefined }]);
    await other?.add([addition(HOME, 5)]);
    await other?.write([{ id: HOME, update: undefined }]);
  }
  await shared?.close();
});

Deno.test("on a shared Deno KV, 100 counters that are hit at once are counted in commits of 10 checks, one of which is the writer's", async () => {
  await using server = startKvConnect({ checks: 10 });
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  const ids = Array.from({ length: 100 }, (_, index) => counterId(`n${index}`));
  const additions = ids.map((id, index) => addition(id, index + 1));
  for (const times of [1, 2]) {
    const outcomes = await shared.add(additions);
    deepStrictEqual(outcomes, additions.map(({ amount }) => times * amount));
  }
  strictEqual(server.commits, 24);
  strictEqual(server.refused, 0);
  await shared.close();
});

Deno.test("on a shared Deno KV, what the server refuses as too large was surely not counted", async () => {
  await using server = startKvConnect({ checks: 0 });
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  await rejectsWith("store-unavailable", shared.add([addition(HOME, 1)]));
  deepStrictEqual(await shared.read([HOME]), [0]);
  await shared.close();
});

Deno.test("on a shared Deno KV, conflicts without end are given up before the deadline", async () => {
  await using server = startKvConnect();
  const other = await openRemote(server);
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  await using clock = fakeClock({ isStopped: true });
  let last = 0;
  async function interfere(): Promise<void> {
    await other.set([PREFIX, HOME], new Deno.KvU64(BigInt(++last)));
    clock.pass(100);
    // Not earlier: that write is one too.
    server.conflictNext(interfere);
  }
  server.conflictNext(interfere);
  await rejectsWith("store-unavailable", shared.add([addition(HOME, 1)]));
  ok(100 * last < 2000, `given up at ${100 * last} ms`);
  strictEqual((await other.get<Deno.KvU64>([PREFIX, HOME])).value?.value, BigInt(last));
  server.conflictNext(() => Promise.resolve());
  await shared.close();
  other.close();
});

Deno.test("on a shared Deno KV, beside a counter there are its days and a mark of the writer", async () => {
  await using server = startKvConnect();
  const kv = await openRemote(server);
  const shared = await kvStore({ kv: await openRemote(server), shared: true });
  for (let hit = 0; hit < 3; hit++) await shared.add([addition(HOME, 1)]);
  const keys = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key.slice(0, 2));
  deepStrictEqual(keys, [[PREFIX, HOME], ["tallymark", "days"], ["tallymark", "writer"]]);
  await shared.close();
  kv.close();
});

Deno.test("on a shared Deno KV, no second commit goes out while one is overdue", async () => {
  await using server = startKvConnect();
  const counters = createCounters(await kvStore({ kv: await openRemote(server), shared: true }));
  strictEqual(await counters.hit(HOME), 1);
  server.goAway();
  await rejectsWith("outcome-unknown", counters.hit(HOME));
  const refused = counters.hit(HOME);
  strictEqual(counters.waiting, 0);
  await rejectsWith("store-unavailable", refused);
  server.comeBack();
  // The overdue hit arrives after all, and the one that was refused does not.
  const next = await waitFor("the store", () => counters.hit(HOME).catch(() => undefined));
  strictEqual(next, 3);
  await counters.close();
});

for (const message of ["database or disk is full", "attempt to write a readonly database"]) {
  Deno.test(`on Deno KV, after "${message}" a store is not ready until a write of its own succeeds`, async () => {
    const kv = await Deno.openKv(":memory:");
    const told: string[] = [];
    const health = {
      ...NOOP_HEALTH,
      unwritable: () => told.push("unwritable"),
      healthy: () => told.push("healthy"),
    };
    await using clock = fakeClock({ isStopped: true });
    const store = await kvStore({ kv, source: "memory", health });
    await store.check();
    const fail = () => overrideNextCommit(kv, () => Promise.reject(new Error(message)));
    fail();
    await rejectsWith("store-unavailable", store.add([addition(HOME, 1)]));
    deepStrictEqual(await store.read([HOME]), [0]);
    fail();
    const failed = await store.check().catch((error) => error);
    strictEqual(isFullDisk(failed), message.includes("full"));
    // The next write of its own comes a second after the last one.
    await rejectsWith("store-unavailable", store.check());
    deepStrictEqual(told, ["unwritable"]);
    clock.pass(1000);
    await store.check();
    deepStrictEqual(told, ["unwritable", "healthy"]);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    await store.close();
  });
}

Deno.test("on Deno KV, a hit waits for a read that began before it", async () => {
  const kv = await Deno.openKv(":memory:");
  await kv.set([PREFIX, HOME], new Deno.KvU64(1n));
  const store = await kvStore({ kv, source: "memory" });
  const released = Promise.withResolvers<void>();
  overrideNextRead(kv, (read) => released.promise.then(read));
  const reading = store.read([HOME]);
  const hit = store.add([addition(HOME, 1)]);
  released.resolve();
  deepStrictEqual([await reading, await hit], [[1], [2]]);
  strictEqual(store.known?.(HOME), 2);
  await store.close();
});

Deno.test("the store on Deno KV knows a counter that it has read, and none that was never hit", async () => {
  const kv = await Deno.openKv(":memory:");
  await kv.set([PREFIX, HOME], new Deno.KvU64(7n));
  const counters = createCounters(await kvStore({ kv, source: "memory" }));
  const reads = countReads(kv);
  for (let round = 0; round < 3; round++) strictEqual(await counters.total(HOME), 7);
  strictEqual(reads(), 1);
  for (let round = 0; round < 3; round++) strictEqual(await counters.total(OTHER), 0);
  strictEqual(reads(), 4);
  await counters.close();
});

Deno.test("on Deno KV, a number that was known is not told after the counter was set or deleted", async () => {
  const store = await kvStore({ kv: await Deno.openKv(":memory:") });
  const update = { hits: 70, days: undefined, mode: "replace" } as const;
  for (const [change, after] of [[update, 70], [undefined, 0]] as const) {
    await store.add([addition(HOME, 1)]);
    await store.write([{ id: HOME, update: change }]);
    strictEqual(store.known?.(HOME) ?? after, after);
    deepStrictEqual(await store.read([HOME]), [after]);
  }
  await store.close();
});

Deno.test("on Deno KV, a salt replaces what another program left in its place", async () => {
  const kv = await Deno.openKv(":memory:");
  await kv.set(["tallymark", "salt", SOME_DAY], 7);
  const get = kv.get.bind(kv);
  let reads = 0;
  Object.defineProperty(kv, "get", {
    value: (...args: Parameters<typeof get>) => {
      ok(++reads < 10, "it is read for ever");
      return get(...args);
    },
  });
  const store = await kvStore({ kv });
  strictEqual(await store.salt(SOME_DAY), await store.salt(SOME_DAY));
  await store.close();
});

/** Counts the calls of `getMany` from now on. */
function countReads(kv: Deno.Kv): () => number {
  let reads = 0;
  const getMany = kv.getMany.bind(kv);
  Object.defineProperty(kv, "getMany", {
    value: (...args: Parameters<typeof getMany>) => {
      reads++;
      return getMany(...args);
    },
  });
  return () => reads;
}
