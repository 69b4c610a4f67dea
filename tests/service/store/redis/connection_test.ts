import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { type Counters, createCounters } from "../../../../src/counters/counters.ts";
import type { StoreLink } from "../../../../src/store/redis/node.ts";
import { createLazyStore } from "../../../../src/store/lazy_store.ts";
import { LOOK_INTERVAL_MS, STALL_MS } from "../../../../src/store/redis/connection.ts";
import { REDIS_BATCHES } from "../../../../src/store/open_store.ts";
import { UNSENT } from "../../../../src/store/redis/reply.ts";
import { createStoreHealth } from "../../../../src/store/store_health.ts";
import { createLog } from "../../../../src/log.ts";
import { Metrics } from "../../../../src/metrics.ts";
import { pause } from "../../../../src/waiting.ts";
import { startProxiedRedis } from "../../../support/proxied_redis.ts";
import { storeOn } from "../../../support/redis_backend.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, type RedisServer, startRedis } from "../../../support/redis_server.ts";
import { rejectsWith } from "../../../support/store_contract.ts";
import type { TcpProxy } from "../../../support/tcp_proxy.ts";
import { timeLimit } from "../../../support/time_limit.ts";
import { waitFor } from "../../../support/wait_for.ts";

const HOME = counterId("home");

Deno.test(
  "a wrong password is told once, without the password, and not tried all the time",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis({ password: "right" });
    const { redis, proxy } = proxied;
    await using room = enter(`redis://:wr%40ng-secret@127.0.0.1:${proxy.port}`);
    await waitFor("the log", () => room.log[0]);
    const [tries, start] = [proxy.connections, performance.now()];
    await waitFor("five more tries", () => proxy.connections >= tries + 5 || undefined);
    const took = performance.now() - start;
    ok(took >= 1500, `five tries in ${took} ms`);
    await rejectsWith("store-unavailable", room.counters.hit(HOME));
    await rejectsWith("store-unavailable", room.counters.ready());
    strictEqual(room.log.length, 1);
    match(room.log[0] ?? "", /"level":"error","event":"store unavailable","cause":".*WRONGPASS/);
    ok(!/wr(@|%40)ng-secret/.test(room.log.join()));
    await redis.command("CONFIG", "SET", "requirepass", "wr@ng-secret");
    await room.connected();
    strictEqual(await room.counters.hit(HOME), 1);
  },
);

testCounted(
  "a hit whose reply was lost is unknown and never sent again",
  async ({ redis, proxy, room }) => {
    for (let round = 1; round <= 3; round++) {
      const cut = proxy.cutAfterNextRequest("INCRBY");
      const failure = await room.counters.hit(HOME).catch((error) => error);
      strictEqual(kindOf(failure), "outcome-unknown");
      ok(failure.cause !== undefined, "told with its cause, which no deadline has");
      await cut;
      await room.connected();
      strictEqual(await redis.command("GET", "hits:home"), String(2 * round));
      strictEqual(await room.counters.hit(HOME), 2 * round + 1);
    }
  },
);

testCounted(
  "a set or a deletion whose reply was lost is unknown, and made",
  async ({ redis, proxy, room: { counters, connected } }) => {
    const set = () => counters.set(HOME, { mode: "replace", hits: 7, days: undefined });
    await set();
    for (const [write, stored] of [[set, "7"], [() => counters.delete(HOME), null]] as const) {
      await counters.hit(HOME);
      const cut = proxy.cutAfterNextRequest("EVALSHA");
      await rejectsWith("outcome-unknown", write());
      await cut;
      await connected();
      strictEqual(await redis.command("GET", "hits:home"), stored);
    }
  },
);

testCounted("a read whose reply was lost is refused", async ({ proxy, room }) => {
  const cut = proxy.cutAfterNextRequest("GET");
  await rejectsWith("store-unavailable", room.counters.total(HOME));
  await cut;
  await room.connected();
});

testCounted(
  "hits under way at a cut are unknown, later ones surely not counted",
  async ({ redis, proxy, room }) => {
    proxy.swallowReplies();
    const hits = Array.from({ length: 40 }, () => room.counters.hit(HOME).then(String, kindOf));
    await waitFor(
      "a hit",
      async () => await redis.command("GET", "hits:home") !== "1" || undefined,
    );
    await proxy.refuse();
    proxy.cut();
    const answers = await Promise.all(hits);
    await rejectsWith("store-unavailable", room.counters.hit(HOME));
    const stored = Number(await redis.command("GET", "hits:home"));
    const unknown = answers.filter((answer) => answer === "outcome-unknown").length;
    const refused = answers.filter((answer) => answer === "store-unavailable").length;
    strictEqual(unknown + refused, 40);
    ok(stored - 1 <= unknown, `${stored - 1} counted, ${unknown} unknown`);
    proxy.resume();
    proxy.accept();
    await room.connected();
    strictEqual(await room.counters.hit(HOME), stored + 1);
    deepStrictEqual(room.events(), ["store unavailable", "store available"]);
  },
);

