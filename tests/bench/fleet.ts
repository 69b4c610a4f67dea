// Measures a fleet: hundreds of nodes, each with the real batcher and store client but without
// HTTP, on one Redis and on a cluster. Options: --nodes 200,1000, --callers 500 (hits on the hot
// counter that each node has waiting; one of 25 of them where there are many counters), --processes
// (as many as cores), --seconds 3, --counters 1000000 (of the Zipf distribution), --only REGEX
// (over names such as "cluster, hot, 200 nodes").
import { parseArgs } from "node:util";
import type { RedisServer } from "../support/redis_server.ts";
import { startCluster } from "../support/redis_cluster.ts";
import { startRedis } from "../support/redis_server.ts";
import { FleetMember } from "./fleet_member.ts";
import type { FleetJob } from "./fleet_process.ts";
import { benchStack } from "./servers.ts";
import { figure, table } from "./table.ts";

/** One measurement, without the number of nodes. */
interface Row {
  name: string;
  on: "redis" | "cluster";
  counters: "one" | "many";
  replicas?: number;
  daySeconds?: number;
}

const ROWS: readonly Row[] = [
  { name: "redis, hot", on: "redis", counters: "one" },
  { name: "redis, hot, a day each second", on: "redis", counters: "one", daySeconds: 1 },
  { name: "redis, Zipf", on: "redis", counters: "many" },
  { name: "redis, Zipf, a day each second", on: "redis", counters: "many", daySeconds: 1 },
  { name: "cluster, hot", on: "cluster", counters: "one" },
  { name: "cluster, hot, STORE_REPLICAS=1", on: "cluster", counters: "one", replicas: 1 },
  { name: "cluster, Zipf", on: "cluster", counters: "many" },
  { name: "cluster, Zipf, STORE_REPLICAS=1", on: "cluster", counters: "many", replicas: 1 },
];

/**
 * Each hit on one of many counters is mostly a command of its own: as many as on a hot one would
 * wait past their deadline.
 */
const MANY_COUNTERS = 25;

/** On a machine that is busy, masters must not be taken for dead. */
const NODE_TIMEOUT_MS = 5000;

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "200,1000" },
    callers: { type: "string", default: "500" },
    processes: { type: "string", default: String(navigator.hardwareConcurrency) },
    seconds: { type: "string", default: "3" },
    counters: { type: "string", default: "1000000" },
    only: { type: "string", default: "" },
  },
});
const nodeCounts = values.nodes.split(",").map(Number);
const callers = Number(values.callers);
const processes = Number(values.processes);
const seconds = Number(values.seconds);
const only = new RegExp(values.only);

await using stack = benchStack();
const results: string[][] = [];
for (const nodes of nodeCounts) {
  for (const row of ROWS) {
    const name = `${row.name}, ${nodes.toLocaleString("en")} nodes`;
    if (!only.test(name)) continue;
    const figures = await measure(row, nodes);
    results.push([name, ...figures.map(figure)]);
    console.error(results.at(-1)?.join("  "));
  }
}
console.log(table(
  [
    ...["store, counters, nodes", "numbers/s", "additions/s", "by script", "p50 ms", "p99"],
    ...["CPU µs per number", "Redis CPU µs per addition"],
  ],
  results,
));

async function measure(row: Row, nodes: number): Promise<number[]> {
  await using local = stack.use(new AsyncDisposableStack());
  const { url, servers } = await place(row.on, local);
  const job: Omit<FleetJob, "nodes"> = {
    ...{ url, seconds, replicas: row.replicas ?? 0 },
    ...row.counters === "one"
      ? { counters: 1, callers }
      : { counters: Number(values.counters), callers: Math.ceil(callers / MANY_COUNTERS) },
    days: row.daySeconds === undefined ? undefined : { seconds: row.daySeconds, since: Date.now() },
  };
  const members = shares(nodes, processes).map((nodes) =>
    local.use(new FleetMember({ ...job, nodes }))
  );
  await Promise.all(members.map((member) => member.ready));
  await Promise.all(members.map((member) => member.begin()));
  await pause(1000);
  const [from, before] = [performance.now(), await workOf(servers)];
  await pause(seconds * 1000);
  const [after, until] = [await workOf(servers), performance.now()];
  const results = await Promise.all(members.map((member) => member.end()));

  const sum = (of: (result: typeof results[number]) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const additions = after.additions - before.additions;
  const latencies = results.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const failed = sum(({ refused, unknown }) => refused + unknown);
  if (failed > 0) console.error(`${row.name}: ${failed} hits failed`);
  return [
    sum(({ hits, seconds }) => hits / seconds),
    additions / (until - from) * 1000,
    (after.scripts - before.scripts) / additions,
    latencies[Math.floor(latencies.length / 2)] ?? NaN,
    latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
    sum(({ cpuSeconds }) => cpuSeconds) * 1e6 / sum(({ hits }) => hits),
    (after.cpuSeconds - before.cpuSeconds) * 1e6 / additions,
  ];
}

/** A Redis, or a cluster of three masters with a replica each, until the stack ends. */
async function place(
  on: Row["on"],
  stack: AsyncDisposableStack,
): Promise<{ url: string; servers: readonly RedisServer[] }> {
  if (on === "redis") {
    const redis = stack.use(await startRedis());
    return { url: redis.url, servers: [redis] };
  }
  const cluster = stack.use(await startCluster({ nodeTimeout: NODE_TIMEOUT_MS }));
  return { url: cluster.url, servers: cluster.nodes };
}

/**
 * The INCRBYs that masters have carried out, also those in scripts, and the CPU that all servers
 * have taken.
 */
async function workOf(servers: readonly RedisServer[]) {
  const infos = await Promise.all(servers.map(async (server) => {
    return String(await server.command("INFO", "everything"));
  }));
  const total = (texts: readonly string[], pattern: RegExp) =>
    texts.reduce((sum, info) => sum + Number(pattern.exec(info)?.[1] ?? 0), 0);
  const masters = infos.filter((info) => info.includes("role:master"));
  return {
    additions: total(masters, /^cmdstat_incrby:calls=(\d+)/m),
    scripts: total(masters, /^cmdstat_evalsha:calls=(\d+)/m),
    cpuSeconds: total(infos, /^used_cpu_user:([\d.]+)/m) + total(infos, /^used_cpu_sys:([\d.]+)/m),
  };
}

/** Nodes divided over processes. */
function shares(nodes: number, processes: number): number[] {
  return Array.from({ length: processes }, (_, index) => Math.floor((nodes + index) / processes));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
