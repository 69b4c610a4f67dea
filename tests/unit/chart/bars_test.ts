import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { drawBadge, parseLook, sparkOf } from "../../../src/badge/drawings.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import { attribute, ends, parseSvg, texts } from "../../support/parse_svg.ts";

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
  ["spark=14&style=odometer", 0],
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
