import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openCounterFile } from "../../src/store/kv/file/counter_file.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { SECRET } from "../support/secret.ts";
import { fileIn, startOnFile, useAndKill } from "./counter_file.ts";
import { hitOnce } from "./load.ts";
import { storedInKv } from "./stored.ts";

const env = { SECRET_TOKEN: SECRET };
const HITS = 150;

/** Damages to SQLite's log after a kill -9, while it holds the last counts. */
const accidents: { what: string; happen(log: string): Promise<void> }[] = [
  { what: "deleted with its index", happen: (log) => Deno.remove(log) },
  { what: "emptied", happen: (log) => Deno.truncate(log) },
  { what: "cut off in the middle", happen: (log) => cut(log, 0.5) },
  { what: "cut off in its last commit", happen: (log) => cut(log, 0.999) },
  { what: "overwritten at its beginning", happen: (log) => change(log, 0, () => 0xa5) },
  { what: "off by one bit in its header", happen: (log) => change(log, 18, (byte) => byte ^ 1) },
  {
    what: "off by one bit in the header of its first frame",
    happen: (log) => change(log, 32 + 9, (byte) => byte ^ 1),
  },
  {
    what: "off by one bit in its first frame",
    happen: (log) => change(log, 32 + 24 + 1000, (byte) => byte ^ 0x80),
  },
  {
    what: "off by one bit in its last frame",
    happen: (log) => change(log, Deno.statSync(log).size - 500, (byte) => byte ^ 1),
  },
];

Deno.test("on Deno KV, a log that is damaged after a kill -9 is refused at start, until it is back", async (t) => {
  await using folder = await tempDir();
  const path = fileIn(folder.path);
  const stored = await countAndDie(folder.path);
  const sound = await contentsOf(path);
  for (const { what, happen } of accidents) {
    await t.step(what, async () => {
      await happen(`${path}-wal`);
      await Deno.remove(`${path}.lock`);
      const harmed = await contentsOf(path);
      await rejects(openCounterFile(path), {
        name: "StartError",
        message:
          /counters\.kv holds less.* delete .*counters\.kv\.held to continue with what is left/,
      });
      deepStrictEqual(await contentsOf(path), harmed);
      await restore(path, sound);
    });
  }
  deepStrictEqual(await countedBy(folder.path), stored);
});

Deno.test("on Deno KV, who deletes the note after that goes on with what the file held before", async () => {
  await using folder = await tempDir();
  const path = fileIn(folder.path);
  await countAndDie(folder.path);
  await Deno.remove(`${path}-wal`);
  await Deno.remove(`${path}.held`);
  await using service = await startOnFile(folder.path);
  // The log alone had the hits.
  strictEqual(JSON.parse((await hitOnce({ service }, "c0")).answer?.body ?? "").hits, 1);
});

for (const reader of [undefined, "SELECT 1", "BEGIN; SELECT 1 FROM kv"]) {
  const beside = reader === undefined ? "" : `, although another process has it open (${reader})`;
  Deno.test(`on Deno KV, after a stop in good order the file alone holds all hits${beside}`, async () => {
    await using folder = await tempDir();
    const path = fileIn(folder.path);
    await using service = await startService({ cwd: folder.path, env });
    await count(service);
    using database = new DatabaseSync(path);
    if (reader !== undefined) database.exec(reader);
    const { code, stderr } = await service.stop();
    strictEqual(code, 0);
    doesNotMatch(stderr, /"warn"/);
    strictEqual(await savedIn(path), HITS);
  });
}

Deno.test("on Deno KV, a stop says that the log belongs to a copy if a reader keeps it from the file", async () => {
  await using folder = await tempDir();
  const path = fileIn(folder.path);
  await using service = await startService({ cwd: folder.path, env });
  await count(service);
  using database = new DatabaseSync(path);
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM kv").get();
  await count(service);
  match(
    (await service.stop()).stderr,
    /"counter file left incomplete: .*","path":"data\/counters\.kv"/,
  );
});

/** Leaves counters that are in the log alone, and tells what they are. */
async function countAndDie(folder: string): Promise<Map<string, number>> {
  for (;;) {
    const stored = await useAndKill(folder, count);
    // On a slow machine SQLite may have moved a part of them into the file and restarted the log.
    if (Deno.statSync(fileIn(folder)).size === 4096) return stored;
    await Deno.remove(join(folder, "data"), { recursive: true });
  }
}

/** Hits ten counters, all of them at once again and again. */
async function count({ url }: { url: string }): Promise<Map<string, number>> {
  const ids = Array.from({ length: 10 }, (_, index) => `c${index}`);
  for (let hit = 0; hit < HITS / ids.length; hit++) {
    const results = await Promise.all(ids.map((id) => hitOnce({ service: { url } }, id)));
    ok(results.every(({ answer }) => answer?.status === 200));
  }
  return new Map(ids.map((id) => [id, HITS / ids.length]));
}

/** Returns the counters of a service that starts on the folder. */
async function countedBy(folder: string): Promise<Map<string, number>> {
  await using service = await startOnFile(folder);
  const ids = Array.from({ length: 10 }, (_, index) => `c${index}`);
  return new Map(
    await Promise.all(ids.map(async (id): Promise<[string, number]> => {
      const answer = await fetch(`${service.url}/count?id=${id}`);
      return [id, (await answer.json()).hits];
    })),
  );
}

/** All hits that the file holds without its log. */
async function savedIn(path: string): Promise<number> {
  await using folder = await tempDir();
  await Deno.mkdir(join(folder.path, "data"));
  await Deno.copyFile(path, fileIn(folder.path));
  const stored = await storedInKv(folder.path).catch(() => new Map<string, number>());
  return [...stored.values()].reduce((sum, hits) => sum + hits, 0);
}

async function cut(path: string, share: number): Promise<void> {
  await Deno.truncate(path, Math.floor((await Deno.stat(path)).size * share));
}

async function change(path: string, at: number, to: (byte: number) => number): Promise<void> {
  const bytes = await Deno.readFile(path);
  bytes[at] = to(bytes[at] ?? 0);
  await Deno.writeFile(path, bytes);
}

/** The file and its log; empty where there is none, as SQLite makes an empty one by looking. */
async function contentsOf(path: string): Promise<Uint8Array[]> {
  const read = (name: string) => Deno.readFile(name).catch(() => new Uint8Array());
  return await Promise.all([read(path), read(`${path}-wal`)]);
}

async function restore(path: string, [file, log]: (Uint8Array | undefined)[]): Promise<void> {
  if (file === undefined || log === undefined) {
    throw new Error("Restore the file: it was not there");
  }
  await Deno.writeFile(path, file);
  await Deno.writeFile(`${path}-wal`, log);
}
