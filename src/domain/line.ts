import { type Calendar, type CurrentDays, currentDays, isAhead } from "./calendar.ts";
import { type CounterId, parseCounterId } from "./counter_id.ts";
import {
  type CounterState,
  type DatedReport,
  type Day,
  type Days,
  formatDay,
  parseDay,
} from "./history.ts";
import { type ListedCounter, MAX_HITS, type Update } from "./store.ts";
import { sumOf } from "./update.ts";

/** Maximum size of a line, in bytes. Leaves room for thirty years of days. */
export const MAX_LINE_BYTES = 256 * 1024;

/** A line of text as the client sent it. */
export interface NumberedLine {
  /** Counted from 1, blank lines included. */
  readonly number: number;
  readonly text: string;
  /** The reason why the line could not be read, for the client. No line follows it. */
  readonly error?: string;
}

/** A line that sets a counter. In the modes `max` and `add` it may have days only. */
export interface CounterLine extends Omit<Update, "mode" | "name"> {
  readonly id: CounterId;
  /** Number of days in the future that were left out. Their hits belong to no day. */
  readonly leftOut?: number;
}

/** The reason why a line is invalid. The message is shown to the sender. */
export class LineError extends Error {
  override readonly name = "LineError";
}

export interface ParseLineOptions {
  /** The id of a line that has none. Another id is invalid. */
  id?: CounterId;
  /** Default: `replace`. */
  mode?: Update["mode"];
  /** The day after today is the last that is stored, because of other time zones. */
  calendar: Pick<Calendar, "today" | "dayAt" | "now" | "msUntilMidnight">;
}

/** Maximum time by which a report may be in the future, in milliseconds, because clocks differ. */
const MAX_AHEAD_MS = 300_000;

/**
 * Formats a line. Days are in ascending order, without those that had no hits. A counter without
 * days has the member `noDays`. `since` says that earlier days are left out.
 */
export function formatLine(
  { id, hits, days, report }: ListedCounter,
  noDays = "",
  since = -Infinity,
): string {
  const cut = Number.isFinite(since) ? `,"since":"${formatDay(since)}"` : "";
  const text = days && formatDays(days);
  const known = text ? text + cut : noDays;
  return `{"id":${JSON.stringify(id)},"hits":${hits}${known}${formatReport(report)}}`;
}

/**
 * Formats a line with `"days":{}` if no days are known, so that setting the counter to it later
 * removes the days that were added in between.
 */
export function formatState(counter: ListedCounter): string {
  return formatLine(counter, `,"days":{}`);
}

/** Parses a line. Throws a {@linkcode LineError} if it is invalid. */
export function parseLine(
  text: string,
  { id, calendar, mode = "replace" }: ParseLineOptions,
): CounterLine {
  const record = parseRecord(text);
  const unknown = Object.keys(record).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) {
    fail(
      `a line may have "id", "hits", "older", "days", "since", "seen" and "at", but not ${
        quoted(unknown)
      }`,
    );
  }
  const isAddition = mode === "add";
  const hasReport = typeof record.seen === "number";
  const isOlder = record.older !== undefined;
  if (isOlder && (mode !== "max" || record.hits !== undefined || hasReport)) {
    fail(`"older" is allowed only with mode=max, and in place of "hits" and "seen"`);
  }
  const hasRaise = record.days !== undefined || isOlder || hasReport;
  const isRaise = record.hits === undefined && hasRaise;
  if (isRaise && (mode === "replace" || isAddition && hasReport)) {
    fail(`"hits" may be left out only with mode=max, where days or "seen" raise the total`);
  }
  if (isRaise && record.days !== undefined && record.seen !== undefined) {
    fail(`"days" and "seen" need "hits" if a line has both`);
  }
  const report = parseReport(record, calendar);
  const line = {
    id: parseId(record.id, id),
    hits: isRaise ? undefined : parseCount(record.hits, "hits", isAddition),
    ...isOlder && { older: parseCount(record.older, "older") },
    ...report !== undefined && { report },
  };
  if (record.days === undefined) return { ...line, days: undefined };
  const { days, leftOut } = parseDays(record.days, {
    now: currentDays(calendar),
    isRaise,
    isAddition,
  });
  if (Math.abs(sumOf(days)) > MAX_HITS) fail(`"days" must add up to at most 2^52`);
  const since = record.since === undefined ? undefined : parseLineDay(String(record.since));
  return { ...line, days, ...since !== undefined && { since }, ...leftOut > 0 && { leftOut } };
}

/** Throws a {@linkcode LineError}. */
function fail(reason: string): never {
  throw new LineError(reason);
}

const MEMBERS: ReadonlySet<string> = new Set([
  ...["id", "hits", "older", "days", "since", "seen", "at"],
]);

