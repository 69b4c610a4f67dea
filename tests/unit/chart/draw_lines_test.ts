import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { contrast } from "../../../src/drawing/color.ts";
import {
  drawLines,
  LINE_COLORS,
  type NamedFigures,
  shortNames,
} from "../../../src/chart/draw_lines.ts";
import { parseChartLook } from "../../../src/chart/look.ts";
import { assertInert, hostileText } from "../../support/hostile_text.ts";
import { attribute, type Element, ends, parseSvg, texts } from "../../support/parse_svg.ts";
import { FIGURES, TODAY } from "./gallery.ts";
import { times } from "../../support/times.ts";

const bytesOf = (svg: string) => new TextEncoder().encode(svg).length;

Deno.test("drawLines() keeps six counters within 16 kB, whatever their ids, steps and numbers", () => {
  // The longest markup: each of these characters takes six bytes, and each step another height.
  const ids = Array.from({ length: 6 }, (_, index) => '"'.repeat(199) + index);
  for (const range of ["90d", "52w", "12m", "all"]) {
    for (const kind of ["total", "area"]) {
      for (const length of [120, 3652]) {
        const counters = ids.map((id, index) => {
          const hits = Array.from({ length }, (_, back) => (back * 7919 * (index + 1)) % 1009);
          return counter(id, hits.map((number) => number * 2 ** 30));
        });
        const svg = draw(
          counters,
          `kind=${kind}&range=${range}&theme=auto&width=960&height=400&label=${"%26".repeat(100)}`,
        );
        ok(bytesOf(svg) <= 16_000, `${kind} ${range} ${length}: ${bytesOf(svg)}`);
      }
    }
  }
});

Deno.test("drawLines() keeps six usual counters over ten years within 6.5 kB", () => {
  const counters = ["a", "b", "c", "d", "e", "f"].map((name, index) =>
    counter(`github/${name}/stars`, Array(3652).fill(index + 1))
  );
  ok(bytesOf(draw(counters, "range=all&theme=auto")) <= 6500);
});

Deno.test("LINE_COLORS have a contrast of 3:1 to light and to dark grounds", () => {
  for (const color of LINE_COLORS) {
    for (const ground of ["#fff", "#0d1117"] as const) {
      ok(contrast(color, ground) >= 3, `${color} on ${ground}`);
    }
  }
});

const idText = hostileText.map((text) => text.slice(0, 60));
const figures = fc.record({
  id: idText,
  total: fc.oneof(fc.nat(100), fc.maxSafeNat()),
  days: fc.record({
    newest: fc.constant(TODAY),
    hits: fc.array(fc.oneof(fc.nat(3), fc.nat(2 ** 40)), { maxLength: 200 }),
  }),
});
const look = fc.record({
  label: hostileText,
  kind: fc.constantFrom("total", "area"),
  theme: fc.constantFrom("", "auto", "dark"),
  numbers: fc.constantFrom("plain", "grouped", "compact"),
  locale: fc.constantFrom(..."en de ru ja hi ar-EG fa he th ta my-u-nu-mymr".split(" ")),
  range: fc.constantFrom("30d", "90d", "52w", "12m", "all"),
  width: fc.integer({ min: 240, max: 960 }).map(String),
  height: fc.integer({ min: 120, max: 400 }).map(String),
});

Deno.test("drawLines() lets nothing in, and no two texts overlap, whatever the names and heights", () => {
  const counters = fc.array(figures, { minLength: 2, maxLength: 6 });
  // Often the same numbers, so that lines end at the same height.
  const same = fc.tuple(figures, counters).map(([first, others]) =>
    others.map(({ id }) => ({ ...first, id }))
  );
  fc.assert(
    fc.property(fc.oneof(counters, same), look, (counters, query) => {
      const svg = drawLines(counters, parseLines(new Map(Object.entries(query))));
      assertInert(svg);
      const elements = parseSvg(svg);
      assertApart(elements);
      const numbers = texts(elements).filter(({ attributes }) => attributes.has("font-weight"));
      strictEqual(numbers.length, counters.length);
    }),
    { numRuns: times(100, 1000), seed: 4 },
  );
});

