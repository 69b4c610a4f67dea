import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis_server.ts";
import { reservePort } from "../support/reserved_port.ts";
import { runService, statusOf } from "../support/service.ts";
import type { RawAnswer } from "../support/raw_http.ts";
import { waitFor } from "../support/wait_for.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";

/** Makes Redis refuse every write, and what undoes it; `error` is what Redis then says. */
const refusals: {
  error: string;
  begin(redis: RedisServer): Promise<unknown>;
  end(redis: RedisServer): Promise<unknown>;
}[] = [
  {
    error: "READONLY",
    begin: (redis) => redis.command("REPLICAOF", "127.0.0.1", "1"),
    end: (redis) => redis.command("REPLICAOF", "NO", "ONE"),
  },
  {
    error: "OOM",
    begin: (redis) => redis.command("CONFIG", "SET", "maxmemory", "1"),
    end: (redis) => redis.command("CONFIG", "SET", "maxmemory", "0"),
  },
  {
    error: "NOREPLICAS",
    begin: (redis) => redis.command("CONFIG", "SET", "min-replicas-to-write", "1"),
    end: (redis) => redis.command("CONFIG", "SET", "min-replicas-to-write", "0"),
  },
  {
    error: "MISCONF",
    begin: failToSave,
    end: (redis) => redis.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "no"),
  },
  {
    error: "NOPERM",
    begin: (redis) => redis.command("ACL", "SETUSER", "default", "-incrby"),
    end: (redis) => redis.command("ACL", "SETUSER", "default", "+incrby"),
  },
];

Deno.test(
  `/hit: ${
    refusals.map(({ error }) => error)
  } of Redis are 503, count nothing, and end with their cause`,
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startOn(redis.url);
    await service.storeReady();
    strictEqual(await statusOfHit(service), 200);
    for (const [index, { error, begin, end }] of refusals.entries()) {
      await begin(redis);
      match(String((await redis.commands([["INCRBY", "probe", "1"]]))[0]), new RegExp(error));
      const answer = await refusalOf(service);
      strictEqual(answer?.status, 503, error);
      ok(answer?.headers.has("retry-after"));
      strictEqual(await redis.command("GET", "hits:home"), String(index + 1), error);
      await end(redis);
      await service.storeReady();
      strictEqual(await statusOfHit(service), 200, error);
      strictEqual(await redis.command("GET", "hits:home"), String(index + 2), error);
      await service.waitForOutput(new RegExp(`store unavailable.*${error}`));
    }
  },
);

Deno.test(
  "/counters: a Redis that is out of memory still lets go of a counter",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startOn(redis.url);
    await service.storeReady();
    strictEqual(await statusOfHit(service), 200);
    await redis.command("CONFIG", "SET", "maxmemory", "1");
    const removal = { method: "DELETE", headers: authorized };
    const answer = await fetch(`${service.url}/counters?id=home`, removal);
    strictEqual((await answer.json()).hits, 1);
    strictEqual(await redis.command("GET", "hits:home"), null);
    await redis.command("CONFIG", "SET", "maxmemory", "0");
    strictEqual(await statusOfHit(service), 200);
    strictEqual(await redis.command("GET", "hits:home"), "1");
  },
);

/** Arguments for a redis-server that is the node of a Cluster and owns no slot. */
const cluster = ["--cluster-enabled", "yes", "--cluster-port", String(reservePort())];

for (
  const { what, args } of [
    { what: "a Redis", args: [] },
    { what: "a Redis Cluster", args: cluster },
  ]
) {
  Deno.test(
    `/hit: if the user of ${what} lacks permissions it is 503, the log names them once, and it counts once they are given`,
    needsRedis,
    async () => {
      await using redis = await startRedis({ args });
      if (args.length > 0) {
        await redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        await waitFor(
          "all slots",
          async () =>
            /cluster_state:ok/.test(String(await redis.command("CLUSTER", "INFO"))) || undefined,
        );
      }
      await redis.command("ACL", "SETUSER", "default", "-scan", "-@scripting");
      await using service = await startOn(redis.url);
      await service.waitForOutput(/"permission of Redis missing: .*NOPERM .*'evalsha'/);
      for (let round = 0; round < 3; round++) strictEqual(await statusOfHit(service), 503);
      await redis.command("ACL", "SETUSER", "default", "+@all");
      await service.storeReady();
      strictEqual(await statusOfHit(service), 200);
      const stderr = service.stderr();
      strictEqual(stderr.match(/permission of Redis missing/g)?.length, 1, stderr);
      strictEqual(stderr.match(/store available/g)?.length, 1, stderr);
    },
  );
}

Deno.test(
  "if the Redis user lacks permissions the start ends with 1, and the log names them",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await redis.command("ACL", "SETUSER", "default", "-@scripting");
    const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url, FAIL_FAST_STORE: "1" };
    const { code, stderr } = await runService({ env });
    strictEqual(code, 1);
    match(stderr, /"permission of Redis missing: .*NOPERM .*'evalsha'/);
  },
);

