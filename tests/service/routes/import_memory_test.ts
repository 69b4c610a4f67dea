import { ok, strictEqual } from "node:assert/strict";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { growthDuring } from "../../bench/sizes.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { startService } from "../../support/service.ts";
import { times } from "../../support/times.ts";

/** Enough for garbage to grow as far as it may, by 30 MB. */
const COUNTERS = times(50_000, 300_000);
/** Maximum memory of an import, in MB. */
const LIMIT = times(60, 100);

Deno.test(
  `POST /counters: ${COUNTERS} counters take no more than ${LIMIT} MB of memory`,
  // Elsewhere the system does not tell what a process takes at most.
  { ignore: needsRedis.ignore || Deno.build.os !== "linux" },
  async () => {
    await using redis = await startRedis();
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: redis.url },
    });
    // Loads what the process loads soon after its start or with the first import, which is not part
    // of an import.
    await (await fetch(`${service.url}/badge`)).body?.cancel();
    await importCounters(service, ['{"id":"first","hits":1}']);
    const grown = await growthDuring(service.pid, async () => {
      strictEqual(await importCounters(service, lines()), `{"counters":${COUNTERS}}`);
    });
    ok(grown <= LIMIT, `${grown} MB`);
  },
);

async function importCounters({ url }: { url: string }, lines: Iterable<string>): Promise<string> {
  const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
  const response = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
  return await response.text();
}

function* lines(): Generator<string> {
  for (let index = 0; index < COUNTERS; index += 1000) {
    // 7,919 is prime, so that each comes once and in no order.
    const part = Array.from({ length: 1000 }, (_, at) => (index + at) * 7919 % COUNTERS);
    yield part.map((number) => `{"id":"post-${number}","hits":${number}}\n`).join("");
  }
}
