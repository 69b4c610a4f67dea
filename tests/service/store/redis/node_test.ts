import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { redisFromUrl } from "../../../../src/start/store_address.ts";
import { oneAtATime, RedisNode } from "../../../../src/store/redis/node.ts";
import { UNSENT } from "../../../../src/store/redis/reply.ts";
import { NOOP_HEALTH } from "../../../support/noop_health.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { startProxiedRedis } from "../../../support/proxied_redis.ts";
import { needsRedis, startRedis } from "../../../support/redis_server.ts";
import { FAR_AWAY_MS } from "../../../support/time_limit.ts";
import { waitFor } from "../../../support/wait_for.ts";
import { connected, storeOn } from "../../../support/redis_backend.ts";

Deno.test("a run that fails does not end the later ones", async () => {
  const runs = [() => Promise.reject(new Error("failed")), () => Promise.resolve()].values();
  const run = oneAtATime(() => runs.next().value?.() ?? Promise.reject(new Error("one too many")));
  await rejects(run(), { message: "failed" });
  await run();
});

Deno.test(
  "a connection that broke is used again only when the server was confirmed after it was back",
  needsRedis,
  async () => {
    await using room = await startProxiedRedis();
    await using node = await enter(room.url);
    deepStrictEqual(await node.send([["INCRBY", "a", "1"]]), [UNSENT]);
    const early = performance.now();
    node.confirm(early);
    deepStrictEqual(await node.send([["INCRBY", "a", "1"]]), [{ kind: "done", value: "1" }]);
    room.proxy.cut();
    await waitFor("the end of the connection", () => node.isUsable ? undefined : true, {
      timeout: FAR_AWAY_MS,
    });
    await waitFor("a new one", () => node.connectedAt < Infinity || undefined, {
      timeout: FAR_AWAY_MS,
    });
    // A caller with the old name may not know yet that the node was replaced.
    node.confirm(early);
    deepStrictEqual(await node.send([["INCRBY", "a", "1"]]), [UNSENT]);
    node.confirm(performance.now());
    deepStrictEqual(await node.send([["INCRBY", "a", "1"]]), [{ kind: "done", value: "2" }]);
  },
);

Deno.test(
  "what was sent to a server is unknown if it is closed at once",
  needsRedis,
  async () => {
    await using room = await startProxiedRedis();
    await using node = await enter(room.url);
    node.confirm(performance.now());
    room.proxy.delay(50);
    const sent = node.send([["INCRBY", "a", "1"], ["GET", "a"]]);
    await node.close(0);
    deepStrictEqual((await sent).map(({ kind }) => kind), ["lost", "lost"]);
  },
);

Deno.test(
  "too few replicas leave what was written unknown, and what is read as it is",
  needsRedis,
  async () => {
    await using room = await startProxiedRedis();
    await using node = await enter(room.url, { replicas: 1 });
    node.confirm(performance.now());
    const replies = await node.send([["INCRBY", "a", "1"], ["LPUSH", "a", "1"]]);
    deepStrictEqual(replies.map(({ kind }) => kind), ["lost", "refused"]);
    deepStrictEqual(await node.send([["GET", "a"]]), [{ kind: "done", value: "1" }]);
  },
);

Deno.test("close leaves no connection that was being opened", needsRedis, async () => {
  await using room = await startProxiedRedis();
  await nodeOf(room.url).close();
  await using other = await enter(room.url);
  deepStrictEqual(await other.ask([["GET", "a"]]), [{ kind: "done", value: null }]);
  await waitFor("the end of the first one", () => room.proxy.open === 1 || undefined);
});

Deno.test(
  "a scan fails if the server restarts meanwhile, because the cursor means something else then",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await redis.commands(Array.from({ length: 1000 }, (_, at) => ["SET", `hits:${at}`, "1"]));
    await redis.command("SAVE");
    const link = await linkTo(redis.url);
    const pages = link.scan("hits:")[Symbol.asyncIterator]();
    strictEqual((await pages.next()).done, false);
    await redis.kill();
    await redis.start();
    await waitFor(
      "a new connection",
      () => link.send([["GET", "hits:1"]]).then(([reply]) => reply?.kind === "done" || undefined),
      { timeout: FAR_AWAY_MS },
    );
    await rejects(async () => {
      for (;;) if ((await pages.next()).done === true) break;
    }, { kind: "store-unavailable" });
    await link.close();
  },
);

/** A node that is connected and not confirmed yet. */
async function enter(
  url: string,
  options?: { replicas: number },
): Promise<RedisNode & AsyncDisposable> {
  const node = nodeOf(url, options);
  await node.attempted;
  return Object.assign(node, { [Symbol.asyncDispose]: () => node.close() });
}

function nodeOf(url: string, { replicas = 0 } = {}): RedisNode {
  const address = redisFromUrl(url);
  if (address === undefined) throw new Error("Connect to a Redis: its URL is none");
  return new RedisNode({ address, replicas, health: NOOP_HEALTH });
}

for (const since of [undefined, -Infinity]) {
  const what = since === undefined ? "totals" : "days";
  Deno.test(
    `a list of ${what} leaves out a counter that was deleted after its key was listed`,
    needsRedis,
    async () => {
      await using redis = await startRedis();
      await redis.command("MSET", "hits:deleted", "5", "hits:kept", "0", "hits:other", "text");
      const link = await linkTo(redis.url);
      const store = await storeOn({
        connectedAt: 0,
        multiKeyAcrossSlots: link.multiKeyAcrossSlots,
        send: (commands) => link.send(commands),
        shards: (prefix) => link.shards(prefix),
        async *scan(prefix) {
          for await (const keys of link.scan(prefix)) {
            await redis.command("DEL", "hits:deleted");
            yield keys;
          }
        },
        close: () => link.close(),
      });
      await connected(store);
      const pages = await Array.fromAsync(store.list({ prefix: "", since }));
      deepStrictEqual(pages, [{
        counters: [{ id: "kept", hits: 0, days: undefined }],
        foreign: 1,
      }]);
      await store.close();
    },
  );
}
