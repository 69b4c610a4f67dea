import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/counter/counter_id.ts";
import { createCounters } from "../../../src/counting/counters.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { waitFor } from "../../support/wait_for.ts";

const DAY_MS = 86_400_000;
const NOW = Math.floor(Date.now() / DAY_MS);

/** The marks that are held, without the values. */
async function marksIn(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const kinds = ["once", "seen", "salt"];
  const lists = kinds.map((kind) => Array.fromAsync(kv.list({ prefix: ["tallymark", kind] })));
  return (await Promise.all(lists)).flat().map(({ key }) => key.slice(1));
}

Deno.test("createSweeper: what is over ends with the first mark after it, and nothing else does", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = createCounters(await kvStore({ kv }));
  for (const [back, hits] of [[0, 3], [1, 4], [2, 5], [300, 6]] as const) {
    for (let number = 0; number < 250; number++) {
      const key = ["tallymark", "once", NOW - back, "hits:", "a", `k${number}`];
      await kv.set(key, [hits, Date.now() - back * DAY_MS]);
      await kv.set(["tallymark", "seen", SOME_DAY - back, "hits:", `v${number}`], true);
    }
    await kv.set(["tallymark", "salt", SOME_DAY - back], "salt");
  }
  await counters.hitOnce(counterId("b"), { key: "k" });
  await waitFor("the sweep", async () => (await marksIn(kv)).length === 4 * 250 + 3 || undefined);
  const kept = await marksIn(kv);
  const left = (
    kind: string,
  ) => [...new Set(kept.filter(([of]) => of === kind).map(([, at]) => at))];
  deepStrictEqual(left("once"), [NOW - 1, NOW]);
  deepStrictEqual(left("seen"), [SOME_DAY - 1, SOME_DAY]);
  deepStrictEqual(left("salt"), [SOME_DAY - 1, SOME_DAY]);
  strictEqual(await counters.count(counterId("b")), 1);
  await counters.close();
});

Deno.test("openKvStore: a key makes hits the same for 24 hours, also into the next of its days", async () => {
  const kv = await Deno.openKv(":memory:");
  const counters = createCounters(await kvStore({ kv }));
  const markOf = (
    generation: number,
    key: string,
  ) => ["tallymark", "once", generation, "hits:", "a", key];
  await kv.set(markOf(NOW - 1, "young"), [41, Date.now() - DAY_MS + 60_000]);
  await kv.set(markOf(NOW - 1, "old"), [42, Date.now() - DAY_MS - 1]);
  const id = counterId("a");
  deepStrictEqual(await counters.hitOnce(id, { key: "young" }), { hits: 41, repeat: true });
  deepStrictEqual(await counters.hitOnce(id, { key: "old" }), { hits: 1, repeat: false });
  deepStrictEqual(await counters.hitOnce(id, { key: "old" }), { hits: 1, repeat: true });
  await counters.close();
});
