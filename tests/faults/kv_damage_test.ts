import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { runService, statusOf } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { SECRET } from "../support/secret.ts";
import { fileIn, startOnFile } from "./counter_file.ts";
import { hitOnce } from "./load.ts";

/** Damages to a file with counters while no process has it open. counter_file_test has more. */
const damages: { what: string; harm(path: string): Promise<void> }[] = [
  { what: "gone", harm: (path) => Deno.remove(path) },
  { what: "damaged in its middle", harm: scribble },
];

for (const { what, harm } of damages) {
  Deno.test(`on Deno KV, a file that is ${what} is refused at start and left as it was`, async () => {
    await using folder = await tempDir();
    const path = fileIn(folder.path);
    await fillFile(folder.path);
    await harm(path);
    const before = await contentOf(path);
    const ended = await runService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
    strictEqual(ended.code, 1, ended.stdout);
    match(ended.stderr, /^Tallymark cannot start: data\/counters\.kv .*(restore|backup).*$/m);
    match(ended.stderr, /(move it away|delete).* to start from zero/);
    strictEqual(ended.stderr.trim().split("\n").length, 1, ended.stderr);
    deepStrictEqual(await contentOf(path), before);
  });
}

Deno.test("on Deno KV, a file that is deleted while it is in use makes /readyz 503 within 15 s", async () => {
  await using folder = await tempDir();
  await using service = await startOnFile(folder.path);
  strictEqual((await hitOnce({ service })).answer?.status, 200);
  await Deno.remove(fileIn(folder.path));
  const isTold = async () => await statusOf(`${service.url}/readyz`) === 503;
  await waitFor("/readyz to tell", isTold, { timeout: timeLimit(15_000) });
  const { answer } = await hitOnce({ service });
  ok(answer?.status === 503 || answer?.status === 504, `a hit was answered ${answer?.status}`);
});

/** Leaves a file with counters that no process has open. */
async function fillFile(folder: string): Promise<void> {
  await using service = await startOnFile(folder);
  const hits = Array.from({ length: 300 }, (_, id) => hitOnce({ service }, `${id}`.repeat(60)));
  ok((await Promise.all(hits)).every(({ answer }) => answer?.status === 200));
}

async function scribble(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  await file.seek(8 * 4096, Deno.SeekMode.Start);
  await file.write(crypto.getRandomValues(new Uint8Array(16 * 4096)));
}

async function contentOf(path: string): Promise<Uint8Array | undefined> {
  return await Deno.readFile(path).catch(() => undefined);
}
