import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { makeBadge } from "badge-maker";
import { drawBadge, parseLook } from "../../../src/badge/drawings.ts";
import { attribute, parseSvg, texts } from "../../support/parse_svg.ts";
import { times } from "../../support/times.ts";

const STYLES = ["flat", "flat-square", "plastic", "for-the-badge"] as const;
const PAIRS = times(200, 1000);
const LONGEST = 40;

// Only what badge-maker has figures for: it takes the width of "m" for everything else.
const ALPHABETS = [
  range(0x20, 0x7e),
  "0123456789.,",
  "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "ilI.,'|WMmw@%",
  range(0xc0, 0x17f),
  "АБВГДЕЖЗабвгдежзиклмнопрстуфхцчшщъыьэюяΑΒΓΔαβγδεζηθ",
  "日本語数回覧访问量浏览次",
  "abc äöü ½±€™…–“” 数量",
];

for (const style of STYLES) {
  Deno.test(`drawBadge() stays within 1 px of badge-maker on ${PAIRS} pairs in ${style}`, () => {
    const random = randomNumbers(style.length);
    for (let pair = 0; pair < PAIRS; pair++) {
      const label = randomText(random);
      const message = randomText(random);
      const query = new Map<string, string>([["style", style], ["label", label]]);
      const ours = measures(drawBadge(parseLook(query), message));
      const theirs = measures(makeBadge({ style, label, message }));
      strictEqual(ours.length, theirs.length);
      ours.forEach((figure, at) => {
        const off = Math.abs(figure - (theirs[at] ?? NaN));
        ok(off <= 1, `${at}: ${figure} is not ${theirs[at]} for ${label} | ${message}`);
      });
    }
  });
}

Deno.test("drawBadge() places the usual badge exactly as badge-maker does", () => {
  for (const style of STYLES) {
    const look = parseLook(new Map<string, string>([["style", style], ["label", "hits"]]));
    const theirs = makeBadge({ style, label: "hits", message: "12,345" });
    deepStrictEqual(measures(drawBadge(look, "12,345")), measures(theirs));
  }
});

Deno.test("drawBadge() without a label places count and box exactly as badge-maker does", () => {
  for (const style of STYLES) {
    for (const message of ["7", "42", "12,345", "1.2万"]) {
      const ours = drawBadge(
        parseLook(new Map<string, string>([["style", style], ["label", ""]])),
        message,
      );
      const theirs = makeBadge({ style, label: "", message, color: "blue" });
      deepStrictEqual(measures(ours), measures(theirs), `${style} ${message}`);
      deepStrictEqual(boxes(ours), boxes(theirs), `${style} ${message}`);
    }
  }
});

Deno.test("drawBadge() cuts a box from the other where the label ends", () => {
  for (const style of STYLES) {
    const svg = drawBadge(parseLook(new Map<string, string>([["style", style]])), "12345");
    const [left, right] = boxes(svg);
    strictEqual(right?.x, left?.width);
    strictEqual((left?.width ?? 0) + (right?.width ?? 0), measures(svg)[0]);
  }
});

/** Total width, both text positions and both text lengths, in pixels. */
function measures(svg: string): number[] {
  const elements = parseSvg(svg);
  // badge-maker places the middles of texts.
  const isMiddle = elements.some(({ attributes }) => attributes.has("text-anchor"));
  const lines = texts(elements).flatMap(({ attributes }) => {
    const [x = NaN, length = NaN] = ["x", "textLength"].map((key) => Number(attributes.get(key)));
    return [(isMiddle ? x : x + length / 2) / 10, length / 10];
  });
  return [Number(attribute(elements, "svg", "width")), ...lines];
}

/** Returns the visible boxes of label and value, with their positions and fills. */
function boxes(svg: string): { x: number; width: number; fill: string }[] {
  return parseSvg(svg).flatMap(({ name, attributes }) => {
    const fill = attributes.get("fill") ?? "";
    const width = Number(attributes.get("width"));
    if (name !== "rect" || !fill.startsWith("#") || width === 0) return [];
    return [{ x: Number(attributes.get("x") ?? 0), width, fill }];
  });
}

function randomText(random: () => number): string {
  const letters = [...ALPHABETS[Math.floor(random() * ALPHABETS.length)] ?? "x"];
  const length = 1 + Math.floor(random() * LONGEST);
  const text = Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join(
    "",
  );
  return text.trim() === "" ? "x" : text;
}

/** Park and Miller's generator: the same numbers at every run. */
function randomNumbers(seed: number): () => number {
  let state = seed * 7919;
  return () => (state = state * 48271 % 0x7fffffff) / 0x7fffffff;
}

function range(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at)).join(
    "",
  );
}
