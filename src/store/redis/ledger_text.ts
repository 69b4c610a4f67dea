import { daysOf, type Held, type Ledger, type YearEntry } from "../../counter/days.ts";

/** What Redis holds of a counter, as texts; null for what is not there. */
export interface HeldTexts {
  readonly total: string | null;
  readonly ledger: string | null;
  readonly years: readonly YearEntry[];
}

/** The ledger as the scripts write it: the open day, its opening, the first year, and the days before. */
export function formatLedger({ openDay, opening, firstYear, before }: Ledger): string {
  return [openDay, opening, firstYear ?? "-", ...before].join(" ");
}

/** The ledger of a text; undefined where that is none. */
export function parseLedger(text: string): Ledger | undefined {
  const [, openDay, opening, firstYear, before = ""] = LEDGER.exec(text) ?? [];
  if (openDay === undefined) return undefined;
  return {
    openDay: Number(openDay),
    opening: Number(opening),
    firstYear: firstYear === "-" || firstYear === "x" ? undefined : Number(firstYear),
    before: numbersOf(before),
  };
}

/** A year as the scripts write it: its last day with hits, and the hits of that one and those before. */
export function formatYear({ last, hits }: YearEntry): string {
  return [last, ...hits].join(" ");
}

/** The year of a text. */
export function parseYear(year: number, text: string): YearEntry {
  const [last = NaN, ...hits] = numbersOf(` ${text}`);
  return { year, last, hits };
}

/** The texts that a script gives: total, ledger, and each year with its own. */
export function textsOf(snapshot: unknown): HeldTexts {
  const [total = null, ledger = null, ...rest] = Array.isArray(snapshot) ? snapshot : [];
  const years: YearEntry[] = [];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    years.push(parseYear(Number(rest[at]), String(rest[at + 1])));
  }
  return { total, ledger, years };
}

/** What a counter holds; its total is one. A ledger without a total is left from a counter that is gone. */
export function heldOf({ total, ledger: text, years }: HeldTexts): Held {
  const hits = Number(total ?? 0);
  const ledger = total === null || text === null ? undefined : parseLedger(text);
  return { hits, days: ledger && daysOf({ ledger, years }, hits) };
}

/** An "x" in the place of the first year marks what is left of a deleted counter. */
const LEDGER = /^(\d+) (-?\d+) (\d+|-|x)((?: \d+)*)$/;

/** Each has a space before it. */
function numbersOf(text: string): number[] {
  return text === "" ? [] : text.slice(1).split(" ").map(Number);
}
