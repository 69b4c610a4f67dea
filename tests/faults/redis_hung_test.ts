import { ok } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { SECRET } from "../support/secret.ts";
import { startSteady } from "./load.ts";
import { times } from "../support/times.ts";
import {
  checkGrowth,
  residentMemory,
  waitForCount,
  waitForHits,
  waitForRefusals,
} from "./recovery.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { timeLimit } from "../support/time_limit.ts";

/** Hits a second while Redis hangs. */
const RATE = 500;

for (const title of ["Redis stopped with SIGSTOP", "a black hole before Redis"]) {
  Deno.test(
    `/hit: every request is answered in 2.2 s with ${title}, and the service recovers`,
    needsRedis,
    async () => {
      const seconds = times(5, 20);
      const stops = title.includes("SIGSTOP");
      await using proxied = await startProxiedRedis();
      const { redis, proxy, url } = proxied;
      const STORE_URL = stops ? redis.url : url;
      await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL } });
      await using load = startSteady({ service, rate: RATE });
      const { ledger } = load;
      await waitForHits(ledger, RATE);
      const before = await residentMemory(service.pid);
      const counted = ledger.acknowledged;

      if (stops) await redis.kill("SIGSTOP");
      else proxy.blackHole();
      try {
        await waitForRefusals(ledger, seconds * RATE);
      } finally {
        if (stops) await redis.kill("SIGCONT");
        else proxy.resume();
      }
      await waitForCount(ledger, "Redis' return", 2500);
      await load.stop();

      ok(ledger.acknowledged > counted);
      ledger.checkOutcomes(200, 503, 504);
      ok(ledger.count(504) > 0, "no hit was unknown, so Redis did not hang");
      ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
      // A heap that serves anything at all takes 40 MiB to settle.
      checkGrowth(before, await residentMemory(service.pid), 60);
      ledger.check(await storedInRedis(redis));
    },
  );
}
