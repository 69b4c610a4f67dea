import { match, ok, strictEqual } from "node:assert/strict";
import { makeBadge } from "badge-maker";
import {
  contrast,
  CSS_COLORS,
  isBright,
  parseColor,
  shieldsColor,
} from "../../../src/drawing/color.ts";
import { attribute, parseSvg, texts } from "../../support/parse_svg.ts";

const SHIELDS_NAMES = [
  ..."brightgreen green yellow yellowgreen orange red blue grey gray lightgrey lightgray".split(
    " ",
  ),
  ..."critical important success informational inactive".split(" "),
];

Deno.test("parseColor() gives shields.io's names the colors of badge-maker", () => {
  for (const name of SHIELDS_NAMES) {
    strictEqual(parseColor(name), drawnBy(name).fill, name);
    strictEqual(parseColor(` ${name.toUpperCase()} `), drawnBy(name).fill, name);
  }
});

Deno.test("parseColor() knows the 148 names of CSS", () => {
  strictEqual(CSS_COLORS.size, 148);
  const known: Record<string, string> = {
    rebeccapurple: "#663399",
    ALICEBLUE: "#f0f8ff",
    lightgoldenrodyellow: "#fafad2",
    tomato: "#ff6347",
    black: "#000000",
  };
  for (const [name, hex] of Object.entries(known)) strictEqual(parseColor(name), hex);
  for (const hex of CSS_COLORS.values()) match(hex, /^#[0-9a-f]{6}$/);
});

Deno.test("parseColor() takes hex of 3, 4, 6 and 8 digits with or without #", () => {
  for (const hex of ["abc", "abcd", "a1b2c3", "a1b2c3d4"]) {
    strictEqual(parseColor(hex), `#${hex}`);
    strictEqual(parseColor(`#${hex.toUpperCase()}`), `#${hex}`);
  }
});

const NOT_COLORS = [
  "",
  " ",
  "#",
  "##abc",
  "ab",
  "abcde",
  "abcdefg",
  "abcdefabc",
  "ggg",
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "transparent",
  "currentColor",
  "inherit",
  "url(#s)",
  "rgb(1,2,3)",
  "var(--x)",
  'red"/><script>',
  "red;}",
  "abc\n#",
  "٠٠٠",
  "red".repeat(10_000),
];

for (const text of NOT_COLORS) {
  Deno.test(`parseColor() does not understand ${JSON.stringify(text.slice(0, 30))}`, () => {
    strictEqual(parseColor(text), undefined);
    strictEqual(shieldsColor(text), "blue");
  });
}

Deno.test("shieldsColor() gives only what badge-maker draws in the color that parseColor gives", () => {
  const hex = ["#ABC", "abcd", "#A1b2C3", "a1b2c3d4"];
  for (const text of [...SHIELDS_NAMES, ...CSS_COLORS.keys(), ...hex]) {
    const color = shieldsColor(text);
    strictEqual(color, color.toLowerCase());
    const parsed = parseColor(text);
    const { fill } = drawnBy(color);
    ok(fill === parsed || CSS_COLORS.get(fill) === parsed, `${text} is drawn ${fill}`);
  }
  strictEqual(shieldsColor(undefined), "blue");
  strictEqual(shieldsColor("GREEN"), "green");
  strictEqual(shieldsColor("ABC"), "#abc");
});

Deno.test("isBright() turns text dark exactly where badge-maker does", () => {
  for (let grey = 0; grey < 256; grey++) {
    const part = grey.toString(16).padStart(2, "0");
    for (
      const hex of [`#${part.repeat(3)}`, `#${part}ff00`, `#ff${part}80`, `#80b0${part}`] as const
    ) {
      strictEqual(isBright(hex), drawnBy(hex).ink === "#333", hex);
    }
  }
});

Deno.test("contrast() is that of WCAG 2", () => {
  strictEqual(contrast("#fff", "#000"), 21);
  strictEqual(contrast("#abcdef", "#abcdef"), 1);
  strictEqual(contrast("#767676", "#fff").toFixed(2), "4.54");
  strictEqual(contrast("#fff", "#777").toFixed(2), "4.48");
});

/** The fill of badge-maker's value box for a color, and the ink of its value. */
function drawnBy(color: string): { fill: string; ink: string } {
  const elements = parseSvg(makeBadge({ label: "", message: "x", color, style: "flat-square" }));
  const boxes = elements.filter(({ name }) => name === "rect");
  return {
    fill: boxes.at(-1)?.attributes.get("fill") ?? "",
    ink: attribute(texts(elements), "text", "fill") || "#fff",
  };
}
