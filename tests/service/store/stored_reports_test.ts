import { deepStrictEqual, notDeepStrictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { Day } from "../../../src/domain/history.ts";
import type { CounterStore, Update } from "../../../src/domain/store.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { overrideNextRead } from "../../support/next_commit.ts";
import { testRedis } from "../../support/redis_backend.ts";

const HOME = counterId("home");
const at = SOME_DAY * 86_400_000;

function update(change: Partial<Update>): Update {
  return { hits: undefined, days: undefined, mode: "max", ...change };
}

/**
 * Checks that a counter without a report is stored as if it never had one. `entries` describes the
 * entries of the counter by their keys and sizes.
 */
async function checkEntries(store: CounterStore, entries: () => Promise<string[]>): Promise<void> {
  const write = (update: Update | undefined) => store.write([{ id: HOME, update }]);
  await store.add([{ id: HOME, amount: 3 }]);
  await write(update({ hits: 5 }));
  const without = await entries();
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  const reported = await entries();
  notDeepStrictEqual(reported, without);
  await store.add([{ id: HOME, amount: 1 }]);
  await write(update({ hits: 7, mode: "replace" }));
  deepStrictEqual(await entries(), reported);
  await write(update({ hits: 7, mode: "replace", report: null }));
  deepStrictEqual(await entries(), without);
  await write(undefined);
  const deleted = await entries();
  await write(update({ hits: 5 }));
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  await write(undefined);
  deepStrictEqual(await entries(), deleted);
  await store.close();
}

/** Checks that the last report stays when hits open a day, also in a new year. */
async function checkNextDays(store: CounterStore, clock: { day: Day }): Promise<void> {
  await store.write([{ id: HOME, update: update({ hits: 5 }) }]);
  await store.write([{ id: HOME, update: update({ report: { seen: 9, at, day: SOME_DAY } }) }]);
  for (clock.day = SOME_DAY; clock.day < SOME_DAY + 60; clock.day++) {
    await store.add([{ id: HOME, amount: 1 }]);
  }
  const next = { seen: 12, at: at + 1, day: SOME_DAY };
  await store.write([{ id: HOME, update: update({ report: next }) }]);
  const [held] = await store.history([{ id: HOME, since: SOME_DAY }]);
  if (held === undefined || held instanceof Failure) throw held;
  deepStrictEqual([held.hits, held.days?.hits.at(-1)], [5 + 60 + 3, 1 + 3]);
  deepStrictEqual(held.report, { seen: 12, at: at + 1 });
  await store.close();
}

for (const shared of [false, true]) {
  Deno.test(`openKvStore ${shared ? "shared" : "of its own"}: nothing is left of a report after it or its counter was deleted`, async () => {
    const kv = await Deno.openKv(":memory:");
    await checkEntries(await kvStore({ kv, shared }), async () => {
      const entries = await Array.fromAsync(kv.list({ prefix: [] }));
      return entries.filter(({ key }) => key[1] !== "writer").map(({ key, value }) => {
        return `${key.join()} ${value instanceof Uint8Array ? value.length : typeof value}`;
      });
    });
  });

  Deno.test(`openKvStore ${shared ? "shared" : "of its own"}: a report stays when hits open a day`, async () => {
    const clock = { day: SOME_DAY };
    const kv = await Deno.openKv(":memory:");
    await checkNextDays(await kvStore({ kv, shared, today: () => clock.day }), clock);
  });
}

Deno.test("on a shared Deno KV, an ignored report returns what the counter held at one instant", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv, shared: true });
  const other = await kvStore({ kv, shared: true });
  const [old, now] = [3, 4].map((each): Update => {
    const days = { newest: SOME_DAY, hits: Array(500).fill(each) };
    const report = { seen: 9, at, day: SOME_DAY };
    return { hits: 500 * each, days, mode: "replace", report };
  });
  await store.write([{ id: HOME, update: old }]);
  // Another process changes the counter before its closed years are read.
  overrideNextRead(kv, async (read) => {
    const entries = await read();
    await other.write([{ id: HOME, update: now }]);
    return entries;
  });
  const [held] = await store.write([
    { id: HOME, update: update({ report: { seen: 1, at: at - 1, day: SOME_DAY } }) },
  ]);
  deepStrictEqual(held, { hits: now?.hits, days: now?.days });
  await store.close();
});

testRedis("a report stays when hits open a day", async ({ open }) => {
  const clock = { day: SOME_DAY };
  await checkNextDays(await open({ today: () => clock.day }), clock);
});

testRedis(
  "nothing is left of a report after it or its counter was deleted",
  async ({ redis, open }) => {
    await checkEntries(await open({ today: () => SOME_DAY }), async () => {
      const keys = await redis.command("KEYS", "*");
      return (Array.isArray(keys) ? keys.map(String) : String(keys).split("\n")).sort();
    });
  },
);
