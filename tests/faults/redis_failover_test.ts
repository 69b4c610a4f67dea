import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { waitFor } from "../support/wait_for.ts";
import { fullNumbers } from "../support/time_limit.ts";
import { SECRET } from "../support/secret.ts";
import { startCallers } from "./load.ts";
import { outagesIn } from "./outages.ts";
import { waitForCount } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

/** Far longer than anything here takes, however slow the machine is. */
const timeout = 60_000;

Deno.test(
  "/hit: after a failover hits go to the new master as soon as the name leads there, and none is lost",
  needsRedis,
  async () => {
    await using next = await startRedis();
    await using proxied = await startProxiedRedis({ args: ["--repl-diskless-sync-delay", "0"] });
    const { redis, proxy, url } = proxied;
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: url } });
    await using load = startCallers({ service, callers: 20 });
    const { ledger } = load;
    await waitForCount(ledger, "the start", timeout);
    await failOver(redis, next);

    // The name still leads to the old master, which may be read only.
    await waitFor("a refused hit", () => ledger.count(503) > 0 || undefined, { timeout });
    await waitForStatus(service, 503);
    proxy.redirect(next);
    await waitForCount(ledger, "the failover", timeout);
    await waitForStatus(service, 200);

    await load.stop();
    // A busy machine may keep a hit waiting for longer than Redis is given.
    ledger.checkOutcomes(200, 503, ...(fullNumbers ? [] : [504]));
    ledger.check(await storedInRedis(next));
    const log = service.stderr();
    strictEqual(log.match(/store unavailable.*READONLY/g)?.length, 1, log);
    deepStrictEqual(outagesIn(log), { away: 1, back: 1 }, log);
  },
);

/** Makes `next` the master when it holds all that the old one holds. */
async function failOver(redis: RedisServer, next: RedisServer): Promise<void> {
  await next.command("REPLICAOF", "127.0.0.1", String(redis.port));
  await waitForRole(redis, /connected_slaves:1/);
  await waitForRole(next, /master_link_status:up/);
  await redis.command("FAILOVER");
  await waitForRole(redis, /role:slave/);
  await waitForRole(next, /role:master/);
}

async function waitForRole(redis: RedisServer, role: RegExp): Promise<void> {
  await waitFor(
    String(role),
    async () => role.test(String(await redis.command("INFO", "replication"))) || undefined,
    { timeout },
  );
}

async function waitForStatus(service: Service, status: number): Promise<void> {
  await waitFor(`/readyz to be ${status}`, async () => {
    const response = await fetch(`${service.url}/readyz`);
    await response.body?.cancel();
    return response.status === status || undefined;
  }, { timeout });
}