Deno.test("drawLines() writes name and number at the end of each line, in the order of the heights", () => {
  const counters = [counter("x/low", [1, 1]), counter("x/high", [9, 9]), counter("x/even", [1, 1])];
  const svg = draw(counters, "label=hits");
  const shown = texts(parseSvg(svg)).map(({ text, attributes }) => [
    text,
    Number(attributes.get("y")),
  ]);
  const heights = new Map(shown.slice(-6).map(([text, y]) => [text, Number(y)]));
  deepStrictEqual([...heights.keys()], ["low", "2", "high", "18", "even"]);
  const [low = 0, high = 0, even = 0] = ["low", "high", "even"].map((name) => heights.get(name));
  ok(high < low && even - low >= 13);
});

Deno.test("drawLines() draws one line for each counter, from its first known day on, and a dot alone without days", () => {
  const counters = [counter("old", Array(30).fill(1)), counter("new", Array(10).fill(1)), {
    ...counter("never", []),
    total: 5,
  }];
  const elements = parseSvg(draw(counters, "width=480"));
  const starts = LINE_COLORS.slice(0, 3).map((color) => {
    const group = elements.findIndex(({ attributes }) => attributes.get("stroke") === color);
    const line = elements[group + 1]?.attributes.get("d");
    return Number(/^M(\d+)/.exec(line ?? "")?.[1]);
  });
  const [old = 0, young = 0, never] = starts;
  const end = 5 * Number(elements.find(({ name }) => name === "circle")?.attributes.get("cx"));
  ok(Math.abs((end - young) / (end - old) - 9 / 29) < 0.02, `${starts}`);
  strictEqual(never, NaN);
});

Deno.test("drawLines() keeps names apart where it cuts them", () => {
  const named = (...ids: string[]) =>
    texts(parseSvg(draw(ids.map((id) => ({ ...FIGURES, id })), "width=320")))
      .flatMap(({ text }) => text.includes("…") ? [text] : []);
  const years = named("why-all-numbers-count-in-2024", "why-all-numbers-count-in-2025");
  deepStrictEqual(years.map((name) => name.slice(-4)), ["2024", "2025"]);
  const fruits = ["apples", "pears"].map((fruit) => `a-long-post-about-${fruit}-and-their-uses`);
  deepStrictEqual(named(...fruits).map((name) => name.slice(0, 4)), ["…app", "…pea"]);
});

Deno.test("drawLines() draws the hits of more than 31 days in weeks", () => {
  const svg = draw([{ ...FIGURES, id: "a" }, { ...FIGURES, id: "b" }], "kind=area&range=90d");
  match(svg, />each week, to Nov 15</);
});

Deno.test("drawLines() tells a screen reader name, last number and growth of each counter", () => {
  const counters = [
    { ...counter("npm/one", Array(30).fill(10)), total: 5300 },
    { ...counter("npm/two", [7, 0, 3]), total: 10 },
  ];
  const words = (query: string) => draw(counters, query).match(/<title>.*<\/desc>/)?.[0];
  strictEqual(
    words("label=downloads"),
    "<title>downloads: one 5,300, up 300; two 10, up 10</title>" +
      "<desc>The totals, and their growth in 30 days, since Oct 23, 2026.</desc>",
  );
  strictEqual(
    words("kind=area&label="),
    "<title>one 10, 300 in all; two 0, 10 in all</title>" +
      "<desc>The hits of the last full day, and of 30 days, since Oct 23, 2026.</desc>",
  );
  strictEqual(attribute(parseSvg(draw(counters, "")), "svg", "role"), "img");
});

