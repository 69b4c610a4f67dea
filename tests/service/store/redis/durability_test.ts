import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createLog } from "../../../../src/log.ts";
import { watchDurability } from "../../../../src/store/redis/durability.ts";
import { type Reply, UNSENT } from "../../../../src/store/redis/reply.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, startRedis } from "../../../support/redis_server.ts";
import { authorized, SECRET } from "../../../support/secret.ts";
import { startService } from "../../../support/service.ts";
import { waitFor } from "../../../support/wait_for.ts";

const SAFE = ["--appendonly", "yes"];

const SETTINGS = [
  { what: "an append-only file", args: SAFE, events: [], risks: [] },
  { what: "snapshots", args: ["--save", "3600 1"], events: [], risks: [] },
  {
    what: "neither an append-only file nor snapshots",
    args: [],
    events: [
      "Redis keeps counters in memory only: set its appendonly to yes, or save to a schedule",
    ],
    risks: ["persistence"],
  },
  {
    what: "a policy that evicts any key",
    args: [...SAFE, "--maxmemory-policy", "allkeys-lru"],
    events: [
      "Redis may forget counters: set its maxmemory-policy to noeviction (it is allkeys-lru)",
    ],
    risks: ["eviction"],
  },
  {
    what: "a policy that evicts keys with a time to live",
    args: [...SAFE, "--maxmemory-policy", "volatile-ttl"],
    events: [
      "Redis may forget which repeats it has counted: set its maxmemory-policy to noeviction " +
      "(it is volatile-ttl)",
    ],
    risks: ["eviction"],
  },
];

for (const { what, args, events, risks } of SETTINGS) {
  Deno.test(
    `a Redis with ${what} is logged once as ${risks[0] ?? "nothing"}`,
    needsRedis,
    async () => {
      await using redis = await startRedis({ args });
      await using watched = await watch(redis.url);
      await waitForChecks(redis, 3);
      deepStrictEqual(watched.events(), events);
      deepStrictEqual([...watched.risks().keys()], risks);
    },
  );
}

Deno.test(
  "of a user without INFO and CONFIG nothing is assumed",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await redis.command("ACL", "SETUSER", "few", "on", ">few", "~*", "+@all", "-info", "-config");
    await using watched = await watch(redis.url.replace("//", "//few:few@"));
    await waitForChecks(redis, 3);
    deepStrictEqual(watched.events(), []);
    strictEqual(watched.risks().size, 0);
  },
);

Deno.test("a master that does not answer keeps its risks", async () => {
  const info = "maxmemory_policy:allkeys-lru\r\naof_enabled:1\r\n";
  const up: Reply[] = [{ kind: "done", value: "save," }, { kind: "done", value: info }];
  const down = [UNSENT, UNSENT];
  const replies = [up, down, down, up, down].values();
  const ended = Promise.withResolvers<void>();
  const lines: string[] = [];
  const ask = () => {
    const next = replies.next().value;
    if (next === undefined) ended.resolve();
    return Promise.resolve(next ?? down);
  };
  const { risks, stop } = watchDurability({
    link: { shards: () => [{ name: "all", key: "hits:home", ask }] },
    prefix: "hits:",
    log: createLog({ secrets: [], write: (line) => lines.push(line) }),
  }, 1);
  await ended.promise;
  stop();
  deepStrictEqual([...risks().keys()], ["eviction"]);
  strictEqual(lines.length, 1, lines.join("\n"));
});

Deno.test(
  "a Redis that may evict counters is named in the log, in /metrics and to the owner",
  needsRedis,
  async () => {
    await using redis = await startRedis({
      args: [...SAFE, "--maxmemory-policy", "allkeys-random"],
    });
    const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url };
    await using service = await startService({ env });
    await service.waitForOutput(/"level":"warn","event":"Redis may forget counters: set its/);
    const read = async (path: string) =>
      await (await fetch(`${service.url}/${path}`, { headers: authorized })).text();
    match(await read("metrics"), /^tallymark_store_at_risk\{risk="eviction"\} 1$/m);
    match(JSON.parse(await read("status")).warnings[0], /set its maxmemory-policy/);
  },
);

/** Watches a Redis and checks it all the time. */
async function watch(url: string) {
  const lines: string[] = [];
  const link = await linkTo(url);
  const log = createLog({ secrets: [], write: (line) => lines.push(line) });
  const { risks, stop } = watchDurability({ link, prefix: "hits:", log }, 1);
  return {
    lines,
    risks,
    events: () => lines.map((line): string => JSON.parse(line).event),
    async [Symbol.asyncDispose]() {
      stop();
      await link.close();
    },
  };
}

/** Waits until so many checks more have ended. */
async function waitForChecks(
  redis: { command(...words: string[]): Promise<unknown> },
  more: number,
): Promise<void> {
  const count = async () => {
    const stats = String(await redis.command("INFO", "commandstats"));
    // Counted before it is refused, and sent first.
    const [, calls, , rejected] = /cmdstat_config\|get:calls=(\d+)(.*rejected_calls=(\d+))?/
      .exec(stats) ?? [];
    return Number(calls ?? 0) + Number(rejected ?? 0);
  };
  const before = await count();
  // The last one may still be under way.
  await waitFor("checks", async () => await count() > before + more || undefined);
}
