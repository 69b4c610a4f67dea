import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../src/domain/calendar.ts";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { statusOf } from "../support/service.ts";
import { TIME_ZONE } from "../support/time_zones.ts";
import { waitFor } from "../support/wait_for.ts";

const YESTERDAY = createCalendar(TIME_ZONE).today() - 1;
/** A counter whose ten hits are those of yesterday, as a snapshot of yesterday evening has it. */
const OLD = [["SET", "hits:x", "10"], ["SET", "{hits:x}days", `${YESTERDAY} 0 -`]];

/** Ways to replace the data of a Redis while the service knows the day of `x` to be open. */
const changes: Record<string, (redis: RedisServer, service: LocalService) => Promise<void>> = {
  async "killed and started from an older snapshot"(redis, service) {
    await redis.kill("SIGKILL");
    await waitForReady(service, 503);
    await redis.start();
    await waitForReady(service, 200);
  },
  async "given the other data by SWAPDB"(redis) {
    await redis.commands([["SELECT", "1"], ...OLD, ["SWAPDB", "0", "1"]]);
  },
};

for (const [change, replace] of Object.entries(changes)) {
  Deno.test(`a Redis that is ${change} has later hits on their day`, needsRedis, async () => {
    await using redis = await startRedis();
    await redis.commands([...OLD, ["SAVE"]]);
    await using service = await startLocalService({ ...env, STORE_URL: redis.url });
    for (let hits = 0; hits < 3; hits++) await hit(service);
    await replace(redis, service);
    for (let hits = 0; hits < 5; hits++) await hit(service);
    deepStrictEqual([await read(service, "total"), await read(service, "today")], ["15", "5"]);
  });
}

Deno.test(
  "hits have a day again soon after another program deleted a ledger",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startLocalService({ ...env, STORE_URL: redis.url });
    await hit(service);
    await redis.commands([["DEL", "{hits:x}days"], ["CLIENT", "KILL", "TYPE", "normal"]]);
    await waitForReady(service, 200);
    for (let hits = 0; hits < 5; hits++) await hit(service);
    strictEqual(await read(service, "today"), "5");
  },
);

const env = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", TIME_ZONE };

async function waitForReady({ url }: LocalService, status: number): Promise<void> {
  await waitFor(`/readyz ${status}`, async () => await statusOf(`${url}/readyz`) === status);
}

async function hit({ url }: LocalService): Promise<void> {
  const response = await fetch(`${url}/hit?id=x`, { headers: { "x-auth-token": SECRET } });
  strictEqual(response.status, 200, await response.text());
}

async function read({ url }: LocalService, period: string): Promise<string> {
  return await (await fetch(`${url}/count.txt?id=x&period=${period}`)).text();
}
