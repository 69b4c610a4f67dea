import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { reservePort } from "../support/reserved_port.ts";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { runService, startService } from "../support/service.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce, pause, startSteady } from "./load.ts";
import { outagesIn } from "./outages.ts";
import { waitForCount } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

Deno.test(
  "without Redis the service listens, says so, and counts once Redis is there",
  needsRedis,
  async () => {
    const port = reservePort();
    const ledger = new Ledger();
    const start = performance.now();
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: `redis://127.0.0.1:${port}` },
    });
    const listening = performance.now() - start;
    ok(listening <= timeLimit(1000), `listens after ${listening} ms`);
    strictEqual(await statusOf(`${service.url}/healthz`), 200);
    strictEqual(await statusOf(`${service.url}/readyz`), 503);
    // Long enough for the pauses between the tries to have become long.
    for (let hit = 0; hit < 20; hit++) {
      const { answer, milliseconds } = await hitOnce({ service, ledger });
      strictEqual(answer?.status, 503);
      ok(answer?.headers.has("retry-after"));
      ok(milliseconds <= timeLimit(100), `503 after ${milliseconds} ms`);
      await pause(100);
    }
    await using load = startSteady({ service, ledger, rate: 100 });
    await using redis = await startRedis({ port });
    await waitForCount(ledger, "the arrival of Redis", 2500);
    strictEqual(await statusOf(`${service.url}/readyz`), 200);
    await load.stop();
    ledger.checkOutcomes(200, 503);
    ledger.checkExact(await storedInRedis(redis));
    deepStrictEqual(outagesIn(service.stderr()), { away: 1, back: 1 }, service.stderr());
  },
);

Deno.test("without Redis the start ends with 1 and one clear line", async () => {
  const STORE_URL = `redis://127.0.0.1:${reservePort()}`;
  const ended = await runService({
    env: { SECRET_TOKEN: SECRET, STORE_URL, FAIL_FAST_STORE: "1" },
  });
  strictEqual(ended.code, 1);
  ok(ended.milliseconds <= timeLimit(7000), `ended after ${ended.milliseconds} ms`);
  match(ended.stderr, /^Tallymark cannot start: The store did not answer within 5 s.*$/m);
  strictEqual(linesForPeople(ended.stderr).length, 1, ended.stderr);
});

const wrongPassword = "not-the-password";

Deno.test(
  "a wrong password is told in one line, without a hot retry",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis({ password: "the-password" });
    const { proxy } = proxied;
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: `redis://:${wrongPassword}@127.0.0.1:${proxy.port}` },
    });
    await service.waitForOutput(/WRONGPASS/);
    // A slow machine takes longer, never less.
    const tries = proxy.connections;
    const start = performance.now();
    await waitFor("five more tries", () => proxy.connections >= tries + 5 || undefined);
    const took = performance.now() - start;
    ok(took >= 1500, `five tries in ${took} ms`);
    strictEqual((await hitOnce({ service })).answer?.status, 503);
    const { stdout, stderr } = await service.stop();
    strictEqual(stderr.match(/WRONGPASS/g)?.length, 1, stderr);
    strictEqual(`${stdout}${stderr}`.includes(wrongPassword), false);
  },
);

Deno.test(
  "with a wrong password the start ends with 1 and shows no password",
  needsRedis,
  async () => {
    await using redis = await startRedis({ password: "the-password" });
    const ended = await runService({
      env: {
        SECRET_TOKEN: SECRET,
        STORE_URL: `redis://:${wrongPassword}@127.0.0.1:${redis.port}`,
        FAIL_FAST_STORE: "1",
      },
    });
    strictEqual(ended.code, 1);
    match(ended.stderr, /WRONGPASS/);
    strictEqual(linesForPeople(ended.stderr).length, 1, ended.stderr);
    strictEqual(`${ended.stdout}${ended.stderr}`.includes(wrongPassword), false);
  },
);

/** Returns output for people, without the lines of the log. */
function linesForPeople(text: string): string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
}

async function statusOf(url: string): Promise<number> {
  const { status, body } = await fetch(url);
  await body?.cancel();
  return status;
}
