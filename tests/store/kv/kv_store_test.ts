import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/counter/counter_id.ts";
import type { CounterId } from "../../../src/counter/counter_id.ts";
import { createCounters } from "../../../src/counter/counters.ts";
import { type KvFile, openKvFile } from "../../../src/store/kv/kv_file.ts";
import { createKvStore } from "../../../src/store/kv/kv_store.ts";
import { createOwnDatabase } from "../../../src/store/kv/own_database.ts";
import { createSharedDatabase } from "../../../src/store/kv/shared_database.ts";
import type { CounterStore } from "../../../src/counter/store.ts";
import { type KvConnectServer, startKvConnect } from "../../support/kv_connect.ts";
import { addition, type Backend, rejectsWith, testStore } from "../../support/store_contract.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { timeLimit } from "../../support/time_limit.ts";
import { waitFor } from "../../support/wait_for.ts";
import { UNWATCHED } from "../../../src/store/store_health.ts";

const PREFIX = "hits:";
const HOME = counterId("home");

/** Values of Deno KV that are not counters. */
const FOREIGN = new Map<string, unknown>([
  ["a text", "not a number"],
  ["a text of digits", "5"],
  ["a number", 5],
  ["the number 1.5", 1.5],
  ["the number -1", -1],
  ["a bigint", 7n],
  ["a list", [1, 2]],
  ["an object", { hits: 5 }],
  ["an object with a value", { value: 7n }],
  ["null", null],
  ["bytes", new Uint8Array([1, 2, 3])],
  ["2^53 as a KvU64", new Deno.KvU64(2n ** 53n)],
  ["the largest KvU64", new Deno.KvU64(2n ** 64n - 1n)],
]);

testStore("createKvStore in memory", {
  foreign: [...FOREIGN.keys()],
  writers: 1,
  keeps: false,
  start: async () => {
    const kv = await Deno.openKv(":memory:");
    return backendOf({
      kv: () => kv,
      open: () => store({ kv, source: "memory" }),
      end: () => {},
    });
  },
});

testStore("createKvStore on a file", {
  foreign: [...FOREIGN.keys()],
  writers: 1,
  keeps: true,
  start: async () => {
    const folder = await tempDir();
    let kv: Deno.Kv;
    return backendOf({
      kv: () => kv,
      open: async () => {
        const file = await openKvFile(`${folder.path}/counters.kv`);
        kv = file.kv;
        return store({ kv, file });
      },
      end: () => folder[Symbol.asyncDispose](),
    });
  },
});

testStore("createKvStore shared", {
  foreign: [...FOREIGN.keys()],
  writers: 3,
  keeps: true,
  start: async () => {
    const server = startKvConnect();
    const own = await openRemote(server);
    return backendOf({
      kv: () => own,
      open: async () => store({ kv: await openRemote(server), shared: true }),
      end: async () => {
        own.close();
        await server[Symbol.asyncDispose]();
      },
    });
  },
});

Deno.test("createKvStore: a counter is a KvU64 under [prefix, id]", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = createCounters(store({ kv, prefix: "", source: "memory" }));
  await counters.hit(HOME);
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  deepStrictEqual(entries.map(({ key, value }) => [key, value]), [[
    ["", HOME],
    new Deno.KvU64(1n),
  ]]);
  await counters.close();
});

Deno.test("createKvStore: the longest ids fit into a commit with the longest prefix", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = store({ kv, prefix: "日".repeat(200), source: "memory" });
  const additions = Array.from(
    { length: counters.idsPerBatch },
    (_, index) => addition(counterId(`${index}`.padStart(200, "x")), 1),
  );
  deepStrictEqual(await counters.change(additions), additions.map(() => 1));
  await counters.close();
});

Deno.test("createKvStore: an only writer commits known ids without reading them", async () => {
  await using server = startKvConnect();
  const only = store({ kv: await openRemote(server) });
  await only.change([addition(HOME, 1)]);
  const reads = server.reads;
  for (let total = 2; total <= 10; total++) {
    deepStrictEqual(await only.change([addition(HOME, 1)]), [total]);
  }
  strictEqual(server.reads, reads);
  strictEqual(server.commits, 10);
  await only.close();
});

