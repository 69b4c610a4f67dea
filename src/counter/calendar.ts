import { type CounterState, type Day, DAY_MS, firstDayOf, yearOf } from "./days.ts";

/** The days of one time zone. */
export interface Calendar {
  /** An IANA name, such as "Europe/Berlin". */
  readonly timeZone: string;
  /** Returns the current time, in milliseconds since the epoch. */
  now(): number;
  /** Returns the day of a time in milliseconds since the epoch. */
  dayAt(time: number): Day;
  /** The calendar day that it is now. */
  today(): Day;
  /** How many milliseconds are left of it: 1 at least. */
  msUntilMidnight(): number;
}

const MINUTE_MS = 60_000;

/** The calendar of a time zone; throws a RangeError for one that this machine does not know. `now` gives milliseconds. */
export function createCalendar(timeZone: string, now: () => number = Date.now): Calendar {
  const dayAt = timeZone === "UTC" ? dayInUtc : dayInZone(timeZone);
  let minute = NaN;
  let day = NaN;
  /** When the day ends that somebody asked for last. */
  let end = { day: NaN, minute: NaN };

  function today(): Day {
    const time = now();
    // Zones are whole minutes apart from UTC, so that no day begins within one (IANA tzdb, since 1972).
    const current = Math.floor(time / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      day = dayAt(time);
    }
    return day;
  }

  return {
    timeZone,
    now,
    dayAt,
    today,
    msUntilMidnight() {
      if (end.day !== today()) {
        // The first minute of the next day is looked for by halves: no day is longer than two of UTC.
        let [before, after] = [minute, minute + 2 * DAY_MS / MINUTE_MS];
        while (after - before > 1) {
          const middle = Math.floor((before + after) / 2);
          if (dayAt(middle * MINUTE_MS) > day) after = middle;
          else before = middle;
        }
        end = { day, minute: after };
      }
      return Math.max(1, end.minute * MINUTE_MS - now());
    },
  };
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

/** The stretches of time whose hits can be asked for; those that end today include it. */
export const PERIODS = [
  "today",
  "yesterday",
  "7d",
  "30d",
  "365d",
  "month",
  "year",
  "total",
] as const;

/** One of {@linkcode PERIODS}. */
export type Period = typeof PERIODS[number];

/** The period that a text names; undefined if it names none. */
export function parsePeriod(text: string): Period | undefined {
  return PERIODS.find((period) => period === text);
}

/** The first day that a period may reach back to; -Infinity for "total", which asks for no days. */
export function periodStart(period: Period, today: Day): Day {
  switch (period) {
    case "today":
      return today;
    case "yesterday":
      return today - 1;
    case "7d":
    case "30d":
    case "365d":
      return today - parseInt(period) + 1;
    case "month":
      return today - new Date(today * DAY_MS).getUTCDate() + 1;
    case "year":
      return firstDayOf(yearOf(today));
    case "total":
      return -Infinity;
  }
}

/** The hits of a counter in a period. If its newest day is later than today, because another clock is ahead, that day is today. */
export function hitsIn(
  period: Period,
  { held, today }: { held: CounterState; today: Day },
): number {
  if (period === "total") return held.hits;
  if (held.days === undefined) return 0;
  const { newest, hits } = held.days;
  const end = Math.max(newest, today);
  const last = period === "yesterday" ? end - 1 : end;
  const length = Math.min(hits.length, newest - periodStart(period, end) + 1);
  let sum = 0;
  // Hot path of families, which add up the days of many counters: no copies.
  for (let back = Math.max(0, newest - last); back < length; back++) sum += hits[back] ?? 0;
  return sum;
}
