/**
 * A soak, apart from the tests: hits on 100,000 counters for ten minutes, with a kill of the
 * service or of Redis every tenth of that. `SOAK_MINUTES` sets another length. Prints a row of the
 * table of faults, and fails where the word is broken.
 */
import { ok } from "node:assert/strict";
import { reservePort } from "../support/reserved_port.ts";
import { startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { pause, startSteady } from "./load.ts";
import { residentMemory, waitForCount } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

const MINUTES = Number(Deno.env.get("SOAK_MINUTES") ?? 10);
const ROUNDS = 10;
const RATE = 500;
const COUNTERS = 100_000;
/** Maximum growth of memory after the first round of a process, in MiB. */
const GROWTH = 20;

await using redis = await startRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
const port = reservePort();
const url = `http://127.0.0.1:${port}`;
const ledger = new Ledger();
let service: Service = await start();
let growth = 0;
{
  await using load = startSteady({ service: { url }, ledger, rate: RATE, ids: COUNTERS });
  let settled: number | undefined;
  for (let round = 1; round <= ROUNDS; round++) {
    await pause(MINUTES * 60_000 / ROUNDS);
    const memory = await residentMemory(service.pid);
    console.error(
      `round ${round}: ${Math.round(memory ?? 0)} MiB, ${JSON.stringify(ledger.outcomes)}`,
    );
    // A process is given its first round to settle.
    if (settled !== undefined && memory !== undefined) growth = Math.max(growth, memory - settled);
    settled ??= memory;
    if (round === ROUNDS / 2) {
      await service.kill();
      await service[Symbol.asyncDispose]();
      service = await start();
      settled = undefined;
    } else {
      await redis.kill("SIGKILL");
      await redis.start();
    }
    await waitForCount(ledger, "the kill", 5000);
  }
  await load.stop();
}
await service.stop();
await service[Symbol.asyncDispose]();
const stored = ledger.check(await storedInRedis(redis));
ok(growth < GROWTH, `memory grew by ${growth} MiB`);
const verdict = `kept: grew by ${growth.toFixed(1)} MiB, ${JSON.stringify(ledger.outcomes)}`;
console.log(
  ["soak", `${MINUTES} min`, ledger.acknowledged, stored, ledger.unknown, verdict].join(" | "),
);

function start(): Promise<Service> {
  return startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: redis.url, PORT: String(port) },
  });
}
