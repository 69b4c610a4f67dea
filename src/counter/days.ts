/** A calendar day, as days since 1970-01-01. */
export type Day = number;

export const DAY_MS = 86_400_000;

/** The hits of single days: one number for each day from `newest` backwards to the beginning of history. */
export interface Days {
  readonly newest: Day;
  readonly hits: readonly number[];
}

/** A total of another service, as it was reported. */
export interface Report {
  /** The total that the service showed. */
  readonly seen: number;
  /** The time when it showed it, in milliseconds since the epoch. */
  readonly at: number;
}

/** A report with the day of its time. */
export interface DatedReport extends Report {
  readonly day: Day;
}

/** What a counter holds. */
export interface CounterState {
  readonly hits: number;
  /** Undefined if none are known, as for a counter that was last hit before there was history. */
  readonly days: Days | undefined;
  /** The last report. Null if there is none, which a line then says. */
  readonly report?: Report | null | undefined;
}

/**
 * How a store keeps the days of one year beside the total: hits of the open day are not written down, they are what the
 * total has grown by since that day was opened.
 */
export interface OpenYear {
  /** The day whose hits are being counted; it never goes back. */
  readonly openDay: Day;
  /** The total when that day was opened; less than 0 if the counter was set to less than the hits of that day. */
  readonly totalAtDayStart: number;
  /** The first year that lies in an entry of its own; undefined if history began in the year of the open day. */
  readonly firstYear: number | undefined;
  /** The hits of the days before the open one, backwards, within its year. */
  readonly before: readonly number[];
}

/** The days of a year that is over. */
export interface YearEntry {
  readonly year: number;
  /** The last of its days that had hits. */
  readonly last: Day;
  /** The hits of that day and of those before it, backwards, within the year. */
  readonly hits: readonly number[];
}

/** A ledger with the entries of the years before it. */
export interface History {
  readonly ledger: OpenYear;
  readonly years: readonly YearEntry[];
}

/** The calendar year of a day. */
export function yearOf(day: Day): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}

/** The first of January of a year. */
export function firstDayOf(year: number): Day {
  return Date.UTC(year) / DAY_MS;
}

/** "2026-11-20" for a day. */
export function formatDay(day: Day): string {
  let text = dayTexts.get(day);
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10);
    if (dayTexts.size >= DATE_CACHE_SIZE) dayTexts.clear();
    dayTexts.set(day, text);
  }
  return text;
}

/** The day from 1970 on that a text such as "2026-11-20" names; undefined if it names none. */
export function parseDay(text: string): Day | undefined {
  const known = textDays.get(text);
  if (known !== undefined) return known;
  const day = readDay(text);
  if (day === undefined) return undefined;
  if (textDays.size >= DATE_CACHE_SIZE) textDays.clear();
  textDays.set(text, day);
  return day;
}

/** 2099-12-31: no store counts further. */
export const LAST_DAY: Day = 47_481;

/** Whether what a store holds as a ledger can be one: callers get to see its days. */
export function isOpenYear({ openDay, totalAtDayStart, firstYear, before }: OpenYear): boolean {
  if (!isDay(openDay) || !Number.isSafeInteger(totalAtDayStart)) return false;
  const year = yearOf(openDay);
  const hasBegun = firstYear === undefined || (firstYear >= 1970 && firstYear < year);
  return hasBegun && areHits(before, openDay - firstDayOf(year));
}

/** Whether what a store holds as the days of a year can be that. */
export function isYearEntry({ year, last, hits }: YearEntry): boolean {
  return isDay(last) && yearOf(last) === year && areHits(hits, last - firstDayOf(year) + 1);
}

/** The ledger once a day is open, and the entry to write if that ends a year; the same ledger if it is open already. */
export function rollOverDay(
  { ledger, total }: { ledger: OpenYear | undefined; total: number },
  today: Day,
): { ledger: OpenYear; over?: YearEntry } {
  if (ledger === undefined) {
    return { ledger: { openDay: today, totalAtDayStart: total, firstYear: undefined, before: [] } };
  }
  if (today <= ledger.openDay) return { ledger };
  const closed = [hitsOfOpenDay(ledger, total), ...ledger.before];
  const year = yearOf(ledger.openDay);
  if (year === yearOf(today)) {
    const before = [...zeros(today - ledger.openDay - 1), ...closed];
    return { ledger: { ...ledger, openDay: today, totalAtDayStart: total, before } };
  }
  const firstYear = ledger.firstYear ?? year;
  return {
    ledger: { openDay: today, totalAtDayStart: total, firstYear, before: [] },
    over: { year, last: ledger.openDay, hits: closed },
  };
}

