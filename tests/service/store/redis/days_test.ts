import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../../src/domain/counter_id.ts";
import { type CounterState, type Day, firstDayOf } from "../../../../src/domain/history.ts";
import {
  type CounterStore,
  type DeduplicationKeys,
  MAX_HITS,
  type Update,
  type Write,
} from "../../../../src/domain/store.ts";
import { pause } from "../../../../src/waiting.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import { createStoreHealth } from "../../../../src/store/store_health.ts";
import { NOOP_HEALTH } from "../../../support/noop_health.ts";
import { createLog } from "../../../../src/log.ts";
import { Metrics } from "../../../../src/metrics.ts";
import { connected, storeOn, testRedis } from "../../../support/redis_backend.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { addition, hitEach, rejectsWith, shown } from "../../../support/store_contract.ts";

const HOME = counterId("home");
const DAY = 20_778;
/** The rules that the documentation gives to the user of the service. */
const DOCUMENTED =
  "~hits:* ~{hits:* ~{*}*:hits:* ~tallymark:salt:* +ping +info +get +mget +set +incrby +del +scan +eval +evalsha +sadd +sismember +expire"
    .split(" ");
const NONE = { newest: DAY, hits: [] };

testRedis("the last and first days of each year until 2099 are told apart", async ({ open }) => {
  let day = 0;
  const store = await open({ today: () => day });
  const hit: [Day, number][] = [];
  for (let year = 1971; year < 2100; year++) {
    for (const offset of [-2, -1, 0, 1]) {
      day = firstDayOf(year) + offset;
      hit.push([day, year % 100 + offset + 3]);
      await store.add([addition(HOME, year % 100 + offset + 3)]);
    }
  }
  deepStrictEqual(daysOf(await historyOf(store)), hit);
});

testRedis(
  "however many are hit on a day, their ledgers are looked at once",
  async ({ redis, open }) => {
    const store = await open();
    const scripts = async () => {
      const info = await redis.command("INFO", "commandstats");
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(info))?.[1]);
    };
    await hitEach(store, 10_500);
    const before = await scripts();
    ok(before >= 10_500, `${before}`);
    await hitEach(store, 10_500);
    strictEqual(await scripts(), before);
  },
);

testRedis(
  "where another process deletes a counter whose day is open its hits are kept by days all the same",
  async ({ redis, open }) => {
    let day = DAY;
    const [store, other] = [
      await open({ today: () => day }),
      await open({ today: () => day }),
    ];
    for (const total of [1, 2]) deepStrictEqual(await store.add([addition(HOME, 1)]), [total]);
    await other.write([{ id: HOME, update: undefined }]);
    strictEqual(await redis.command("GET", "hits:home"), null);
    ok(Number(await redis.command("TTL", "{hits:home}days")) > 0, "what is left does not stay");
    deepStrictEqual(await store.add([addition(HOME, 3)]), [3]);
    strictEqual(await redis.command("TTL", "{hits:home}days"), -1);
    day++;
    deepStrictEqual(await store.add([addition(HOME, 4)]), [7]);
    deepStrictEqual(daysOf(await historyOf(store)), [[DAY, 3], [DAY + 1, 4]]);
  },
);

testRedis(
  "after a deletion by a clock that is behind, hits stay on the day that they were first counted on",
  async ({ redis, open }) => {
    const [behind, ahead] = [
      await open({ today: () => DAY }),
      await open({ today: () => DAY + 1 }),
    ];
    await ahead.add([addition(HOME, 1)]);
    await behind.write([{ id: HOME, update: undefined }]);
    // As if the process that is ahead had got no further than this.
    await redis.command("INCRBY", "hits:home", "1");
    deepStrictEqual(daysOf(await historyOf(behind)), [[DAY, 1]]);
    await redis.command("DECRBY", "hits:home", "1");
    deepStrictEqual(await ahead.add([addition(HOME, 1)]), [1]);
    deepStrictEqual(daysOf(await historyOf(behind)), [[DAY, 1]]);
  },
);

