import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { holdFsync, needsStrace } from "../support/fsync_faults.ts";
import { type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";

const env = { SECRET_TOKEN: SECRET };

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
