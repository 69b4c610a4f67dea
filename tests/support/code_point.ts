import fc from "fast-check";

/**
 * Any code point, and ASCII in every other case. `unit: "binary"` of fast-check would spend 1.3 s
 * of CPU on a table of all code points in each test file.
 */
export const codePoint: fc.Arbitrary<string> = fc.oneof(
  fc.nat(0x7f),
  // Surrogates are no characters.
  fc.nat(0x10ffff - 0x800).map((code) => code < 0xd800 ? code : code + 0x800),
).map((code) => String.fromCodePoint(code));
