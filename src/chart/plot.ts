import { formatCount } from "../badge/number.ts";
import type { ChartLook, ChartPaint } from "./look.ts";
import type { Bar } from "./range.ts";
import { drawType, type Setting, setType, tenth, type Type } from "./type.ts";
import { dateBelow } from "./words.ts";

/** The part of a picture that bars, lines, numbers and dates share, in pixels. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Draws the bars over dashed lines at 0, ½ and 1 of a round number, with numbers on the right and dates below. */
export function drawPlot(
  bars: readonly Bar[],
  { look, paint, area }: { look: ChartLook; paint: ChartPaint; area: Area },
): string {
  const ceiling = ceilingOf(Math.max(...bars.map(({ hits }) => hits)));
  const form = { numbers: "compact", locale: look.locale } as const;
  const numbers = [0, ceiling / 2, ceiling].map((hits) => setType(formatCount(hits, form), SMALL));
  const plot = {
    left: area.left,
    right: area.right - Math.ceil(Math.max(...numbers.map(({ width }) => width))) - BESIDE,
    top: area.top,
    bottom: area.bottom - BELOW,
  };
  const heights = [plot.bottom, (plot.top + plot.bottom) / 2, plot.top].map(Math.round);
  const lines = heights.map((y) => `M${plot.left} ${y + 0.5}H${plot.right}`).join("");
  const words = numbers.map((number, index) =>
    drawType(number, { x: area.right, y: (heights[index] ?? 0) + 4, at: "right" })
  );
  return `<path d="${lines}" ${paint.lines} stroke-opacity=".4" stroke-dasharray="2 3"/>` +
    drawBars(bars, { ceiling, plot, paint }) +
    `<g font-size="${SMALL.size}">${words.join("")}${drawDates(bars, { look, plot, area })}</g>`;
}

const SMALL: Type = { size: 11, bold: false };
const BESIDE = 6;
const BELOW = 18;
const WIDEST_BAR = 28;

/** The bars are strokes, which take half the bytes of boxes; the last one is pale, as it is not over yet. */
function drawBars(
  bars: readonly Bar[],
  { ceiling, plot, paint }: { ceiling: number; plot: Area; paint: ChartPaint },
): string {
  const step = (plot.right - plot.left) / bars.length;
  const strokes = bars.map(({ hits }, index) => {
    if (hits === 0) return "";
    const length = Math.max(1, (plot.bottom - plot.top) * hits / ceiling);
    return `M${tenth(plot.left + (index + 0.5) * step)} ${plot.bottom}v${-tenth(length)}`;
  });
  const last = strokes.pop() ?? "";
  const width = tenth(Math.min(WIDEST_BAR, 0.72 * step));
  return `<g ${paint.bars} stroke-width="${width}"><path d="${strokes.join("")}"/>` +
    `<path d="${last}" stroke-opacity=".45"/></g>`;
}

/** Four dates, the first and the last at the ends; these two alone where four do not fit. */
function drawDates(
  bars: readonly Bar[],
  { look, plot, area }: { look: ChartLook; plot: Area; area: Area },
): string {
  const last = bars.length - 1;
  const step = (plot.right - plot.left) / bars.length;
  const dates = [0, Math.round(last / 3), Math.round(2 * last / 3), last].map((index) => {
    const setting = setType(dateBelow(bars[index]?.first ?? 0, look.range, look.locale), SMALL);
    const [least, most] = [plot.left + setting.width / 2, plot.right - setting.width / 2];
    const middle = plot.left + (index + 0.5) * step;
    return { setting, x: Math.min(most, Math.max(least, middle)) };
  });
  const shown = areApart(dates) ? dates : dates.filter((_, index) => index % 3 === 0);
  return shown.map(({ setting, x }) => drawType(setting, { x, y: area.bottom, at: "middle" }))
    .join("");
}

function areApart(dates: readonly { setting: Setting; x: number }[]): boolean {
  return dates.every(({ setting, x }, index) => {
    const next = dates[index + 1];
    return next === undefined ||
      next.x - x >= (setting.width + next.setting.width) / 2 + BESIDE;
  });
}

/** The round number that the top line of a chart stands for: at least 4, and at least the tallest bar. */
export function ceilingOf(most: number): number {
  for (let power = 1;; power *= 10) {
    const found = STEPS.find((step) => step * power >= Math.max(4, most));
    if (found !== undefined) return found * power;
  }
}

const STEPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];
