import { deepStrictEqual, doesNotMatch, match } from "node:assert/strict";
import fc from "fast-check";
import { renderBadge, renderError } from "../../src/badge/badge.ts";
import { parseLook } from "../../src/badge/look.ts";
import { formatCount } from "../../src/badge/number.ts";
import { STYLES } from "../../src/badge/styles/styles.ts";
import { cleanText } from "../../src/badge/text.ts";
import { parseSvg } from "../support/parse_svg.ts";

const RUNS = 10_000;

const PAYLOADS = [
  '"><script>alert(1)</script>',
  "</title><foreignObject/>",
  "' onload='alert(1)",
  '" onload="alert(1)',
  "]]><!--",
  "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y 'z'>]>&y;",
  "url(https://example.com/x)",
  "@import 'https://example.com/x'",
  "red;}*{background:url(x)}",
  "javascript:alert(1)",
  "&#0;&amp;&lt;&unknown;",
  "\u0000\u0008\u000b\u001f\ufffe\uffff\ud800\udc00\udfff",
  "\u202e\u2066‮ﷺ",
  "a" + "\u0301".repeat(99),
  "constructor",
  "__proto__",
];

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 150 }),
  fc.string({ unit: "grapheme", maxLength: 150 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(...PAYLOADS),
  fc.tuple(fc.constantFrom(...PAYLOADS), fc.string()).map((parts) => parts.join("")),
);
const color = fc.oneof(
  text,
  fc.constantFrom("red", "gold", "#abc", "abcd", "#ABCDEF", "00000080", "critical"),
);
const style = fc.oneof(text, fc.constantFrom(...STYLES.keys()));
const theme = fc.oneof(text, fc.constantFrom("auto", "light", "dark"));
const font = fc.oneof(text, fc.constantFrom("Fira Code, monospace", "日本 1-2"));
const numbers = fc.oneof(text, fc.constantFrom("plain", "grouped", "compact"));
const locale = fc.oneof(text, fc.constantFrom("de", "ar-EG", "fa", "hi-u-nu-deva", "ja", "he"));

const query = fc.record({
  label: text,
  style,
  color,
  bg: color,
  labelColor: color,
  valueColor: color,
  font,
  numbers,
  locale,
  theme,
}, { requiredKeys: [] });

Deno.test(`renderBadge() lets nothing in, in ${RUNS} hostile looks`, () => {
  fc.assert(
    fc.property(query, fc.maxSafeNat(), (given, count) => {
      const look = parseLook(new Map(Object.entries(given)));
      assertHarmless(given, renderBadge(look, formatCount(count, look)));
    }),
    { numRuns: RUNS, seed: 20 },
  );
});

Deno.test("renderError() lets nothing in, whatever it is told to say", () => {
  fc.assert(
    fc.property(query, text, (given, message) => {
      const svg = renderError(parseLook(new Map(Object.entries(given))), message);
      assertHarmless({ ...given, message }, svg);
    }),
    { numRuns: 1000, seed: 21 },
  );
});

interface Given {
  readonly label?: string;
  readonly message?: string;
  readonly style?: string;
  readonly theme?: string;
}

function assertHarmless(given: Given, svg: string): void {
  deepStrictEqual(skeleton(svg), plainSkeleton(given));
  const elements = parseSvg(svg);
  for (const { name, attributes } of elements) {
    doesNotMatch(name, /script|foreignObject|^(a|image|use|animate|set)$/i);
    for (const [key, value] of attributes) {
      doesNotMatch(key, /^on|href/i);
      if (key === "aria-label") continue;
      if (/url\(/i.test(value)) match(value, /^url\(#(s|r|blur)\)$/);
      doesNotMatch(value, /javascript:|@import|[<>"\\;]/i);
    }
  }
  // Not even for a filter that does not parse.
  doesNotMatch(svg, /url\((?!#(?:s|r|blur)\))|@import|\bhref\s*=|\bon\w+\s*=|<!|<\?/i);
}

// A badge nobody meddled with, for each style and theme, with texts and without.
const skeletons = new Map<string, string[]>();

function plainSkeleton({ label = "x", message = "x", style = "", theme = "" }: Given): string[] {
  const [left, right] = [label, message].map((given) => cleanText(given) === "" ? "" : "x");
  const name = `${STYLES.has(style) ? style : ""} ${
    theme === "auto" ? theme : ""
  } ${left}:${right}`;
  const known = skeletons.get(name);
  if (known !== undefined) return known;
  const query = Object.entries({ label: left ?? "", style, theme });
  const plain = skeleton(renderBadge(parseLook(new Map(query)), right ?? ""));
  skeletons.set(name, plain);
  return plain;
}

/** Element and attribute names in order, but for the direction of a text. */
function skeleton(svg: string): string[] {
  return parseSvg(svg).map(({ name, attributes }) =>
    [name, ...attributes.keys()].filter((key) => key !== "direction").join(" ")
  );
}
