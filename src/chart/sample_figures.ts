import type { Day } from "../counter/days.ts";
import type { ChartFigures } from "./chart.ts";

/** Figures that are no counter's: a year of busier and calmer weeks, to show a design with. */
export function sampleFigures(today: Day): ChartFigures {
  const hits = Array.from({ length: 366 }, (_, back) => {
    const weekend = (today - back + 3) % 7 > 4;
    return Math.round((40 + 9 * Math.sin(back * 1.7) - back / 14) * (weekend ? 0.6 : 1));
  });
  return { total: 12_345, days: { newest: today, hits } };
}
