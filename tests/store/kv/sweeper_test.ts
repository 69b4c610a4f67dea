import { deepStrictEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { counterId } from "../../../src/counter/counter_id.ts";
import { createCounters } from "../../../src/counting/counters.ts";
import type { KeyRange } from "../../../src/store/kv/file/checkpointer.ts";
import { openCounterFile } from "../../../src/store/kv/file/counter_file.ts";
import { kvStore, SOME_DAY } from "../../support/kv_store.ts";
import { addition } from "../../support/store_contract.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { openRemote } from "../../support/kv_backend.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { waitFor } from "../../support/wait_for.ts";

const DAY_MS = 86_400_000;
const NOW = Math.floor(Date.now() / DAY_MS);

/** The deduplication keys and salts that are stored, without the first part of their keys. */
async function storedKeys(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const kinds = ["once", "deleted", "seen", "salt"];
  const lists = kinds.map((kind) => Array.fromAsync(kv.list({ prefix: ["tallymark", kind] })));
  return (await Promise.all(lists)).flat().map(({ key }) => key.slice(1));
}

Deno.test("openKvStore: what has expired is deleted soon after the start, and nothing else", async () => {
  const kv = await Deno.openKv(":memory:");
  for (const [back, hits] of [[0, 3], [1, 4], [2, 5], [300, 6]] as const) {
    for (let number = 0; number < 250; number++) {
      const key = ["tallymark", "once", NOW - back, "hits:", "a", `k${number}`];
      await kv.set(key, [hits, Date.now() - back * DAY_MS]);
      await kv.set(["tallymark", "deleted", NOW - back, "hits:", `d${number}`], true);
      await kv.set(["tallymark", "seen", SOME_DAY - back, "hits:", `v${number}`], true);
    }
    await kv.set(["tallymark", "salt", SOME_DAY - back], "salt");
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
  Deno.test(`openKvStore ${kind}: the salt and the visitors of a day end with it, though nobody comes`, async () => {
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

Deno.test("openKvStore: nothing of a salt is left in the file or its log once its day is over", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  let today = SOME_DAY;
  const open = async () => {
    const file = await openCounterFile(path);
    const setup = { kv: file.kv, file, today: () => today, msUntilMidnight: () => 50 };
    return await kvStore(setup);
  };
  let store = await open();
  for (const end of ["while it runs", "at the next start"]) {
    const salt = await store.salt(today);
    await store.add([addition(counterId("a"), 1)]);
    ok(placesIn(path, salt) > 0, end);
    if (end === "at the next start") await store.close();
    today++;
    if (end === "at the next start") store = await open();
    await waitFor(`the end of the salt ${end}`, () => placesIn(path, salt) === 0 || undefined);
  }
  await store.close();
});

Deno.test("openKvStore: nothing of a salt is left if its row takes more bytes at its end", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  let today = SOME_DAY;
  const file = await openCounterFile(path);
  const { kv } = file;
  // SQLite writes a version above 127 with a byte more, so that the row no longer fits where it was.
  const reach = async (version: number) => {
    while (versionOf(await kv.set(["other"], 1)) < version);
  };
  await reach(100);
  const store = await kvStore({ kv, file, today: () => today, msUntilMidnight: () => 50 });
  const salt = await store.salt(today);
  ok(versionOf(await kv.get(["tallymark", "salt", today])) < 128);
  await store.add([addition(counterId("a"), 1)]);
  await reach(128);
  ok(placesIn(path, salt) > 0);
  today++;
  await waitFor("the end of the salt", async () => {
    return (await storedKeys(kv)).length === 0 || undefined;
  });
  deepStrictEqual(placesIn(path, salt), 0);
  await store.close();
});

Deno.test("openKvStore: nothing of a salt is left once the first visitor of the next day has come", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const file = await openCounterFile(path);
  const store = await kvStore({ kv: file.kv, file });
  const salt = await store.salt(SOME_DAY);
  ok(placesIn(path, salt) > 0);
  await store.salt(SOME_DAY + 1);
  deepStrictEqual(placesIn(path, salt), 0);
  await store.close();
});

Deno.test("openKvStore: the end of a salt is in one place of the file only, though rows are moved as others come", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const file = await openCounterFile(path);
  const store = await kvStore({ kv: file.kv, file });
  const salt = await store.salt(SOME_DAY);
  using reader = new DatabaseSync(path);
  const checkpoint = reader.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let number = 0; number < 200; number++) {
    const kind = number % 2 === 0 ? "seen" : "once";
    await file.kv.set(["tallymark", kind, SOME_DAY, "hits:", "a", `k${1000 - number}`], true);
    checkpoint.get();
    deepStrictEqual(placesIn(path, salt), 1, `after ${number}`);
  }
  await store.close();
});

Deno.test("openKvStore: a salt is gone from the log as well once nobody reads it any more", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  let today = SOME_DAY;
  const opened = await openCounterFile(path);
  let tries = 0;
  const erase = (range: KeyRange) => opened.erase(range).finally(() => tries++);
  const file = { ...opened, erase };
  const store = await kvStore({ kv: file.kv, file, today: () => today, msUntilMidnight: () => 50 });
  const salt = await store.salt(today);
  using reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM sqlite_schema").get();
  today++;
  await waitFor("a look at the log", () => tries > 0 || undefined);
  ok(placesIn(path, salt) > 0);
  reader.exec("COMMIT");
  await waitFor("the end of the salt", () => placesIn(path, salt) === 0 || undefined);
  await store.close();
});

Deno.test("openKvStore: a hit with the same key is a repeat for 24 hours, also in the next day bucket", async () => {
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

/** In how many places of a counter file and its log the last characters of a salt are. */
function placesIn(path: string, salt: string): number {
  const end = Buffer.from(salt.slice(-20));
  const content = Buffer.concat([contentOf(path), contentOf(`${path}-wal`)]);
  let places = 0;
  for (let at = content.indexOf(end); at >= 0; at = content.indexOf(end, at + 1)) places++;
  return places;
}

/** The number in a versionstamp, which each commit raises by one to nine. */
function versionOf({ versionstamp }: { versionstamp: string | null }): number {
  return parseInt(versionstamp?.slice(0, 16) ?? "", 16);
}

function contentOf(path: string): Buffer {
  try {
    return Buffer.from(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Buffer.alloc(0);
    throw error;
  }
}