Deno.test(
  "/hit: while Redis loads its data a hit is 503, and counts when it has",
  needsRedis,
  async () => {
    // Redis looks after its connections once in 1,024 bytes, which is once in a tenth of a second.
    await using redis = await startRedis({
      args: ["--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024"],
    });
    await redis.command("CONFIG", "SET", "rdbcompression", "no");
    await redis.commands(
      Array.from({ length: 1000 }, (_, key) => ["SET", `text${key}`, "x".repeat(1024)]),
    );
    await redis.command("SET", "hits:c1", "7");
    await redis.command("SAVE");
    await redis.kill();
    await redis.start("listening");
    await using service = await startOn(redis.url);
    strictEqual((await refusalOf(service, "c1"))?.status, 503);
    strictEqual(await statusOf(`${service.url}/healthz`), 200);
    strictEqual(await statusOf(`${service.url}/readyz`), 503);
    await redis.command("CONFIG", "SET", "key-load-delay", "0");
    await service.storeReady();
    strictEqual(await statusOfHit(service, "c1"), 200);
    strictEqual(await redis.command("GET", "hits:c1"), "8");
  },
);

Deno.test(
  "/hit: a Redis Cluster without a slot is 503, which the log tells once, and counts once it has them all",
  needsRedis,
  async () => {
    await using redis = await startRedis({ args: cluster });
    await using service = await startOn(redis.url);
    strictEqual((await refusalOf(service))?.status, 503);
    strictEqual(await statusOf(`${service.url}/readyz`), 503);
    await waitFor("the log", async () => {
      strictEqual(await statusOfHit(service), 503);
      return /"store unavailable","cause":"Error: No node of the cluster serves a slot"/.test(
        service.stderr(),
      ) || undefined;
    });
    for (let hit = 0; hit < 5; hit++) strictEqual(await statusOfHit(service, `c${hit}`), 503);
    await redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await service.storeReady();
    strictEqual(await statusOfHit(service), 200);
    const stderr = service.stderr();
    match(stderr, /"event":"store available"}/);
    strictEqual(stderr.match(/No node of the cluster serves/g)?.length, 1, stderr);
    strictEqual(await redis.command("GET", "hits:home"), "1");
  },
);

Deno.test(
  "/hit: CLUSTERDOWN is 503 where Redis does not tell that it is a Cluster",
  needsRedis,
  async () => {
    await using redis = await startRedis({ args: cluster });
    const rules = ["~*", "+@all", "-info", "-cluster"];
    await redis.command("ACL", "SETUSER", "tally", "on", ">pass", ...rules);
    const url = redis.url.replace("redis://", "redis://tally:pass@");
    await using service = await startOn(url);
    strictEqual(await statusOfHit(service), 503);
    await waitFor("CLUSTERDOWN", async () => {
      await statusOfHit(service);
      return /CLUSTERDOWN/.test(service.stderr()) || undefined;
    });
    strictEqual(await statusOfHit(service), 503);
  },
);

async function startOn(STORE_URL: string): Promise<LocalService> {
  return await startLocalService({ SECRET_TOKEN: SECRET, STORE_URL });
}

async function statusOfHit(service: LocalService, id = "home"): Promise<number | undefined> {
  return (await hitOnce({ service }, id)).answer?.status;
}

/**
 * The answer to a hit that Redis refuses; on a busy machine the refusal may come late once, which
 * is 504.
 */
async function refusalOf(service: LocalService, id = "home"): Promise<RawAnswer | undefined> {
  return await waitFor("the refusal", async () => {
    const { answer } = await hitOnce({ service }, id);
    return answer?.status === 504 ? undefined : answer;
  });
}

/** A folder in the place of the file makes every save fail. */
async function failToSave(redis: RedisServer): Promise<void> {
  await Deno.mkdir(join(redis.dir, "dump.rdb"));
  await redis.command("CONFIG", "SET", "save", "3600 1000000");
  await redis.command("BGSAVE");
  await waitFor(
    "the save to fail",
    async () =>
      String(await redis.command("INFO", "persistence")).includes("rdb_last_bgsave_status:err") ||
      undefined,
  );
}
