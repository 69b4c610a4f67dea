import type { Ledger } from "./ledger.ts";

/** Whether the full numbers were asked for, which take several minutes. */
export const full: boolean = Deno.env.get("FULL_NUMBERS") === "1";

/** How often a fault runs: a few times in the test command, all of them where the full numbers were asked for. */
export function times(few: number, all: number): number {
  return full ? all : few;
}

/** How many times a promised time may be taken: more than once in the test command, which shares the machine with itself. */
export const slack: number = full ? 1 : 3;

/** One row of the table of faults; a number that does not apply is left out. */
export type Row = {
  fault: string;
  runs: number;
  ledger?: Ledger;
  stored?: number;
  /** What was measured beside the counts, in a few words. */
  measured?: string;
};

/** Prints a row when the full numbers were asked for; to be called last, when everything else held. */
export function reportKept({ fault, runs, ledger, stored, measured }: Row): void {
  if (!full) return;
  const verdict = measured === undefined ? "kept" : `kept: ${measured}`;
  const counts = [ledger?.acknowledged, stored, ledger?.unknown].map((count) => count ?? "-");
  console.log(`${[fault, runs, ...counts, verdict].join(" | ")}`);
}
