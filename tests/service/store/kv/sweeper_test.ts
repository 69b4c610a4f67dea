import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { createCounters } from "../../../../src/counters/counters.ts";
import type { Day } from "../../../../src/domain/history.ts";
import { openCounterFile } from "../../../../src/store/kv/file/counter_file.ts";
import { kvStore, SOME_DAY } from "../../../support/kv_store.ts";
import { tempDir } from "../../../support/temp_dir.ts";
import { openRemote } from "../../../support/kv_backend.ts";
import { startKvConnect } from "../../../support/kv_connect.ts";
import { projectFolder } from "../../../support/programs.ts";
import { FAR_AWAY_MS } from "../../../support/time_limit.ts";
import { waitFor } from "../../../support/wait_for.ts";

const DAY_MS = 86_400_000;
const NOW = Math.floor(Date.now() / DAY_MS);

/** Stops the clock at noon, so that no day ends during a test. */
function stopAtNoon(): Disposable {
  const { now } = Date;
  Date.now = () => (NOW + 0.5) * DAY_MS;
  return { [Symbol.dispose]: () => void (Date.now = now) };
}

/** The deduplication keys and salts that are stored, without the first part of their keys. */
async function storedKeys(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const kinds = ["once", "deleted", "seen", "salt"];
  const lists = kinds.map((kind) => Array.fromAsync(kv.list({ prefix: ["tallymark", kind] })));
  return (await Promise.all(lists)).flat().map(({ key }) => key.slice(1));
}

Deno.test("on Deno KV, what has expired is deleted soon after the start, and nothing else", async () => {
  using _noon = stopAtNoon();
  const kv = await Deno.openKv(":memory:");
  for (const [back, hits] of [[0, 3], [1, 4], [2, 5], [300, 6]] as const) {
    const commit = kv.atomic().set(["tallymark", "salt", SOME_DAY - back], "salt");
    for (let number = 0; number < 250; number++) {
      const key = ["tallymark", "once", NOW - back, "hits:", "a", `k${number}`];
      commit.set(key, [hits, Date.now() - back * DAY_MS])
        .set(["tallymark", "deleted", NOW - back, "hits:", `d${number}`], true)
        .set(["tallymark", "seen", SOME_DAY - back, "hits:", `v${number}`], true);
    }
    await commit.commit();
  }
  const counters = createCounters(await kvStore({ kv }));
  // Keys are looked for in the bucket of the day before as well; visitors are not.
  await waitFor(
    "the sweep",
    async () => (await storedKeys(kv)).length === 5 * 250 + 1 || undefined,
  );
  const kept = await storedKeys(kv);
  const left = (
    kind: string,
  ) => [...new Set(kept.filter(([of]) => of === kind).map(([, at]) => at))];
  deepStrictEqual(left("once"), [NOW - 1, NOW]);
  deepStrictEqual(left("deleted"), [NOW - 1, NOW]);
  deepStrictEqual(left("seen"), [SOME_DAY]);
  deepStrictEqual(left("salt"), [SOME_DAY]);
  await counters.close();
});

for (const shared of [false, true]) {
  const kind = shared ? "shared" : "of its own";
  Deno.test(`on Deno KV ${kind}, the salt and the visitors of a day end with it, though nobody comes`, async () => {
    await using server = startKvConnect();
    const kv = await (shared ? openRemote(server) : Deno.openKv(":memory:"));
    let [today, left] = [SOME_DAY, 3000];
    const store = await kvStore({ kv, shared, today: () => today, msUntilMidnight: () => left });
    await store.salt(today);
    const hits = [{ visitor: "v", remember: true }, { key: "k" }];
    await store.addOnce([{ id: counterId("a"), hits }]);
    deepStrictEqual((await storedKeys(kv)).map(([kind]) => kind).sort(), ["once", "salt", "seen"]);
    today++;
    left = DAY_MS;
    await waitFor("midnight", async () => (await storedKeys(kv)).length === 1 || undefined);
    deepStrictEqual((await storedKeys(kv)).map(([kind]) => kind), ["once"]);
    await store.close();
  });
}

Deno.test("on Deno KV, the first visitor of a day deletes the salt of the day before", async () => {
  const kv = await Deno.openKv(":memory:");
  const store = await kvStore({ kv });
  const salt = await store.salt(SOME_DAY);
  deepStrictEqual(await store.salt(SOME_DAY), salt);
  notStrictEqual(await store.salt(SOME_DAY + 1), salt);
  deepStrictEqual(await storedKeys(kv), [["salt", SOME_DAY + 1]]);
  await store.close();
});

Deno.test("on Deno KV, the salt of an earlier day is deleted soon after the next start", async () => {
  await using folder = await tempDir();
  const open = async (today: Day) => {
    const file = await openCounterFile(`${folder.path}/counters.kv`);
    return { kv: file.kv, store: await kvStore({ kv: file.kv, file, today: () => today }) };
  };
  const first = await open(SOME_DAY);
  await first.store.salt(SOME_DAY);
  await first.store.close();
  const { kv, store } = await open(SOME_DAY + 1);
  await waitFor("the end of the salt", async () => {
    return (await storedKeys(kv)).length === 0 || undefined;
  });
  await store.close();
});

Deno.test("on Deno KV, nothing keeps the process alive once a store that has swept is closed", async () => {
  const program = `
    import { kvStore } from "${import.meta.resolve("../../../support/kv_store.ts")}";
    const kv = await Deno.openKv(":memory:");
    const old = ["tallymark", "deleted", 1];
    await kv.set(old, true);
    const store = await kvStore({ kv, msUntilMidnight: () => 3_600_000 });
    while ((await kv.get(old)).value) await new Promise((resolve) => setTimeout(resolve, 50));
    await store.close();`;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--config", join(projectFolder, "tests/deno.json"), program],
    signal: AbortSignal.timeout(FAR_AWAY_MS),
  }).output();
  strictEqual(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("on Deno KV, a hit with the same key is a repeat for 24 hours, also in the next day bucket", async () => {
  using _noon = stopAtNoon();
  const kv = await Deno.openKv(":memory:");
  const counters = createCounters(await kvStore({ kv }));
  const keyOf = (
    bucket: number,
    key: string,
  ) => ["tallymark", "once", bucket, "hits:", "a", key];
  await kv.set(keyOf(NOW - 1, "young"), [41, Date.now() - DAY_MS + 60_000]);
  await kv.set(keyOf(NOW - 1, "old"), [42, Date.now() - DAY_MS - 1]);
  const id = counterId("a");
  deepStrictEqual(await counters.hitDeduplicated(id, { key: "young" }), { hits: 41, repeat: true });
  deepStrictEqual(await counters.hitDeduplicated(id, { key: "old" }), { hits: 1, repeat: false });
  deepStrictEqual(await counters.hitDeduplicated(id, { key: "old" }), { hits: 1, repeat: true });
  await counters.close();
});
