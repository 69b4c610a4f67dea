import { createCounters } from "../../src/counters/counters.ts";
import { waitForCluster } from "../support/cluster_steps.ts";
import { openRedisStore } from "../support/redis_backend.ts";
import { startCluster } from "../support/redis_cluster.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { waitFor } from "../support/wait_for.ts";
import { FleetMember } from "./fleet_member.ts";
import { type FleetJob, HOT } from "./fleet_process.ts";

/** On a machine that is busy, masters must not be taken for dead. */
export const NODE_TIMEOUT_MS = 5000;
/** Length of a day, in seconds. */
const DAY_SECONDS = 5;
const HOT_KEY = `hits:${HOT}`;

export interface FleetCheck {
  on: "redis" | "cluster";
  stack: AsyncDisposableStack;
  nodes: number;
  callers: number;
  processes: number;
  /** Number of hits to send. */
  numbers: number;
  /** Number of times that a process of nodes is killed, and also a master. */
  kills: number;
}

/**
 * Has a fleet count one counter through days of 5 s, while its processes and the master of the
 * counter are killed with SIGKILL in turns. Throws unless no number was given twice, none that was
 * given is above the total in the end, and its days add up to it; what is missing of the total must
 * be hits whose callers were killed, or got an unknown outcome.
 *
 * One Redis writes an append-only file. In the cluster a hit is answered when a replica has it:
 * without that, Redis itself loses acknowledged writes in a failover.
 */
export async function checkFleet(check: FleetCheck): Promise<string> {
  const { stack, nodes, callers, processes, numbers, kills } = check;
  await using local = stack.use(new AsyncDisposableStack());
  const { url, replicas, killMaster } = check.on === "redis"
    ? await oneRedis(local)
    : await redisCluster(local);
  const given = new GivenNumbers(numbers);
  const job: FleetJob = {
    ...{ url, callers, replicas, counters: 1, seconds: undefined },
    nodes: Math.ceil(nodes / processes),
    days: { seconds: DAY_SECONDS, since: Date.now() },
  };
  const start = async () => {
    const member = local.use(new FleetMember(job, (first, count) => given.add(first, count)));
    await member.begin();
    return member;
  };
  const since = performance.now();
  const members = await Promise.all(Array.from({ length: processes }, start));
  for (let kill = 1; kill <= kills; kill++) {
    await given.reached(numbers * kill / (kills + 1));
    const index = kill % members.length;
    const count = text(given.count);
    const killedNodes = performance.now();
    await members[index]?.kill();
    members[index] = await start();
    const nodesBack = secondsSince(killedNodes);
    const killedMaster = performance.now();
    await killMaster();
    console.error(
      `${check.on}, kill ${kill} of ${kills} after ${count} numbers: the nodes were back after ` +
        `${nodesBack} s, all masters and replicas after ${secondsSince(killedMaster)} s`,
    );
  }
  await given.reached(numbers);
  const seconds = secondsSince(since);
  await Promise.all(members.map((member) => member.end()));

  const { total, days, sumOfDays } = await heldIn(url);
  const unanswered = total - given.count;
  const line = `${check.on}: ${text(given.count)} numbers given in ${seconds} s and ${days} ` +
    `days, ${text(given.twice)} of them twice, the highest ${
      text(given.highest)
    }; the counter holds ` +
    `${text(total)}, its days ${text(sumOfDays)}; ${
      text(unanswered)
    } hits were counted and not answered`;
  const isExact = given.twice === 0 && given.highest <= total && sumOfDays === total;
  if (!isExact) throw new Error(`Count exactly: ${line}`);
  return line;
}

/** The numbers that were returned to callers, one bit each. */
class GivenNumbers {
  count = 0;
  twice = 0;
  highest = 0;
  #bits: Uint8Array;

  /** `expected` is about how many will be given. */
  constructor(expected: number) {
    this.#bits = new Uint8Array(Math.ceil(expected / 8));
  }

  add(first: number, count: number): void {
    const last = first + count - 1;
    if (!(first >= 1 && count >= 1)) throw new Error(`Note ${count} numbers from ${first} on`);
    if (last >= this.#bits.length * 8) {
      const larger = new Uint8Array(Math.ceil(last / 8 * 1.25));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    for (let number = first; number <= last; number++) {
      const byte = this.#bits[number >> 3] ?? 0;
      const bit = 1 << (number & 7);
      if ((byte & bit) !== 0) this.twice++;
      this.#bits[number >> 3] = byte | bit;
    }
    this.count += count;
    this.highest = Math.max(this.highest, last);
  }

  /** Resolves when so many were given; throws if none is given for a minute. */
  async reached(count: number): Promise<void> {
    let [seen, since] = [this.count, performance.now()];
    while (this.count < count) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (this.count > seen) [seen, since] = [this.count, performance.now()];
      if (performance.now() - since > 60_000) throw new Error(`Count: it stopped at ${seen}`);
    }
  }
}

/** A store for the fleet, with the means to kill and restart its master. */
interface Place {
  url: string;
  replicas: number;
  killMaster(): Promise<void>;
}

async function oneRedis(stack: AsyncDisposableStack): Promise<Place> {
  const args = ["--appendonly", "yes", "--appendfsync", "always"];
  const redis = stack.use(await startRedis({ args }));
  return {
    url: redis.url,
    replicas: 0,
    async killMaster() {
      await redis.kill();
      await redis.start();
    },
  };
}

async function redisCluster(stack: AsyncDisposableStack): Promise<Place> {
  const cluster = stack.use(await startCluster({ nodeTimeout: NODE_TIMEOUT_MS }));
  // Three are enough to find the others; each that is named costs a node of the fleet five
  // connections at first.
  const addresses = cluster.nodes.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis+cluster://${addresses.join(",")}`,
    replicas: 1,
    async killMaster() {
      const killed = await cluster.masterOf(HOT_KEY);
      await killed.kill();
      await waitFor("a failover", async () => {
        const next: RedisServer | undefined = await cluster.masterOf(HOT_KEY).catch(() =>
          undefined
        );
        return next !== undefined && next !== killed || undefined;
      }, { timeout: 60_000 });
      await killed.start();
      await waitForCluster(cluster.nodes);
    },
  };
}

/** Returns the total and the days of the counter. */
async function heldIn(url: string) {
  const store = await openRedisStore(url);
  const counters = createCounters(store);
  const { hits, days } = await counters.history(HOT, -Infinity);
  await counters.close();
  const counts = days?.hits ?? [];
  return {
    total: hits,
    days: counts.length,
    sumOfDays: counts.reduce((sum, count) => sum + count, 0),
  };
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function text(number: number): string {
  return number.toLocaleString("en");
}