testRedis(
  "hits of a process that is a day ahead at noon count, as do those that end its days and report it",
  async ({ open }) => {
    const msUntilMidnight = () => 43_200_000;
    const reported: string[] = [];
    const onAhead = (id: string) => reported.push(id);
    const [right, ahead] = [
      await open({ today: () => DAY, msUntilMidnight, onAhead }),
      await open({ today: () => DAY + 1, msUntilMidnight }),
    ];
    await ahead.add([addition(HOME, 1)]);
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.all([ahead, right].map((store) => {
        return store.add([addition(HOME, 1)]);
      }));
      for (const outcome of outcomes.flat()) strictEqual(typeof outcome, "number");
      if (round === 0) deepStrictEqual(reported, ["home"]);
    }
    await right.add([addition(HOME, 1)]);
    deepStrictEqual(daysOf(await historyOf(right)), [[DAY, 42]]);
    const once = counterId("once");
    await ahead.add([addition(once, 1)]);
    reported.length = 0;
    await right.addOnce([{ id: once, hits: [{ key: "k" }] }]);
    deepStrictEqual(reported, ["once"]);
  },
);

testRedis(
  "a counter from before there was history begins with its next hit",
  async ({ redis, open }) => {
    await redis.command("SET", "hits:home", "41");
    const store = await open({ today: () => DAY });
    deepStrictEqual(await historyOf(store), { hits: 41, days: undefined });
    deepStrictEqual(await store.add([addition(HOME, 1)]), [42]);
    deepStrictEqual(await historyOf(store), { hits: 42, days: { newest: DAY, hits: [1] } });
    // Set to less behind its back, it has no hits on that day rather than fewer than none.
    await redis.command("SET", "hits:home", "5");
    deepStrictEqual(await historyOf(store), { hits: 5, days: { newest: DAY, hits: [0] } });
  },
);

testRedis(
  "a Redis that forgot its scripts counts on, and nobody is told",
  async ({ redis, open }) => {
    const log: string[] = [];
    const health = createStoreHealth(
      createLog({ secrets: [], write: (line) => log.push(line) }),
      new Metrics(),
    );
    const store = await open({ health });
    log.length = 0;
    const ids = Array.from({ length: 100 }, (_, index) => counterId(`page/${index}`));
    for (let round = 0; round < 3; round++) {
      await redis.command("SCRIPT", "FLUSH");
      const fresh = ids.map((id) => addition(counterId(`${round}/${id}`), 2));
      deepStrictEqual(await store.add(fresh), fresh.map(() => 2));
    }
    await redis.command("SCRIPT", "FLUSH");
    deepStrictEqual(await store.write([update({ hits: 7 })]), [{ hits: 0, days: undefined }]);
    await redis.command("SCRIPT", "FLUSH");
    deepStrictEqual(await store.add([addition(counterId("other"), 1)]), [1]);
    deepStrictEqual(log, []);
  },
);

for (const other of ["to which the day is open as well", "that has not seen it yet"]) {
  testRedis(
    `behind FLUSHALL the days keep the hits of a process that finds a counter gone, and of one ${other}`,
    async ({ redis, open }) => {
      const beside = await open({ today: () => DAY });
      let afterAddition = () => Promise.resolve();
      const store = await open({ today: () => DAY, between: () => afterAddition() });
      await store.add([addition(HOME, 5)]);
      if (other.startsWith("to")) await beside.add([addition(HOME, 6)]);
      await redis.command("FLUSHALL");
      afterAddition = async () => {
        afterAddition = () => Promise.resolve();
        deepStrictEqual(await beside.add([addition(HOME, 3)]), [4]);
      };
      deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
      deepStrictEqual(await historyOf(store), { hits: 4, days: { newest: DAY, hits: [4] } });
      await beside.write([{ id: HOME, update: { hits: 100, days: undefined, mode: "max" } }]);
      deepStrictEqual(daysOf(await historyOf(store)), [[DAY, 4]]);
    },
  );
}

testRedis(
  "a counter that is set between its first hits and their day being opened has no more hits than came",
  async ({ redis, open }) => {
    const owner = await open({ today: () => DAY });
    let afterAddition = () => Promise.resolve();
    const store = await open({ today: () => DAY, between: () => afterAddition() });
    await store.add([addition(HOME, 5)]);
    await redis.command("FLUSHALL");
    afterAddition = async () => {
      afterAddition = () => Promise.resolve();
      await owner.write([update({ hits: 100 })]);
    };
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    deepStrictEqual(await store.add([addition(HOME, 2)]), [102]);
    deepStrictEqual(daysOf(await historyOf(store)), [[DAY, 2]]);
  },
);

