// @ts-check
/// <reference lib="esnext" />

/**
 * A counter, or a sum of several; `days` are the hits of the last days, today's first.
 * @typedef {{ id: string, today: number, yesterday: number, week: number, priorWeek: number, month: number, priorMonth: number, total: number, days: readonly number[] }} Figures
 * A bar of a chart: its day or month, as short as on the axis and in full.
 * @typedef {{ hits: number, back: number, tick: boolean, name: string, long: string }} Bar
 */

export const DAY_MS = 86_400_000;
/** How many days of each counter are kept: as many as the longest chart of days shows. */
export const DAYS = 90;

/** The days that were read, as the same few stand in every line. @type {Map<string, number>} */
const dayNumbers = new Map();

/** A day as days since 1970. @param {string} text such as "2026-11-20" */
export function dayNumber(text) {
  const number = dayNumbers.get(text) ?? Date.parse(`${text}T00:00Z`) / DAY_MS;
  dayNumbers.set(text, number);
  return number;
}

/** Writes days in the reader's language; a formatter takes longer to make than to use. @param {Intl.DateTimeFormatOptions} how */
function dateText(how) {
  const { format } = new Intl.DateTimeFormat([], { timeZone: "UTC", ...how });
  return (/** @type {number} */ day) => format(day * DAY_MS);
}

const shortDay = dateText({ month: "short", day: "numeric" });
const weekday = dateText({ weekday: "short", month: "short", day: "numeric" });
export const fullDay = dateText({ year: "numeric", month: "short", day: "numeric" });
const shortMonth = dateText({ month: "short" });
const longMonth = dateText({ month: "long", year: "numeric" });

/**
 * The figures of a line of `/counters`.
 * @param {{ id: string, hits: number, days?: Record<string, number> }} line
 * @param {number} today
 */
export function figuresOf({ id, hits, days = {} }, today, kept = DAYS) {
  const last = Array(kept).fill(0);
  for (const [day, hits] of Object.entries(days)) {
    const back = today - dayNumber(day);
    if (back >= 0 && back < kept) last[back] = hits;
  }
  return sumsOf(id, hits, last);
}

/** @param {string} id @param {number} total @param {readonly number[]} days @returns {Figures} */
function sumsOf(id, total, days) {
  const within = (/** @type {number} */ from, /** @type {number} */ to) => {
    let sum = 0;
    for (let back = from; back < to; back++) sum += days[back] ?? 0;
    return sum;
  };
  return {
    id,
    total,
    days,
    today: days[0] ?? 0,
    yesterday: days[1] ?? 0,
    week: within(0, 7),
    priorWeek: within(7, 14),
    month: within(0, 30),
    priorMonth: within(30, 60),
  };
}

/** @param {string} id @param {readonly Figures[]} rows */
export function sumOf(id, rows) {
  const days = Array(DAYS).fill(0);
  let total = 0;
  for (const row of rows) {
    total += row.total;
    for (let back = 0; back < DAYS; back++) days[back] += row.days[back];
  }
  return sumsOf(id, total, days);
}

/** How a number went up or down against the one before, in percent; "new" where there was none. @param {number} now @param {number} then */
export function trendOf(now, then) {
  if (then === 0) return { up: now > 0, text: now > 0 ? "new" : "–", word: "" };
  const percent = Math.round(100 * (now - then) / then);
  const up = percent >= 0;
  return { up, text: `${up ? "▲" : "▼"} ${Math.abs(percent)}%`, word: up ? "up" : "down" };
}

/**
 * The strokes of 30 days in 120 × 24, and that of today. They are in proportion up to three times the usual day, so that
 * one outlier does not flatten the rhythm of the weeks; a higher day is cut, and a gap with a cap says so.
 * @param {readonly number[]} days
 */
export function sparkline(days) {
  const last = days.slice(0, 30);
  const viewed = last.filter((hits) => hits > 0).sort((one, other) => one - other);
  const largest = viewed.at(-1) ?? 1;
  const usual = viewed[viewed.length >> 1] ?? 1;
  const most = viewed.length < 7 ? largest : Math.min(largest, 3 * usual);
  const stroke = (/** @type {number} */ hits, /** @type {number} */ back) => {
    if (hits === 0) return "";
    const height = hits > most ? 17 : Math.max(1.5, 22.5 * hits / most);
    return `M${4 * (29 - back) + 2} 23.5v${-round(height)}${hits > most ? "m0-2.5v-3" : ""}`;
  };
  const [today = 0, ...before] = last;
  return {
    before: before.map((hits, index) => stroke(hits, index + 1)).join(""),
    today: stroke(today, 0),
  };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** The round number at the top of an axis. @param {number} most */
export function ceilingOf(most) {
  const least = Math.max(most, 4);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= least) ?? least;
}

/**
 * The bars of a range, the oldest first.
 * @param {readonly number[]} days
 * @param {string} range 30d, 90d or 12m
 * @param {number} today
 * @returns {Bar[]}
 */
export function barsOf(days, range, today) {
  if (range === "12m") return monthsOf(days, today);
  const length = parseInt(range);
  return Array.from({ length }, (_, index) => {
    const back = length - 1 - index;
    const day = today - back;
    const date = new Date(day * DAY_MS);
    const tick = length === 30 ? date.getUTCDay() === 1 : [1, 15].includes(date.getUTCDate());
    return { hits: days[back] ?? 0, back, tick, name: shortDay(day), long: weekday(day) };
  });
}

/** @param {readonly number[]} days @param {number} today @returns {Bar[]} */
function monthsOf(days, today) {
  const now = new Date(today * DAY_MS);
  return Array.from({ length: 12 }, (_, index) => {
    const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index) / DAY_MS;
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 10 + index) / DAY_MS;
    let hits = 0;
    for (let day = start; day < end && day <= today; day++) hits += days[today - day] ?? 0;
    return {
      hits,
      back: 11 - index,
      tick: true,
      name: shortMonth(start),
      long: longMonth(start),
    };
  });
}

/** The bar that stands out, of days only: above 1.6 times the usual one. @param {readonly Bar[]} bars */
export function peakOf(bars) {
  const sorted = bars.map(({ hits }) => hits).sort((one, other) => one - other);
  const most = sorted.at(-1) ?? 0;
  if (bars.length <= 12 || most === 0 || most <= 1.6 * (sorted[sorted.length >> 1] ?? 0)) return -1;
  return bars.findIndex(({ hits }) => hits === most);
}
