import { ok, strictEqual } from "node:assert/strict";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { growthDuring } from "../bench/sizes.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";

/** Enough for garbage to grow as far as it may. */
const COUNTERS = 300_000;
/** What an import may take, in MB. */
const LIMIT = 100;

Deno.test(
  `POST /counters: ${COUNTERS} counters take no more than ${LIMIT} MB of memory`,
  // Elsewhere the system does not tell what a process takes at most.
  { ignore: needsRedis.ignore || Deno.build.os !== "linux" },
  async () => {
    await using redis = await startRedis();
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: redis.url },
    });
    const grown = await growthDuring(service.pid, async () => {
      const response = await fetch(`${service.url}/counters`, {
        method: "POST",
        headers: authorized,
        body: ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()),
      });
      strictEqual(await response.text(), `{"counters":${COUNTERS}}`);
    });
    ok(grown <= LIMIT, `${grown} MB`);
  },
);

function* lines(): Generator<string> {
  for (let index = 0; index < COUNTERS; index += 1000) {
    // 7,919 is prime, so that each comes once and in no order.
    const part = Array.from({ length: 1000 }, (_, at) => (index + at) * 7919 % COUNTERS);
    yield part.map((number) => `{"id":"post-${number}","hits":${number}}\n`).join("");
  }
}
