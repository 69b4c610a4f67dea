import { ok, strictEqual } from "node:assert/strict";
import type { LocalService } from "../support/local_service.ts";
import { startProxiedService } from "../support/proxied_redis.ts";
import { needsRedis } from "../support/redis_server.ts";
import { authorized } from "../support/secret.ts";
import { Ledger } from "./ledger.ts";
import { storedInRedis } from "./stored.ts";

/** Number of requests that may wait for the store. */
const BOUND = 10_000;
/** More than may wait at once. As many as are refused call a second time. */
const AT_ONCE = 12_000;

Deno.test(
  "/hit: of 14,000 requests those past the bound are 503, and the others exact",
  needsRedis,
  async () => {
    await using proxied = await startProxiedService();
    const { redis, proxy, service } = proxied;
    const ledger = new Ledger();
    await service.storeReady();
    const before = Deno.memoryUsage().heapUsed;

    proxy.blackHole();
    const calls = Array.from({ length: AT_ONCE }, (_, index) => hit(service, ledger, index));
    proxy.resume();
    const refused = (await Promise.all(calls)).filter(({ status, headers, body }) => {
      if (status !== 503) return false;
      ok(headers.has("retry-after"));
      return JSON.parse(body).title === "Too many requests are waiting";
    }).length;
    strictEqual(refused, AT_ONCE - BOUND);
    await service.storeReady();
    await Promise.all(calls.slice(BOUND).map((_, index) => hit(service, ledger, index)));

    ledger.checkOutcomes(200, 503, ...ledger.late);
    // Each of those that wait costs some kilobytes, and garbage stays for a while.
    ok(Deno.memoryUsage().heapUsed - before < 300 * 2 ** 20);
    ledger.check(await storedInRedis(redis));
  },
);

/** Has a service answer a hit that came over no connection, as thousands of them are costly. */
async function hit(service: LocalService, ledger: Ledger, index: number) {
  const id = `c${index % 50}`;
  const sentAt = performance.now();
  const response = await service.answer(
    new Request(`http://localhost/hit?id=${id}`, { method: "POST", headers: authorized }),
  );
  const { status } = response;
  const answer = { status, headers: new Map(response.headers), body: await response.text() };
  ledger.note(id, { kind: "answered", answer, milliseconds: performance.now() - sentAt, sentAt });
  return answer;
}