Deno.test("createKvStore: an only writer knows what is committed, and not before", async () => {
  await using server = startKvConnect();
  const only = store({ kv: await openRemote(server) });
  strictEqual(only.known?.(HOME), undefined);
  const first = only.change([addition(HOME, 1)]);
  strictEqual(only.known?.(HOME), undefined);
  await first;
  strictEqual(only.known?.(HOME), 1);
  const second = only.change([addition(HOME, 2)]);
  strictEqual(only.known?.(HOME), 1);
  await second;
  strictEqual(only.known?.(HOME), 3);
  await only.close();
});

Deno.test("createKvStore shared: no number is known without asking, as others write too", async () => {
  await using server = startKvConnect();
  const shared = store({ kv: await openRemote(server), shared: true });
  await shared.change([addition(HOME, 1)]);
  deepStrictEqual(await shared.read([HOME]), [1]);
  strictEqual(shared.known?.(HOME), undefined);
  await shared.close();
});

Deno.test("createKvStore: what another wrote after all is found and counted on", async () => {
  const kv = await Deno.openKv(":memory:");
  const only = store({ kv, source: "memory" });
  await only.change([addition(HOME, 1)]);
  await kv.set([PREFIX, HOME], new Deno.KvU64(50n));
  deepStrictEqual(await only.change([addition(HOME, 2)]), [52]);
  await only.close();
});

Deno.test("createKvStore: 300 hits at once on known ids are a few commits", async () => {
  await using server = startKvConnect();
  const counters = createCounters(store({ kv: await openRemote(server) }));
  await Promise.all(Array.from({ length: 300 }, () => counters.hit(HOME)));
  ok(server.commits <= 3, `${server.commits} commits`);
  await counters.close();
});

Deno.test("createKvStore shared: a commit whose answer was lost counts once", async () => {
  await using server = startKvConnect();
  const shared = store({ kv: await openRemote(server), shared: true });
  await shared.change([addition(HOME, 1)]);
  for (const as of ["status", "body"] as const) {
    const [before] = await shared.read([HOME]);
    server.loseNextAnswer({ as });
    deepStrictEqual(await shared.change([addition(HOME, 2)]), [Number(before) + 2], as);
    deepStrictEqual(await shared.read([HOME]), [Number(before) + 2], as);
  }
  await shared.close();
});

Deno.test("createKvStore shared: a conflict with another writer is tried again", async () => {
  await using server = startKvConnect();
  const shared = store({ kv: await openRemote(server), shared: true });
  const other = store({ kv: await openRemote(server), shared: true });
  server.conflictNext(() => other.change([addition(HOME, 5)]));
  deepStrictEqual(await shared.change([addition(HOME, 1)]), [6]);
  await Promise.all([shared.close(), other.close()]);
});

Deno.test("createKvStore shared: conflicts without end are given up before the deadline", async () => {
  await using server = startKvConnect();
  const other = await openRemote(server);
  const shared = store({ kv: await openRemote(server), shared: true });
  let last = 0;
  async function interfere(): Promise<void> {
    await other.set([PREFIX, HOME], new Deno.KvU64(BigInt(++last)));
    // Not earlier: that write is one too.
    server.conflictNext(interfere);
  }
  server.conflictNext(interfere);
  const start = performance.now();
  await rejectsWith("store-unavailable", shared.change([addition(HOME, 1)]));
  ok(performance.now() - start < timeLimit(2000));
  strictEqual((await other.get<Deno.KvU64>([PREFIX, HOME])).value?.value, BigInt(last));
  server.conflictNext(() => Promise.resolve());
  await shared.close();
  other.close();
});

Deno.test("createKvStore shared: a mark of the writer is the only other key", async () => {
  await using server = startKvConnect();
  const kv = await openRemote(server);
  const shared = store({ kv: await openRemote(server), shared: true });
  for (let hit = 0; hit < 3; hit++) await shared.change([addition(HOME, 1)]);
  const keys = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key[0]);
  deepStrictEqual(keys, [PREFIX, "tallymark"]);
  await shared.close();
  kv.close();
});

