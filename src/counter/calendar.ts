import type { Day } from "./days.ts";

/** The days of one time zone. */
export interface Calendar {
  /** An IANA name, such as "Europe/Berlin". */
  readonly timeZone: string;
  /** The calendar day that it is now. */
  today(): Day;
  /** How many milliseconds are left of it. */
  untilMidnight(): number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The calendar of a time zone; throws a RangeError for one that this machine does not know. `now` gives milliseconds. */
export function createCalendar(timeZone: string, now: () => number = Date.now): Calendar {
  const dayAt = timeZone === "UTC" ? dayInUtc : dayIn(timeZone);
  let minute = NaN;
  let day = NaN;
  return {
    timeZone,
    today() {
      const time = now();
      // Zones are whole minutes apart from UTC, so that no day begins within one (IANA tzdb, since 1972).
      const current = Math.floor(time / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        day = dayAt(time);
      }
      return day;
    },
    untilMidnight() {
      const time = now();
      const today = dayAt(time);
      // The first minute of the next day is looked for by halves: no day is longer than this.
      let [before, after] = [
        Math.floor(time / MINUTE_MS),
        Math.ceil((time + 2 * DAY_MS) / MINUTE_MS),
      ];
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (dayAt(middle * MINUTE_MS) > today) after = middle;
        else before = middle;
      }
      return after * MINUTE_MS - time;
    },
  };
}

function dayInUtc(time: number): Day {
  return Math.floor(time / DAY_MS);
}

function dayIn(timeZone: string): (time: number) => Day {
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