testRedis(
  "a counter that is hit before each attempt to change it is changed once it is not, and keeps the hits",
  async ({ open }) => {
    const callers = await open({ today: () => DAY });
    let afterCommands = () => Promise.resolve();
    const owner = await open({ today: () => DAY, between: () => afterCommands() });
    await owner.write([update({ hits: 1 })]);
    let hits = 0;
    // The first read, the first swap and the second read.
    afterCommands = async () => {
      if (hits++ < 3) await callers.add([addition(HOME, 1)]);
    };
    const earlier = { newest: DAY - 1, hits: [5] };
    deepStrictEqual(
      await owner.write([update({ hits: undefined, days: earlier, mode: "max" })]),
      [{ hits: 1 + 3, days: { newest: DAY, hits: [3] } }],
    );
    const days = { newest: DAY, hits: [3, 5] };
    deepStrictEqual(await historyOf(callers), { hits: 1 + 3 + 5, days });
  },
);

testRedis(
  "a counter is set although the same process hits it after every command, and keeps the hits",
  async ({ open }) => {
    let afterCommands = () => Promise.resolve();
    const store = await open({ today: () => DAY, between: () => afterCommands() });
    const hits: Promise<unknown>[] = [];
    afterCommands = () => {
      hits.push(store.add([addition(HOME, 1)]));
      return Promise.resolve();
    };
    const [before] = await store.write([update({ hits: 5000 })]);
    afterCommands = () => Promise.resolve();
    await Promise.all(hits);
    ok(before !== undefined && "hits" in before, String(before));
    deepStrictEqual(await store.read([HOME]), [5000 + hits.length - before.hits]);
  },
);

testRedis(
  "if a counter is hit before each attempt to change it, the change is refused and surely not made",
  async ({ open }) => {
    const callers = await open({ today: () => DAY });
    let afterCommands = () => Promise.resolve();
    const owner = await open({ today: () => DAY, between: () => afterCommands() });
    await owner.write([update({ hits: 1 })]);
    let hits = 0;
    afterCommands = async () => {
      hits++;
      await callers.add([addition(HOME, 1)]);
      await pause(20);
    };
    const [refused] = await owner.write([update({ hits: 5000 })]);
    strictEqual(refused instanceof Failure && refused.kind, "store-unavailable");
    deepStrictEqual(await historyOf(callers), {
      hits: 1 + hits,
      days: { newest: DAY, hits: [hits] },
    });
    // A deletion includes the hits since it was planned. One more comes after it.
    deepStrictEqual(await owner.write([{ id: HOME, update: undefined }]), [
      { hits, days: { newest: DAY, hits: [hits - 1] } },
    ]);
    deepStrictEqual(await callers.read([HOME]), [1]);
  },
);

testRedis(
  "a full counter that is set before its hit is undone has the number that was set",
  async ({ redis, open }) => {
    let afterCommands = () => Promise.resolve();
    const store = await open({ today: () => DAY, between: () => afterCommands() });
    await store.add([addition(HOME, 1)]);
    await redis.command("SET", "hits:home", String(MAX_HITS));
    afterCommands = async () => {
      afterCommands = () => Promise.resolve();
      await redis.command("SET", "hits:home", "5");
    };
    const [outcome] = await store.add([addition(HOME, 1)]);
    ok(outcome instanceof Failure);
    strictEqual(outcome.kind, "counter-full");
    strictEqual(await redis.command("GET", "hits:home"), "5");
  },
);

/** Entries next to the total of a counter that no version writes. */
const INVALID: readonly (readonly [name: string, value: string])[] = [
  ...["99999999999999999999 1 -", `${DAY} 99999999999999999999 -`, "not a ledger", "\xff"],
  ...[`${DAY} 1 99999999999`, `${DAY} 1 2026 5`, `${DAY} 1 1800 5`, "47482 1 -", ""],
].map((value) => ["days", value] as const);
/** Those that hits do not look at. */
const INVALID_ELSEWHERE: typeof INVALID = [
  ["days", `${DAY} 1 - 99999999999999999999`],
  ["days", `${DAY} 1 - ${"0 ".repeat(400)}0`],
  ["days", `${DAY} 1 - y`],
  ["days2025", "99999999999999999999 1"],
  ["days2025", `${DAY - 365} 99999999999999999999`],
  ["days2025", ""],
  ["days2025", `${DAY} 3`],
  ["report", "5 \xff"],
];

