import { PNG } from "pngjs";
import { type ChartFigures, drawChart } from "../../../src/chart/draw_chart.ts";
import { drawLines, type NamedFigures } from "../../../src/chart/draw_lines.ts";
import { parseChartLook } from "../../../src/chart/look.ts";
import { drawPixels, pngBytes } from "../../support/picture.ts";
import { FIGURES, SEVERAL, TODAY } from "./gallery.ts";

// `deno run --config tests/deno.json -A tests/unit/chart/sheet.ts` draws sheet.png afresh: look at
// it before it is committed.

/** Ten years. */
const LONG: ChartFigures = {
  total: 1_200_000,
  days: { newest: TODAY, hits: Array.from({ length: 3653 }, (_, back) => (3653 - back) % 600) },
};
const FEW: ChartFigures = { total: 3, days: { newest: TODAY, hits: [0, 1, 0, 0, 2] } };
const NONE: ChartFigures = { total: 12_345, days: { newest: TODAY, hits: [] } };
const MOST: ChartFigures = {
  total: Number.MAX_SAFE_INTEGER,
  days: { newest: TODAY, hits: [7, Number.MAX_SAFE_INTEGER - 7] },
};

type Shown = ChartFigures | readonly NamedFigures[];

const ROWS: readonly (readonly (readonly [figures: Shown, query: string])[])[] = [
  [[FIGURES, ""], [FIGURES, "range=90d&theme=dark"]],
  [[FIGURES, "range=12w&theme=light"], [FIGURES, "range=52w"]],
  [[FIGURES, "range=12m&color=orange&theme=dark"], [FEW, "label=&numbers=compact"]],
  [[NONE, "label=hits"], [MOST, "label=a very long label that goes on and on"]],
  [[FIGURES, "kind=area"], [FIGURES, "kind=total&range=52w&theme=dark"]],
  [[FIGURES, "range=all&kind=total"], [LONG, "range=all&theme=dark"]],
  [[SEVERAL, "range=all&kind=total"], [SEVERAL, "kind=area&theme=dark&label=stars"]],
  [[FIGURES, "width=240&height=120"], [MOST, "width=240&height=120&range=12m"]],
];

const GAP = 10;
const WIDTH = 480;
const HEIGHT = 180;

/** The address of the committed sheet. */
export const SHEET = new URL("./sheet.png", import.meta.url);

/** Draws every range, every theme, the least and the most on one picture. */
export function drawSheet(): PNG {
  const sheet = new PNG({ width: 2 * (WIDTH + GAP), height: ROWS.length * (HEIGHT + GAP) });
  ROWS.forEach((row, down) => {
    row.forEach(([figures, query], across) => {
      const look = parseChartLook(new Map(new URLSearchParams(query)));
      const svg = "days" in figures ? drawChart(figures, look) : drawLines(figures, look);
      const picture = drawPixels(svg);
      const [x, y] = [across * (WIDTH + GAP), down * (HEIGHT + GAP)];
      PNG.bitblt(picture, sheet, 0, 0, picture.width, picture.height, x, y);
    });
  });
  return sheet;
}

if (import.meta.main) await Deno.writeFile(SHEET, pngBytes(drawSheet()));
