import { ok } from "node:assert/strict";
import { waitFor } from "../support/wait_for.ts";
import type { Ledger } from "./ledger.ts";

/** Waits until a hit is counted again after `what`; fails after `limit` milliseconds. Returns how long it took. */
export async function waitForCount(ledger: Ledger, what: string, limit: number): Promise<number> {
  const start = performance.now();
  const before = ledger.acknowledged;
  await waitFor(
    `a hit to be counted after ${what}`,
    () => ledger.acknowledged > before ? true : undefined,
    { timeout: limit },
  );
  return performance.now() - start;
}

/** Resident memory of a process in MiB, or undefined where the system does not tell. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

/** Fails where memory grew by more than `limit` MiB; where the system does not tell there is nothing to hold. */
export function checkGrowth(
  before: number | undefined,
  after: number | undefined,
  limit: number,
): void {
  if (before === undefined || after === undefined) return;
  ok(after - before <= limit, `memory grew from ${before} to ${after} MiB`);
}
