import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { moveSlots } from "../support/cluster_steps.ts";
import { opensslAvailable } from "../support/certificate.ts";
import {
  type LocalService,
  type ServiceAddress,
  startLocalService,
} from "../support/local_service.ts";
import { type RedisCluster, startCluster } from "../support/redis_cluster.ts";
import {
  needsRedis,
  redisAvailable,
  type RedisServer,
  startRedis,
} from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { runService, startService, statusOf } from "../support/service.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { waitFor } from "../support/wait_for.ts";
import { Ledger } from "./ledger.ts";
import { hitOnce, startCallers } from "./load.ts";
import { waitForHits } from "./recovery.ts";

/** Number of replies that are lost. */
const ROUNDS = times(2, 5);
/** One for the tests that leave it as it was. */
let shared: RedisCluster;

if (redisAvailable) {
  Deno.test.beforeAll(async () => {
    shared = await startCluster({ replicas: 0 });
  });
  Deno.test.afterAll(() => shared[Symbol.asyncDispose]());
}

Deno.test(
  "in a cluster, a shard that is away, at the start or later, fails its own counters only, and is named; without any nothing is ready",
  needsRedis,
  async () => {
    // Else all of it would stop with its first shard.
    const args = ["--cluster-require-full-coverage", "no"];
    await using cluster = await startCluster({ replicas: 0, args });
    const [first, second, dead] = await counters(cluster.nodes);
    const node = cluster.node(2);
    await node.kill();
    await using service = await start({ STORE_URL: cluster.url });
    for (const id of [first, second]) await taken(service, id);
    deepStrictEqual(await Promise.all([first, second, dead].map((id) => status(service, id))), [
      200,
      200,
      503,
    ]);
    const ready = await fetch(`${service.url}/readyz`);
    deepStrictEqual([ready.status, await ready.json()], [200, {
      status: "ok",
      unreachable: ["slots 10922-16383"],
    }]);
    await service.waitForOutput(new RegExp(`"store unavailable","node":"127.0.0.1:${node.port}"`));
    await node.start();
    await taken(service, dead);
    await service.waitForOutput(new RegExp(`"store available","node":"127.0.0.1:${node.port}"`));
    const again = await fetch(`${service.url}/readyz`);
    deepStrictEqual(await again.json(), { status: "ok" });
    deepStrictEqual(
      await nodesUp(service),
      cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).sort(),
    );
    const named = service.stderr().matchAll(/"store unavailable","node":"([^"]*)"/g);
    deepStrictEqual(
      new Set(Array.from(named, ([, name]) => name)),
      new Set([`127.0.0.1:${node.port}`]),
    );
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await waitFor("the end", async () => await status(service, "home") === 503 || undefined, {
      timeout: FAR_AWAY_MS,
    });
    strictEqual(await statusOf(`${service.url}/readyz`), 503);
  },
);

Deno.test(
  "in a cluster, one of several addresses that are given may be dead",
  needsRedis,
  async () => {
    const cluster = shared;
    await using gone = await startRedis();
    await gone.kill();
    const STORE_URL = `redis://127.0.0.1:${gone.port},127.0.0.1:${cluster.node(1).port}`;
    await using service = await startWhole({ STORE_URL });
    for (const id of await counters(cluster.nodes)) strictEqual(await status(service, id), 200);
  },
);

Deno.test(
  "in a cluster, a reply lost on the wire is answered 504, and the hit is never sent again",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0, proxied: true });
    const STORE_URL = `redis://127.0.0.1:${cluster.proxies[0]?.port}`;
    await using service = await startWhole({ STORE_URL });
    const ledger = new Ledger();
    // On a node that does not know the script yet, the lost reply is its refusal.
    strictEqual((await hitOnce({ service, ledger }, "alone")).answer?.status, 200);
    for (let round = 1; round <= ROUNDS; round++) {
      await waitForShards(service);
      const proxy = cluster.proxyOf(await cluster.masterOf("hits:alone"));
      const cut = proxy.cutAfterNextRequest("hits:alone");
      strictEqual((await hitOnce({ service, ledger }, "alone")).answer?.status, 504);
      await cut;
    }
    strictEqual(ledger.check(await cluster.stored()), 1 + ROUNDS);
  },
);