testRedis(
  "a counter whose days or report are invalid is none, and nothing of it is changed",
  async ({ redis, open }) => {
    const store = await open({ today: () => DAY });
    const entries = [...INVALID, ...INVALID_ELSEWHERE];
    const ids = entries.map((_, index) => counterId(`d${index}`));
    await redis.commands(entries.flatMap(([name, value], index) => [
      ["SET", `hits:d${index}`, "7"],
      ["SET", `{hits:d${index}}days`, `${DAY} 3 2024`],
      ["SET", `{hits:d${index}}${name}`, value],
    ]));
    const dump = async () => {
      const keys = (await redis.command("KEYS", "*hits:d*") as string[]).sort();
      return await redis.commands(keys.map((key) => ["DUMP", key]));
    };
    const before = await dump();
    const update = { hits: 9, days: { newest: DAY - 300, hits: [2] }, mode: "max" } as const;
    const hits = ids.slice(0, INVALID.length);
    const outcomes = [
      ...await store.history(ids.map((id) => ({ id, since: -Infinity }))),
      ...await store.write(ids.map((id) => ({ id, update }))),
      ...await store.write(ids.map((id) => ({ id, update: undefined }))),
      ...(await Promise.all(ids.map((id) => store.write([{ id, update: undefined, to: HOME }]))))
        .flat(),
      ...await store.add(hits.map((id) => addition(id, 2))),
      ...await store.addOnce(hits.map((id) => ({ id, hits: [{ key: "k", visitor: "v" }] }))),
    ];
    for (const one of outcomes) strictEqual(one instanceof Failure && one.kind, "not-a-counter");
    const [page] = await Array.fromAsync(store.list({ prefix: "", since: -Infinity }));
    deepStrictEqual([page?.counters, page?.foreign], [[], ids.length]);
    deepStrictEqual(await dump(), before);
  },
);

