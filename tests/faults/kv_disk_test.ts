import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fillDisk, mountDisk, needsMount } from "../support/mounts.ts";
import { statusOf } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { authorized } from "../support/secret.ts";
import { startOnFile } from "./counter_file.ts";
import { hitOnce, startCallers } from "./load.ts";
import { times } from "../support/times.ts";
import { waitForCount, waitForHits, waitForRefusals } from "./recovery.ts";
import { storedInKv } from "./stored.ts";

Deno.test(
  "on Deno KV, a full disk is not ready, and named to the owner alone, until there is room again",
  needsMount,
  async () => {
    await using folder = await tempDir();
    await using _disk = await mountDisk(folder.path, "2m");
    const ballast = join(folder.path, "ballast");
    await using service = await startOnFile(folder.path);
    const read = async (path: string, headers: HeadersInit = {}) => {
      const response = await fetch(`${service.url}/${path}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    strictEqual((await hitOnce({ service }, "home")).answer?.status, 200);
    await fillDisk(ballast);
    await waitFor("a refusal", async () => {
      const { answer } = await hitOnce({ service }, `${performance.now()}`);
      return answer?.status === 503 || undefined;
    });
    const [stranger, owner] = [await read("readyz"), await read("readyz", authorized)];
    strictEqual(stranger.status, 503);
    doesNotMatch(stranger.text, /disk/);
    const named = /The disk of the counter file is full\./;
    match(JSON.parse(owner.text).detail, named);
    match(JSON.parse((await read("status", authorized)).text).warnings[0], named);
    await service.waitForOutput(/database or disk is full/);
    strictEqual((await read("count?id=home")).status, 200);
    await Deno.remove(ballast);
    // Without a hit.
    await waitFor("ready", async () => (await read("readyz")).status === 200 || undefined);
    deepStrictEqual(JSON.parse((await read("status", authorized)).text).warnings, []);
    strictEqual((await hitOnce({ service }, "home")).answer?.status, 200);
  },
);

Deno.test(
  "on Deno KV, a disk on which a new counter has no room is not ready, however little is missing",
  needsMount,
  async () => {
    for (const size of ["696k", "700k", "704k", "708k"]) {
      await using folder = await tempDir();
      await using _disk = await mountDisk(folder.path, size);
      await using service = await startOnFile(folder.path);
      await waitFor("a refusal", async () => {
        const { answer } = await hitOnce({ service }, `${"x".repeat(100)}${performance.now()}`);
        return answer?.status === 503 || undefined;
      }, { interval: 0 });
      strictEqual(await statusOf(`${service.url}/readyz`), 503, size);
    }
  },
);

Deno.test(
  "on Deno KV, on a full disk hits are 503 and reads go on, until there is room again",
  needsMount,
  async () => {
    const runs = times(2, 5);
    await using folder = await tempDir();
    await using _disk = await mountDisk(folder.path, "8m");
    const ballast = join(folder.path, "ballast");
    const service = await startOnFile(folder.path);
    await using _service = service;
    // Ever new counters, so that the file keeps growing.
    await using load = startCallers({ service, callers: 20, ids: 1_000_000 });
    const { ledger } = load;
    strictEqual((await hitOnce({ service, ledger }, "read")).answer?.status, 200);
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 100);
      await fillDisk(ballast);
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
    await service[Symbol.asyncDispose]();
    ledger.checkOutcomes(200, 503, ...ledger.late);
    ledger.check(await storedInKv(folder.path));
  },
);
