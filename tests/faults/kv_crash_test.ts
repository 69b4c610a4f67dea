import { ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { killedAtFsync, needsStrace } from "../support/fsync_faults.ts";
import type { ServiceAddress } from "../support/local_service.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { startOnFile } from "./counter_file.ts";
import { Ledger } from "./ledger.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { endUnderLoad, hitOnce } from "./load.ts";
import { times } from "../support/times.ts";
import { storedInKv } from "./stored.ts";

Deno.test("on Deno KV, a service killed under 200 callers of 2,000 counters has stored every hit it acknowledged", async () => {
  const runs = times(2, 30);
  await using folder = await tempDir();
  const options = { cwd: folder.path, env: { SECRET_TOKEN: SECRET } };
  const ledger = new Ledger();
  for (let run = 1; run <= runs; run++) {
    await using service = await startService(options);
    ledger.check(await exported(service));
    // With so many, most counters of the newest row are not hit again in the next run.
    await endUnderLoad({ service, ledger, ids: 2000 }, async (load) => {
      // Else the newest row may be one that was stored and not acknowledged.
      if (run % 2 === 0) await load.stop();
      await service.kill();
    });
    // At most one hit of each caller was under way.
    ok(ledger.count("broken") <= 200 * run, "more hits broke off than there were callers");
  }
  const service = await startOnFile(folder.path);
  const stored = ledger.check(await exported(service));
  await service[Symbol.asyncDispose]();
  strictEqual(ledger.check(await storedInKv(folder.path)), stored);
});

Deno.test(
  "on Deno KV, after a first start that was killed at any fsync the next one counts from 1",
  needsStrace,
  async () => {
    const entry = fileURLToPath(new URL("file_opener.ts", import.meta.url));
    for (let number = 1;; number++) {
      await using folder = await tempDir();
      const options = { cwd: folder.path, entry, ready: /open/ };
      const killed = startService({ ...options, wrap: killedAtFsync(number) });
      await using survivor = await killed.catch(() => undefined);
      if (survivor !== undefined) {
        ok(number > 4, `an empty file is ready after ${number - 1} fsyncs`);
        return;
      }
      await using service = await startOnFile(folder.path);
      const { answer } = await hitOnce({ service });
      strictEqual(JSON.parse(answer?.body ?? "").hits, 1, `killed at fsync ${number}`);
    }
  },
);

/** Every counter by an export. */
async function exported({ url }: ServiceAddress): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/counters?days=0`, { headers: authorized });
  const lines = (await answer.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  return new Map(lines.slice(0, -1).map(({ id, hits }) => [id, hits]));
}
