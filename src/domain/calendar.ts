import type { Failure } from "./errors.ts";
import {
  type CounterRecord,
  type CounterState,
  type Day,
  DAY_MS,
  type Days,
  daysOf,
  firstDayOf,
  yearOf,
} from "./history.ts";

/** The days of one time zone. */
export type Calendar = Readonly<ReturnType<typeof createCalendar>>;

const MINUTE_MS = 60_000;
/** Maximum difference of two clocks whose hits belong to one day, in milliseconds. */
const MAX_AHEAD_MS = 15 * MINUTE_MS;

/**
 * Creates the calendar of a time zone. Throws a RangeError if the runtime does not know the zone.
 * `now` returns milliseconds since the epoch.
 */
export function createCalendar(timeZone: string, now: () => number = Date.now) {
  const dayAt = timeZone === "UTC" ? dayInUtc : dayInZone(timeZone);
  /** The current day, from the minute in which it was looked up. */
  let known = { day: NaN, from: NaN, until: NaN };

  /** Returns the day of a time and its end. Looks them up if the time is not in the known day. */
  function dayOf(time: number): typeof known {
    if (time >= known.from && time < known.until) return known;
    const day = dayAt(time);
    // Binary search for the first minute of the next day. No day is longer than 48 hours, and
    // offsets from UTC are whole minutes since 1972 (IANA tzdb).
    const minute = Math.floor(time / MINUTE_MS);
    let [before, after] = [minute, minute + 2 * DAY_MS / MINUTE_MS];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dayAt(middle * MINUTE_MS) > day) after = middle;
      else before = middle;
    }
    return known = { day, from: minute * MINUTE_MS, until: after * MINUTE_MS };
  }

  return {
    /** An IANA name, such as "Europe/Berlin". */
    timeZone,
    /** Returns the current time, in milliseconds since the epoch. */
    now,
    /** Returns the day of a time in milliseconds since the epoch. */
    dayAt,
    /** Returns the current day. */
    today: (): Day => dayOf(now()).day,
    /** Returns the milliseconds until the current day ends, at least 1. */
    msUntilMidnight(): number {
      const time = now();
      return dayOf(time).until - time;
    },
  };
}

/** The current day, and the day of a clock that is 15 minutes ahead. */
export interface CurrentDays {
  readonly today: Day;
  readonly latest: Day;
}

/** Returns the current day, and the day in 15 minutes. */
export function currentDays(
  { today, msUntilMidnight }: Pick<Calendar, "today" | "msUntilMidnight">,
): CurrentDays {
  const day = today();
  return { today: day, latest: msUntilMidnight() > MAX_AHEAD_MS ? day : day + 1 };
}

/**
 * Reports whether a day is later than those that a clock that is right opens. Servers whose clocks
 * differ by less than 15 minutes count on one day. A clock that was ahead, or another time zone,
 * opens later days.
 */
export function isAhead(openDay: Day, { latest }: CurrentDays): boolean {
  return openDay > latest;
}

/** Reports whether hits of now belong to an open day. */
export function isOpenOn(openDay: Day, now: CurrentDays): boolean {
  return openDay >= now.today && !isAhead(openDay, now);
}

/**
 * Removes the days after today if a clock that was ahead has opened the newest. Its hits become
 * hits of today, because processes with another clock may still add to them. Hits of the other
 * days that are removed belong to no day.
 */
export function dropAhead(days: Days, now: CurrentDays): Days {
  const { newest, hits } = days;
  const { today } = now;
  if (!isAhead(newest, now)) return days;
  const [ofToday = 0, ...older] = hits.slice(newest - today);
  return { newest: today, hits: [ofToday + (hits[0] ?? 0), ...older] };
}

/**
 * Returns the total and days of a record, as far as its years were read. No day is ahead, see
 * {@linkcode dropAhead}.
 */
export function stateOf(record: CounterRecord, now: CurrentDays): CounterState | Failure {
  const { total, exists, ledger, years = [], report } = record;
  if (typeof total !== "number") return total;
  const days = ledger && dropAhead(daysOf({ ledger, years }, total), now);
  return { hits: total, days, ...exists && report && { report } };
}

function dayInUtc(time: number): Day {
  return Math.floor(time / DAY_MS);
}

function dayInZone(timeZone: string): (time: number) => Day {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    year: "numeric",
    month: "numeric",
    day: "numeric",
  });
  return (time) => {
    const part = new Map(
      format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    );
    return dayInUtc(
      Date.UTC(part.get("year") ?? NaN, (part.get("month") ?? NaN) - 1, part.get("day")),
    );
  };
}

/** The first day of each period that can be read. Periods that end today include it. */
const STARTS = {
  today: (today: Day) => today,
  yesterday: (today: Day) => today - 1,
  "7d": (today: Day) => today - 6,
  "30d": (today: Day) => today - 29,
  "365d": (today: Day) => today - 364,
  month: (today: Day) => today - new Date(today * DAY_MS).getUTCDate() + 1,
  year: (today: Day) => firstDayOf(yearOf(today)),
  total: () => -Infinity,
};

/** The name of a period. */
export type Period = keyof typeof STARTS;

/** Reports whether a text is the name of a period. */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(STARTS, text);
}

/** The names of all periods. */
export const PERIODS: readonly Period[] = Object.keys(STARTS).filter(isPeriod);

/** Returns the first day of a period that ends today, or -Infinity for `total`. */
export function periodStart(period: Period, today: Day): Day {
  return STARTS[period](today);
}

/**
 * Returns the hits of a counter in a period. If the newest day of the counter is later than today,
 * because another clock is ahead, the period ends with that day.
 */
export function hitsIn(period: Period, { hits: total, days }: CounterState, today: Day): number {
  if (period === "total") return total;
  if (days === undefined) return 0;
  const { newest, hits } = days;
  const end = Math.max(newest, today);
  const last = period === "yesterday" ? end - 1 : end;
  const length = Math.min(hits.length, newest - periodStart(period, end) + 1);
  let sum = 0;
  for (let back = Math.max(0, newest - last); back < length; back++) sum += hits[back] ?? 0;
  return sum;
}
