import { ok, strictEqual } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";
import { times } from "../support/times.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";

/** Callers whose hits are under way when the reply is lost. */
const CALLERS = 20;

Deno.test(
  "/hit: a reply of Redis lost on the wire is answered 504, and the hit is never sent again",
  needsRedis,
  async () => {
    const runs = times(10, 100);
    await using proxied = await startProxiedRedis();
    const { redis, proxy, url } = proxied;
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: url },
    });
    const ledger = new Ledger();
    for (let run = 1; run <= runs; run++) {
      await service.storeReady();
      // On a day that is known to be open a hit is one plain command.
      strictEqual((await hitOnce({ service, ledger }, "alone")).answer?.status, 200);
      const cut = proxy.cutAfterNextRequest("INCRBY");
      const lost = await hitOnce({ service, ledger }, "alone");
      strictEqual(lost.answer?.status, 504);
      await cut;
      // Carried out once, and the answer says that it is not known.
      strictEqual(await redis.command("GET", "hits:alone"), String(2 * run));
    }
    ledger.check(await storedInRedis(redis));
    strictEqual(ledger.count(504), runs);
  },
);

Deno.test(
  "/hit: a lost reply leaves every hit of its batch unknown and none counted twice",
  needsRedis,
  async () => {
    const runs = times(3, 20);
    await using proxied = await startProxiedRedis();
    const { redis, proxy, url } = proxied;
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: url },
    });
    const ledger = new Ledger();
    for (let run = 1; run <= runs; run++) {
      await service.storeReady();
      for (let id = 0; id < 3; id++) await hitOnce({ service, ledger }, `c${id}`);
      const cut = proxy.cutAfterNextRequest("INCRBY");
      await Promise.all(
        Array.from(
          { length: CALLERS },
          (_, caller) => hitOnce({ service, ledger }, `c${caller % 3}`),
        ),
      );
      await cut;
    }
    ledger.checkOutcomes(200, 503, 504);
    ok(ledger.count(504) >= runs);
    ledger.check(await storedInRedis(redis));
  },
);
