import { trendWords } from "../domain/trend.ts";
import { formatterOf } from "./number.ts";

/**
 * Returns a trend as drawn, "▲ 12%", in a language, and as a screen reader says it in English,
 * ", up 12% in 7 days".
 */
export function weekTrend(percent: number, locale = "en") {
  const { format } = formatterOf(locale, "percent", PERCENT);
  const words = trendWords(percent, format);
  return { ...words, spoken: `, ${words.spoken} in 7 days` };
}

const PERCENT = (locale: string) => new Intl.NumberFormat(locale, { style: "percent" });
