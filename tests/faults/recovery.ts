import { ok } from "node:assert/strict";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import type { Ledger } from "./ledger.ts";

/** Waits until `more` hits than now are acknowledged. */
export async function waitForHits(ledger: Ledger, more: number): Promise<void> {
  const enough = ledger.acknowledged + more;
  await waitFor(`${more} hits`, () => ledger.acknowledged >= enough || undefined);
}

/** Waits until `more` hits than now were refused or are unknown. */
export async function waitForRefusals(ledger: Ledger, more: number): Promise<void> {
  const refused = () => ledger.count(503) + ledger.count(504);
  const enough = refused() + more;
  await waitFor(`${more} refusals`, () => refused() >= enough || undefined);
}

/**
 * Waits until a hit is counted that was sent after `what`, as the late answers to earlier hits tell
 * nothing; fails where that takes longer than promised.
 */
export async function waitForCount(
  ledger: Ledger,
  what: string,
  promisedMs: number,
): Promise<void> {
  const start = performance.now();
  await waitFor(
    `a hit to be counted after ${what}`,
    () => ledger.lastSentAt >= start || undefined,
    { timeout: timeLimit(promisedMs) },
  );
}

/** Resident memory of a process in MiB, or undefined where the system does not tell. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

/**
 * Fails where memory grew by more than `limit` MiB; where the system does not tell there is nothing
 * to hold.
 */
export function checkGrowth(
  before: number | undefined,
  after: number | undefined,
  limit: number,
): void {
  if (before === undefined || after === undefined) return;
  ok(after - before <= limit, `memory grew from ${before} to ${after} MiB`);
}
