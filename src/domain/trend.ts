/** Number of days of the trend of a week. */
const WEEK = 7;
/** Minimum number of known days with a trend of a week: two weeks before today. */
export const TREND_DAYS = 2 * WEEK + 1;
/** More is a beginning, not a trend. */
const MAX_PERCENT = 999;

/**
 * Compares the last full days with as many before. Today is left out, because it is not over.
 * `hits` are those of the known days, beginning with today. `percent` is undefined if the earlier
 * days had no hits or are unknown.
 */
export function trendOf(hits: readonly number[], span = WEEK) {
  const within = (from: number) =>
    hits.slice(from, from + span).reduce((total, number) => total + number, 0);
  const [last, before] = [within(1), within(span + 1)];
  const isKnown = hits.length > 2 * span && before > 0;
  return {
    last,
    before,
    percent: isKnown ? Math.round(100 * (last - before) / before) : undefined,
  };
}

/**
 * Returns a trend as drawn, "▲ 12%", and in words, "up 12%". `format` writes a share such as 0.12
 * in percent.
 */
export function trendWords(percent: number, format: (share: number) => string) {
  const isUp = percent > 0;
  const size = Math.abs(percent);
  const most = Math.min(size, MAX_PERCENT);
  const [sign, more] = size > most ? [">", "more than "] : ["", ""];
  return {
    isUp,
    drawn: `${isUp ? "▲ " : percent < 0 ? "▼ " : ""}${sign}${format(most / 100)}`,
    spoken: percent === 0 ? "steady" : `${isUp ? "up" : "down"} ${more}${most}%`,
  };
}
