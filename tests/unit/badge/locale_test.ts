import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { formatterOf, parseDateLocale, parseLocale } from "../../../src/drawing/number.ts";
import { LANGUAGES } from "../../../src/drawing/parameters.ts";
import { memoryApp } from "../../support/app.ts";
import { fullNumbers } from "../../support/time_limit.ts";

const written: readonly (readonly [text: string | undefined, locale: string])[] = [
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["DE-ch", "de-CH"],
  ["de-u-nu-arab", "de"],
  ["zh-Hant-TW-u-ca-roc-x-a", "zh-Hant-TW"],
  ["de-0-abc", "de"],
  ["de-DE-1996", "de-DE"],
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

Deno.test("LANGUAGES are the languages that the runtime knows", () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const pairs = letters.flatMap((one) => letters.map((other) => one + other));
  // Asking for all of three letters takes 0.6 s.
  const triples = fullNumbers
    ? pairs.flatMap((pair) => letters.map((letter) => pair + letter))
    : LANGUAGES.filter((code) => code.length === 3);
  const codes = [...pairs, ...triples];
  const known = Intl.NumberFormat.supportedLocalesOf(codes)
    .filter((code) => code.length <= 3 && parseLocale(code) === code);
  deepStrictEqual(LANGUAGES, known.toSorted());
  // Unicode's data has names of months for fewer.
  const names = LANGUAGES.filter((code) => parseDateLocale(code, "svg") === code);
  strictEqual(names.length, LANGUAGES.length - 6);
});

Deno.test("parseLocale() resolves a region that has no data of its own", () => {
  for (const tag of ["en-AA", "en-ZZ", "en-Arab-QQ"]) strictEqual(parseLocale(tag), "en");
  strictEqual(parseLocale("sr-Cyrl-AA"), "sr-Cyrl");
});

Deno.test("requests in more locales than there are leave every other locale alone", async () => {
  await using app = await memoryApp();
  await app.sendBody("PUT /counters?id=home", '{"hits":12345}');
  const letters = Array.from("ABCDEFGHIJKLMNOPQR");
  const show = (locale: string) => app.send(`GET /badge?numbers=grouped&locale=${locale}`);
  for (const letter of letters) {
    await Promise.all(letters.map((other) => show(`en-${letter}${other}`)));
  }
  for (const [locale, shown] of [["de", "12.345"], ["fr-CH", "12\u202f345"], ["hi", "12,345"]]) {
    match((await show(`${locale}`)).body, new RegExp(`<title>views: ${shown}</title>`));
  }
});

Deno.test("formatterOf() makes a formatter once", () => {
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
