import { createCalendar } from "../../src/domain/calendar.ts";

/** Longer than the tests of a file take, in milliseconds. */
const LONG_MS = 3_600_000;

/**
 * The first of some time zones in which no day ends while a test runs: of two that are an hour
 * apart one is.
 */
export function zoneBeforeMidnight(...timeZones: readonly string[]): string {
  const zone = timeZones.find((timeZone) => createCalendar(timeZone).msUntilMidnight() > LONG_MS);
  if (zone === undefined) throw new Error(`Choose a time zone: it is late in ${timeZones}`);
  return zone;
}

/**
 * A zone in which today does not end during the tests, for tests that need a day but not its end.
 */
export const TIME_ZONE: string = zoneBeforeMidnight("UTC", "Etc/GMT-1");