testCounted(
  "a server that hangs is given up, and found again when it goes on",
  async ({ redis, proxy, room }) => {
    await redis.kill("SIGSTOP");
    const start = performance.now();
    await rejectsWith("outcome-unknown", room.counters.hit(HOME));
    ok(performance.now() - start < timeLimit(2300), `${performance.now() - start} ms`);
    await waitFor("a new connection", () => proxy.connections >= 2 ? true : undefined);
    await rejectsWith("store-unavailable", room.counters.hit(HOME));
    await redis.kill("SIGCONT");
    await room.connected();
    const number = await room.counters.hit(HOME);
    // The hit that was unknown may have been counted when the server went on.
    ok(number === 2 || number === 3, String(number));
    deepStrictEqual(room.events(), ["store unavailable", "store available"]);
  },
);

Deno.test(
  "a process that stood still takes the replies that came meanwhile",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    const link = await connect(redis.url);
    const sent = link.send([["WAIT", "1", "200"]]);
    await new Promise((resolve) => setImmediate(resolve));
    const standing = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(standing, 0, 0, STALL_MS + 2 * LOOK_INTERVAL_MS);
    deepStrictEqual(await sent, [{ kind: "done", value: "0" }]);
    await link.close();
  },
);

testCounted("close does not wait for a server that hangs", async ({ redis, room }) => {
  await redis.kill("SIGSTOP");
  const hit = rejectsWith("outcome-unknown", room.counters.hit(HOME));
  const start = performance.now();
  await room[Symbol.asyncDispose]();
  ok(performance.now() - start < timeLimit(4000), `${performance.now() - start} ms`);
  await hit;
  await redis.kill("SIGCONT");
});

Deno.test(
  "close cuts off commands that a hanging server never ends",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { proxy, url } = proxied;
    const link = await connect(url);
    proxy.blackHole();
    const sent = link.send([["PING"]]);
    const start = performance.now();
    await link.close();
    ok(performance.now() - start < timeLimit(2500), `${performance.now() - start} ms`);
    deepStrictEqual((await sent).map(({ kind }) => kind), ["lost"]);
  },
);

Deno.test(
  "close ends although the server dies while a command is pending",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    const link = await connect(redis.url);
    await redis.kill("SIGSTOP");
    const sent = link.send([["PING"]]);
    const closed = link.close();
    // A process that dies with bytes unread has its connection reset, not ended.
    await waitFor("the command", async () => await hasUnread(redis.port) || undefined);
    await redis.kill();
    await closed;
    deepStrictEqual((await sent).map(({ kind }) => kind), ["lost"]);
  },
);

Deno.test("close lets commands under way end", needsRedis, async () => {
  await using proxied = await startProxiedRedis();
  const { proxy, url } = proxied;
  const link = await connect(url);
  proxy.delay(50);
  const sent = link.send([["INCRBY", "a", "3"], ["GET", "a"]]);
  await Promise.all([link.close(), link.close()]);
  deepStrictEqual(await sent, [{ kind: "done", value: "3" }, { kind: "done", value: "3" }]);
  deepStrictEqual(await link.send([["PING"]]), [UNSENT]);
});

for (
  const { what, asks } of [
    { what: "at the next hit", asks: "hits" },
    { what: "at the next question whether it is ready", asks: "readiness" },
    { what: "although nobody asks for anything", asks: "nothing" },
  ]
) {
  testCounted(`a master that became a replica is left ${what}`, async ({ redis, proxy, room }) => {
    await using next = await startRedis();
    await failOver(redis, next);
    if (asks !== "nothing") await rejectsWith("store-unavailable", room.counters.ready());
    strictEqual(await room.counters.total(HOME), 1);
    proxy.redirect(next);
    await waitFor("the new master", async () => {
      if (asks === "hits") await room.counters.hit(HOME).catch(() => {});
      if (asks === "readiness") await room.counters.ready().catch(() => {});
      return await isLeft(redis) || undefined;
    });
    await room.connected();
    const number = await room.counters.hit(HOME);
    strictEqual(await next.command("GET", "hits:home"), String(number));
    deepStrictEqual(
      room.events(),
      asks === "nothing" ? [] : ["store unavailable", "store available"],
    );
  });
}

testCounted(
  "a replica is left once a second while its name leads to no other",
  async ({ redis, proxy, room }) => {
    await redis.command("REPLICAOF", "127.0.0.1", "1");
    const start = performance.now();
    while (performance.now() - start < 1000) {
      await rejectsWith("store-unavailable", room.counters.hit(HOME));
      strictEqual(await room.counters.total(HOME), 1);
      await pause(10);
    }
    // The first of all, one after the first refusal, and one a second later. The last hit may have
    // taken a while.
    const most = 2 + Math.floor((performance.now() - start) / 1000);
    ok(proxy.connections >= 2 && proxy.connections <= most, String(proxy.connections));
    deepStrictEqual(room.events(), ["store unavailable"]);
  },
);

