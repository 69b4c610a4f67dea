import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { createCounters } from "../../../../src/counters/counters.ts";
import { type Reply, UNSENT } from "../../../../src/store/redis/reply.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import { type CounterStore, MAX_HITS } from "../../../../src/domain/store.ts";
import { createLog } from "../../../../src/log.ts";
import { Metrics } from "../../../../src/metrics.ts";
import { createStoreHealth, FORBIDDEN } from "../../../../src/store/store_health.ts";
import { fakeClock } from "../../../support/fake_clock.ts";
import { NOOP_HEALTH } from "../../../support/noop_health.ts";
import { redisKind, storeOn, testRedis } from "../../../support/redis_backend.ts";
import { testOnce } from "../../../support/once_contract.ts";
import { testHistory } from "../../../support/history_contract.ts";
import { needsRedis, type RedisServer } from "../../../support/redis_server.ts";
import { addition, rejectsWith, shown, testStore } from "../../../support/store_contract.ts";

const HOME = counterId("home");
const OTHER = counterId("other");
const SET_TO_6 = { hits: 6, days: undefined, mode: "replace" } as const;
/** 2026-06-01. */
const DAY_OF_2026 = 20_605;

const KIND = redisKind(needsRedis.ignore);

testStore("Redis", KIND);
testHistory("Redis", KIND);
testOnce("Redis", KIND);

for (const prefix of ["hits:", "", "日本:", "{tag}"]) {
  testRedis(`integers under "${prefix}" + id are the counters`, async ({ redis, open }) => {
    await redis.command("SET", `${prefix}home`, "1234");
    const store = await open({ prefix });
    deepStrictEqual(await store.read([HOME]), [1234]);
    deepStrictEqual(
      await store.add([addition(HOME, 2), addition(counterId("é"), 1)]),
      [
        1236,
        1,
      ],
    );
    strictEqual(await redis.command("GET", `${prefix}home`), "1236");
    strictEqual(await redis.command("GET", `${prefix}é`), "1");
    // Each with its ledger.
    strictEqual(await redis.command("DBSIZE"), 4);
  });
}

for (
  const [what, change] of [
    ["the first hit of a day", (store) => store.add([addition(HOME, 1)])],
    ["a hit with a key", (store) => store.addOnce([{ id: HOME, hits: [{ key: "k" }] }])],
    ["a set", (store) => store.write([{ id: HOME, update: SET_TO_6 }])],
  ] satisfies [string, (store: CounterStore) => Promise<unknown>][]
) {
  testRedis(`${what} removes a time to live`, async ({ redis, open }) => {
    await redis.command("SET", "hits:home", "5", "EX", "1000");
    const store = await open();
    await change(store);
    strictEqual(await redis.command("GET", "hits:home"), "6");
    strictEqual(await redis.command("TTL", "hits:home"), -1);
  });
}

/** Commands that leave something of another program under a key of the counter `home`. */
const FOREIGN_KEYS: readonly (readonly [command: string, key: string, ...values: string[]])[] = [
  ["RPUSH", "hits:home", "1"],
  ["HSET", "hits:home", "hits", "5"],
  ["SADD", "hits:home", "5"],
  ["ZADD", "hits:home", "5", "member"],
  ["XADD", "hits:home", "*", "hits", "5"],
  ["RPUSH", "{hits:home}days", "1"],
  ["HSET", "{hits:home}report", "hits", "5"],
];

for (const foreign of FOREIGN_KEYS) {
  testRedis(
    `${foreign.slice(0, 2)} by another program is found by sets and deletions, and stays`,
    async ({ redis, open }) => {
      const [, key] = foreign;
      await redis.command(...foreign);
      const before = await redis.command("DUMP", key);
      const store = await open();
      for (const update of [undefined, SET_TO_6]) {
        const outcomes = await store.write([{ id: HOME, update }, { id: OTHER, update }]);
        deepStrictEqual(outcomes.map(shown)[0], "not-a-counter");
        deepStrictEqual(await redis.command("DUMP", key), before);
        deepStrictEqual(await store.read([OTHER]), [update === undefined ? 0 : 6]);
      }
    },
  );
}

