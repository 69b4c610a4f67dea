import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  barsOf,
  ceilingOf,
  firstDay,
  isTick,
  peakIndex,
  RANGES,
  rangeSince,
} from "../../../src/chart/bars.ts";
import { tickText } from "../../../src/chart/dates.ts";
import { parseChartLook } from "../../../src/chart/look.ts";
import { drawBadge, parseLook, sparkOf } from "../../../src/badge/drawings.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import { attribute, ends, parseSvg, texts } from "../../support/parse_svg.ts";

const day = (text: string) => Date.parse(`${text}T00:00Z`) / 86_400_000;
const rangeOf = (name = "") => {
  const { range } = parseChartLook(new Map<string, string>([["range", name]]));
  ok(range !== undefined);
  return range;
};
const text = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);

const BEGINNINGS:
  readonly (readonly [range: string, today: string, first: string, last: string])[] = [
    ["30d", "2026-11-21", "2026-10-23", "2026-11-21"],
    ["90d", "2026-03-01", "2025-12-02", "2026-03-01"],
    ["12w", "2026-11-21", "2026-08-31", "2026-11-16"],
    ["12w", "2026-11-16", "2026-08-31", "2026-11-16"],
    ["12w", "2026-11-15", "2026-08-24", "2026-11-09"],
    ["52w", "2026-11-21", "2025-11-24", "2026-11-16"],
    ["12m", "2026-11-21", "2025-12-01", "2026-11-01"],
    ["12m", "2026-03-31", "2025-04-01", "2026-03-01"],
    ["12m", "2024-02-29", "2023-03-01", "2024-02-01"],
  ];

for (const [name, today, first, last] of BEGINNINGS) {
  Deno.test(`barsOf() of ${name} up to ${today} begins on ${first}, its last bar on ${last}`, () => {
    const range = rangeOf(name);
    const bars = barsOf({ newest: day(today), hits: [] }, range);
    strictEqual(bars.length, range.count);
    strictEqual(text(bars[0]?.first ?? 0), first);
    strictEqual(text(bars.at(-1)?.first ?? 0), last);
    strictEqual(firstDay(range, day(today), range.count - 1), bars[0]?.first);
  });
}

for (const name of [undefined, "", "30D", "7d", "365d", "constructor", "__proto__"]) {
  Deno.test(`parseChartLook() takes a range of ${name} for 30 days`, () => {
    deepStrictEqual(rangeOf(name), { count: 30, unit: "day" });
  });
}

Deno.test("barsOf() gives every day's hits to the one bar whose days it is among", () => {
  const hits = fc.array(fc.nat(1000), { maxLength: 500 });
  const name = fc.constantFrom("30d", "90d", "12w", "52w", "12m");
  fc.assert(fc.property(fc.nat(40_000), hits, name, (newest, hits, name) => {
    const bars = barsOf({ newest, hits }, rangeOf(name));
    const expected = bars.map(({ first }, at) => {
      const next = bars[at + 1]?.first ?? newest + 1;
      return hits.reduce((sum, number, back) => {
        const day = newest - back;
        return day >= first && day < next ? sum + number : sum;
      }, 0);
    });
    deepStrictEqual(bars.map(({ hits }) => hits), expected);
  }));
});

Deno.test("ceilingOf() is the next of 1, 1.2, 1.6, 2, 3, 4, 5, 6 and 8 times a power of ten, at least 4", () => {
  const pairs = [
    [0, 4],
    [4, 4],
    [5, 5],
    [7, 8],
    [9, 10],
    [11, 12],
    [13, 16],
    [17, 20],
    [21, 30],
    [81, 100],
    [100, 100],
    [101, 120],
    [1201, 1600],
    [Number.MAX_SAFE_INTEGER, 1e16],
  ] as const;
  for (const [most, ceiling] of pairs) strictEqual(ceilingOf(most), ceiling);
});

const TICKS: readonly (readonly [range: keyof typeof RANGES, dates: readonly string[]])[] = [
  ["30d", ["2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16"]],
  [
    "90d",
    ["2026-09-01", "2026-09-15", "2026-10-01", "2026-10-15", "2026-11-01", "2026-11-15"],
  ],
];

for (const [name, dates] of TICKS) {
  Deno.test(`isTick() of ${name} picks ${dates.join(", ")}`, () => {
    const bars = barsOf({ newest: day("2026-11-21"), hits: [] }, RANGES[name]);
    const ticks = bars.filter((bar) => isTick(bar, RANGES[name]));
    deepStrictEqual(ticks.map(({ first }) => text(first)), dates);
  });
}

