import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { breakFsync, needsStrace } from "../support/fsync_faults.ts";
import { type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";

const env = { SECRET_TOKEN: SECRET };

Deno.test(
  "on Deno KV, a hit whose fsync fails is 504, as a crash makes it count after all",
  needsStrace,
  async () => {
    await using folder = await tempDir();
    {
      await using service = await startService({ cwd: folder.path, env });
      strictEqual((await hitOnce({ service })).answer?.status, 200);
      await using _broken = await breakFsync(service.pid);
      strictEqual((await hitOnce({ service })).answer?.status, 504);
      await service.kill();
    }
    await using service = await startService({ cwd: folder.path, env });
    const { answer } = await hitOnce({ service });
    strictEqual(JSON.parse(answer?.body ?? "").hits, 3);
  },
);

Deno.test(
  "on Deno KV, a log in which failed commits left their pages behind is taken at the next start",
  needsStrace,
  async () => {
    await using folder = await tempDir();
    {
      await using service = await startService({ cwd: folder.path, env });
      strictEqual((await hitOnce({ service })).answer?.status, 200);
      await using _broken = await breakFsync(service.pid);
      // Each leaves more pages than the next, which is written over the first of them.
      deepStrictEqual(
        [
          await setDays(service, { id: "a", days: 9000 }),
          await setDays(service, { id: "b", days: 3000 }),
          (await hitOnce({ service })).answer?.status,
        ],
        [504, 504, 504],
      );
      await service.kill();
    }
    await using service = await startService({ cwd: folder.path, env });
    const { answer } = await hitOnce({ service });
    strictEqual(JSON.parse(answer?.body ?? "").hits, 3);
  },
);

/** Sets a counter with hits on each of so many days, and returns the status. */
async function setDays(
  { url }: Service,
  { id, days }: { id: string; days: number },
): Promise<number> {
  const first = Date.UTC(2000, 0, 1);
  const hits = Array.from({ length: days }, (_, day): [string, number] => {
    return [new Date(first + day * 86_400_000).toISOString().slice(0, 10), 10_000 + day];
  });
  const response = await fetch(`${url}/counters?id=${id}`, {
    method: "PUT",
    headers: authorized,
    body: JSON.stringify({ hits: 1e9, days: Object.fromEntries(hits) }),
  });
  await response.body?.cancel();
  return response.status;
}
