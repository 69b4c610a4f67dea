import { ok, strictEqual } from "node:assert/strict";
import { type KvConnectServer, startKvConnect } from "../support/kv_connect.ts";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { startProxy } from "../support/tcp_proxy.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce, startCallers } from "./load.ts";
import { times } from "../support/times.ts";
import { waitForCount, waitForRefusals } from "./recovery.ts";
import { storedIn } from "./stored.ts";

Deno.test("on a remote Deno KV, a connection cut after the commit, under load, makes no hit count twice", async () => {
  const runs = times(5, 50);
  await using server = startKvConnect();
  await using proxy = startProxy(server);
  await using service = await startOn({ url: proxy.through(server.url), token: server.token });
  await using load = startCallers({ service, callers: 20, ids: 5 });
  const { ledger } = load;
  for (let run = 1; run <= runs; run++) {
    await waitForCount(ledger, "the connection", 5000);
    const cut = Promise.withResolvers<void>();
    server.loseNextAnswer({
      cut: () => {
        proxy.cut();
        cut.resolve();
      },
    });
    await cut.promise;
  }
  await waitForCount(ledger, "the connection", 5000);
  await load.stop();
  ledger.checkOutcomes(200, 503, 504);
  ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
  ledger.check(await storedOn(server));
});

Deno.test("on a remote Deno KV, while the server is gone every answer comes in 2.2 s, and counting goes on after", async () => {
  const runs = times(2, 8);
  await using server = startKvConnect();
  await using service = await startOn(server);
  await using load = startCallers({ service, callers: 20, ids: 5 });
  const { ledger } = load;
  for (let run = 1; run <= runs; run++) {
    await waitForCount(ledger, "the return", 5000);
    server.goAway();
    // More than once for each caller.
    await waitForRefusals(ledger, 50);
    server.comeBack();
    await waitForCount(ledger, "the return", 10_000);
  }
  await load.stop();
  ledger.checkOutcomes(200, 503, 504);
  ok(ledger.slowest <= timeLimit(2200), `an answer took ${ledger.slowest} ms`);
  ledger.check(await storedOn(server));
});

Deno.test("on a remote Deno KV, away at the start, the service listens, says so, and counts once it is there", async () => {
  await using server = startKvConnect();
  await using proxy = startProxy(server);
  await proxy.refuse();
  await using service = await startOn({ url: proxy.through(server.url), token: server.token });
  const { answer, milliseconds } = await hitOnce({ service });
  strictEqual(answer?.status, 503);
  ok(milliseconds <= timeLimit(2200), `503 after ${milliseconds} ms`);
  proxy.accept();
  await waitFor(
    "a hit",
    async () => (await hitOnce({ service })).answer?.status === 200 || undefined,
  );
});

type Address = Pick<KvConnectServer, "url" | "token">;

function startOn({ url, token }: Address): Promise<LocalService> {
  const env = { SECRET_TOKEN: SECRET, STORE_URL: `kv:${url}`, DENO_KV_ACCESS_TOKEN: token };
  return startLocalService(env);
}

async function openOn({ url, token }: Address): Promise<Deno.Kv> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return await Deno.openKv(url);
}

async function storedOn(server: Address): Promise<Map<string, number>> {
  using kv = await openOn(server);
  return await storedIn(kv);
}
