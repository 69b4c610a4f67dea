import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { hitOnce, secret, startCallers } from "./load.ts";
import { reportKept, times } from "./numbers.ts";
import { waitForCount, waitForHits, waitForRefusals } from "./recovery.ts";
import { storedInKv } from "./stored.ts";

/** Only root may mount the small disk that this needs, and not in every container: without it the test is left out. */
const needsMount = { ignore: !await canMount() };

Deno.test(
  "Deno KV: on a full disk hits are 503 and reads go on, until there is room again",
  needsMount,
  async () => {
    const runs = times(2, 5);
    await using folder = await tempDir();
    await using _disk = await mountDisk(folder.path, "8m");
    const ballast = join(folder.path, "ballast");
    await using service = await startService({
      cwd: folder.path,
      env: { SECRET_TOKEN: secret, PUBLIC_READS: "1" },
    });
    // Ever new counters, so that the file keeps growing.
    await using load = startCallers({ service, callers: 20, ids: 1_000_000 });
    const { ledger } = load;
    strictEqual((await hitOnce({ service, ledger }, "read")).answer?.status, 200);
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 100);
      await fill(ballast);
      await waitForRefusals(ledger, 50);
      const read = await fetch(`${service.url}/count?id=read`);
      strictEqual(read.status, 200);
      strictEqual((await read.json()).hits, 1);
      // A single hit may still find room where a batch of many did not.
      const refusal = await waitFor("a refusal", async () => {
        const { answer } = await hitOnce({ service, ledger }, `${performance.now()}`);
        return answer?.status === 503 ? answer : undefined;
      });
      ok(refusal.headers.has("retry-after"));
      await Deno.remove(ballast);
      await waitForCount(ledger, "room on the disk", 2500);
    }
    await load.stop();
    strictEqual((await service.stop()).code, 0);
    ledger.checkOutcomes(200, 503);
    const stored = ledger.checkExact(await storedInKv(join(folder.path, "data", "counters.kv")));
    reportKept({ fault: "full disk, Deno KV", runs, ledger, stored });
  },
);

/** Takes every byte that the disk has left. */
async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { create: true, write: true });
  const chunk = new Uint8Array(4096);
  try {
    for (;;) await file.write(chunk);
  } catch {
    // The disk is full.
  }
}

async function mountDisk(path: string, size: string): Promise<AsyncDisposable> {
  if (!await run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path)) {
    throw new Error(`Mount a disk on ${path}: not allowed`);
  }
  return {
    async [Symbol.asyncDispose]() {
      await run("umount", "-l", path);
    },
  };
}

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  await using folder = await tempDir();
  if (!await run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path)) return false;
  return await run("umount", folder.path);
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch {
    // There is no such program.
    return false;
  }
}
