import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type Color, contrast } from "../../../src/drawing/color.ts";
import { type ChartFigures, drawChart } from "../../../src/chart/draw_chart.ts";
import { parseChartLook } from "../../../src/chart/look.ts";
import { times } from "../../support/times.ts";
import { assertInert, hostileText } from "../../support/hostile_text.ts";
import { attribute, type Element, ends, parseSvg, seen, texts } from "../../support/parse_svg.ts";
import { drawnBars } from "./drawn_bars.ts";
import { FIGURES, TODAY } from "./gallery.ts";

const RUNS = times(100, 5000);

Deno.test("drawChart() says label, count, hits within, dates and a round scale", () => {
  const shown = texts(draw("")).map(({ text }) => text);
  deepStrictEqual(shown, [
    ...["views", "48,213", "· 3,737 in 30 days", "0", "150", "300"],
    ...["Oct 26", "Nov 2", "Nov 9", "Nov 16"],
    // The peak.
    ...["278", "Nov 4"],
  ]);
});

Deno.test("drawChart() of 240 px and more has a line at each quarter of its scale, if their numbers are exact", () => {
  const scale = (query: string, hits: number) =>
    texts(draw(query, figuresOf([hits, hits]))).slice(3).map(({ text }) => text)
      .filter((text) => /^\d+$/.test(text)).map(Number);
  deepStrictEqual(scale("height=240", 190).slice(0, 5), [0, 50, 100, 150, 200]);
  deepStrictEqual(scale("height=239", 190).slice(0, 3), [0, 100, 200]);
  // 2,250 would be written as 2.2K, and 2.5 is no number of hits.
  deepStrictEqual(scale("height=400", 290).slice(0, 3), [0, 150, 300]);
  deepStrictEqual(scale("height=400", 9).slice(0, 3), [0, 5, 10]);
});

Deno.test("drawChart() says in words what it shows", () => {
  const words = (query: string, figures = FIGURES) =>
    draw(query, figures).filter(({ name }) => /title|desc/.test(name)).map(({ text }) => text);
  deepStrictEqual(words(""), [
    "views: 48,213",
    "3,737 hits in 30 days, since Oct 23, 2026. The most were 278, on Nov 4, 2026.",
  ]);
  deepStrictEqual(words("range=12w&label=&numbers=plain"), [
    "48213",
    "9839 hits in 12 weeks, since Aug 31, 2026. The most were 987, in the week of Nov 2, 2026.",
  ]);
  match(words("range=12m")[1] ?? "", /, in Oct 2026\.$/);
  strictEqual(words("", figuresOf([0, 0]))[1], "No hits in 30 days, since Oct 23, 2026.");
  deepStrictEqual(words("locale=de"), ["views: 48.213", words("")[1]]);
});

Deno.test("drawChart() says nothing of hits within where no days are known", () => {
  const shown = texts(draw("", { total: 12_345, days: { newest: TODAY, hits: [] } }));
  deepStrictEqual(shown.slice(0, 3).map(({ text }) => text), ["views", "12,345", "0"]);
});

Deno.test("drawChart() draws a bar for each day with hits, the last one pale", () => {
  const bars = drawnBars(draw("", figuresOf([3, 0, 4, 1])));
  deepStrictEqual(bars.map(({ isPale }) => isPale), [false, false, true]);
  const heights = bars.map(({ height }) => height);
  deepStrictEqual(heights.map((height) => height / (heights[0] ?? 1)), [1, 4, 3]);
});

Deno.test("drawChart() puts bars equally far apart, inside the dashed lines, on the lowest of them", () => {
  for (const query of ["", "range=90d", "range=12m", "width=960&height=400&range=52w"]) {
    const svg = draw(query);
    const dashes = svg.find(({ attributes }) => attributes.has("stroke-dasharray"));
    const [left = NaN, lowest = NaN, right = NaN] =
      /M([\d.]+) ([\d.]+)H([\d.]+)/.exec(dashes?.attributes.get("d") ?? "")?.slice(1).map(Number) ??
        [];
    const bars = drawnBars(svg);
    const step = (right - left) / bars.length;
    for (const [index, { x, top, width, height }] of bars.entries()) {
      ok(Math.abs(x - left - (index + 0.5) * step) < 0.1, `${query}: ${x}`);
      ok(width > 1 && width <= Math.min(28.1, 0.73 * step), `${query}: ${width}`);
      strictEqual(top + height, lowest - 0.5, query);
      ok(Number.isInteger(height), query);
    }
  }
});

Deno.test("drawChart() shows a single hit beside very many", () => {
  const bars = drawnBars(draw("", figuresOf([0, 1, 2 ** 52])));
  deepStrictEqual(bars.map(({ height }) => height >= 1), [true, true]);
});

const SIZES: readonly (readonly [query: string, size: string])[] = [
  ["", "480x180"],
  ["width=240&height=120", "240x120"],
  ["width=1&height=1", "240x120"],
  ["width=99999&height=99999999999999999999999", "960x400"],
  ["width=-300&height=3e2", "480x180"],
  ["width=%20&height=", "480x180"],
];

for (const [query, size] of SIZES) {
  Deno.test(`drawChart() of "${query}" is ${size}`, () => {
    const svg = draw(query);
    strictEqual(`${attribute(svg, "svg", "width")}x${attribute(svg, "svg", "height")}`, size);
    strictEqual(attribute(svg, "svg", "viewBox"), `0 0 ${size.replace("x", " ")}`);
  });
}

