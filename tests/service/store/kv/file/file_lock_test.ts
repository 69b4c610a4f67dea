import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { FileLock } from "../../../../../src/store/kv/file/file_lock.ts";
import { openCounterFile } from "../../../../../src/store/kv/file/counter_file.ts";
import { StartError } from "../../../../../src/start_error.ts";
import { mountDisk, mountOn, needsMount } from "../../../../support/mounts.ts";
import { tempDir } from "../../../../support/temp_dir.ts";

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "a second owner is refused although the lock beside the file was deleted",
  linux,
  async () => {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    const first = await openCounterFile(path);
    for (let attempt = 0; attempt < 2; attempt++) {
      Deno.removeSync(`${path}.lock`);
      match(await refused(path), /in use by another process/);
    }
    await commit(first.kv);
    await first.close();
    await (await openCounterFile(path)).close();
  },
);

Deno.test(
  "a second owner is refused by another name of the file while it is in use",
  linux,
  async () => {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    const other = `${folder.path}/other.kv`;
    const first = await openCounterFile(path);
    await commit(first.kv);
    Deno.linkSync(path, other);
    match(await refused(other), /in use by another process/);
    await first.close();
  },
);

Deno.test("a file that was closed is free at once, while the process starts others", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  // From another thread: while this one starts a process, it does nothing else.
  const starter = new Worker(new URL("process_starter.ts", import.meta.url), { type: "module" });
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  starter.onmessage = () => resolve(true);
  do {
    for (let attempt = 0; attempt < 200; attempt++) {
      new FileLock(`${path}.lock`, path)[Symbol.dispose]();
    }
  } while (!await Promise.race([over, nextTurn()]));
  starter.terminate();
});

Deno.test("a file that is mounted by itself is refused", needsMount, async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/data/counters.kv`;
  await (await openCounterFile(path)).close();
  await Deno.mkdir(`${folder.path}/disk`);
  await using _disk = await mountDisk(`${folder.path}/disk`, "1m");
  Deno.writeTextFileSync(`${folder.path}/disk/elsewhere.kv`, "");
  {
    await using _mount = await mountOn(path, `${folder.path}/disk/elsewhere.kv`);
    match(await refused(path), /is mounted as a single file.*mount its whole folder instead/);
  }
  await (await openCounterFile(path)).close();
});

Deno.test(
  "neither opening nor saving drops the locks that keep other programs from the log",
  linux,
  async () => {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    for (let start = 0; start < 2; start++) {
      const file = await openCounterFile(path);
      const before = locksOn(path);
      // One is this service's own, the others are SQLite's on the file and the index of its log.
      ok(before.some((lock) => lock.includes("FLOCK")), before.join("\n"));
      ok(before.some((lock) => lock.includes("POSIX")), before.join("\n"));
      await commit(file.kv);
      await rejects(openCounterFile(path), StartError);
      // As a save does: it would end SQLite's locks if this were another copy of SQLite than Deno
      // KV's.
      {
        using other = new DatabaseSync(path);
        other.exec("SELECT * FROM kv");
      }
      deepStrictEqual(locksOn(path), before);
      await file.close();
      deepStrictEqual(locksOn(path), []);
    }
  },
);

async function commit(kv: Deno.Kv): Promise<void> {
  strictEqual((await kv.set(["hits:", "home"], new Deno.KvU64(1n))).ok, true);
}

/** Asserts that the file is refused, and tells why. */
async function refused(path: string): Promise<string> {
  try {
    await (await openCounterFile(path)).close();
  } catch (error) {
    ok(error instanceof StartError, String(error));
    ok(error.message.startsWith(path), error.message);
    return error.message;
  }
  throw new Error(`Open ${path}: not refused`);
}

/**
 * The part of a database that all who have it open lock, and the part of its log's index
 * (sqlite.org/walformat.html).
 */
const LASTING = / (EOF|1073742335|128)$/;

/**
 * The locks that last which this process has on a file and on the index of its log. While others
 * lock files the system may tell of a lock twice or not at all, so it is asked until it says the
 * same again.
 */
function locksOn(path: string): string[] {
  for (let told = toldLocksOn(path);;) {
    const again = toldLocksOn(path);
    if (again.join() === told.join()) return again;
    told = again;
  }
}

function toldLocksOn(path: string): string[] {
  const inodes = [path, `${path}-shm`].map((name) => {
    try {
      return Deno.statSync(name).ino;
    } catch {
      return undefined;
    }
  });
  const locks = Deno.readTextFileSync("/proc/locks").split("\n")
    .filter((line) => inodes.some((inode) => inode !== undefined && line.includes(`:${inode} `)))
    .filter((line) => LASTING.test(line))
    .map((line) => line.replace(/^\d+: /, ""));
  return [...new Set(locks)].toSorted();
}

function nextTurn(): Promise<boolean> {
  return new Promise((resolve) => setTimeout(resolve, 0, false));
}
