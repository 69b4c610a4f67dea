import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { breakFsync, holdFsync, needsStrace } from "../support/fsync_faults.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { type Service, startService, statusOf } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";
import { startOnFile } from "./counter_file.ts";
import { hitOnce } from "./load.ts";

const env = { SECRET_TOKEN: SECRET };

for (
  const [what, earlier] of [
    ["a hit whose fsync fails is 504, as a crash makes it count after all", []],
    // Each leaves more pages than the next, which is written over the first of them.
    ["a log in which failed commits left their pages behind is taken at the next start", [
      { id: "a", days: 9000 },
      { id: "b", days: 3000 },
    ]],
  ] as const
) {
  Deno.test(`on Deno KV, ${what}`, needsStrace, async () => {
    await using folder = await tempDir();
    {
      await using service = await startService({ cwd: folder.path, env });
      strictEqual((await hitOnce({ service })).answer?.status, 200);
      await using _broken = await breakFsync(service.pid);
      for (const set of earlier) strictEqual(await setDays(service, set), 504);
      strictEqual((await hitOnce({ service })).answer?.status, 504);
      await service.kill();
    }
    await using service = await startOnFile(folder.path);
    const { answer } = await hitOnce({ service });
    strictEqual(JSON.parse(answer?.body ?? "").hits, 3);
  });
}

/** Sets a counter with hits on each of so many days, and returns the status. */
async function setDays(
  { url }: Service,
  { id, days }: { id: string; days: number },
): Promise<number> {
  const first = Date.UTC(2000, 0, 1);
  const hits = Array.from({ length: days }, (_, day): [string, number] => {
    return [new Date(first + day * 86_400_000).toISOString().slice(0, 10), 10_000 + day];
  });
  return await statusOf(`${url}/counters?id=${id}`, {
    method: "PUT",
    headers: authorized,
    body: JSON.stringify({ hits: 1e9, days: Object.fromEntries(hits) }),
  });
}

Deno.test(
  "on Deno KV, what needs no store goes on while the disk is late with the note of the first hit",
  needsStrace,
  async () => {
    await using folder = await tempDir();
    await using service = await startService({ cwd: folder.path, env });
    {
      const path = join(folder.path, "data", "counters.kv.held");
      await using held = await holdFsync(service.pid, path);
      const hit = hitOnce({ service });
      await held.begun();
      strictEqual(await textOf(service, "/healthz"), '{"status":"ok"}');
      await held[Symbol.asyncDispose]();
      const status = (await hit).answer?.status;
      ok(status === 200 || status === 504, `a hit is answered ${status}`);
    }
    const { answer } = await hitOnce({ service });
    strictEqual(JSON.parse(answer?.body ?? "").hits, 2);
  },
);

async function textOf({ url }: Service, path: string): Promise<string> {
  const response = await fetch(url + path, { signal: AbortSignal.timeout(FAR_AWAY_MS) });
  return await response.text();
}
