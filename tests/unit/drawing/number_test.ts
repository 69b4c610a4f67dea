import { strictEqual } from "node:assert/strict";
import { parseLook } from "../../../src/badge/drawings.ts";
import { formatCount } from "../../../src/drawing/number.ts";

const MOST = Number.MAX_SAFE_INTEGER;

const FORMATS:
  readonly (readonly [numbers: string, locale: string, count: number, text: string])[] = [
    ["plain", "de", 12345, "12345"],
    ["plain", "", MOST, "9007199254740991"],
    ["", "", 0, "0"],
    ["nonsense", "de", 12345, "12345"],
    ["GROUPED", "", 12345, "12345"],
    ["grouped", "", 12345, "12,345"],
    ["grouped", "", 999, "999"],
    ["grouped", "", MOST, "9,007,199,254,740,991"],
    ["grouped", "de", 12345, "12.345"],
    ["grouped", "de-CH", 12345, "12’345"],
    ["grouped", "hi", 1234567, "12,34,567"],
    // These languages do not group four digits.
    ["grouped", "es", 1234, "1234"],
    ["grouped", "es", 12345, "12.345"],
    ["grouped", "fr", 12345, "12\u202f345"],
    ["grouped", "ar-EG", 12345, "١٢٬٣٤٥"],
    ["compact", "", 12345, "12.3K"],
    ["compact", "en", 999, "999"],
    ["compact", "en", 999_949, "999.9K"],
    ["compact", "en", 999_999, "999.9K"],
    ["compact", "en", 1_000_000, "1M"],
    ["compact", "en", 12_399, "12.3K"],
    ["compact", "en", MOST, "9,007.1T"],
    ["compact", "ja", 12345, "1.2万"],
    // The rule of grouped numbers holds.
    ["compact", "de", 1200, "1.200"],
    ["compact", "ja", 1200, "1,200"],
    ["compact", "es", 1200, "1,2\u00a0mil"],
    ["compact", "it", 1200, "1200"],
    ["compact", "de", 1_234_567, "1,2\u00a0Mio."],
    ["grouped", "xx-YY", 12345, "12,345"],
    ["grouped", "tlh", 12345, "12,345"],
    ["grouped", "not a tag", 12345, "12,345"],
    ["grouped", "__proto__", 12345, "12,345"],
    ["grouped", "de".repeat(1000), 12345, "12,345"],
    ["grouped", "EN-us", 12345, "12,345"],
  ];

for (const [numbers, locale, count, text] of FORMATS) {
  const name = `${count} as ${text} for numbers=${numbers} and locale=${locale.slice(0, 20)}`;
  Deno.test(`formatCount() writes ${name}`, () => {
    const look = parseLook(new Map<string, string>([["numbers", numbers], ["locale", locale]]));
    strictEqual(formatCount(count, look), text);
  });
}
