import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { explainFailure } from "../../src/start/settings.ts";
import { fillDisk, mountDisk, mountReadOnly, needsMount } from "../support/mounts.ts";
import { tempDir } from "../support/temp_dir.ts";
import { fileIn, startOnFile, useAndKill } from "./counter_file.ts";
import { hitOnce } from "./load.ts";

/** Obstacles between a service and a sound file, which end when they are disposed of. */
const obstacles: {
  what: string;
  ignore: boolean;
  put(path: string): Promise<AsyncDisposable | Disposable>;
  says: RegExp;
}[] = [
  {
    what: "locked by another program",
    ignore: false,
    put: (path) => Promise.resolve(lockExclusively(path)),
    says: /\(database is locked\): close the other program that has it open/,
  },
  {
    what: "one that nobody may write",
    ...needsMount,
    put: (path) => mountReadOnly(path),
    says: /\(.*read-only.*\): let the user who runs this process read and write it/i,
  },
  {
    what: "beside a log that nobody may write",
    ...needsMount,
    put: (path) => mountReadOnly(`${path}-wal`),
    says: /\(.*read-?only.*\): let the user who runs this process read and write it/i,
  },
  {
    what: "in a folder that nobody may write",
    ...needsMount,
    put: (path) => mountReadOnly(join(path, "..")),
    says: /\(.*read-?only.*\): let the user who runs this process read and write it/i,
  },
];

for (const { what, ignore, put, says } of obstacles) {
  Deno.test({
    name:
      `on Deno KV, a sound file that is ${what} is refused with the reason, and holds all counts after`,
    ignore,
    async fn() {
      await using folder = await tempDir();
      await countAndDie(folder.path);
      {
        await using _obstacle = await put(fileIn(folder.path));
        await refused(folder.path, says);
      }
      await countsOn(folder.path);
    },
  });
}

Deno.test(
  "on Deno KV, a sound file on a full disk is refused with the reason, and holds all counts after",
  needsMount,
  async () => {
    await using folder = await tempDir();
    await using _disk = await mountDisk(folder.path, "8m");
    await countAndDie(folder.path);
    const ballast = join(folder.path, "ballast");
    await fillDisk(ballast);
    await refused(
      folder.path,
      /\((disk I\/O error|database or disk is full|.*No space left.*)\): make room on its disk/,
    );
    await Deno.remove(ballast);
    await countsOn(folder.path);
  },
);

/** Asserts that the service does not start, says why, and gives no advice that loses counts. */
async function refused(folder: string, says: RegExp): Promise<void> {
  const text = await startOnFile(folder).then(
    () => "It has started",
    (error) => explainFailure("Tallymark cannot start", error),
  );
  match(text, /^Tallymark cannot start: \S+data\/counters\.kv cannot be opened/);
  match(text, says);
  doesNotMatch(text, /damaged|backup|move|delete|remove/);
  strictEqual(text.split("\n").length, 1, text);
}

/** Asserts that the counts are there. */
async function countsOn(folder: string): Promise<void> {
  await using service = await startOnFile(folder);
  const { answer } = await hitOnce({ service });
  strictEqual(JSON.parse(answer?.body ?? "").hits, 4);
}

/** Leaves a file whose counts are in its log. */
async function countAndDie(folder: string): Promise<void> {
  await useAndKill(folder, async (service) => {
    for (let hit = 0; hit < 3; hit++) await hitOnce({ service });
  });
}

function lockExclusively(path: string): Disposable {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("BEGIN EXCLUSIVE");
  return database;
}
