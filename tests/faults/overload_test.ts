import { equal, ok } from "node:assert/strict";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { startProxy } from "../support/tcp_proxy.ts";
import { waitFor } from "../support/wait_for.ts";
import { secret } from "./load.ts";
import { reportKept } from "./numbers.ts";
import { checkGrowth, residentMemory } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

/** Requests at once; more than twice as many as may wait. */
const REQUESTS = 20_000;
/** How many of them share a connection, by HTTP/2. */
const PER_CONNECTION = 200;
const IDS = 50;

Deno.test(
  "/hit: of 20,000 requests at once those past the bound are 503, and the others exact",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using proxy = startProxy(redis);
    await using service = await startService({
      env: { SECRET_TOKEN: secret, STORE_URL: proxy.through(redis.url) },
    });
    const url = (id: number) => `${service.url}/hit?id=c${id % IDS}`;
    const headers = { "x-auth-token": secret };
    await waitFor("the connection to Redis", async () => {
      const { status, body } = await fetch(`${service.url}/readyz`);
      await body?.cancel();
      return status === 200 || undefined;
    });
    const before = await residentMemory(service.pid);

    // Redis takes nothing until the first is refused, which is when as many wait as may.
    proxy.blackHole();
    const clients = Array.from(
      { length: REQUESTS / PER_CONNECTION },
      () => Deno.createHttpClient({ http1: false, http2: true }),
    );
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        const client = clients[index % clients.length];
        if (client === undefined) throw new Error("Send a request: no client for it");
        const response = await fetch(url(index), { method: "POST", headers, client });
        if (response.status === 503) proxy.resume();
        return { id: index % IDS, response, body: await response.json() };
      }),
    );
    for (const client of clients) client.close();
    proxy.resume();

    const statuses = new Map<number, number>();
    const numbers = new Map<number, Set<number>>();
    let overloaded = 0;
    for (const { id, response, body } of answers) {
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 503) ok(response.headers.has("retry-after"));
      if (body.title === "Too many requests are waiting") overloaded++;
      if (response.status !== 200) continue;
      const own = numbers.get(id) ?? new Set();
      numbers.set(id, own.add(body.hits));
    }
    const told = JSON.stringify([...statuses]);
    const acknowledged = statuses.get(200) ?? 0;
    const unknown = statuses.get(504) ?? 0;
    equal(acknowledged + unknown + (statuses.get(503) ?? 0), REQUESTS, told);
    ok(acknowledged > 0, told);
    ok(acknowledged + unknown <= 10_000 + 5000, told);
    ok((statuses.get(503) ?? 0) > 0, told);
    let stored = 0;
    for (const [id, hits] of await storedInRedis(redis)) {
      const own = numbers.get(Number(id.slice(1))) ?? new Set();
      equal(own.size <= hits, true, `${id} lost hits`);
      if (unknown === 0) equal(own.size, hits, `${id} has hits that nobody was told of`);
      stored += hits;
    }
    equal([...numbers.values()].reduce((sum, own) => sum + own.size, 0), acknowledged);
    ok(stored - acknowledged <= unknown, told);
    checkGrowth(before, await residentMemory(service.pid), 200);
    const measured = `${
      statuses.get(503)
    } refused, acknowledged ${acknowledged}, stored ${stored}, unknown ${unknown}`;
    reportKept({ fault: `${REQUESTS} requests at once`, runs: 1, stored, measured });
  },
);
