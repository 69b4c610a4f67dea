import { ok } from "node:assert/strict";
import { join } from "node:path";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { startCallers } from "./load.ts";
import { reportKept, times } from "./numbers.ts";
import { waitForHits } from "./recovery.ts";
import { storedInKv } from "./stored.ts";

Deno.test("Deno KV: a service killed under 200 callers has stored every hit it acknowledged", async () => {
  const runs = times(3, 20);
  await using folder = await tempDir();
  const ledger = new Ledger();
  let stored = 0;
  for (let run = 1; run <= runs; run++) {
    await using service = await startService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
    await using load = startCallers({ service, ledger, callers: 200 });
    await waitForHits(ledger, 500 + Math.random() * 5000);
    // Nobody calls again, as the system may still take in whoever does while it clears the process away.
    await Promise.all([service.kill(), load.stop()]);
    // At most one hit of each caller was under way.
    ledger.checkOutcomes(200, "broken", "unsent");
    ok(ledger.count("broken") <= 200 * run, "more hits broke off than there were callers");
    stored = ledger.check(await storedInKv(join(folder.path, "data", "counters.kv")));
  }
  reportKept({ fault: "kill -9 of the service, Deno KV", runs, ledger, stored });
});
