import { ok } from "node:assert/strict";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";
import { timeLimit } from "../support/time_limit.ts";
import { pause, startCallers } from "./load.ts";
import { times } from "../support/times.ts";
import { waitForHits } from "./recovery.ts";

/** A fault of a store of several servers. */
export type Fault = {
  /** The address for `STORE_URL`. */
  url: string;
  /** Number of replicas that must have a hit. */
  awaited: number;
  /** Happens while hits come in; returns when all is well again. */
  happen(): Promise<void>;
  /** Every counter that the store holds afterwards. */
  stored(): Promise<ReadonlyMap<string, number>>;
};

/** Time for which a load goes on after the recovery, in milliseconds. */
const MORE = times(300, 1500);

/** Counts through a fault; fails where a hit was lost, counted twice or answered late. */
export async function withstand({ url, awaited, happen, stored }: Fault): Promise<void> {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: url, STORE_REPLICAS: String(awaited) },
  });
  await using load = startCallers({ service, callers: 64, ids: 60 });
  const { ledger } = load;
  await waitForHits(ledger, 500);
  await happen();
  await waitForHits(ledger, 500);
  await pause(MORE);
  await load.stop();
  ledger.checkOutcomes(200, 503, 504);
  ok(ledger.slowest <= timeLimit(3000), `an answer took ${ledger.slowest} ms`);
  ledger.check(await stored());
}