Deno.test("drawChart() writes numbers as it is told, grouped if it is not", () => {
  const count = (query: string) => texts(draw(query))[1]?.text;
  deepStrictEqual(["", "numbers=nonsense", "numbers=plain", "numbers=compact"].map(count), [
    ...["48,213", "48,213", "48213", "48.2K"],
  ]);
  strictEqual(count("locale=de"), "48.213");
});

Deno.test("drawChart() has no ground without a theme, and can be read on white and on GitHub's dark", () => {
  const svg = draw("");
  strictEqual(svg.some(({ name }) => name === "rect" || name === "style"), false);
  const { words, bars } = colors(svg);
  for (const ground of ["#fff", "#0d1117"] as const) {
    ok(contrast(words, ground) >= 4, `${words} on ${ground}`);
    ok(contrast(bars, ground) >= 3, `${bars} on ${ground}`);
  }
});

for (const theme of ["light", "dark", "auto"]) {
  for (const dark of [false, true]) {
    Deno.test(`drawChart() in theme=${theme} reads at WCAG AA to a reader of ${dark ? "dark" : "light"} pages`, () => {
      const { panel, words, bars } = colors(draw(`theme=${theme}`), dark);
      ok(contrast(words, panel) >= 4.5, `${words} on ${panel}`);
      ok(contrast(bars, panel) >= 3, `${bars} on ${panel}`);
      const expected = theme === "dark" || theme === "auto" && dark ? "#0d1117" : "#fff";
      strictEqual(panel, expected);
    });
  }
}

Deno.test("drawChart() keeps the color that the caller chose in every theme", () => {
  for (const theme of ["", "light", "dark", "auto"]) {
    for (const dark of [false, true]) {
      strictEqual(colors(draw(`theme=${theme}&color=Gold`), dark).bars, "#ffd700");
    }
  }
  strictEqual(colors(draw("color=url(x)")).bars, "#17957f");
});

const look = fc.record({
  label: hostileText,
  color: fc.oneof(hostileText, fc.constantFrom("red", "#abcd")),
  theme: fc.oneof(hostileText, fc.constantFrom("auto", "light", "dark")),
  numbers: fc.oneof(hostileText, fc.constantFrom("plain", "grouped", "compact")),
  locale: fc.oneof(
    hostileText,
    fc.constantFrom(..."de fr ru ja zh hi ar-EG fa he th ta my-u-nu-mymr vi hu el".split(" ")),
  ),
  range: fc.oneof(hostileText, fc.constantFrom("30d", "90d", "12w", "52w", "12m", "all")),
  width: fc.oneof(hostileText, fc.integer({ min: 240, max: 960 }).map(String)),
  height: fc.oneof(hostileText, fc.integer({ min: 120, max: 400 }).map(String)),
}, { requiredKeys: [] });
const figures = fc.record({
  total: fc.maxSafeNat(),
  days: fc.record({
    newest: fc.nat(60_000),
    hits: fc.array(fc.oneof(fc.nat(100), fc.nat(2 ** 46)), { maxLength: 400 }),
  }),
});

Deno.test(`drawChart() lets nothing in, in ${RUNS} hostile looks, and everything fits`, () => {
  fc.assert(
    fc.property(look, figures, (query, figures) => {
      const svg = drawChart(figures, parseChartLook(new Map(Object.entries(query))));
      assertInert(svg);
      const elements = parseSvg(svg);
      for (const { name } of elements) match(name, /^(svg|title|desc|style|rect|g|path|text)$/);
      assertFits(elements);
    }),
    { numRuns: RUNS, seed: 14 },
  );
});

function draw(query: string, figures = FIGURES): Element[] {
  return parseSvg(drawChart(figures, parseChartLook(new Map(new URLSearchParams(query)))));
}

function figuresOf(hits: number[]): ChartFigures {
  return { total: hits.reduce((sum, number) => sum + number, 0), days: { newest: TODAY, hits } };
}

/** Returns the visible colors on light or dark pages. */
function colors(svg: readonly Element[], dark = false): Record<"panel" | "words" | "bars", Color> {
  const first = (name: string, property: string): Color => {
    const element = svg.find(({ name: other, attributes }) =>
      other === name && attributes.has(property)
    );
    const color = element && seen(svg, element, { property, isDark: dark });
    return `#${(color ?? "#").slice(1)}`;
  };
  return { panel: first("rect", "fill"), words: first("g", "fill"), bars: first("g", "stroke") };
}

/**
 * Asserts that no text leaves the picture or overlaps its neighbors, whatever font it is drawn in.
 */
function assertFits(svg: readonly Element[]): void {
  const width = Number(attribute(svg, "svg", "width"));
  const height = Number(attribute(svg, "svg", "height"));
  const lines = new Map<number, { left: number; right: number; text: string }[]>();
  for (const element of texts(svg)) {
    const { attributes, text } = element;
    const y = Number(attributes.get("y"));
    const line = { ...ends(element), text };
    ok(line.right > line.left, `${text} has no length`);
    ok(y > 0 && y < height, `${text} stands at ${y} of ${height}`);
    ok(line.left >= 0 && line.right <= width, `${JSON.stringify(line)} leaves ${width}`);
    lines.set(y, [...lines.get(y) ?? [], line]);
  }
  for (const line of lines.values()) {
    line.sort((one, other) => one.left - other.left).reduce((one, other) => {
      ok(one.right < other.left, `${JSON.stringify(one)} meets ${JSON.stringify(other)}`);
      return other;
    });
  }
}