/** The years whose entries hold days from `since` on. */
export function yearsSince({ firstYear, openDay }: OpenYear, since: Day): number[] {
  if (firstYear === undefined) return [];
  const last = yearOf(openDay) - 1;
  const first = Math.max(firstYear, since === -Infinity ? firstYear : yearOf(since));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The days of a history at a total, as far as the entries given reach. */
export function daysOf({ ledger, years }: History, total: number): Days {
  const { openDay: newest, before } = ledger;
  const hits = [hitsOfOpenDay(ledger, total), ...before];
  // Hot path of exports: one array, as years hold hundreds of days.
  for (const { last, hits: ofYear } of years.toSorted((a, b) => b.year - a.year)) {
    for (let gap = newest - hits.length - last; gap > 0; gap--) hits.push(0);
    for (const number of ofYear) hits.push(number);
  }
  return { newest, hits };
}

/** How a store keeps these days beside this total: the inverse of {@linkcode daysOf}. */
export function historyOf({ newest, hits }: Days, total: number): History {
  const [open = 0, ...older] = hits;
  const january = firstDayOf(yearOf(newest));
  const years = yearEntries(january - 1, older.slice(newest - january));
  const firstYear = years.at(-1)?.year;
  return {
    ledger: {
      openDay: newest,
      totalAtDayStart: total - open,
      firstYear,
      before: older.slice(0, newest - january),
    },
    years,
  };
}

/** The same days with `today` as the newest, if that is later. */
export function padToDay(days: Days, today: Day): Days {
  if (days.newest >= today) return days;
  return { newest: today, hits: [...zeros(today - days.newest), ...days.hits] };
}

/** Returns the days with more hits on one of them. */
export function addToDay(days: Days, day: Day, amount: number): Days {
  const { newest, hits } = padToDay(days, day);
  const length = Math.max(hits.length, newest - day + 1);
  const grown = [...hits, ...zeros(length - hits.length)];
  grown[newest - day] = (grown[newest - day] ?? 0) + amount;
  return { newest, hits: grown };
}

/** The same days without those before one. */
export function dropBefore(days: Days, first: Day): Days {
  const { newest, hits } = days;
  const length = Math.max(0, newest - first + 1);
  return hits.length <= length ? days : { newest, hits: hits.slice(0, length) };
}

/** The larger number of each day. */
export function largest(one: Days, other: Days): Days {
  const newest = Math.max(one.newest, other.newest);
  const [a, b] = [padToDay(one, newest).hits, padToDay(other, newest).hits];
  const length = Math.max(a.length, b.length);
  return {
    newest,
    hits: Array.from({ length }, (_, index) => Math.max(a[index] ?? 0, b[index] ?? 0)),
  };
}

const DAY = /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$/;

/** Hot path of exports, which write the same few days again and again: no Date for each. */
const dayTexts = new Map<Day, string>();
const DATE_CACHE_SIZE = 20_000;
/** An import reads them as often. */
const textDays = new Map<string, Day>();

function readDay(text: string): Day | undefined {
  const [, year, month, date] = DAY.exec(text) ?? [];
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  if (year === undefined || Number(year) < 1970) return undefined;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
  // The 30th of February would be the second of March.
  return new Date(time).getUTCDate() === Number(date) ? time / DAY_MS : undefined;
}

function isDay(day: number): boolean {
  return Number.isInteger(day) && day >= 0 && day <= LAST_DAY;
}

/** Whether these can be the hits of so many days at most. */
function areHits(numbers: readonly number[], most: number): boolean {
  if (numbers.length > most) return false;
  for (const hits of numbers) if (!Number.isSafeInteger(hits) || hits < 0) return false;
  return true;
}

/** None, if somebody else has set the counter to less than it was when the day was opened. */
function hitsOfOpenDay({ totalAtDayStart }: OpenYear, total: number): number {
  return Math.max(0, total - totalAtDayStart);
}

/** Cuts days, backwards from `newest`, which ends a year, into years; those without hits have no entry. */
function yearEntries(newest: Day, hits: readonly number[]): YearEntry[] {
  const entries: YearEntry[] = [];
  for (let start = 0; start < hits.length;) {
    const end = newest - start;
    const year = yearOf(end);
    const length = end - firstDayOf(year) + 1;
    const ofYear = hits.slice(start, start + length);
    const first = ofYear.findIndex((number) => number > 0);
    if (first !== -1) entries.push({ year, last: end - first, hits: ofYear.slice(first) });
    start += length;
  }
  return entries;
}

function zeros(length: number): number[] {
  return new Array(Math.max(0, length)).fill(0);
}