for (
  const [what, ...rules] of [
    ["may run no scripts", "~*", "+@all", "-@scripting"],
    ["may not set", "~*", "+@all", "-set"],
    ["may not touch the ledgers", "~hits:*", "~{*}*:hits:*", "~tallymark:salt:*", "+@all"],
    ["may touch only the keys that scripts declare", "~hits:*", "~{hits:*}days*", "+@all"],
  ]
) {
  testRedis(
    `if its user ${what}, it is not ready, and reports what Redis says`,
    async ({ redis }) => {
      await redis.command("ACL", "SETUSER", "few", "on", ">few", ...rules);
      const told: unknown[] = [];
      const health = { ...NOOP_HEALTH, forbidden: (cause: unknown) => told.push(cause) };
      const store = storeOn(await linkTo(`redis://few:few@127.0.0.1:${redis.port}`, { health }));
      await rejectsWith("store-unavailable", store.check());
      match(String(told), /permission|can't|ACL failure/);
      await redis.command("ACL", "SETUSER", "few", "reset", "on", ">few", ...DOCUMENTED);
      await connected(store);
      deepStrictEqual(await redis.command("DBSIZE"), 0);
      deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
      await store.close();
    },
  );
}

for (const lacking of ["incrby", "sadd", "expire", "set"]) {
  testRedis(
    `where its user may not use ${lacking}, hits that count once surely count nothing and leave no mark`,
    async ({ redis, open }) => {
      await redis.command("ACL", "SETUSER", "few", "on", ">few", "~*", "+@all");
      await redis.command("SET", "hits:home", "41");
      const store = await open({ url: `redis://few:few@127.0.0.1:${redis.port}` });
      await redis.command("ACL", "SETUSER", "few", `-${lacking}`);
      const visitor = { visitor: "v", remember: true };
      const once = async (...hits: DeduplicationKeys[]) =>
        await store.addOnce([{ id: HOME, hits }]);
      for (const hits of [[visitor], [{ key: "k" }, visitor]]) {
        const [outcome] = await once(...hits);
        strictEqual(outcome instanceof Failure && outcome.kind, "store-unavailable");
      }
      strictEqual(await redis.command("GET", "hits:home"), "41");
      // The day may have been opened, which is all the same.
      deepStrictEqual(await redis.command("KEYS", "{hits:home}[^d]*"), []);
      await redis.command("ACL", "SETUSER", "few", "+@all");
      deepStrictEqual(await once({ key: "k" }, visitor), [
        [{ hits: 42, repeat: false }, { hits: 43, repeat: false }],
      ]);
    },
  );
}

for (const lacking of ["set", "del"]) {
  testRedis(
    `where its user may not use ${lacking}, a counter is neither deleted nor set in part`,
    async ({ redis, open }) => {
      await redis.command("ACL", "SETUSER", "few", "on", ">few", "~*", "+@all");
      const owner = await open({ today: () => DAY });
      const days = { newest: DAY, hits: Array(800).fill(1) };
      await owner.write([update({ hits: 1000, days })]);
      const before = await historyOf(owner);
      const store = await open({
        url: `redis://few:few@127.0.0.1:${redis.port}`,
        today: () => DAY,
      });
      await redis.command("ACL", "SETUSER", "few", `-${lacking}`);
      for (const wanted of [{ id: HOME, update: undefined }, update({ hits: 5, days: NONE })]) {
        deepStrictEqual((await store.write([wanted])).map(shown), ["store-unavailable"]);
        deepStrictEqual(await historyOf(owner), before);
      }
    },
  );
}

testRedis(
  "a deletion whose user may not write all of its keys deletes nothing",
  async ({ redis, open }) => {
    await redis.command("ACL", "SETUSER", "few", "on", ">few", "~*", "+@all");
    await redis.commands([["SET", "hits:home", "5"], ["SET", "{hits:home}days", `${DAY} 1 -`]]);
    const store = await open({ url: `redis://few:few@127.0.0.1:${redis.port}`, today: () => DAY });
    const keys = ["~hits:*", "~{hits:*}days*", "~{hits:*}seen*", "%R~{hits:*}*"];
    await redis.command("ACL", "SETUSER", "few", "resetkeys", ...keys);
    const outcomes = await store.write([{ id: HOME, update: undefined }]);
    deepStrictEqual(outcomes.map(shown), ["store-unavailable"]);
    strictEqual(await redis.command("GET", "hits:home"), "5");
  },
);

testRedis(
  "a script that fails after it has changed something leaves an unknown outcome",
  async ({ redis, open }) => {
    await redis.command("ACL", "SETUSER", "few", "on", ">few", "~*", "+@all");
    const store = await open({ url: `redis://few:few@127.0.0.1:${redis.port}` });
    const keys = ["~hits:*", "~{hits:*}days", "~{hits:*}[es]*", "%R~{hits:*}*"];
    await redis.command("ACL", "SETUSER", "few", "resetkeys", ...keys);
    const hits = [{ key: "k" }, { visitor: "v", remember: true }];
    const outcomes = await store.addOnce([{ id: HOME, hits }]);
    deepStrictEqual(outcomes.map((each) => each instanceof Failure && each.kind), [
      "outcome-unknown",
    ]);
  },
);

testRedis(
  "salt and visitors of a day are kept no longer than it lasts, the keys of hits for a day",
  async ({ redis, open }) => {
    const store = await open({
      today: () => DAY,
      msUntilMidnight: () => 100_500,
    });
    await store.salt(DAY);
    const hits = [{ visitor: "v", remember: true }, { key: "k" }];
    for (const _ of [1, 2]) await store.addOnce([{ id: HOME, hits }]);
    const left = async (key: string) => Number(await redis.command("TTL", key));
    for (const key of [`tallymark:salt:${DAY}`, `{hits:home}seen${DAY}`]) {
      const seconds = await left(key);
      ok(seconds > 90 && seconds <= 101, `${key}: ${seconds}`);
    }
    ok(await left("{hits:home}once:k") > 86_000);
  },
);

testRedis(
  "a deleted counter forgets its visitors of every date that it is anywhere on Earth",
  async ({ open }) => {
    // At UTC-12 it is still the day before yesterday of UTC+14, for two hours of each day.
    const [west, between, east] = await Promise.all(
      [DAY, DAY + 1, DAY + 2].map((day) => open({ today: () => day })),
    );
    if (west === undefined || between === undefined || east === undefined) {
      throw new Error("Three are open");
    }
    const stores: CounterStore[] = [west, between, east];
    const hit = { id: HOME, hits: [{ visitor: "v", remember: true }] };
    for (const deletes of stores) {
      for (const store of stores) await store.addOnce([hit]);
      await deletes.write([{ id: HOME, update: undefined }]);
      let hits = 0;
      for (const store of stores) {
        deepStrictEqual(await store.addOnce([hit]), [[{ hits: ++hits, repeat: false }]]);
      }
    }
  },
);

testRedis(
  "each counter is listed once while Redis spreads its keys over more memory",
  async ({ redis, open }) => {
    const store = await open();
    const each = (from: number, to: number, call: string) =>
      redis.command("EVAL", `for n = ${from}, ${to - 1} do redis.call(${call}) end`, "0");
    const add = (from: number, to: number) => each(from, to, "'SET', 'hits:page/' .. n, '1'");
    await add(0, 4000);
    await redis.command("SET", "hits:bad\u0000id", "1");
    await redis.command("RPUSH", "hits:list", "1");
    const found = new Map<CounterId, number>();
    let foreign = 0;
    let added = 4000;
    for await (const page of store.list({ prefix: "", since: undefined })) {
      for (const { id } of page.counters) found.set(id, (found.get(id) ?? 0) + 1);
      foreign += page.foreign;
      if (added < 40_000) await add(added, added += 4000);
      if (added % 8000 === 0) await each(4000, added, "'DEL', 'hits:page/' .. n");
    }
    for (let index = 0; index < 4000; index++) {
      strictEqual(found.get(counterId(`page/${index}`)), 1);
    }
    deepStrictEqual([...found].filter(([, times]) => times > 1), []);
    strictEqual(foreign, 2);
  },
);

testRedis("a counter whose key Redis names three times is listed once", async ({ redis }) => {
  const link = await linkTo(redis.url);
  async function* repeated(prefix: string) {
    for await (const keys of link.scan(prefix)) yield* [[...keys, ...keys], keys];
  }
  const store = storeOn({ ...link, scan: repeated });
  await redis.command("MSET", "hits:one", "1", "hits:two", "2");
  const pages = await Array.fromAsync(store.list({ prefix: "", since: undefined }));
  const listed = pages.flatMap(({ counters }) => counters.map(({ id, hits }) => [id, hits]));
  deepStrictEqual(listed.toSorted(), [["one", 1], ["two", 2]]);
  await store.close();
});

testRedis(
  "a key that is no UTF-8 is listed as foreign, not as a counter of 0",
  async ({ redis, open }) => {
    const store = await open();
    await redis.command("EVAL", "return redis.call('SET', 'hits:\\255', '5')", "0");
    await redis.command("SET", "hits:zero", "0");
    await redis.command("SET", "hits:a\ufffd", "7");
    for (const since of [-Infinity, undefined]) {
      const [page] = await Array.fromAsync(store.list({ prefix: "", since }));
      deepStrictEqual(
        page?.counters.map(({ id, hits }) => [id, hits]).toSorted(),
        [["a\ufffd", 7], ["zero", 0]],
      );
      strictEqual(page?.foreign, 1);
    }
  },
);

testRedis("a list that Redis does not go on with fails", async ({ redis, open }) => {
  const store = await open();
  await redis.commands(Array.from({ length: 3000 }, (_, index) => ["SET", `hits:${index}`, "1"]));
  const list = store.list({ prefix: "", since: -Infinity });
  await list.next();
  await redis.kill();
  await rejectsWith("store-unavailable", allOf(list));
  await redis.start();
  await connected(store);
});

async function allOf(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

function update(wanted: Partial<Update>): Write {
  return { id: HOME, update: { hits: 0, days: undefined, mode: "replace", ...wanted } };
}

async function historyOf(store: CounterStore): Promise<CounterState> {
  const [held] = await store.history([{ id: HOME, since: -Infinity }]);
  if (held === undefined || held instanceof Failure) throw held;
  return held;
}

/** The days with hits, the earliest first. */
function daysOf({ days }: CounterState): [Day, number][] {
  const { newest, hits } = days ?? { newest: 0, hits: [] };
  return hits.map((number, back): [Day, number] => [newest - back, number])
    .filter(([, number]) => number > 0).reverse();
}