for (const key of ["{hits:home}days", "{hits:home}days2025", "{hits:home}report"]) {
  testRedis(
    `bytes under ${key} that are not UTF-8 are found by sets and deletions, and stay`,
    async ({ redis, open }) => {
      const store = await open({ today: () => DAY_OF_2026 });
      const days = { newest: DAY_OF_2026, hits: Array(300).fill(1) };
      await store.write([{ id: HOME, update: { ...SET_TO_6, days } }]);
      await redis.command("EVAL", "redis.call('SET', KEYS[1], '\\255\\254')", "1", key);
      const before = await redis.command("DUMP", key);
      for (const update of [undefined, SET_TO_6]) {
        deepStrictEqual((await store.write([{ id: HOME, update }])).map(shown), ["not-a-counter"]);
        deepStrictEqual(await redis.command("DUMP", key), before);
      }
      deepStrictEqual(await store.read([HOME]), [6]);
    },
  );
}

testRedis(
  "a key that its user may not use fails its counter alone, and is reported",
  async ({ redis, open }) => {
    const rules = ["~hits:*", "~{hits:*", "~tallymark:salt:*", "+@all"];
    await redis.command("ACL", "SETUSER", "few", "on", ">few", ...rules);
    const told: string[] = [];
    const health = {
      ...NOOP_HEALTH,
      unreachable: () => told.push("unreachable"),
      unwritable: () => told.push("unwritable"),
      forbidden: () => told.push("forbidden"),
    };
    const url = `redis://few:few@127.0.0.1:${redis.port}`;
    const store = await open({ url, health });
    deepStrictEqual(told, []);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    const scripts = await scriptCalls(redis);
    for (let round = 2; round < 5; round++) {
      const braced = counterId(`blog/}${round}`);
      const outcomes = await store.add([addition(HOME, 1), addition(braced, 1)]);
      deepStrictEqual(outcomes.map(shown), [round, "store-unavailable"]);
      const queries = [HOME, braced].map((id) => ({ id, since: 0 }));
      const states = await store.history(queries);
      deepStrictEqual(states.map((state) => state instanceof Failure ? state.kind : state.hits), [
        round,
        "store-unavailable",
      ]);
      await store.check();
    }
    // Three checks. The day of `home` stays open, and the scripts of the others are refused.
    strictEqual(await scriptCalls(redis), scripts + 3);
    deepStrictEqual(new Set(told), new Set(["forbidden"]));
  },
);

/** Returns the number of scripts that a Redis has run. */
async function scriptCalls(redis: RedisServer): Promise<number> {
  const stats = String(await redis.command("INFO", "commandstats"));
  const calls = stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm);
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}

testRedis(
  "a thousand writes at once have each its own outcome, also while all are hit",
  async ({ redis, open }) => {
    const store = await open();
    // However slow the machine is, no write gives up because of conflicts.
    await using _clock = fakeClock({ isStopped: true });
    const ids = Array.from({ length: 1000 }, (_, index) => counterId(`page/${index}`));
    await redis.commands(ids.map((id, index) => ["SET", `hits:${id}`, String(index)]));
    await redis.command("SET", "hits:page/500", "text");
    const update = { hits: 5000, days: undefined, mode: "max" } as const;
    const written = store.write(ids.map((id) => ({ id, update })));
    let hits = 0;
    let isWritten = false;
    const ended = written.then(() => isWritten = true);
    for (; !isWritten; hits++) await store.add(ids.map((id) => addition(id, 1)));
    await ended;
    (await written).forEach((state, index) => {
      if (index === 500) {
        return strictEqual(state instanceof Failure && state.kind, "not-a-counter");
      }
      ok("hits" in state && state.hits >= index && state.hits <= index + hits, String(index));
    });
    const totals = await store.read(ids);
    ok(totals.every((total, index) => index === 500 || Number(total) >= 5000));
  },
);

const REFUSALS = [
  {
    name: "is out of memory",
    break: ["CONFIG", "SET", "maxmemory", "1"],
    mend: ["CONFIG", "SET", "maxmemory", "0"],
    readable: true,
  },
  {
    name: "is a read-only replica",
    break: ["REPLICAOF", "127.0.0.1", "1"],
    mend: ["REPLICAOF", "NO", "ONE"],
    readable: true,
  },
  {
    name: "allows no writes to this user",
    break: ["ACL", "SETUSER", "default", "-incrby"],
    mend: ["ACL", "SETUSER", "default", "+@all"],
    readable: true,
  },
  {
    name: "allows nothing to this user",
    break: ["ACL", "SETUSER", "default", "-incrby", "-mget", "-ping"],
    mend: ["ACL", "SETUSER", "default", "+@all"],
    readable: false,
  },
] as const;

