import { ok, strictEqual } from "node:assert/strict";
import { growthDuring } from "../../bench/sizes.ts";
import { startService } from "../../support/service.ts";

/** Two letters for each number below 676, which as regions make locales of a language. */
function region(number: number): string {
  return String.fromCharCode(65 + number / 26, 65 + number % 26);
}

/** Memory that charts for strangers may take, in MB. */
const LIMIT = 80;

Deno.test(
  `GET /sample/chart.svg: charts in 2,600 locales take no more than ${LIMIT} MB of memory`,
  // Other systems do not report the peak memory of a process.
  { ignore: Deno.build.os !== "linux" },
  async () => {
    await using service = await startService();
    const drawIn = async (locale: string) => {
      const response = await fetch(`${service.url}/sample/chart.svg?locale=${locale}`);
      strictEqual(response.status, 200);
      await response.body?.cancel();
    };
    await drawIn("en");
    const grown = await growthDuring(service.pid, async () => {
      for (let number = 0; number < 650; number++) {
        const locales = ["de", "en", "fr", "ar"].map((language) => `${language}-${region(number)}`);
        await Promise.all(locales.map(drawIn));
      }
    });
    ok(grown <= LIMIT, `${grown} MB`);
  },
);
