import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId, MAX_ID_BYTES } from "../../../../src/domain/counter_id.ts";
import type { CounterStore } from "../../../../src/domain/store.ts";
import type { JournalLimits } from "../../../../src/store/kv/journal.ts";
import { kvKeys } from "../../../../src/store/kv/kv_layout.ts";
import { openCounterFile } from "../../../../src/store/kv/file/counter_file.ts";
import { kvFilesAsLeft } from "../../../support/kv_files.ts";
import { kvStore } from "../../../support/kv_store.ts";
import { overrideNextCommit } from "../../../support/next_commit.ts";
import { addition, rejectsWith } from "../../../support/store_contract.ts";
import { tempDir } from "../../../support/temp_dir.ts";
import { waitFor } from "../../../support/wait_for.ts";

const keys = kvKeys("hits:");
/** As many as begin a journal. */
const MANY = Array.from({ length: 25 }, (_, index) => counterId(`c${index}`));
const A = counterId("c0");
const B = counterId("c1");
const C = counterId("c2");

Deno.test("hits on many counters are one row, and their entries hold all of them once it is full", async () => {
  await using file = await openFile(undefined, { from: 25, rows: 2, counters: 100, atOnce: 10 });
  const { store, kv } = file;
  await hit(store, MANY);
  await hit(store, MANY);
  strictEqual(await rowsIn(kv), 1);
  strictEqual(await entryIn(kv, A), 1);
  deepStrictEqual(await store.read(MANY), MANY.map(() => 2));
  deepStrictEqual(await hit(store, MANY), MANY.map(() => 3));
  await waitFor("an empty journal", async () => await rowsIn(kv) === 0 || undefined);
  for (const id of MANY) strictEqual(await entryIn(kv, id), 3);
  deepStrictEqual(await hit(store, MANY), MANY.map(() => 4));
});

Deno.test("hits on few counters go to their entries, which any program may read", async () => {
  await using file = await openFile();
  for (const _ of [1, 2, 3]) await hit(file.store, MANY.slice(1));
  strictEqual(await rowsIn(file.kv), 0);
  strictEqual(await entryIn(file.kv, B), 3);
});

Deno.test("once it has a row, hits on 8 counters are a row, and on fewer go to their entries", async () => {
  await using file = await openHit();
  strictEqual(await rowsIn(file.kv), 1);
  await hit(file.store, MANY.slice(0, 8));
  strictEqual(await rowsIn(file.kv), 2);
  strictEqual(await entryIn(file.kv, A), 1);
  deepStrictEqual(await hit(file.store, MANY.slice(0, 7)), new Array(7).fill(4));
  strictEqual(await rowsIn(file.kv), 2);
  strictEqual(await entryIn(file.kv, A), 4);
  const totals = MANY.map((_, at) => at < 7 ? 4 : at === 7 ? 3 : 2);
  deepStrictEqual(await file.store.read(MANY), totals);
});

Deno.test("100 counters with the longest names fit into a row, and all of them into a checkpoint", async () => {
  await using file = await openFile();
  for (const letter of ["x", "é", "日", "\u{1f600}", "y", "z"]) {
    const bytes = new TextEncoder().encode(letter).length;
    const ids = Array.from({ length: 100 }, (_, index) => {
      return counterId(`${index}`.padStart(3, "0") + letter.repeat((MAX_ID_BYTES - 3) / bytes));
    });
    await hit(file.store, ids);
    const rows = await rowsIn(file.kv);
    deepStrictEqual(await hit(file.store, ids), ids.map(() => 2));
    strictEqual(await rowsIn(file.kv), rows + 1);
  }
  await file.store.close();
  using kv = await Deno.openKv(file.path);
  strictEqual(await rowsIn(kv), 0);
});

Deno.test("a close leaves nothing in it", async () => {
  await using file = await openHit();
  const { store, kv } = file;
  await hit(store, MANY);
  strictEqual(await rowsIn(kv), 2);
  await store.close();
  using read = await Deno.openKv(file.path);
  strictEqual(await rowsIn(read), 0);
  for (const id of MANY) strictEqual(await entryIn(read, id), 3);
});

Deno.test("what a killed process left in it counts, but where an entry was written since", async () => {
  await using file = await openHit();
  const left = kvFilesAsLeft(file.path);
  await file.store.close();
  left.restore();
  {
    // As a version without a journal, or a program of the owner, would do it.
    using kv = await Deno.openKv(file.path);
    strictEqual(await entryIn(kv, B), 1);
    await kv.set(keys.total(A), new Deno.KvU64(70n));
    await kv.delete(keys.total(B));
    await kv.delete(keys.total(C));
  }
  await using again = await openFile(file.path);
  deepStrictEqual(await again.store.read(MANY), [70, 0, 0, ...MANY.slice(3).map(() => 2)]);
  const rest = MANY.filter((id) => id !== C);
  deepStrictEqual(await hit(again.store, rest), [71, 1, ...MANY.slice(3).map(() => 3)]);
  await again.store.close();
  using kv = await Deno.openKv(file.path);
  strictEqual(await rowsIn(kv), 0);
  deepStrictEqual(await Promise.all([A, B, C].map((id) => entryIn(kv, id))), [71, 1, NaN]);
});

