import { formatCount } from "../drawing/number.ts";
import { type Bar, ceilingOf, isTick } from "./bars.ts";
import { tickText } from "./dates.ts";
import type { ShownLook } from "./look.ts";
import { drawType, type Setting, setType, type Type } from "./type.ts";

/** The part of a picture that bars, lines, numbers and dates share, in pixels. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const SMALL: Type = { size: 11, bold: false };
/** The distance between words and what is next to them. */
export const BESIDE = 6;
const BELOW = 18;
/** A chart of this height has lines at quarters if these are whole and have at most two digits. */
const HIGH = 240;
const HALVES = [0, 0.5, 1];
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/**
 * Draws the axes of a chart with these bars or points, up to a value of `most`. The numbers are on
 * the right of the area.
 */
export function drawAxis(
  bars: readonly Bar[],
  { most, look, area }: { most: number; look: ShownLook; area: Area },
) {
  const ceiling = ceilingOf(most);
  const form = { numbers: "compact", locale: look.locale } as const;
  const threeQuarters = 0.75 * ceiling;
  const isExact = ceiling % 4 === 0 && Number(threeQuarters.toPrecision(2)) === threeQuarters;
  const shares = look.height >= HIGH && isExact ? QUARTERS : HALVES;
  const numbers = shares.map((share) => setType(formatCount(share * ceiling, form), SMALL));
  const room = Math.ceil(Math.max(...numbers.map(({ width }) => width))) + BESIDE;
  const plot = {
    left: area.left,
    right: area.right - room,
    top: area.top,
    bottom: area.bottom - BELOW,
  };
  const lines = shares.map((share) => Math.round(plot.bottom - share * (plot.bottom - plot.top)));
  const words = numbers.map((number, index) =>
    drawType(number, { x: area.right, y: (lines[index] ?? 0) + 4, at: "right" })
  );
  return {
    plot,
    /** The round number at the top of the plot. */
    ceiling,
    /** The heights of the dashed lines at 0 and at equal parts of the round number. */
    lines,
    /** Path data of the dashed lines. */
    grid: lines.map((y) => `M${plot.left} ${y + 0.5}H${plot.right}`).join(""),
    /** Numbers and dates. */
    words: words.join("") + drawDates(bars, { look, plot, area }),
  };
}

/** More dates are no help, and each takes up to 120 bytes. */
const MAX_DATES = 6;

/** Draws the dates below the bars, and leaves out every second one, or more, if not all fit. */
function drawDates(
  bars: readonly Bar[],
  { look, plot, area }: { look: ShownLook; plot: Area; area: Area },
): string {
  const step = (plot.right - plot.left) / bars.length;
  const dates = bars.flatMap((bar, index) => {
    if (!isTick(bar, look.range)) return [];
    const setting = setType(tickText(bar.first, look.range, look.locale), SMALL);
    const x = plot.left + (index + 0.5) * step;
    const isInside = x - setting.width / 2 >= plot.left && x + setting.width / 2 <= plot.right;
    return isInside ? [{ setting, x }] : [];
  });
  let shown = dates;
  for (let stride = 2; shown.length > MAX_DATES || !areApart(shown); stride++) {
    shown = dates.filter((_, index) => index % stride === 0);
  }
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
