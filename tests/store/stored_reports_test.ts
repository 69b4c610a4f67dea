import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../src/counter/counter_id.ts";
import type { CounterStore, Update } from "../../src/counter/store.ts";
import { kvStore, SOME_DAY } from "../support/kv_store.ts";
import { openRedisStore } from "../support/redis_backend.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";

const HOME = counterId("home");
const at = SOME_DAY * 86_400_000;

function update(change: Partial<Update>): Update {
  return { hits: undefined, days: undefined, mode: "max", ...change };
}

/** Checks that a report is an entry of its own, which the counter has only while it has a report. */
async function checkEntry(store: CounterStore, names: () => Promise<string[]>): Promise<void> {
  const write = (update: Update | undefined) => store.write([{ id: HOME, update }]);
  await store.add([{ id: HOME, amount: 3 }]);
  await write(update({ hits: 5 }));
  const without = await names();
  strictEqual(without.some((name) => name.includes("report")), false);
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  strictEqual((await names()).length, without.length + 1);
  await store.add([{ id: HOME, amount: 1 }]);
  await write(update({ hits: 7, mode: "replace" }));
  strictEqual((await names()).length, without.length + 1);
  const [held] = await store.history([{ id: HOME, since: SOME_DAY }]);
  deepStrictEqual(held, {
    hits: 7,
    days: { newest: SOME_DAY, hits: [4] },
    report: { seen: 9, at },
  });
  await write(update({ hits: 7, mode: "replace", report: null }));
  deepStrictEqual(await names(), without);
  await write(update({ report: { seen: 9, at, day: SOME_DAY } }));
  await write(undefined);
  strictEqual((await names()).some((name) => name.includes("report")), false);
  await store.close();
}

for (const shared of [false, true]) {
  Deno.test(`openKvStore ${shared ? "shared" : "of its own"}: a report is an entry of its own, which goes with it and with its counter`, async () => {
    const kv = await Deno.openKv(":memory:");
    await checkEntry(await kvStore({ kv, shared }), async () => {
      const entries = await Array.fromAsync(kv.list({ prefix: [] }));
      return entries.map(({ key }) => key.join()).filter((name) => !name.includes("writer"));
    });
  });
}

Deno.test(
  "createRedisStore: a report is an entry of its own, which goes with it and with its counter",
  {
    ...needsRedis,
  },
  async () => {
    await using redis = await startRedis();
    const store = await openRedisStore(redis.url, { today: () => SOME_DAY });
    await checkEntry(store, async () => {
      const keys = await redis.command("KEYS", "*");
      return (Array.isArray(keys) ? keys.map(String) : String(keys).split("\n")).sort();
    });
  },
);
