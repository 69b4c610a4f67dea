import { drawChart } from "../../src/chart/draw_chart.ts";
import { drawLines } from "../../src/chart/draw_lines.ts";
import { parseChartLook } from "../../src/chart/look.ts";

// The rule: at most 3 ms a chart.

const TEN_YEARS = 3652;

const counters = Array.from({ length: 6 }, (_, index) => ({
  id: `github/owner/project-${index}/stars`,
  total: 100_000 + index,
  days: {
    newest: 20_778,
    hits: Array.from({ length: TEN_YEARS }, (_, back) => (back * 7919 * (index + 1)) % 101),
  },
}));
const [first] = counters;

for (const range of ["30d", "90d", "all"]) {
  const look = parseChartLook(
    new Map<string, string>([["range", range], ["kind", "total"], ["theme", "auto"]]),
  );
  Deno.bench(`drawLines, six counters of ten years, range=${range}`, () => {
    drawLines(counters, look).charCodeAt(0);
  });
  Deno.bench(`drawChart, one counter of ten years, range=${range}`, () => {
    if (first !== undefined) drawChart(first, look).charCodeAt(0);
  });
}
