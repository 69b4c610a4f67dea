import { ok, strictEqual } from "node:assert/strict";
import { formatterOf, parseLocale } from "../../src/badge/number.ts";

const written: readonly (readonly [text: string | undefined, locale: string])[] = [
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["DE-ch", "de-CH"],
  ["de-u-nu-arab", "de"],
  ["zh-Hant-TW-u-ca-roc-x-a", "zh-Hant-TW"],
  ["de-0-abc", "de"],
  ["en-x-anything", "en"],
  ["x-anything", "en"],
  ["not a tag", "en"],
  ["tlh", "en"],
  [`de-${"x".repeat(70)}`, "en"],
];

for (const [text, locale] of written) {
  Deno.test(`parseLocale() writes ${text} as ${locale}`, () => {
    strictEqual(parseLocale(text), locale);
  });
}

/** Two letters for each number below 676, which as regions make locales of a language. */
function region(number: number): string {
  return String.fromCharCode(65 + number / 26, 65 + number % 26);
}

Deno.test("parseLocale() writes for a hundred locales in a quarter of an hour, and English for all others", () => {
  const now = Date.now();
  const locales = Array.from({ length: 300 }, (_, number) => `fr-${region(number)}`);
  const kept = locales.filter((locale) => parseLocale(locale, now) === locale);
  ok(kept.length > 80 && kept.length <= 100, `${kept.length}`);
  for (const locale of kept) strictEqual(parseLocale(locale, now), locale);
  const [late = ""] = locales.slice(-1);
  strictEqual(parseLocale(late, now + 800_000), "en");
  strictEqual(parseLocale(late, now + 1_000_000), late);
  // The next quarter of an hour begins with it.
  const others = locales.map((locale) => locale.replace("fr", "it"));
  const next = others.filter((locale) => parseLocale(locale, now + 1_000_000) === locale);
  ok(next.length > 80 && next.length <= 100, `${next.length}`);
  const [last = ""] = others.slice(-1);
  strictEqual(parseLocale(last, now + 1_800_000), "en");
  strictEqual(parseLocale(last, now + 1_900_000), last);
});

Deno.test("formatterOf() makes a formatter once, also for a locale that has lost its place", () => {
  let made = 0;
  const make = (locale: string) => {
    made++;
    return new Intl.NumberFormat(locale);
  };
  for (let time = 0; time < 3; time++) {
    strictEqual(formatterOf("de-AT", "number", make).format(12345.5), "12\u00a0345,5");
  }
  strictEqual(made, 1);
});
