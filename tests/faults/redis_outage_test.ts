import { ok, strictEqual } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { pause, secret, startCallers } from "./load.ts";
import { reportKept, slack, times } from "./numbers.ts";
import { waitForCount } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";

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
    await using service = await startService({ env: { SECRET_TOKEN: secret, STORE_URL } });
    await using load = startCallers({ service, callers: 50 });
    const { ledger } = load;
    let slowestReturn = 0;
    for (let run = 1; run <= runs; run++) {
      await pause(300);
      if (through) {
        await proxy.refuse();
        proxy.cut();
      } else await redis.stop();
      await pause(run % 2 === 0 ? 1500 : 300);
      if (through) proxy.accept();
      else await redis.start();
      slowestReturn = Math.max(slowestReturn, await waitForCount(ledger, "the return", 2500));
    }
    await load.stop();
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.count(503) > 0, "no hit was refused, so Redis was not away");
    ok(ledger.slowest <= 2200 * slack, `an answer took ${ledger.slowest} ms`);
    const stored = ledger.check(await storedInRedis(redis));
    const log = service.stderr();
    strictEqual(log.match(/store away/g)?.length, runs, log);
    strictEqual(log.match(/store back/g)?.length, runs, log);
    const measured = `worst answer ${Math.round(ledger.slowest)} ms, back within ${
      Math.round(slowestReturn)
    } ms`;
    reportKept({ fault: title, runs, ledger, stored, measured });
  });
}