Deno.test("isTick() picks every month once in ranges of a year, and every week of twelve", () => {
  for (let newest = day("2026-01-01"); newest < day("2028-01-01"); newest++) {
    const ticksOf = (name: keyof typeof RANGES) =>
      barsOf({ newest, hits: [] }, RANGES[name]).filter((bar) => isTick(bar, RANGES[name]));
    const months = ticksOf("52w").map(({ first }) => text(first).slice(5, 7));
    strictEqual(new Set(months).size, months.length, text(newest));
    ok(months.length >= 11, `${text(newest)}: ${months}`);
    strictEqual(ticksOf("12m").length, 12);
    strictEqual(ticksOf("12w").length, 12);
  }
});

Deno.test("peakIndex() takes 1.6 times the median of the bars with hits, once seven days are known", () => {
  const peak = (hits: number[]) => {
    const days = { newest: day("2026-11-21"), hits };
    return peakIndex(barsOf(days, RANGES["30d"]), days);
  };
  const usual = Array<number>(30).fill(10);
  strictEqual(peak(usual), -1);
  strictEqual(peak(usual.with(3, 15)), -1);
  strictEqual(peak(usual.with(3, 16)), 26);
  // The first of equal ones.
  strictEqual(peak(usual.with(3, 16).with(9, 16)), 20);
  // Days without hits are not among those that the median is of.
  strictEqual(peak([0, 0, 0, 0, 0, 0, 10, 10, 15]), -1);
  strictEqual(peak([0, 0, 0, 0, 10, 30]), -1);
  strictEqual(peak([0, 0, 0, 0, 1, 10, 30, 10]), 23);
  strictEqual(peak([1, 1, 1, 1, 1, 9]), -1);
  strictEqual(peak([1, 1, 1, 1, 1, 9, 1]), 24);
  // Without hits in the range there is no peak.
  strictEqual(peak([...Array<number>(30).fill(0), 10]), -1);
  // Days after the last hit are known, those before the first are not.
  strictEqual(peak([1, 1, 9, 0, 0, 0, 0, 0, 0]), -1);
  strictEqual(peak([]), -1);
});

const WHOLE: readonly (readonly [first: string, range: string, begins: string])[] = [
  ["2026-11-21", "7 day", "2026-11-15"],
  ["2026-07-25", "120 day", "2026-07-25"],
  ["2026-07-24", "18 week", "2026-07-20"],
  ["2024-08-05", "120 week", "2024-08-05"],
  ["2024-08-04", "28 month", "2024-08-01"],
  ["2016-12-01", "120 month", "2016-12-01"],
  ["2016-11-30", "41 quarter", "2016-10-01"],
  ["1997-01-01", "120 quarter", "1997-01-01"],
  ["1970-01-01", "120 quarter", "1997-01-01"],
];

for (const [first, expected, begins] of WHOLE) {
  Deno.test(`rangeSince() ${first} on 2026-11-21 is ${expected}, from ${begins}`, () => {
    const newest = day("2026-11-21");
    const range = rangeSince(day(first), newest);
    strictEqual(`${range.count} ${range.unit}`, expected);
    strictEqual(text(barsOf({ newest, hits: [] }, range)[0]?.first ?? 0), begins);
  });
}

Deno.test("rangeSince() holds every known day of thirty years, in at most 120 bars, on any day", () => {
  const hits = fc.array(fc.nat(9), { minLength: 1, maxLength: 10_900 });
  fc.assert(
    fc.property(fc.integer({ min: 11_000, max: 47_000 }), hits, (newest, hits) => {
      const bars = barsOf({ newest, hits }, rangeSince(newest - hits.length + 1, newest));
      ok(bars.length <= 120 && bars.length >= 7);
      const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);
      strictEqual(sum(bars.map(({ hits }) => hits)), sum(hits));
    }),
    { numRuns: 200, seed: 1 },
  );
});

Deno.test("tickText() gives no two dates of a chart since the first known day the same text", () => {
  const newest = day("2026-11-21");
  for (let length = 1; length < 11_000; length += 37) {
    const range = rangeSince(newest - length, newest);
    const ticks = barsOf({ newest, hits: [] }, range).filter((bar) => isTick(bar, range));
    const words = ticks.map(({ first }) => tickText(first, range, "en"));
    strictEqual(new Set(words).size, words.length, `${length} days: ${words}`);
    ok(words.length > 0, `${length} days`);
  }
});

const STYLES = ["classic", "flat-square", "terminal"];
/** From today backwards. */
const WEEK = [6, 12, 0, 1, 3, 24, 0];

interface Box {
  readonly x: number;
  readonly top: number;
  readonly opacity: string;
  readonly ink: string;
}