Deno.test("a row whose outcome is unknown counts if it is stored, and not otherwise", async () => {
  await using file = await openHit();
  const { store, kv } = file;
  loseNextReply(kv);
  await rejectsWith("outcome-unknown", hit(store, MANY));
  deepStrictEqual(await hit(store, MANY), MANY.map(() => 4));
  overrideNextCommit(kv, () => Promise.reject(new TypeError("disk I/O error")));
  await rejectsWith("outcome-unknown", hit(store, MANY));
  overrideNextCommit(kv, () => Promise.reject(new TypeError("database or disk is full")));
  await rejectsWith("store-unavailable", hit(store, MANY));
  deepStrictEqual(await hit(store, MANY), MANY.map(() => 5));
});

Deno.test("a fold that fails is run again after the next hit", async () => {
  await using file = await openFile(undefined, { from: 1, rows: 1, counters: 100, atOnce: 100 });
  const { store, kv } = file;
  await hit(store, [A, B]);
  const failed = failNextFold(kv);
  deepStrictEqual(await hit(store, [A, B]), [2, 2]);
  await failed;
  strictEqual(await entryIn(kv, A), 1);
  deepStrictEqual(await hit(store, [B]), [3]);
  await waitFor("the entry", async () => await entryIn(kv, A) === 2 || undefined);
  deepStrictEqual(await store.read([A, B]), [2, 3]);
});

Deno.test("a fold of which one commit fails leaves its rows", async () => {
  const kv = await Deno.openKv(":memory:");
  // With so long a prefix, 100 counters need two commits.
  const prefix = "x".repeat(600);
  const journalLimits = { from: 1, rows: 3, counters: 1000, atOnce: 100 };
  const store = await kvStore({ kv, prefix, journalLimits });
  const ids = Array.from({ length: 100 }, (_, index) => counterId(`n${index}`));
  await hit(store, ids);
  await hit(store, ids);
  const failed = failNextFold(kv);
  await hit(store, ids.slice(0, 1));
  await failed;
  await waitFor("an empty journal", async () => {
    await store.addOnce([{ id: A, hits: [{ key: crypto.randomUUID() }] }]);
    return (await Array.fromAsync(kv.list({ prefix: kvKeys(prefix).row(0).slice(0, -1) })))
          .length === 0 || undefined;
  });
  deepStrictEqual(await hit(store, ids), ids.map((_, index) => index === 0 ? 4 : 3));
  await store.close();
});

