import { ok, strictEqual } from "node:assert/strict";
import { connectTo } from "../support/raw_http.ts";
import { reservePort } from "../support/reserved_port.ts";
import { startLocalService } from "../support/local_service.ts";
import { startService } from "../support/service.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { hitHead, hitOnce } from "./load.ts";
import { times } from "../support/times.ts";

/** A shell sets the limit on descriptors; Windows has none. */
const needsShell = { ignore: Deno.build.os === "windows" };

Deno.test(
  "out of file descriptors: the service answers again within 2 s after the flood",
  needsShell,
  async () => {
    const runs = times(2, 5);
    await using service = await startService({
      // The service stops listening for a while, and no other process may take its port.
      env: { SECRET_TOKEN: SECRET, PORT: String(reservePort()) },
      wrap: (line) => ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", ...line],
    });
    const ledger = new Ledger();
    for (let run = 1; run <= runs; run++) {
      const flood = await openMany(service.url, 1000, hitHead("flood").slice(0, 40));
      for (const connection of flood) connection.close();
      await waitFor("an answer", async () => {
        const { answer } = await hitOnce({ service, ledger });
        return answer?.status === 200 || undefined;
      }, { timeout: timeLimit(2000) });
    }
    ledger.checkOutcomes(200, "broken", "unsent");
    strictEqual((await service.stop()).code, 0);
  },
);

/** Connections that stay open. */
const HALF_OPEN = times(1000, 3000);

Deno.test(`half-open connections: ${HALF_OPEN} of them do not keep others waiting`, async () => {
  const hits = times(500, 2000);
  await using service = await startLocalService({ SECRET_TOKEN: SECRET });
  const open = await openMany(service.url, HALF_OPEN, hitHead("never").slice(0, 40));
  strictEqual(open.length, HALF_OPEN);
  const caller = new Caller();
  const ledger = new Ledger();
  const waits: number[] = [];
  for (let hit = 0; hit < hits; hit++) {
    const result = await caller.send(service.url, hitHead("home"));
    ledger.note("home", result);
    waits.push(result.milliseconds);
  }
  caller.close();
  for (const connection of open) connection.close();
  strictEqual(ledger.acknowledged, hits);
  const p99 = waits.sort((a, b) => a - b)[Math.floor(hits * 0.99)] ?? Infinity;
  ok(p99 <= timeLimit(50), `the slowest hundredth took ${p99} ms and more`);
});

/** Opens connections and sends the same beginning on each; those that are refused are left out. */
async function openMany(url: string, count: number, text: string): Promise<Deno.TcpConn[]> {
  const bytes = new TextEncoder().encode(text);
  const open: Deno.TcpConn[] = [];
  for (let first = 0; first < count; first += 100) {
    await Promise.all(Array.from({ length: 100 }, async () => {
      const connection = await connectTo(url).catch(() => undefined);
      if (connection === undefined) return;
      open.push(connection);
      await connection.write(bytes).catch(() => {});
    }));
  }
  return open;
}
