import { strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { isLogDamaged } from "../../../src/store/kv/log_check.ts";
import { tempDir } from "../../support/temp_dir.ts";

const FRAME = 24 + 4096;
const COMMITS = 30;

Deno.test("isLogDamaged: a sound log is not, nor an empty one, nor one cut off anywhere behind its header", async () => {
  const { log } = await writeLog();
  strictEqual(isLogDamaged(log), false);
  strictEqual(isLogDamaged(new Uint8Array()), false);
  for (let length = 32; length < log.length; length += 1009) {
    strictEqual(isLogDamaged(log.slice(0, length)), false, `${length} bytes`);
  }
  strictEqual(isLogDamaged(log.slice(0, 31)), true);
});

Deno.test("isLogDamaged: one bit of the header is off", async () => {
  const { log } = await writeLog();
  for (let byte = 0; byte < 32; byte++) strictEqual(isLogDamaged(flipped(log, byte)), true);
});

Deno.test("isLogDamaged: one bit is off in a frame that a later commit followed", async () => {
  const { log, lastCommit } = await writeLog();
  for (let byte = 32; byte < lastCommit - FRAME; byte += 211) {
    strictEqual(isLogDamaged(flipped(log, byte)), true, `byte ${byte}`);
  }
});

Deno.test("isLogDamaged: what a crash left of the last commit is no damage", async () => {
  const { log, lastCommit } = await writeLog();
  for (let byte = lastCommit; byte < log.length; byte += 97) {
    strictEqual(isLogDamaged(flipped(log, byte)), false, `byte ${byte}`);
  }
  // The system may have written the later pages of it and not the first.
  strictEqual(isLogDamaged(log.slice().fill(0, lastCommit, lastCommit + FRAME)), false);
});

Deno.test("isLogDamaged: what is left behind in a log that was begun anew is no damage", async () => {
  const { log } = await writeLog({ again: true });
  strictEqual(isLogDamaged(log), false);
  strictEqual(isLogDamaged(log.slice().fill(0, 32 + 2 * FRAME, 32 + 3 * FRAME)), false);
});

/** The log of a database, and where its last commit begins in it; `again` begins it anew after all these commits. */
async function writeLog({ again = false } = {}) {
  await using folder = await tempDir();
  const path = `${folder.path}/some.db`;
  using database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE numbers (id, number); BEGIN");
  const add = database.prepare("INSERT INTO numbers VALUES (?, randomblob(3000))");
  for (let id = 0; id < 20; id++) add.run(id);
  database.exec("COMMIT");
  const change = database.prepare("UPDATE numbers SET number = randomblob(3000) WHERE id % 10 = ?");
  for (let commit = 0; commit < COMMITS - 1; commit++) change.run(commit % 10);
  if (again) {
    database.exec("PRAGMA wal_checkpoint(RESTART)");
    change.run(1);
    return { log: Deno.readFileSync(`${path}-wal`), lastCommit: 32 };
  }
  const lastCommit = Deno.statSync(`${path}-wal`).size;
  change.run(1);
  return { log: Deno.readFileSync(`${path}-wal`), lastCommit };
}

function flipped(log: Uint8Array<ArrayBuffer>, byte: number): Uint8Array<ArrayBuffer> {
  const changed = log.slice();
  changed[byte] = (changed[byte] ?? 0) ^ 4;
  return changed;
}
