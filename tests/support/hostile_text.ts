import { doesNotMatch, ok } from "node:assert/strict";
import fc from "fast-check";
import { parseSvg } from "./parse_svg.ts";
import { codePoint } from "./code_point.ts";

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

/** Any text that a caller might send, and texts that try to break out of an SVG. */
export const hostileText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 150 }),
  fc.string({ unit: "grapheme", maxLength: 150 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(...PAYLOADS),
  fc.tuple(fc.constantFrom(...PAYLOADS), fc.string()).map((parts) => parts.join("")),
);

/** Throws where an SVG holds anything that acts, loads or points elsewhere. */
export function assertInert(svg: string): void {
  const elements = parseSvg(svg);
  const own = new Set(elements.map(({ attributes }) => `url(#${attributes.get("id")})`));
  for (const { name, attributes } of elements) {
    doesNotMatch(name, /script|foreignObject|^(a|image|use|animate|set)$/i);
    for (const [key, value] of attributes) {
      doesNotMatch(key, /^on|href/i);
      if (key === "aria-label") continue;
      if (/url\(/i.test(value)) ok(own.has(value), value);
      doesNotMatch(value, /javascript:|@import|[<>"\\;]/i);
    }
  }
  // Not even for a filter that does not parse.
  doesNotMatch(svg, /url\((?!#ty\w+\))|@import|\bhref\s*=|\bon\w+\s*=|<!|<\?/i);
}
