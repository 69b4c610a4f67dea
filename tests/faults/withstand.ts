import { ok } from "node:assert/strict";
import { needsRedis, type RedisServer } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";
import { fullNumbers, timeLimit } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { pause, startCallers } from "./load.ts";
import { waitForHits } from "./recovery.ts";

/** A store of several servers. */
type Servers = AsyncDisposable & { readonly url: string };

/** A fault of a store of several servers. */
export interface Fault<Store> {
  readonly name: string;
  /** Number of replicas of each master, and how many of them must have a hit. */
  readonly replicas: number;
  readonly awaited: number;
  /** True if the fault is short enough to run without the full numbers. */
  readonly quick?: boolean;
  /** Happens while hits come in; returns when all is well again. */
  happen(store: Store): Promise<void>;
}

/** Tests that hits are counted through faults; `stored` returns every counter afterwards. */
export function testFaults<Store extends Servers>(
  where: string,
  faults: readonly Fault<Store>[],
  start: (options: { replicas: number }) => Promise<Store>,
  stored: (store: Store) => Promise<ReadonlyMap<string, number>>,
): void {
  for (const { name, replicas, awaited, quick = false, happen } of faults) {
    Deno.test({
      name:
        `${where}, ${name} loses no hit and counts none twice (STORE_REPLICAS=${awaited} of ${replicas})`,
      ignore: needsRedis.ignore || !(quick || fullNumbers),
      async fn() {
        await using store = await start({ replicas });
        await using service = await startService({
          env: { SECRET_TOKEN: SECRET, STORE_URL: store.url, STORE_REPLICAS: String(awaited) },
        });
        await using load = startCallers({ service, callers: 64, ids: 60 });
        const { ledger } = load;
        await waitForHits(ledger, 500);
        await happen(store);
        await waitForHits(ledger, 500);
        await pause(MORE);
        await load.stop();
        ledger.checkOutcomes(200, 503, 504);
        ok(ledger.slowest <= timeLimit(3000), `an answer took ${ledger.slowest} ms`);
        ledger.check(await stored(store));
      },
    });
  }
}

/** Time for which a load goes on after the recovery, in milliseconds. */
const MORE = times(300, 1500);

/** Stops a server for 6 s, which is longer than others wait for it. */
export async function hang(server: Pick<RedisServer, "kill">): Promise<void> {
  await server.kill("SIGSTOP");
  try {
    await pause(6000);
  } finally {
    await server.kill("SIGCONT");
  }
}
