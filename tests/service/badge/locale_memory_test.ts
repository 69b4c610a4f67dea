import { ok, strictEqual } from "node:assert/strict";
import { growthDuring } from "../../bench/sizes.ts";
import { startService } from "../../support/service.ts";

/** Memory that charts for strangers may take, in MB. */
const LIMIT = 120;

Deno.test(
  `GET /sample/chart.svg: charts in every locale take no more than ${LIMIT} MB of memory`,
  // Other systems do not report the peak memory of a process.
  { ignore: Deno.build.os !== "linux" },
  async () => {
    await using service = await startService();
    const drawIn = async (locale: string, range: string) => {
      const address = `${service.url}/sample/chart.svg?locale=${locale}&range=${range}`;
      const response = await fetch(address);
      strictEqual(response.status, 200);
      await response.body?.cancel();
    };
    await drawIn("en", "30d");
    const locales = everyLocale();
    ok(locales.length > 350, `${locales.length}`);
    const grown = await growthDuring(service.pid, async () => {
      for (const locale of locales) {
        await Promise.all(["30d", "all"].map((range) => drawIn(locale, range)));
      }
    });
    ok(grown <= LIMIT, `${grown} MB`);
  },
);

/** Returns the locales that this runtime has, of each language and region that has a name. */
function everyLocale(): string[] {
  const named = (codes: string[], type: "language" | "region") => {
    const names = new Intl.DisplayNames("en", { type });
    return codes.filter((code) => names.of(code) !== code);
  };
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
  const pairs = letters.flatMap((one) => letters.map((other) => one + other));
  const codes = [...pairs, ...pairs.flatMap((pair) => letters.map((letter) => pair + letter))];
  const regions = named(pairs.map((pair) => pair.toUpperCase()), "region");
  const languages = Intl.NumberFormat.supportedLocalesOf(named(codes, "language"))
    .filter((tag) => !tag.includes("-"));
  const tags = languages.flatMap((language) =>
    ["001", "150", "419", ...regions].map((region) => `${language}-${region}`)
  );
  const resolve = (tag: string) => new Intl.NumberFormat(tag).resolvedOptions().locale;
  return [...new Set(tags.map(resolve))];
}