Deno.test("createKvStore shared: no second commit goes out while one is overdue", async () => {
  await using server = startKvConnect();
  const counters = createCounters(store({ kv: await openRemote(server), shared: true }));
  strictEqual(await counters.hit(HOME), 1);
  server.goAway();
  await rejectsWith("outcome-unknown", counters.hit(HOME));
  const start = performance.now();
  await rejectsWith("store-unavailable", counters.hit(HOME));
  ok(performance.now() - start < timeLimit(500));
  server.comeBack();
  // The overdue hit arrives after all, and the one that was refused does not.
  const next = await waitFor("the store", () => counters.hit(HOME).catch(() => undefined));
  strictEqual(next, 3);
  await counters.close();
});

Deno.test("createKvStore: what is read while a commit is under way is not kept", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set([PREFIX, "a"], new Deno.KvU64(1n));
  const asked = store({ kv, source: "memory" });
  const id = counterId("a");
  const read = kv.getMany.bind(kv);
  const [fetched, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The first read has its answer, and hands it on only after the commit.
  Object.defineProperty(kv, "getMany", {
    configurable: true,
    async value(keys: Deno.KvKey[]) {
      Object.defineProperty(kv, "getMany", { value: read });
      const entries = await read(keys);
      fetched.resolve();
      await released.promise;
      return entries;
    },
  });
  const early = asked.read([id]);
  await fetched.promise;
  deepStrictEqual(await asked.change([addition(id, 1)]), [2]);
  released.resolve();
  deepStrictEqual(await early, [1]);
  deepStrictEqual(await asked.read([id]), [2]);
  deepStrictEqual(await asked.change([addition(id, 1)]), [3]);
});

Deno.test("createKvStore: asks once for a counter that it has read, and again for one that was never hit", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set([PREFIX, "a"], new Deno.KvU64(7n));
  const asked = store({ kv, source: "memory" });
  const [a, b] = [counterId("a"), counterId("b")];
  let reads = 0;
  const read = kv.getMany.bind(kv);
  Object.defineProperty(kv, "getMany", {
    value: (keys: Deno.KvKey[]) => {
      reads++;
      return read(keys);
    },
  });
  for (let round = 0; round < 3; round++) deepStrictEqual(await asked.read([a]), [7]);
  strictEqual(reads, 1);
  for (let round = 0; round < 3; round++) deepStrictEqual(await asked.read([b]), [0]);
  strictEqual(reads, 4);
});

interface StoreOptions {
  kv: Deno.Kv;
  prefix?: string;
  source?: "deno-kv" | "memory";
  file?: KvFile;
  /** Whether others write to the database as well. */
  shared?: boolean;
}

function store(
  { kv, prefix = PREFIX, source = "deno-kv", file, shared }: StoreOptions,
): CounterStore {
  const database = shared
    ? createSharedDatabase({ kv, prefix })
    : createOwnDatabase({ kv, prefix, ...file && { file } });
  return createKvStore({ database, prefix, source, health: UNWATCHED });
}

interface KvBackend {
  kv(): Deno.Kv;
  open(): CounterStore | Promise<CounterStore>;
  end(): void | PromiseLike<void>;
}

function backendOf({ kv, open, end }: KvBackend): Backend {
  const set = (id: CounterId, value: unknown) => kv().set([PREFIX, id], value);
  return {
    open: async () => await open(),
    setNumber: (id, number) => set(id, new Deno.KvU64(BigInt(number))),
    setForeign: (id, name) => set(id, FOREIGN.get(name)),
    async raw(id) {
      const { value, versionstamp } = await kv().get([PREFIX, id]);
      return versionstamp === null ? undefined : { value, versionstamp };
    },
    [Symbol.asyncDispose]: async () => await end(),
  };
}

async function openRemote({ url, token }: KvConnectServer): Promise<Deno.Kv> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return await Deno.openKv(url);
}