for (const { name, break: breaking, mend, readable } of REFUSALS) {
  testRedis(
    `a Redis that ${name} surely counted nothing, is not ready, and is told of once`,
    async ({ redis, open }) => {
      const told: string[] = [];
      const write = (line: string) => {
        const { event } = JSON.parse(line);
        if (event !== FORBIDDEN) told.push(event);
      };
      const health = createStoreHealth(createLog({ secrets: [], write }), new Metrics());
      const store = await open({ health });
      const counters = createCounters(store);
      strictEqual(await counters.hit(HOME), 1);
      await redis.command(...breaking);
      told.length = 0;
      for (let round = 1; round <= 20; round++) {
        await rejectsWith("store-unavailable", counters.hit(HOME));
        if (readable) strictEqual(await counters.total(HOME), 1);
        else await rejectsWith("store-unavailable", counters.total(HOME));
        await rejectsWith("store-unavailable", counters.ready());
      }
      deepStrictEqual(told, ["store unavailable"]);
      await redis.command(...mend);
      strictEqual(await counters.hit(HOME), 2);
      deepStrictEqual(told, ["store unavailable", "store available"]);
      await counters.ready();
      strictEqual(await redis.command("DBSIZE"), 2);
      await counters.close();
    },
  );
}

testRedis("a foreign value is no sign that the store is away", async ({ redis, open }) => {
  await redis.command("SET", "hits:home", "text");
  const told: string[] = [];
  const health = {
    ...NOOP_HEALTH,
    unreachable: () => told.push("unreachable"),
    unwritable: () => told.push("unwritable"),
  };
  const store = await open({ health });
  deepStrictEqual((await store.add([addition(HOME, 1)])).map(shown), ["not-a-counter"]);
  deepStrictEqual((await store.read([HOME])).map(shown), ["not-a-counter"]);
  deepStrictEqual(told, []);
});

testRedis("hits that overlap on a negative number are all taken back", async ({ redis, open }) => {
  const store = await open();
  for (const before of ["-1", "-3"]) {
    await redis.command("SET", "hits:home", before);
    const together = Array.from({ length: 8 }, () => store.add([addition(HOME, 1)]));
    for (const [outcome] of await Promise.all(together)) {
      ok(outcome instanceof Failure && !outcome.isOfStore, shown(outcome ?? 0).toString());
    }
    strictEqual(await redis.command("GET", "hits:home"), before);
  }
});

Deno.test("on Redis, an addition whose name cannot be read fails alone", async () => {
  const done = (value: unknown): Reply => ({ kind: "done", value });
  const cause = new Error("NOPERM No permissions to access a key");
  const refused: Reply = { kind: "refused", cause };
  const answers = [[refused], [done([null, null, null])], [refused], [done("-")]];
  const store = await storeOn({
    connectedAt: 0,
    multiKeyAcrossSlots: true,
    shards: () => [],
    scan: () => ReadableStream.from([]),
    send: () => Promise.resolve(answers.shift() ?? []),
    close: () => Promise.resolve(),
  });
  const [set, added] = await store.write([
    { id: HOME, update: { mode: "replace", hits: 3, days: undefined } },
    { id: counterId("other"), update: { mode: "add", hits: 3, days: undefined, name: "a" } },
  ]);
  deepStrictEqual(set, { hits: 0, days: undefined });
  strictEqual(added instanceof Failure && added.kind, "store-unavailable");
});

Deno.test("on Redis, an addition that cannot be taken back is unknown, and the rest counts", async (t) => {
  const additions = [addition(HOME, 1), addition(counterId("full"), 1)];
  const failures: Record<string, () => Promise<readonly Reply[]>> = {
    "no connection": () => Promise.resolve([UNSENT]),
    "no reply": () => Promise.resolve([{ kind: "lost", cause: new Error("cut") }]),
    "refused": () => Promise.resolve([{ kind: "refused", cause: new Error("OOM") }]),
  };
  for (const [name, failure] of Object.entries(failures)) {
    await t.step(name, async () => {
      const first: Reply[] = [7, MAX_HITS + 1].map((value) => ({ kind: "done", value }));
      const answers = [() => Promise.resolve(first), failure];
      const store = await storeOn({
        connectedAt: 0,
        multiKeyAcrossSlots: true,
        shards: () => [],
        scan: () => ReadableStream.from([]),
        send: () => answers.shift()?.() ?? Promise.reject(new Error("one call too many")),
        close: () => Promise.resolve(),
      });
      deepStrictEqual((await store.add(additions)).map(shown), [7, "outcome-unknown"]);
      strictEqual(answers.length, 0);
    });
  }
});
