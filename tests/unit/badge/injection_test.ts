import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { drawBadge, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { parseColor } from "../../../src/drawing/color.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { formatCount } from "../../../src/drawing/number.ts";
import { LOGOS } from "../../../src/badge/styles/logo.ts";
import { cleanText } from "../../../src/drawing/text.ts";
import { times } from "../../support/times.ts";
import { assertInert, hostileText } from "../../support/hostile_text.ts";
import { skeleton } from "../../support/parse_svg.ts";

const RUNS = times(100, 10_000);

const color = fc.oneof(
  hostileText,
  fc.constantFrom("red", "gold", "#abc", "abcd", "#ABCDEF", "00000080", "critical"),
);
const style = fc.oneof(hostileText, fc.constantFrom(...STYLES.keys()));
const theme = fc.oneof(hostileText, fc.constantFrom("auto", "light", "dark"));
const font = fc.oneof(hostileText, fc.constantFrom("Fira Code, monospace", "日本 1-2"));
const numbers = fc.oneof(hostileText, fc.constantFrom("plain", "grouped", "compact"));
const locale = fc.oneof(
  hostileText,
  fc.constantFrom("de", "ar-EG", "fa", "hi-u-nu-deva", "ja", "he"),
);

const query = fc.record({
  label: hostileText,
  style,
  color,
  bg: color,
  labelColor: color,
  valueColor: color,
  font,
  numbers,
  locale,
  theme,
  logo: fc.oneof(hostileText, fc.constantFrom("eye", "star")),
  logoColor: color,
  digits: fc.oneof(hostileText, fc.constantFrom("1", "9", "99999999999")),
  spark: hostileText,
}, { requiredKeys: [] });

Deno.test(`drawBadge() lets nothing in, in ${RUNS} hostile looks`, () => {
  fc.assert(
    fc.property(query, fc.maxSafeNat(), (given, count) => {
      const look = parseLook(new Map(Object.entries(given)));
      assertHarmless(drawBadge, { ...given, message: formatCount(count, look) });
    }),
    { numRuns: RUNS, seed: 20 },
  );
});

Deno.test("drawError() lets nothing in, whatever it is told to say", () => {
  fc.assert(
    fc.property(query, hostileText, (given, message) => {
      assertHarmless(drawError, { ...given, message });
    }),
    { numRuns: times(100, 1000), seed: 21 },
  );
});

interface Given {
  readonly label?: string;
  readonly message?: string;
  readonly style?: string;
  readonly theme?: string;
  readonly logo?: string;
  readonly color?: string;
  readonly bg?: string;
  readonly labelColor?: string;
  readonly valueColor?: string;
  readonly logoColor?: string;
  readonly digits?: string;
}

const COLORS = ["color", "bg", "labelColor", "valueColor", "logoColor"] as const;

type Render = typeof drawBadge | typeof drawError;

function assertHarmless(render: Render, given: Given): void {
  const svg = render(parseLook(new Map(Object.entries(given))), given.message ?? "");
  deepStrictEqual(skeleton(svg), plainSkeleton(render, given));
  assertInert(svg);
}

// A badge with harmless values, for each style and theme, with texts and without.
const skeletons = new Map<string, string[]>();

function plainSkeleton(render: Render, given: Given): string[] {
  const { label = "x", message = "x", style = "", theme = "", logo = "", digits = "" } = given;
  const [left, right] = [label, message].map((text) => cleanText(text) === "" ? "" : "x");
  const query = {
    label: left ?? "",
    style: STYLES.has(style) ? style : "",
    theme: /^(auto|light|dark)$/.test(theme) ? theme : "",
    logo: LOGOS.has(logo) ? "eye" : "",
    ...Object.fromEntries(
      COLORS.map((name) => [name, parseColor(given[name]) === undefined ? "" : "red"]),
    ),
    digits: /^\d+$/.test(digits) ? digits : "",
  };
  // A style of digits draws a shape for each.
  const shown = STYLES.get(style)?.ignores.includes("numbers") && /^\d+$/.test(message)
    ? message
    : right ?? "";
  const name = JSON.stringify([render.name, query, shown]);
  const known = skeletons.get(name);
  if (known !== undefined) return known;
  const plain = skeleton(render(parseLook(new Map(Object.entries(query))), shown));
  skeletons.set(name, plain);
  return plain;
}