Deno.test(
  "a login that is refused after a restart is told as the cause",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    const user = ["ACL", "SETUSER", "tally", "on", ">pass-of-tally", "~*", "+@all"];
    await redis.command(...user);
    await using room = enter(`redis://tally:pass-of-tally@127.0.0.1:${redis.port}`);
    await room.connected();
    // Users live in the memory of Redis unless it has a file for them.
    await redis.restart();
    await waitFor("the cause", () => /WRONGPASS/.test(room.log.join()) || undefined);
    deepStrictEqual(room.events(), ["store unavailable", "store unavailable"]);
    await redis.command(...user);
    await room.connected();
    strictEqual(await room.counters.hit(HOME), 1);
    deepStrictEqual(room.events(), ["store unavailable", "store unavailable", "store available"]);
  },
);

testCounted(
  "a password that is asked for after a restart is told as the cause",
  async ({ redis, proxy, room }) => {
    await redis.command("CONFIG", "SET", "requirepass", "set-meanwhile");
    proxy.cut();
    await waitFor("the cause", () => /NOAUTH/.test(room.log.join()) || undefined);
    await rejectsWith("store-unavailable", room.counters.hit(HOME));
    deepStrictEqual(room.events(), ["store unavailable", "store unavailable"]);
  },
);

testCounted("a Redis that hangs is told of although nobody calls", async ({ redis, room }) => {
  await redis.kill("SIGSTOP");
  await waitFor("the log", () => room.log[0]);
  await redis.kill("SIGCONT");
  await waitFor("the log", () => room.log[1]);
  deepStrictEqual(room.events(), ["store unavailable", "store available"]);
});

Deno.test("a Redis that comes up later is found", needsRedis, async () => {
  await using proxied = await startProxiedRedis();
  const { proxy, url } = proxied;
  await proxy.refuse();
  await using room = enter(url);
  await waitFor("the log", () => room.log[0]);
  await rejectsWith("store-unavailable", room.counters.hit(HOME));
  proxy.accept();
  // The failure is detected without any calls.
  await waitFor("the log", () => room.log[1]);
  deepStrictEqual(room.events(), ["store unavailable", "store available"]);
  await room.connected();
  strictEqual(await room.counters.hit(HOME), 1);
});

/** Registers a test on a Redis behind a proxy, through which a hit was counted. */
function testCounted(
  what: string,
  body: (all: { redis: RedisServer; proxy: TcpProxy; room: Room }) => Promise<void>,
): void {
  Deno.test(what, needsRedis, async () => {
    await using proxied = await startProxiedRedis();
    await using room = enter(proxied.url);
    await room.connected();
    strictEqual(await room.counters.hit(HOME), 1);
    await body({ redis: proxied.redis, proxy: proxied.proxy, room });
  });
}

interface Room extends AsyncDisposable {
  readonly counters: Counters;
  readonly log: readonly string[];
  connected(): Promise<void>;
  /** The events in the log. */
  events(): string[];
}

/**
 * Reports whether the kernel holds bytes that the listener on this port of 127.0.0.1 has not read.
 */
async function hasUnread(port: number): Promise<boolean> {
  const local = port.toString(16).toUpperCase().padStart(4, "0");
  const unread = new RegExp(`: \\w{8}:${local} \\S+ 01 \\w{8}:(?!0{8})`);
  return unread.test(await Deno.readTextFile("/proc/net/tcp"));
}

/** Reports whether this is the only connection to a Redis. */
async function isLeft(redis: RedisServer): Promise<boolean> {
  const clients = String(await redis.command("CLIENT", "LIST", "TYPE", "normal"));
  return clients.trim().split("\n").length === 1;
}

/**
 * Makes `next` a copy of the old master, then the master of it, as an operator or a Sentinel does.
 */
async function failOver(old: RedisServer, next: RedisServer): Promise<void> {
  await old.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
  await next.command("REPLICAOF", "127.0.0.1", String(old.port));
  await waitFor(
    "the copy",
    async () => await next.command("GET", "hits:home") === "1" || undefined,
  );
  await next.command("REPLICAOF", "NO", "ONE");
  await old.command("REPLICAOF", "127.0.0.1", String(next.port));
}

async function connect(url: string): Promise<StoreLink> {
  const link = await linkTo(url);
  await waitFor("a connection", () => link.send([["PING"]]).then(() => true, () => undefined));
  return link;
}

function enter(url: string): Room {
  const log: string[] = [];
  const secrets = [decodeURIComponent(URL.parse(url)?.password ?? "")];
  const health = createStoreHealth(
    createLog({ secrets, write: (line) => log.push(line) }),
    new Metrics(),
  );
  const counters = createCounters(createLazyStore({
    traits: { source: "redis", ...REDIS_BATCHES },
    health,
    open: async () => await storeOn(await linkTo(url, { health })),
  }));
  return {
    counters,
    log,
    async connected() {
      await waitFor("a connection", () => counters.ready().then(() => true, () => undefined));
    },
    events: () => log.map((line) => JSON.parse(line).event),
    [Symbol.asyncDispose]: () => counters.close(),
  };
}

function kindOf(problem: unknown): string {
  return problem instanceof Object && "kind" in problem ? String(problem.kind) : String(problem);
}