Deno.test(
  "in a cluster, fewer replicas than STORE_REPLICAS are 504, and 200 when they are back",
  needsRedis,
  async () => {
    await using cluster = await startCluster();
    await using service = await startWhole({ STORE_URL: cluster.url, STORE_REPLICAS: "1" });
    const master = await cluster.masterOf("hits:home");
    const replica = cluster.node(cluster.nodes.indexOf(master) + 3);
    strictEqual(await status(service, "home"), 200);
    await replica.kill("SIGSTOP");
    strictEqual(await status(service, "home"), 504);
    await replica.kill("SIGCONT");
    await waitFor("the replica", async () => await status(service, "home") === 200 || undefined, {
      timeout: FAR_AWAY_MS,
    });
  },
);

Deno.test(
  "on Redis, with min-replicas-to-write a Redis without its replicas surely counts nothing",
  needsRedis,
  async () => {
    await using master = await startRedis({
      args: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"],
    });
    const replica = await startRedis({ args: ["--replicaof", "127.0.0.1", String(master.port)] });
    await using service = await startWhole({ STORE_URL: master.url, STORE_REPLICAS: "1" });
    await waitFor("the replica", async () => await status(service, "home") === 200 || undefined, {
      timeout: FAR_AWAY_MS,
    });
    await replica[Symbol.asyncDispose]();
    await waitFor("the refusal", async () => await status(service, "home") === 503 || undefined, {
      timeout: FAR_AWAY_MS,
    });
    const stored = await master.command("GET", "hits:home");
    strictEqual(await status(service, "home"), 503);
    strictEqual(await master.command("GET", "hits:home"), stored);
  },
);

Deno.test({
  name: "in a cluster, TLS, a password and announced names are served",
  ignore: needsRedis.ignore || !opensslAvailable,
  async fn() {
    await using cluster = await startCluster({
      replicas: 0,
      hostnames: true,
      tls: true,
      password: "p@ss",
    });
    const DENO_CERT = cluster.node(0).caCertificate ?? "";
    // Deno reads it as the process starts.
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: cluster.url, DENO_CERT },
    });
    await waitForShards(service);
    for (const id of await counters(cluster.nodes)) strictEqual(await status(service, id), 200);
  },
});