Deno.test("a read while a set is under way waits for it", async () => {
  await using file = await openFile(undefined, { from: 1, rows: 100, counters: 100, atOnce: 100 });
  const { store, kv } = file;
  await hit(store, [A]);
  await hit(store, [A]);
  const [stored, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  overrideNextCommit(kv, async (carryOut) => {
    const result = await carryOut();
    stored.resolve();
    await answered.promise;
    return result;
  });
  const days = { newest: 20_000, hits: [7] };
  const set = store.write([{ id: A, update: { hits: 70, days, mode: "replace" } }]);
  await stored.promise;
  const reading = store.history([{ id: A, since: -Infinity }]);
  answered.resolve();
  await set;
  const [held] = await reading;
  strictEqual(held instanceof Error || held?.hits, 70);
});

Deno.test("a list shows all numbers that are in it, with their days, and leaves them there", async () => {
  for (const since of [undefined, -Infinity]) {
    await using file = await openHit();
    const { store, kv } = file;
    const pages = await Array.fromAsync(store.list({ prefix: "", since }));
    const listed = pages.flatMap(({ counters }) => counters);
    deepStrictEqual(listed.map(({ hits }) => hits), MANY.map(() => 2));
    deepStrictEqual(listed.map(({ days }) => days?.hits), MANY.map(() => since && [2]));
    strictEqual(await rowsIn(kv), 1);
  }
});

Deno.test("it fills again after it was emptied, also where hits with keys come beside the others", async () => {
  await using file = await openFile(undefined, { from: 1, rows: 6, counters: 100, atOnce: 100 });
  const { store, kv } = file;
  await hit(store, MANY);
  const rows: number[] = [];
  const once = counterId("once");
  await Promise.all([
    (async () => {
      for (let round = 0; round < 60; round++) {
        await hit(store, MANY);
        rows.push(await rowsIn(kv));
      }
    })(),
    (async () => {
      for (let round = 0; round < 120; round++) {
        await store.addOnce([{ id: once, hits: [{ key: `${round}` }] }]);
      }
    })(),
  ]);
  const timesFull = rows.filter((count, round) => count >= 5 && (rows[round - 1] ?? 0) < 5).length;
  ok(timesFull > 1, `${rows}`);
  deepStrictEqual(await store.read(MANY), MANY.map(() => 61));
});

Deno.test("a slow disk holds up the end no longer than a second; what is left counts after the next start", async () => {
  await using file = await openFile(undefined, { from: 1, rows: 100, counters: 100, atOnce: 1 });
  await hit(file.store, MANY);
  await hit(file.store, MANY);
  const slowly = (carryOut: Deno.AtomicOperation["commit"]) => {
    overrideNextCommit(file.kv, slowly);
    return new Promise<void>((resolve) => setTimeout(resolve, 400)).then(carryOut);
  };
  overrideNextCommit(file.kv, slowly);
  await file.store.close();
  {
    using kv = await Deno.openKv(file.path);
    strictEqual(await rowsIn(kv), 1);
  }
  await using again = await openFile(file.path);
  deepStrictEqual(await again.store.read(MANY), MANY.map(() => 2));
});

Deno.test("a set whose outcome is unknown, but that is stored, is not undone by a fold", async () => {
  await using file = await openHit();
  const { store, kv } = file;
  loseNextReply(kv);
  const update = { hits: 70, days: undefined, mode: "replace" } as const;
  await rejectsWith("outcome-unknown", store.write([{ id: A, update }]));
  deepStrictEqual(await store.read([A]), [70]);
  await Array.fromAsync(store.list({ prefix: "", since: undefined }));
  deepStrictEqual(await hit(store, [B]), [3]);
  await store.close();
  await using again = await openFile(file.path);
  strictEqual(await rowsIn(again.kv), 0);
  deepStrictEqual(await hit(again.store, [A, B]), [71, 4]);
});

Deno.test("what is read after a hit whose outcome is unknown includes it if it is stored", async () => {
  await using file = await openHit();
  const { store, kv } = file;
  loseNextReply(kv);
  await rejectsWith("outcome-unknown", hit(store, MANY));
  deepStrictEqual(await store.read([A]), [3]);
  deepStrictEqual(await hit(store, [B]), [4]);
  const [page] = await Array.fromAsync(store.list({ prefix: A, since: undefined }));
  strictEqual(page?.counters[0]?.hits, 3);
  deepStrictEqual(await hit(store, [A]), [4]);
});

Deno.test("a fold whose outcome is unknown loses and repeats no hit", async () => {
  await using file = await openFile(undefined, { from: 1, rows: 2, counters: 100, atOnce: 100 });
  const { store, kv } = file;
  await hit(store, [A]);
  await hit(store, [A]);
  overrideNextCommit(kv, async (carryOut) => {
    // The next commit is one of a fold.
    loseNextReply(kv);
    return await carryOut();
  });
  await hit(store, [A]);
  await waitFor("the entry", async () => await entryIn(kv, A) === 3 || undefined);
  deepStrictEqual(await store.addOnce([{ id: A, hits: [{ key: "k" }] }]), [[
    { hits: 4, repeat: false },
  ]]);
  deepStrictEqual(await hit(store, [A]), [5]);
});

interface OpenFile extends AsyncDisposable {
  readonly path: string;
  readonly kv: Deno.Kv;
  readonly store: CounterStore;
}

async function openFile(at?: string, journalLimits?: JournalLimits): Promise<OpenFile> {
  await using stack = new AsyncDisposableStack();
  const path = at ?? `${stack.use(await tempDir()).path}/counters.kv`;
  const file = await openCounterFile(path);
  const { kv } = file;
  const store = await kvStore({ kv, file, ...journalLimits && { journalLimits } });
  stack.defer(() => store.close());
  const all = stack.move();
  return { path, kv, store, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Opens a file whose counters were hit twice, so that the second time is a row. */
async function openHit(): Promise<OpenFile> {
  const file = await openFile();
  for (const _ of [1, 2]) await hit(file.store, MANY);
  return file;
}

async function hit(store: CounterStore, ids: readonly CounterId[]) {
  return await store.add(ids.map((id) => addition(id, 1)));
}

/** Fails the commit after the next one, which is one of a fold. Resolves when it has failed. */
function failNextFold(kv: Deno.Kv): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  overrideNextCommit(kv, async (carryOut) => {
    overrideNextCommit(kv, () => {
      resolve();
      return Promise.reject(new TypeError("database or disk is full"));
    });
    return await carryOut();
  });
  return promise;
}

/** Lets the next commit be stored, and fail all the same. */
function loseNextReply(kv: Deno.Kv): void {
  overrideNextCommit(kv, async (carryOut) => {
    await carryOut();
    throw new TypeError("disk I/O error");
  });
}

async function rowsIn(kv: Deno.Kv): Promise<number> {
  const rows = await Array.fromAsync(kv.list({ prefix: keys.row(0).slice(0, -1) }));
  return rows.length;
}

async function entryIn(kv: Deno.Kv, id: CounterId): Promise<number> {
  return Number((await kv.get<Deno.KvU64>(keys.total(id))).value?.value);
}