for (const style of STYLES) {
  Deno.test(`drawBadge() of ${style} shows days as bars of 2 px, 1 px apart, on whole pixels`, () => {
    const svg = draw(style, WEEK, 7);
    const boxes = barsIn(svg);
    strictEqual(boxes.length, 7);
    const [first] = boxes;
    ok(Number.isInteger(first?.x));
    deepStrictEqual(boxes.map(({ x }) => x - (first?.x ?? 0)), [0, 3, 6, 9, 12, 15, 18]);
    deepStrictEqual(boxes.map(({ top }) => top), [15, 4, 14, 15, 15, 10, 13]);
    const opacities = [".35", "", "", "", ".35", "", ".55"];
    deepStrictEqual(boxes.map(({ opacity }) => opacity), opacities);
  });

  Deno.test(`drawBadge() of ${style} puts bars between label and count, in the count's ink`, () => {
    for (const label of ["views", ""]) {
      const svg = draw(style, WEEK, 30, label);
      const boxes = barsIn(svg);
      const scale = style === "terminal" ? 1 : 10;
      const lines = texts(parseSvg(svg)).map(ends)
        .map(({ left, right }) => ({ left: left / scale, right: right / scale }));
      const count = lines.at(-1);
      const before = lines.length === 1 ? 0 : lines[0]?.right ?? 0;
      ok((boxes[0]?.x ?? 0) >= before + 4, `${label}: ${boxes[0]?.x} is not beside ${before}`);
      ok((boxes.at(-1)?.x ?? 0) + 2 <= (count?.left ?? 0) - 4);
      const ink = texts(parseSvg(svg)).at(-1)?.attributes.get("fill");
      ok(boxes.every((box) => box.ink === ink));
      ok((count?.right ?? 0) < Number(attribute(parseSvg(svg), "svg", "width")));
    }
  });
}

Deno.test("badgeBars() shows as many days as were asked for, unknown ones as days without hits", () => {
  const boxes = barsIn(draw("classic", [1, 2], 9));
  strictEqual(boxes.length, 9);
  deepStrictEqual(boxes.slice(0, 7).map(({ opacity }) => opacity), Array(7).fill(".35"));
});

Deno.test("badgeBars() shows a today without hits as it shows other days without", () => {
  deepStrictEqual(barsIn(draw("classic", [0, 5], 7)).at(-1)?.opacity, ".35");
});

Deno.test("badgeBars() shows one hit among very many", () => {
  deepStrictEqual(barsIn(draw("classic", [1, 2 ** 53 - 1], 7)).map(({ top }) => top).slice(-2), [
    4,
    15,
  ]);
});

const SPARKS: readonly (readonly [query: string, days: number])[] = [
  ["spark=7", 7],
  ["spark=30", 30],
  ["spark=14&style=flat", 14],
  ["spark=14&style=flat-square", 14],
  ["spark=14&style=terminal", 14],
  ["spark=14&style=plastic", 14],
  ["spark=14&style=for-the-badge", 14],
  ["spark=14&style=social", 14],
  ["spark=14&style=odometer", 14],
  ["spark=1", 7],
  ["spark=99999999999999999999", 30],
  ["spark=0", 0],
  ["spark=", 0],
  ["spark=-7", 0],
  ["spark=7.5", 0],
  ["spark=1e1", 0],
  ["spark=x", 0],
  ["", 0],
];

for (const [query, days] of SPARKS) {
  Deno.test(`sparkOf() of "${query}" is ${days} days`, () => {
    strictEqual(sparkOf(new Map(new URLSearchParams(query))), days);
  });
}

function draw(style: string, hits: readonly number[], count: number, label = "views"): string {
  const look = parseLook(new Map(Object.entries({ style, label })));
  return drawBadge(look, "12,345", { bars: badgeBars({ newest: 20_778, hits }, count) });
}

/** Returns the bars of a badge from left to right. Each must end at y 16 and be 2 px wide. */
function barsIn(svg: string): Box[] {
  let ink = "";
  return parseSvg(svg).flatMap(({ name, attributes }) => {
    const d = attributes.get("d") ?? "";
    if (name === "g") ink = attributes.get("fill") ?? "";
    if (name !== "path" || !d.includes("h2")) return [];
    return [...d.matchAll(/M(\d+) 16v-(\d+)h2v(\d+)z/g)].map(([, x, up, down]) => {
      strictEqual(up, down);
      return {
        x: Number(x),
        top: 16 - Number(up),
        opacity: attributes.get("opacity") ?? "",
        ink,
      };
    });
  }).sort((one, other) => one.x - other.x);
}
