import {
  type CounterState,
  daysOf,
  isLedger,
  isYearEntry,
  type Ledger,
  type YearEntry,
} from "../../counter/days.ts";
import { MAX_HITS } from "../../counter/store.ts";
import { slotOf } from "./cluster/key_slot.ts";

/**
 * The key of a counter's ledger: in the same slot of a Redis Cluster as the counter, because no script may touch two, and not
 * among the counters, whatever their prefix is.
 */
export function ledgerKey(key: string): string {
  if (!key.includes("}")) return `{${key}}days`;
  return `{${HASH_TAG.exec(key)?.[1] ?? hashTagOf(slotOf(key))}}days:${key}`;
}

/** The key of a closed year; the scripts make it in the same way. */
export function yearKey(ledger: string, year: number): string {
  return ledger.replace("}days", `}days${year}`);
}

/** The part of a key that alone decides its slot: what the first braces hold, unless they are empty. */
const HASH_TAG = /^[^{]*\{([^}]+)\}/;

const hashTags = new Map<number, number>();
let tried = 0;

/** A number that lies in a slot: the hash tag of a ledger whose counter's key cannot be one. */
function hashTagOf(slot: number): number {
  let number = hashTags.get(slot);
  for (; number === undefined; number = hashTags.get(slot)) {
    const found = slotOf(String(tried));
    if (!hashTags.has(found)) hashTags.set(found, tried);
    tried++;
  }
  return number;
}

/** What Redis holds of a counter. */
export interface HeldEntries {
  /** Null if it is not there. */
  readonly total: string | null;
  readonly ledger: LedgerEntry | undefined;
  /** Undefined if an entry is out of bounds. */
  readonly years: readonly (YearEntry | undefined)[];
}

/** A ledger as it is stored. */
export interface LedgerEntry {
  readonly text: string;
  /** Undefined if it is none, or out of bounds. */
  readonly ledger: Ledger | undefined;
}

/** The ledger as the scripts write it: the open day, its totalAtDayStart, the first year, and the days before. */
export function formatLedger({ openDay, totalAtDayStart, firstYear, before }: Ledger): string {
  return [openDay, totalAtDayStart, firstYear ?? "-", ...before].join(" ");
}

/** The entry with a text; undefined for none. */
export function ledgerEntry(text: string | null): LedgerEntry | undefined {
  return text === null ? undefined : { text, ledger: parseLedger(text) };
}

function parseLedger(text: string): Ledger | undefined {
  const [head, openDay, totalAtDayStart, first = ""] = LEDGER_HEAD.exec(text) ?? [];
  if (head === undefined) return undefined;
  const before = head === text ? [] : numbersOf(text, head.length + 1);
  if (before === undefined) return undefined;
  const ledger = {
    openDay: Number(openDay),
    totalAtDayStart: Number(totalAtDayStart),
    firstYear: NO_FIRST_YEAR.has(first) ? undefined : Number(first),
    before,
  };
  return isLedger(ledger) && canBeAdded(before) ? ledger : undefined;
}

/** A year as the scripts write it: its last day with hits, and the hits of that one and those before. */
export function formatYear({ last, hits }: YearEntry): string {
  return [last, ...hits].join(" ");
}

/** The year of a text; undefined if that is none, or out of bounds. */
export function parseYear(year: number, text: string): YearEntry | undefined {
  const [last = NaN, ...hits] = numbersOf(text, 0) ?? [];
  const entry = { year, last, hits };
  return isYearEntry(entry) && canBeAdded(hits) ? entry : undefined;
}

/** The texts of a snapshot that a script gives: total, ledger, and each year with its own. */
export function parseSnapshot(snapshot: unknown): HeldEntries {
  const [total = null, ledger = null, ...rest] = Array.isArray(snapshot) ? snapshot : [];
  const years: (YearEntry | undefined)[] = [];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    years.push(parseYear(Number(rest[at]), String(rest[at + 1])));
  }
  return { total, ledger: ledgerEntry(ledger), years };
}

/**
 * What a counter holds; its total is one. A ledger without a total is left from a counter that is gone; one that is out of
 * bounds, or a year, counts as none. `onDamaged` is given the ledger if that is what is damaged.
 */
export function parseHeld(
  { total, ledger: entry, years }: HeldEntries,
  onDamaged: (ledger: string | undefined) => void,
): CounterState {
  const hits = Number(total ?? 0);
  if (total === null || entry === undefined) return { hits, days: undefined };
  const { text, ledger } = entry;
  const known = years.filter((entry) => entry !== undefined);
  if (ledger === undefined) onDamaged(text);
  else if (known.length < years.length) onDamaged(undefined);
  return { hits, days: ledger && daysOf({ ledger, years: known }, hits) };
}

const LEDGER_HEAD = /^(\d+) (-?\d+) (\d+|-|x)(?= |$)/;
/** With "x", nobody has confirmed yet that history began there, or the counter was deleted. */
const NO_FIRST_YEAR: ReadonlySet<string> = new Set(["-", "x"]);

/** No counter has more hits than it can hold, and their sum is exact. */
function canBeAdded(numbers: readonly number[]): boolean {
  let sum = 0;
  for (const hits of numbers) sum += hits;
  return sum <= MAX_HITS;
}

const ZERO = "0".charCodeAt(0);

/**
 * The whole numbers of a text from a place on, with one space between them; undefined if anything else is there. Hot path of
 * sums and exports, which read hundreds of them for each counter.
 */
function numbersOf(text: string, from: number): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let begins = true;
  for (let at = from; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      number = 10 * number + digit;
      begins = false;
    } else {
      if (begins || text[at] !== " ") return undefined;
      numbers.push(number);
      number = 0;
      begins = true;
    }
  }
  if (begins) return undefined;
  numbers.push(number);
  return numbers;
}
