import { deepStrictEqual, ok } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { waitFor } from "../support/wait_for.ts";
import { SECRET } from "../support/secret.ts";
import { pause, startCallers } from "./load.ts";
import { times } from "../support/times.ts";
import { outagesIn } from "./outages.ts";
import { waitForCount, waitForHits } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { timeLimit } from "../support/time_limit.ts";

const outages = [
  {
    title: "Redis stopped and started again",
    args: ["--appendonly", "yes"],
    through: false,
  },
  { title: "the way to Redis cut and open again", args: [], through: true },
];

for (const { title, args, through } of outages) {
  Deno.test(`/hit: nothing is lost or made up with ${title} under load`, needsRedis, async () => {
    const runs = times(3, 8);
    await using proxied = await startProxiedRedis({ args });
    const { redis, proxy, url } = proxied;
    const STORE_URL = through ? url : redis.url;
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL } });
    await using load = startCallers({ service, callers: 50 });
    const { ledger } = load;
    for (let run = 1; run <= runs; run++) {
      await waitForHits(ledger, 100);
      if (through) {
        await proxy.refuse();
        proxy.cut();
      } else await redis.stop();
      await logged(service, "away", run);
      // A longer one finds longer pauses between the tries to connect.
      if (run % 2 === 0) await pause(1500);
      if (through) proxy.accept();
      else await redis.start();
      await waitForCount(ledger, "the return", 2500);
      await logged(service, "back", run);
    }
    await load.stop();
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.count(503) > 0, "no hit was refused, so Redis was not away");
    ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
    ledger.check(await storedInRedis(redis));
    const log = service.stderr();
    deepStrictEqual(outagesIn(log), { away: runs, back: runs }, log);
  });
}

/**
 * Waits until the log has told an event so many times, so that no outage is taken for a part of the
 * one before.
 */
async function logged(service: Service, event: "away" | "back", times: number): Promise<void> {
  await waitFor(`"store ${event}", ${times} times`, () => {
    return outagesIn(service.stderr())[event] >= times || undefined;
  });
}