Deno.test(
  "in a cluster, a user with the documented permissions counts, reads and exports",
  needsRedis,
  async () => {
    const cluster = shared;
    const readme = await Deno.readTextFile(".deploy/README.md");
    const [, commands = ""] = /-@all \\\n +(\+ping .*)/.exec(readme) ?? [];
    const [, more = "", keys = ""] = /a cluster\s+needs `(\+.*)` and `(~\*)`/.exec(readme) ?? [];
    const rules = ["on", ">p", keys, ...`${commands} ${more}`.split(" ")];
    for (const node of cluster.nodes) await node.command("ACL", "SETUSER", "few", ...rules);
    const STORE_URL = cluster.url.replace("://", "://few:p@");
    await using service = await startWhole({ STORE_URL });
    const ids = await counters(cluster.nodes);
    for (const id of ids) strictEqual(await status(service, id), 200);
    const response = await fetch(`${service.url}/counters?days=0`, { headers: authorized });
    const lines = (await response.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
    deepStrictEqual(lines.slice(0, -1).map(({ id }) => id).sort(), ids.sort());
    strictEqual(lines.at(-1)?.counters, ids.length);
  },
);

Deno.test(
  "on Redis, several addresses of single Redis servers end the start",
  needsRedis,
  async () => {
    await using one = await startRedis();
    await using other = await startRedis();
    const STORE_URL = `redis://127.0.0.1:${one.port},127.0.0.1:${other.port}`;
    const { code, stderr } = await runService({ env: { STORE_URL } });
    strictEqual(code, 1);
    match(stderr, /has several addresses, but 127\.0\.0\.1:\d+ is a single Redis/);
  },
);

Deno.test(
  "in a cluster, an export while slots move breaks off, or misses no counter and names none twice",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    await using service = await startWhole({ STORE_URL: cluster.url });
    await using load = startCallers({ service, callers: 4, ids: 400 });
    await waitForHits(load.ledger, 500);
    const known = new Set([...(await cluster.stored()).keys()]);
    const [from, to] = [cluster.node(0), cluster.node(1)];
    let moving = true;
    let exports = 0;
    async function move(): Promise<void> {
      for (let first = 0; first < times(700, 4000); first += 100) {
        const slots = Array.from({ length: 100 }, (_, slot) => first + slot);
        await moveSlots(slots, { from, to });
      }
      moving = false;
    }
    async function exportAgain(): Promise<void> {
      while (moving || exports === 0) {
        const response = await fetch(`${service.url}/counters?days=0`, {
          headers: authorized,
        });
        // Moved slots break it off, or refuse it, so that it is not taken for a whole one.
        const text = await response.text().catch(() => undefined);
        if (!response.ok || text === undefined) continue;
        exports++;
        const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
        const ids = lines.slice(0, -1).map(({ id }) => id);
        strictEqual(new Set(ids).size, ids.length, "named twice");
        deepStrictEqual([...known.difference(new Set(ids))], [], "missed");
        strictEqual(lines.at(-1)?.counters, ids.length);
      }
    }
    // The first failure is reported, and not those that follow from it at the end.
    await Promise.all([move(), exportAgain()]);
    ok(exports > 0);
    await load.stop();
    load.ledger.checkOutcomes(200, 503);
    load.ledger.check(await cluster.stored());
  },
);

async function start(env: Record<string, string>): Promise<LocalService> {
  return await startLocalService({ SECRET_TOKEN: SECRET, ...env });
}

/** Starts the service and waits until all shards accept hits. */
async function startWhole(env: Record<string, string>): Promise<LocalService> {
  const service = await start(env);
  await waitForShards(service);
  return service;
}

async function waitForShards(service: ServiceAddress): Promise<void> {
  await waitFor("all shards", () => ready(service), { timeout: FAR_AWAY_MS });
}

async function status(service: ServiceAddress, id: string): Promise<number> {
  const { answer } = await hitOnce({ service }, id);
  return answer?.status ?? 0;
}

/** Waits until hits on a counter are counted. */
async function taken(service: ServiceAddress, id: string): Promise<void> {
  await waitFor(`hits on ${id}`, async () => await status(service, id) === 200 || undefined, {
    timeout: FAR_AWAY_MS,
  });
}

/** The nodes that the metrics call up, in the order of the alphabet. */
async function nodesUp({ url }: ServiceAddress): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`, { headers: authorized })).text();
  return Array.from(text.matchAll(/store_up\{node="([^"]*)"\} 1/g), ([, node = ""]) => node).sort();
}

async function ready({ url }: ServiceAddress): Promise<true | undefined> {
  const response = await fetch(`${url}/readyz`);
  const told: unknown = await response.json();
  return response.ok && !JSON.stringify(told).includes("unreachable") || undefined;
}

/** A counter of each node, in their order. */
async function counters(nodes: readonly RedisServer[]): Promise<[string, string, string]> {
  const found = new Map<number, string>();
  for (let number = 0; found.size < 3; number++) {
    const slot = Number(await nodes[0]?.command("CLUSTER", "KEYSLOT", `hits:n${number}`));
    const node = Math.floor(slot * 3 / 16384);
    if (!found.has(node)) found.set(node, `n${number}`);
  }
  return [found.get(0) ?? "", found.get(1) ?? "", found.get(2) ?? ""];
}
