import { ok } from "node:assert/strict";
import { needsRedis } from "../support/redis_server.ts";
import type { Service } from "../support/service.ts";
import type { TcpProxy } from "../support/tcp_proxy.ts";
import { waitFor } from "../support/wait_for.ts";
import { settleAll } from "../support/settle.ts";
import type { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { fullNumbers } from "../support/time_limit.ts";
import { hitHead, openCallers } from "./load.ts";
import { checkGrowth, residentMemory } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";
import { startProxiedService } from "../support/proxied_redis.ts";

/**
 * Callers at once: more than the 10,000 that may wait. Those that were refused and some more call a
 * second time.
 */
const CALLERS = 12_000;
const REQUESTS = 14_000;

Deno.test(
  "/hit: of 14,000 requests those past the bound are 503, and the others exact",
  needsRedis,
  async () => {
    await using proxied = await startProxiedService();
    const { redis, proxy, service } = proxied;
    const ledger = new Ledger();
    await service.storeReady();
    const callers = await openCallers(service, CALLERS);
    const before = await residentMemory(service.pid);

    // On a machine so busy that all this takes longer than Redis is given, it tells nothing: again.
    await waitFor("some to be refused and others to be counted", async () => {
      await service.storeReady();
      const counted = ledger.acknowledged;
      const refused = await flood({ service, proxy, callers, ledger });
      return refused > 0 && ledger.acknowledged > counted ? refused : undefined;
    });
    await service.storeReady();
    const again = callers.slice(0, REQUESTS - CALLERS);
    await Promise.all(again.map((caller, index) => hit({ service, caller, ledger, index })));
    for (const caller of callers) caller.close();

    ledger.checkOutcomes(200, 503, 504);
    // Each of those that wait costs some kilobytes, most of it its connection; on a busy machine
    // they come several times.
    checkGrowth(before, await residentMemory(service.pid), fullNumbers ? 200 : 400);
    ledger.check(await storedInRedis(redis));
  },
);

type Flood = { service: Service; proxy: TcpProxy; callers: Caller[]; ledger: Ledger };

/**
 * Sends all calls at once while Redis accepts no bytes, until the first is refused. Returns how
 * many were refused. The service is stopped until all calls were sent, so that its time limit for
 * Redis begins after that.
 */
async function flood({ service, proxy, callers, ledger }: Flood): Promise<number> {
  let [sent, refused] = [0, 0];
  proxy.blackHole();
  service.signal("SIGSTOP");
  const calls = callers.map(async (caller, index) => {
    const answer = await hit({ service, caller, ledger, index, onSent: () => sent++ });
    if (answer?.status !== 503) return;
    proxy.resume();
    ok(answer.headers.has("retry-after"));
    if (JSON.parse(answer.body).title === "Too many requests are waiting") refused++;
  });
  await waitFor("all to call", () => sent === callers.length || undefined);
  service.signal("SIGCONT");
  await settleAll(calls);
  proxy.resume();
  return refused;
}

type Hit = {
  service: Service;
  caller: Caller;
  ledger: Ledger;
  index: number;
  onSent?: () => void;
};

async function hit({ service, caller, ledger, index, onSent }: Hit) {
  const id = `c${index % 50}`;
  const result = await caller.send(service.url, hitHead(id), onSent);
  ledger.note(id, result);
  return result.answer;
}
