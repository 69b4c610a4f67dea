import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { drawBadge, drawError, type Look, parseLook } from "../../../src/badge/drawings.ts";
import { BADGE_PARAMETER_LIST, STYLES } from "../../../src/badge/styles.ts";
import { attribute, parseSvg, texts } from "../../support/parse_svg.ts";

const VERDANA = "Verdana,Geneva,DejaVu Sans,sans-serif";

Deno.test("parseLook() of nothing is views in shields.io's flat and blue", () => {
  const svg = parseSvg(drawBadge(look(""), "42"));
  strictEqual(look("").line.spoken, "views");
  strictEqual(attribute(svg, "svg", "aria-label"), "views: 42");
  strictEqual(attribute(svg, "svg", "role"), "img");
  strictEqual(svg.find(({ name }) => name === "title")?.text, "views: 42");
  deepStrictEqual(fills("", "42").slice(0, 2), ["#555", "#007ec6"]);
  deepStrictEqual(texts(svg).map(({ text }) => text), ["views", "42"]);
});

Deno.test("parseLook() gives a frozen look", () => {
  ok(Object.isFrozen(look("")));
  ok(Object.isFrozen(look("").palette));
  ok(Object.isFrozen(BADGE_PARAMETER_LIST));
});

const UNKNOWN = [
  "",
  "constructor",
  "__proto__",
  "toString",
  "nope",
  "'\"<>&",
  "\u0000",
  "x".repeat(9999),
];

for (
  const name of BADGE_PARAMETER_LIST.map(({ name }) => name).filter((name) => name !== "label")
) {
  Deno.test(`parseLook() lets a ${name} that it does not understand fall back`, () => {
    // A single word of letters is a family, so only the rest is not a font.
    const values = name === "font"
      ? ["", "'x'", "a;b", "a,,b", "x".repeat(101), "url(x)"]
      : UNKNOWN;
    for (const style of ["classic", "terminal"]) {
      const plain = drawBadge(parseLook(new Map<string, string>([["style", style]])), "42");
      for (const value of values) {
        const query = new Map<string, string>([["style", style], [name, value]]);
        const expected = name === "style" ? drawBadge(look(""), "42") : plain;
        strictEqual(
          drawBadge(parseLook(query), "42"),
          expected,
          `${name}=${value.slice(0, 20)}`,
        );
      }
    }
  });
}

Deno.test("parseLook() takes a label of nothing that can be drawn for an empty one", () => {
  for (const label of ["", "  ", "\u0000\u0001", "\ud800", "\n"]) {
    strictEqual(parseLook(new Map<string, string>([["label", label]])).line.spoken, "");
  }
});

Deno.test("drawBadge() with an empty label draws and speaks the count alone, in every style", () => {
  for (const [style, { ignores }] of STYLES) {
    const svg = parseSvg(drawBadge(look(`style=${style}&label=`), "42"));
    strictEqual(attribute(svg, "svg", "aria-label"), "42", style);
    strictEqual(svg.find(({ name }) => name === "title")?.text, "42", style);
    // Digits are shapes.
    deepStrictEqual(
      texts(svg).map(({ text }) => text),
      ignores.includes("numbers") ? [] : ["42"],
      style,
    );
  }
});

Deno.test("drawBadge() of terminal puts the count where the label would be", () => {
  const alone = parseSvg(drawBadge(look("style=terminal&label="), "views"));
  const both = parseSvg(drawBadge(look("style=terminal&label=views"), "1"));
  strictEqual(texts(alone)[0]?.attributes.get("x"), texts(both)[0]?.attributes.get("x"));
  strictEqual(alone.some(({ name }) => name === "path"), true);
});

