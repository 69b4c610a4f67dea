import { DEFAULT_ID, MAX_ID_BYTES } from "../counter/counter_id.ts";
import { parsePeriod, PERIODS } from "../counter/calendar.ts";
import type { Parameter } from "./query.ts";

/** The counter that a request is about. */
export const id = {
  name: "id",
  meaning: "The counter: 1 to 200 bytes of UTF-8, trimmed and taken as NFC.",
  schema: { type: "string", default: DEFAULT_ID, maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** A family of counters. */
export const family = {
  name: "prefix",
  meaning: "In the place of `id`: what the ids of a family begin with, up to a slash, as `blog/`.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** How often a visitor counts. */
export const once = {
  name: "once",
  meaning: "`day` counts each visitor once for each counter and day.",
  schema: { type: "string", enum: ["day"] },
  accepts: (text: string) => text === "day",
} as const satisfies Parameter;

/** Who the visitor is, for a server that calls in the name of its visitors. */
export const visitor = {
  name: "visitor",
  meaning: "With the secret and `once`: what tells visitors apart, in the place of the caller.",
  schema: { type: "string", maxLength: 1000 },
  accepts: (text: string) => text !== "" && text.length <= 1000,
} as const satisfies Parameter;

/** The form of a count. */
export const format = {
  name: "format",
  meaning: "`txt` or `text` answers in plain text, anything else in JSON.",
  schema: { type: "string", examples: ["txt", "text"] },
} as const satisfies Parameter;

/** How long shields.io may keep a badge. */
export const cacheSeconds = {
  name: "cacheSeconds",
  meaning: "Clamped to this range; what is not a whole number is the default.",
  schema: { type: "integer", default: 60, minimum: 30, maximum: 3600 },
} as const satisfies Parameter;

/** The one counter that an owner means. */
export const ownId = {
  name: "id",
  meaning: "The counter; here none is meant where it is left out.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** The counters that an owner means. */
export const prefix = {
  name: "prefix",
  meaning: "Only counters whose id begins with this.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** How much of a counter's history to tell. */
export const lastDays = {
  name: "days",
  meaning: "Only the last so many days, today included; 0 for none.",
  schema: { type: "integer", minimum: 0, maximum: 99_999 },
  accepts: (text: string) => /^\d{1,5}$/.test(text),
} as const satisfies Parameter;

/** What an import does to a counter that is there. */
export const mode = {
  name: "mode",
  meaning: "`replace` sets each counter; `max` keeps the larger number, in total and of each day.",
  schema: { type: "string", default: "replace", enum: ["replace", "max"] },
  accepts: (text: string) => text === "replace" || text === "max",
} as const satisfies Parameter;

/** Whether an import is only tried. */
export const dry = {
  name: "dry",
  meaning: "`1` writes nothing and tells what would change.",
  schema: { type: "string", default: "0", enum: ["0", "1"] },
  accepts: (text: string) => text === "0" || text === "1",
} as const satisfies Parameter;

/** The first day of a range. */
export const fromDay = {
  name: "from",
  meaning: "The first day, such as 2026-11-01; 29 days before the last where it is left out.",
  schema: { type: "string", format: "date" },
} as const satisfies Parameter;

/** The last day of a range. */
export const toDay = {
  name: "to",
  meaning: "The last day, such as 2026-11-30; today where it is left out.",
  schema: { type: "string", format: "date" },
} as const satisfies Parameter;

/** The stretch of time whose hits are meant. */
export const period = {
  name: "period",
  meaning:
    "The hits of these days alone, in the service's time zone; those up to today include it.",
  schema: { type: "string", default: "total", enum: PERIODS },
  accepts: (text: string) => parsePeriod(text) !== undefined,
} as const satisfies Parameter;

/** More numbers than one on a badge. */
export const show = {
  name: "show",
  meaning: "`today/total` shows the hits of today and all hits, as in 12 / 3,456.",
  schema: { type: "string", enum: ["today/total"] },
  accepts: (text: string) => text === "today/total",
} as const satisfies Parameter;
