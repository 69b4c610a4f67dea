import { weekdayIndex } from "../../chart/bars.ts";
import { draw, fill, make } from "../lib/make.ts";
import { grouped } from "../lib/words.ts";
import { fullDay, knownDays, monthName, shortWeekday } from "../lib/figures.ts";

/** A year, and half of one where the square of a day would be too small. */
const [YEAR_WEEKS, HALF_YEAR_WEEKS] = [53, 26];
/** Minimum width of a year, in pixels. */
const YEAR_WIDTH = 560;
/** Space for the names of weekdays and months, in pixels. */
const [SIDE, TOP] = [34, 20];
/** Minimum distance between the names of two months, in pixels. */
const MONTH_WIDTH = 32;
/** Shares of the days with views that are below the second, the third and the darkest shade. */
const SHARES = [0.25, 0.55, 0.85];

/** Creates the days of a year as squares, the darker the more views, as wide as their place. */
export function yearCalendar(days: readonly number[], today: number) {
  const heading = make("h2");
  const place = make(".squares");
  const known = knownDays(days);
  const most = Math.max(0, ...known);
  const best = most > 0 && make(
    "span",
    "Best day ",
    make("b", `${fullDay(today - known.lastIndexOf(most))}: ${grouped(most)}`),
  );
  const sum = known.reduce((sum, hits) => sum + hits, 0);
  const average = Math.round(sum / Math.max(1, known.length));
  const legend = [0, 1, 2, 3, 4].map((level) => make(`i.l${level}`));
  new ResizeObserver(() => {
    const weeks = place.clientWidth < YEAR_WIDTH ? HALF_YEAR_WEEKS : YEAR_WEEKS;
    heading.textContent = weeks === YEAR_WEEKS ? "The last year" : `The last ${weeks} weeks`;
    fill(place, drawSquares(days, today, { weeks, width: place.clientWidth }));
  }).observe(place);
  return make(
    "section.panel.card",
    { "aria-label": "Calendar" },
    heading,
    place,
    make(
      "p.facts",
      best,
      make("span", "Daily average ", make("b", grouped(average))),
      make("span.legend", { "aria-hidden": true }, "Less", ...legend, "More"),
    ),
  );
}

function drawSquares(
  days: readonly number[],
  today: number,
  { weeks, width }: { weeks: number; width: number },
) {
  const pitch = (width - SIDE) / weeks;
  const size = pitch - Math.max(2, pitch * .16);
  const first = today - weekdayIndex(today) - 7 * (weeks - 1);
  const levelOf = levels(days);
  const parts: Element[] = [];
  let free = 0;
  for (let day = first; day <= today; day++) {
    const index = day - first;
    const [x, y] = [SIDE + Math.floor(index / 7) * pitch, TOP + index % 7 * pitch];
    const d = `M${x.toFixed(1)} ${y.toFixed(1)}h${size.toFixed(1)}v${size.toFixed(1)}h-${
      size.toFixed(1)
    }z`;
    parts.push(draw(`path.l${levelOf(days[today - day] ?? 0)}`, { d }));
    if (index % 7 !== 0 || monthName(day) === monthName(day - 7) || x < free) continue;
    if (index > 0) parts.push(draw("text", { x, y: 11 }, monthName(day)));
    free = x + MONTH_WIDTH;
  }
  for (const row of [0, 2, 4]) {
    const y = TOP + row * pitch + size / 2 + 4;
    parts.push(draw("text", { x: 0, y }, shortWeekday(first + row)));
  }
  const viewBox = `0 0 ${width} ${Math.ceil(TOP + 7 * pitch)}`;
  return draw("svg", { viewBox, role: "img", "aria-label": "Views of each day" }, ...parts);
}

/** Returns a function that returns the shade of a day by its rank among the days with views. */
function levels(days: readonly number[]) {
  const sorted = days.filter((hits) => hits > 0).sort((one, other) => one - other);
  const bounds = SHARES.map((share) => sorted[Math.floor(share * sorted.length)] ?? 0);
  return (hits: number) => hits === 0 ? 0 : 1 + bounds.filter((bound) => hits > bound).length;
}
