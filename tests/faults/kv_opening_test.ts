import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fillDisk, mountDisk, mountReadOnly, needsMount } from "../support/mounts.ts";
import { runService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";

const env = { SECRET_TOKEN: SECRET };

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
      const path = join(folder.path, "data", "counters.kv");
      await countAndDie(folder.path);
      {
        await using _obstacle = await put(path);
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
    await Deno.remove(join(folder.path, "data", "counters.kv-shm"));
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
async function refused(cwd: string, says: RegExp): Promise<void> {
  const ended = await runService({ cwd, env });
  strictEqual(ended.code, 1, ended.stdout);
  match(ended.stderr, /^Tallymark cannot start: data\/counters\.kv cannot be opened/);
  match(ended.stderr, says);
  doesNotMatch(ended.stderr, /damaged|backup|move|delete|remove/);
  strictEqual(ended.stderr.trim().split("\n").length, 1, ended.stderr);
}

/** Asserts that the counts are there. */
async function countsOn(cwd: string): Promise<void> {
  await using service = await startService({ cwd, env });
  const { answer } = await hitOnce({ service });
  strictEqual(JSON.parse(answer?.body ?? "").hits, 4);
}

/** Leaves a file whose counts are in its log. */
async function countAndDie(cwd: string): Promise<void> {
  await using service = await startService({ cwd, env });
  for (let hit = 0; hit < 3; hit++) await hitOnce({ service });
  await service.kill();
}

function lockExclusively(path: string): Disposable {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("BEGIN EXCLUSIVE");
  return database;
}
