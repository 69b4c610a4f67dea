import { ok } from "node:assert/strict";
import { opensslAvailable } from "../support/certificate.ts";
import { isInSync, type RedisSentinels, startSentinels } from "../support/redis_sentinel.ts";
import { needsRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";
import { hitOnce } from "./load.ts";
import { storedInRedis } from "./stored.ts";
import { type Fault, hang, testFaults } from "./withstand.ts";

async function killed(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await old.kill("SIGKILL");
  await failedOver(sentinels, old.port);
  // It comes back as a master, and the Sentinels take seconds to make it a replica.
  await old.start();
  await isReplica(sentinels, old.port);
}

async function hung(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await hang(old);
  await isReplica(sentinels, old.port);
}

async function promoted(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await sentinels.sentinels[0]?.command("SENTINEL", "FAILOVER", "mymaster");
  await failedOver(sentinels, old.port);
  await isReplica(sentinels, old.port);
}

async function failedOver(sentinels: RedisSentinels, old: number): Promise<void> {
  await waitFor(
    "the failover",
    async () => (await sentinels.master()).port !== old || undefined,
    { interval: 20 },
  );
}

async function isReplica(sentinels: RedisSentinels, port: number): Promise<void> {
  const server = sentinels.watched.get("mymaster")?.find((server) => server.port === port);
  if (server !== undefined) await isInSync(server);
}

const FAULTS: Fault<RedisSentinels>[] = [
  { name: "kill -9 of the master and failover", awaited: 0, replicas: 1, happen: killed },
  { name: "kill -9 of the master and failover", awaited: 1, replicas: 1, happen: killed },
  { name: "kill -9 of the master and failover", awaited: 2, replicas: 2, happen: killed },
  { name: "SIGSTOP of the master for 6 s", awaited: 0, replicas: 1, happen: hung },
  { name: "SIGSTOP of the master for 6 s", awaited: 1, replicas: 1, happen: hung },
  { name: "a replica promoted by hand", awaited: 1, replicas: 1, happen: promoted },
  { name: "a replica promoted by hand", awaited: 2, replicas: 2, happen: promoted },
];

testFaults(
  "with Sentinel",
  FAULTS,
  startSentinels,
  async (sentinels) => await storedInRedis(await sentinels.master()),
);

Deno.test({
  name: "with Sentinel, TLS and a password are served",
  ignore: needsRedis.ignore || !opensslAvailable,
  async fn() {
    await using sentinels = await startSentinels({ tls: true, password: "p@ss" });
    await using service = await startService({
      env: {
        SECRET_TOKEN: SECRET,
        STORE_URL: sentinels.url.replace("://", "://:p%40ss@"),
        DENO_CERT: sentinels.server(0).caCertificate ?? "",
      },
    });
    await waitFor("a hit", async () => {
      const { answer } = await hitOnce({ service });
      return answer?.status === 200 || undefined;
    }, { timeout: FAR_AWAY_MS });
    ok(Number(await sentinels.server(0).command("GET", "hits:home")) > 0);
  },
});