function parseRecord(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may be long.
    fail("it is not JSON");
  }
  return isRecord(value) ? value : fail(`it must be an object such as {"id":"home","hits":41}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseId(value: unknown, expected: CounterId | undefined): CounterId {
  if (value === undefined && expected !== undefined) return expected;
  if (typeof value !== "string" || value.trim() === "") {
    fail(`"id" must be a string that is not empty`);
  }
  const id = parseCounterId(value) ?? fail(
    `"id" must be 1 to 200 bytes of visible text in UTF-8, without line breaks, control, format, private-use or unassigned characters, except joiners within words`,
  );
  return expected === undefined || id === expected
    ? id
    : fail(`"id" differs from the id in the query`);
}

function parseCount(value: unknown, name: string, isAddition = false): number {
  const isWhole = typeof value === "number" && Number.isSafeInteger(value);
  const least = isAddition ? -MAX_HITS : 0;
  // Add 0 to turn -0 into 0, because Intl.NumberFormat prints the sign.
  if (isWhole && value >= least && value <= MAX_HITS) return value + 0;
  return fail(`${quoted(name)} must be a whole number from ${isAddition ? "-2^52" : "0"} to 2^52`);
}

/** Parses the report of a line. Returns undefined if there is none, and null for `"seen":null`. */
function parseReport(
  { seen, at }: Record<string, unknown>,
  { now, dayAt, today }: ParseLineOptions["calendar"],
): DatedReport | null | undefined {
  if (seen === undefined || seen === null) {
    if (at !== undefined) fail(`"at" is the time of "seen", which is missing`);
    return seen;
  }
  const time = at === undefined ? now() : parseTime(at);
  if (time > now() + MAX_AHEAD_MS) fail(`"at" is in the future`);
  // The other clock may be past midnight already.
  return { seen: parseCount(seen, "seen"), at: time, day: Math.min(dayAt(time), today()) };
}

const TIME =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Parses a time as RFC 3339 writes it. */
function parseTime(value: unknown): number {
  const [text = "", date = ""] = typeof value === "string" ? TIME.exec(value) ?? [] : [];
  const time = parseDay(date) === undefined ? NaN : Date.parse(text.toUpperCase());
  if (!(time >= 0)) fail(`"at" must be a time such as "2026-11-20T02:00:00Z", in 1970 or later`);
  return time;
}

function formatReport(report: CounterState["report"]): string {
  if (report === undefined) return "";
  if (report === null) return `,"seen":null`;
  const time = new Date(report.at).toISOString().replace(".000Z", "Z");
  return `,"seen":${report.seen},"at":"${time}"`;
}

/**
 * Parses days. Those that are ahead are left out. If the total grows by the days, tomorrow may be
 * the day of another time zone, and a later one is an error.
 */
function parseDays(
  value: unknown,
  { now, isRaise, isAddition }: { now: CurrentDays; isRaise: boolean; isAddition: boolean },
): { days: Days; leftOut: number } {
  if (!isRecord(value)) fail(`"days" must be an object such as {"2026-11-20":7}`);
  const all = Object.keys(value);
  const { today } = now;
  const texts = all.filter((text) => {
    const day = parseLineDay(text);
    if (!isAhead(day, now)) return true;
    return isRaise && day > today + 1 && fail(`${quoted(text)} is in the future`);
  });
  const leftOut = all.length - texts.length;
  if (texts.length === 0) return { days: { newest: today, hits: [] }, leftOut };
  const days = texts.map(parseLineDay);
  const newest = Math.max(...days);
  const hits: number[] = new Array(newest - Math.min(...days) + 1).fill(0);
  texts.forEach((text, index) => {
    hits[newest - (days[index] ?? NaN)] = parseCount(value[text], text, isAddition);
  });
  // A future day without hits must not become the day of the next hits.
  const zeros = hits.findIndex((number) => number !== 0);
  const known = zeros < 0
    ? { newest: today, hits: [] }
    : { newest: newest - zeros, hits: hits.slice(zeros) };
  return { days: known, leftOut };
}

function parseLineDay(text: string): Day {
  return parseDay(text) ??
    fail(`${quoted(text)} is not a day such as "2026-11-20", in 1970 or later`);
}

/** Returns the member with the days of a line, or an empty text if none had hits. */
function formatDays({ newest, hits }: Days): string {
  let text = "";
  for (let index = hits.length - 1; index >= 0; index--) {
    const number = hits[index] ?? 0;
    if (number === 0) continue;
    text += `${text === "" ? `,"days":{` : ","}"${formatDay(newest - index)}":${number}`;
  }
  return text && `${text}}`;
}

/** Quotes a part of a line for a message, and cuts it if it is long. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
