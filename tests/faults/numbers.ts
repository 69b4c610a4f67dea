import { fullNumbers } from "../support/time_limit.ts";
import type { Ledger } from "./ledger.ts";

/** One row of the table of faults; a number that does not apply is left out. */
export type Row = {
  fault: string;
  runs: number;
  ledger?: Ledger;
  stored?: number;
  /** A few words about other measurements. */
  measured?: string;
};

/**
 * Prints a row when the full numbers were asked for; to be called last, when everything else held.
 */
export function reportKept({ fault, runs, ledger, stored, measured }: Row): void {
  if (!fullNumbers) return;
  const verdict = measured === undefined ? "kept" : `kept: ${measured}`;
  const counts = [ledger?.acknowledged, stored, ledger?.unknown].map((count) => count ?? "-");
  console.log(`${[fault, runs, ...counts, verdict].join(" | ")}`);
}
