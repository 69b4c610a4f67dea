import { ok } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait_for.ts";
import { pause, secret, startSteady } from "./load.ts";
import { reportKept, slack, times } from "./numbers.ts";
import { checkGrowth, residentMemory, waitForCount } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";

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
      await using service = await startService({ env: { SECRET_TOKEN: secret, STORE_URL } });
      await using load = startSteady({ service, rate: RATE });
      const { ledger } = load;
      await waitFor("some hits", () => ledger.acknowledged > RATE ? true : undefined);
      const before = await residentMemory(service.pid);
      const counted = ledger.acknowledged;

      if (stops) await redis.kill("SIGSTOP");
      else proxy.blackHole();
      try {
        await pause(seconds * 1000);
      } finally {
        if (stops) await redis.kill("SIGCONT");
        else proxy.resume();
      }
      const back = await waitForCount(ledger, "Redis' return", 2500);
      await load.stop();

      ok(ledger.acknowledged > counted);
      ledger.checkOutcomes(200, 503, 504);
      ok(ledger.count(504) > 0, "no hit was unknown, so Redis did not hang");
      ok(ledger.slowest <= 2200 * slack, `an answer took ${ledger.slowest} ms`);
      // A heap that serves anything at all takes 40 MiB to settle.
      checkGrowth(before, await residentMemory(service.pid), 60);
      const stored = ledger.check(await storedInRedis(redis));
      const measured = `worst answer ${Math.round(ledger.slowest)} ms, back in ${
        Math.round(back)
      } ms`;
      reportKept({ fault: `${title}, ${seconds} s`, runs: 1, ledger, stored, measured });
    },
  );
}