Deno.test("drawLines() writes compact numbers where full ones would leave no room for names", () => {
  const large = [counter("one", [2 ** 52]), counter("two", [2 ** 51])];
  const shown = texts(parseSvg(draw(large, ""))).map(({ text }) => text);
  ok(shown.includes("one") && shown.includes("4,503.5T"), shown.join());
});

const NAMES: readonly (readonly [ids: readonly string[], names: readonly string[]])[] = [
  [["github/a/b/stars", "github/c/d/stars"], ["a/b", "c/d"]],
  [["npm/@x/y", "npm/z"], ["@x/y", "z"]],
  [["a", "b"], ["a", "b"]],
  [["a", "a/b"], ["a", "a/b"]],
  [["a/", "a/b"], ["a/", "a/b"]],
  [["a/x", "b/x"], ["a", "b"]],
  [["home", "home/home"], ["home", "home/home"]],
];

for (const [ids, names] of NAMES) {
  Deno.test(`shortNames() of ${ids} are ${names}`, () => {
    deepStrictEqual(shortNames(ids), names);
  });
}

Deno.test("shortNames() keeps different ids apart, and none becomes empty", () => {
  const id = fc.array(fc.constantFrom("a", "b", "/", "//"), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 2, maxLength: 6 }), (ids) => {
      const names = shortNames(ids);
      strictEqual(new Set(names).size, ids.length, names.join());
      ok(!names.includes(""));
    }),
    { numRuns: times(200, 2000) },
  );
});

Deno.test("drawLines() has the words of its labels at WCAG AA in every theme", () => {
  for (const theme of ["light", "dark"]) {
    const elements = parseSvg(draw([counter("a", [1]), counter("b", [2])], `theme=${theme}`));
    const panel = attribute(elements, "rect", "fill");
    const inks = elements.filter(({ name, attributes }) =>
      /^(g|text)$/.test(name) && attributes.get("fill")?.startsWith("#")
    );
    ok(inks.length > 2);
    for (const { attributes } of inks) {
      const ink = attributes.get("fill") ?? "";
      ok(contrast(`#${ink.slice(1)}`, `#${panel.slice(1)}`) >= 4.5, `${ink} on ${panel}`);
    }
  }
});

Deno.test("drawLines() takes its size as a chart does", () => {
  match(
    draw([counter("a", [1]), counter("b", [2])], "width=960&height=300"),
    /^<svg [^>]*width="960" height="300"/,
  );
});

function counter(id: string, hits: readonly number[]): NamedFigures {
  const total = hits.reduce((sum, number) => sum + number, 0);
  return { id, total: Math.min(total, Number.MAX_SAFE_INTEGER), days: { newest: TODAY, hits } };
}

function parseLines(query: ReadonlyMap<string, string>) {
  const look = parseChartLook(query);
  return { ...look, kind: look.kind === "bars" ? "total" : look.kind };
}

function draw(counters: readonly NamedFigures[], query: string): string {
  return drawLines(counters, parseLines(new Map(new URLSearchParams(query))));
}

/** Fails if a text leaves the picture, or meets another one. */
function assertApart(svg: readonly Element[]): void {
  const [width, height] = ["width", "height"].map((key) => Number(attribute(svg, "svg", key)));
  const boxes = texts(svg).map((element) => {
    const y = Number(element.attributes.get("y"));
    return { text: element.text, ...ends(element), top: y - 9, bottom: y + 3 };
  });
  boxes.forEach((one, index) => {
    ok(one.left >= 0 && one.right <= (width ?? 0), `${JSON.stringify(one)} leaves ${width}`);
    ok(one.top >= 0 && one.bottom <= (height ?? 0), `${JSON.stringify(one)} leaves ${height}`);
    for (const other of boxes.slice(index + 1)) {
      const isBeside = one.right <= other.left || other.right <= one.left;
      ok(
        isBeside || one.bottom <= other.top || other.bottom <= one.top,
        `${JSON.stringify(one)} meets ${JSON.stringify(other)}`,
      );
    }
  });
}