const COLORS: readonly (readonly [query: string, fills: readonly string[]])[] = [
  ["color=green", ["#555", "#67ac09", "#fff", "#fff"]],
  ["color=ff0&labelColor=EEE", ["#eee", "#ff0", "#333", "#333"]],
  ["color=nope&labelColor=nope", ["#555", "#007ec6", "#fff", "#fff"]],
  ["valueColor=red&bg=red", ["#555", "#007ec6", "#fff", "#fff"]],
  ["style=for-the-badge&color=tomato", ["#555", "#ff6347", "#fff", "#fff"]],
  ["style=plastic&labelColor=0008", ["#0008", "#007ec6", "#fff", "#fff"]],
  ["style=terminal", ["#1e1e1e", "#d4d4d4", "#7ee787", "#7ee787"]],
  ["style=terminal&color=red", ["#1e1e1e", "#d4d4d4", "#dd4343", "#dd4343"]],
  ["style=terminal&color=red&valueColor=gold", ["#1e1e1e", "#d4d4d4", "#ffd700", "#ffd700"]],
  ["style=terminal&color=red&valueColor=nope", ["#1e1e1e", "#d4d4d4", "#dd4343", "#dd4343"]],
  ["style=terminal&labelColor=pink&bg=000", ["#000", "#ffc0cb", "#7ee787", "#7ee787"]],
];

for (const [query, expected] of COLORS) {
  Deno.test(`parseLook() paints ${query} in ${expected.join(" ")}`, () => {
    deepStrictEqual(fills(query, "42"), expected);
  });
}

const FONTS: readonly (readonly [font: string, family: string])[] = [
  ["Fira Code", `'Fira Code',${VERDANA}`],
  ["Fira Code, monospace", `'Fira Code',monospace,${VERDANA}`],
  ["MONOSPACE", `monospace,${VERDANA}`],
  ["inherit", `'inherit',${VERDANA}`],
  ["IBM-Plex 3", `'IBM-Plex 3',${VERDANA}`],
  ["微软雅黑", `'微软雅黑',${VERDANA}`],
  ["a'b", VERDANA],
  ['a"b', VERDANA],
  ["a\\b", VERDANA],
  ["a\nb", VERDANA],
  ["a;b", VERDANA],
  [",", VERDANA],
  ["x".repeat(100), `'${"x".repeat(100)}',${VERDANA}`],
  ["x".repeat(101), VERDANA],
];

for (const [font, family] of FONTS) {
  Deno.test(`parseLook() quotes the font ${JSON.stringify(font.slice(0, 20))} or refuses it`, () => {
    const svg = parseSvg(drawBadge(parseLook(new Map<string, string>([["font", font]])), "42"));
    strictEqual(attribute(svg, "g", "font-family") || family, family);
    const group = svg.find(({ attributes }) => attributes.has("font-family"));
    strictEqual(group?.attributes.get("font-family"), family);
  });
}

Deno.test("drawError() keeps label and style, and is red whatever color was asked for", () => {
  deepStrictEqual(fills("color=green&label=hits", "bad id", drawError).slice(0, 2), [
    "#555",
    "#dd4343",
  ]);
  const terminal = parseSvg(drawError(look("style=terminal&valueColor=green"), "unauthorized"));
  strictEqual(attribute(terminal, "svg", "aria-label"), "views: unauthorized");
  strictEqual(texts(terminal)[1]?.attributes.get("fill"), "#ff8f85");
});

Deno.test("drawBadge() cleans and escapes the message as it does the label", () => {
  const svg = parseSvg(drawBadge(look("label=<b>"), '<script>\u0000"&'));
  deepStrictEqual(texts(svg).map(({ text }) => text), ["<b>", '<script>"&']);
});

Deno.test("drawBadge() keeps a usual badge within 1.5 KB", () => {
  for (const style of ["classic", "flat-square", "plastic", "for-the-badge", "terminal"]) {
    const svg = drawBadge(look(`style=${style}&label=profile views`), "12,345,678");
    ok(new TextEncoder().encode(svg).length <= 1500, `${style}: ${svg.length}`);
  }
});

function look(query: string): Look {
  return parseLook(new Map(new URLSearchParams(query)));
}

/** The colors of the two boxes and the two texts; in the terminal background, texts, cursor. */
function fills(query: string, message: string, render = drawBadge): string[] {
  const svg = parseSvg(render(look(query), message));
  const boxes = svg.filter(({ name }) => name === "rect");
  return [
    ...boxes.slice(0, query.includes("terminal") ? 1 : undefined),
    ...texts(svg),
    ...boxes.slice(1),
  ]
    .map(({ attributes }) => attributes.get("fill") ?? "")
    .filter((fill) => fill !== "" && !fill.startsWith("url"))
    .slice(0, 4);
}
