import { ok } from "node:assert/strict";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { timeLimit } from "../support/time_limit.ts";
import { SECRET } from "../support/secret.ts";
import { startCallers } from "./load.ts";
import { times } from "../support/times.ts";
import { waitForCount, waitForHits, waitForRefusals } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

/** The one setting with which Redis loses nothing that it has acknowledged. */
const durable = ["--appendonly", "yes", "--appendfsync", "always"];

Deno.test(
  "on Redis, killed under 200 callers it has stored every hit that was acknowledged",
  needsRedis,
  async () => {
    const runs = times(3, 10);
    await using redis = await startRedis({ args: durable });
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: redis.url },
    });
    await using load = startCallers({ service, callers: 200 });
    const { ledger } = load;
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 500 + Math.random() * 1000);
      await redis.kill("SIGKILL");
      await waitForRefusals(ledger, 1);
      await redis.start();
      await waitForCount(ledger, "Redis' return", 2500);
    }
    await load.stop();
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
    ledger.check(await storedInRedis(redis));
  },
);
