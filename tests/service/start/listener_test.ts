import { rejects, strictEqual } from "node:assert/strict";
import { Caller } from "../../faults/caller.ts";
import { Ledger } from "../../faults/ledger.ts";
import { hitOnce } from "../../faults/load.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { connectTo } from "../../support/raw_http.ts";
import { startProxiedRedis } from "../../support/proxied_redis.ts";
import { needsRedis } from "../../support/redis_server.ts";
import { reservePort } from "../../support/reserved_port.ts";
import { authorized, authorizedRequest, SECRET } from "../../support/secret.ts";
import { type Service, startService, statusOf } from "../../support/service.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test({
  name: "a hit that was accepted before the listener was lost is answered",
  // A shell sets the limit on descriptors; Windows has none.
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using remote = startKvConnect();
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    remote.conflictNext(() => {
      arrived.resolve();
      return gate.promise;
    });
    await using service = await startService({
      env: {
        SECRET_TOKEN: SECRET,
        // The service stops listening for a while, and no other process may take its port.
        PORT: String(reservePort()),
        STORE_URL: `kv:${remote.url}`,
        DENO_KV_ACCESS_TOKEN: remote.token,
      },
      wrap: (line) => ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", ...line],
    });
    const ledger = new Ledger();
    const hit = hitOnce({ service, ledger });
    await arrived.promise;
    await loseListener(service);
    service.signal("SIGTERM");
    await service.waitForOutput(/"event":"stop"/);
    gate.resolve();
    await hit;
    ledger.checkOutcomes(200, ...ledger.late);
    strictEqual((await service.waitForEnd()).code, 0);
  },
});

Deno.test(
  "an export that the store cuts off is told in the log, and in nothing but lines of JSON",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { proxy, url } = proxied;
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: url } });
    const lines = Array.from({ length: 2000 }, (_, at) => `{"id":"n-${at + 10_000}","hits":7}`);
    const init = { method: "POST", headers: authorized, body: lines.join("\n") };
    // A busy machine may take longer than a line has. It is safe to send all again.
    await waitFor(
      "the import",
      async () => await statusOf(`${service.url}/counters`, init) === 200,
    );
    const whole = await (await fetch(`${service.url}/counters`, { headers: authorized })).text();
    // Redis lists its keys in the same order again.
    const cut = proxy.cutAfterNextRequest(JSON.parse(whole.split("\n").at(-3) ?? "").id);
    const { status, body } = await fetch(`${service.url}/counters`, { headers: authorized });
    strictEqual(status, 200);
    await rejects(new Response(body).text());
    await cut;
    await service.waitForOutput(/"event":"answer cut off"/);
    const { stderr } = await service.stop();
    for (const line of stderr.trim().split("\n")) strictEqual(line[0], "{", stderr);
  },
);

/**
 * Takes all descriptors of a service until it stops listening, gives them back, and waits until it
 * listens again.
 */
async function loseListener(service: Service): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: 400 }, () => connectTo(service.url).catch(() => undefined)),
  );
  await service.waitForOutput(/"event":"listener failed"/);
  for (const connection of connections) connection?.close();
  await waitFor("an answer", async () => {
    const answer = await fetch(`${service.url}/healthz`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer;
  });
}

Deno.test("whoever calls again and again is told to go before the connection ends", async () => {
  // The farewell lasts a moment: a machine too busy for them to call again within it tells nothing.
  await waitFor("callers who were all told", async () => {
    const ends = await endsOfCallers(20);
    return ends.every((end) => end === "told") || undefined;
  });
});

/** Returns the outcome of each caller of a service that was stopped. */
async function endsOfCallers(callers: number): Promise<string[]> {
  await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" } });
  const calling = Promise.withResolvers<void>();
  const ends = Array.from({ length: callers }, () => callUntilTold(service, calling.resolve));
  await calling.promise;
  await stopping(service);
  const ended = await Promise.all(ends);
  strictEqual((await service.waitForEnd()).code, 0);
  return ended;
}

/** Reads over one connection until an answer says that it is the last; tells how that ended. */
async function callUntilTold(service: Service, onAnswer: () => void): Promise<string> {
  const caller = new Caller();
  for (;;) {
    const { kind, answer } = await caller.send(service.url, HEAD);
    if (kind !== "answered") return kind;
    onAnswer();
    if (answer?.headers.get("connection") === "close") return "told";
  }
}

const HEAD = authorizedRequest("GET /count");

async function stopping(service: Service): Promise<void> {
  service.signal("SIGTERM");
  await service.waitForOutput(/"event":"stop"/);
}
