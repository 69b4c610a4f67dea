import { ok, rejects, strictEqual } from "node:assert/strict";
import { exchange } from "../../support/resp.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { startProxy, type TcpProxy } from "../../support/tcp_proxy.ts";
import { waitFor } from "../../support/wait_for.ts";
import { startProxiedRedis } from "../../support/proxied_redis.ts";
import { timeLimit } from "../../support/time_limit.ts";

Deno.test("startProxy: forwards, counts and delays each way", needsRedis, async () => {
  await using proxied = await startProxiedRedis();
  const { proxy, url } = proxied;
  using connection = await connect(proxy);
  strictEqual(url, `redis://127.0.0.1:${proxy.port}`);
  strictEqual((await exchange(connection, [["PING"]]))[0], "PONG");
  strictEqual(proxy.bytes.toUpstream, 14);
  strictEqual(proxy.bytes.toClient, 7);
  strictEqual(proxy.connections, 1);
  strictEqual(proxy.open, 1);
  proxy.delay(30);
  const start = performance.now();
  await exchange(connection, [["PING"]]);
  const took = performance.now() - start;
  ok(took >= 58 && took < timeLimit(200), `${took} ms`);
});

Deno.test(
  "cutAfterNextRequest: the command is executed and its reply lost",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { redis, proxy } = proxied;
    using connection = await connect(proxy);
    const cut = proxy.cutAfterNextRequest("INCR");
    await exchange(connection, [["PING"]]);
    await rejects(exchange(connection, [["INCR", "hits:x"]]), /ended|reset/);
    await cut;
    strictEqual(await redis.command("GET", "hits:x"), "1");
    using again = await connect(proxy);
    strictEqual((await exchange(again, [["INCR", "hits:x"]]))[0], 2);
  },
);

Deno.test("blackHole: holds what is sent until resume", needsRedis, async () => {
  await using proxied = await startProxiedRedis();
  const { redis, proxy } = proxied;
  using connection = await connect(proxy);
  proxy.blackHole();
  const answer = exchange(connection, [["INCR", "hits:x"]]);
  await waitFor("the request to be held", () => proxy.open === 1 ? true : undefined);
  // Asked often enough that a hit which came through would be seen.
  for (let time = 0; time < 20; time++) strictEqual(await redis.command("GET", "hits:x"), null);
  proxy.resume();
  strictEqual((await answer)[0], 1);
});

Deno.test("swallowReplies: commands are executed, then cut on demand", needsRedis, async () => {
  await using proxied = await startProxiedRedis();
  const { redis, proxy } = proxied;
  using connection = await connect(proxy);
  proxy.swallowReplies();
  const answer = rejects(exchange(connection, [["INCR", "hits:x"]]), /ended|reset/);
  await waitFor("the hit", async () => await redis.command("GET", "hits:x") ?? undefined);
  proxy.cut();
  await answer;
});

Deno.test(
  "refuse: nothing listens until accept, and open connections go on",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { proxy } = proxied;
    using connection = await connect(proxy);
    await exchange(connection, [["PING"]]);
    await proxy.refuse();
    await rejects(connect(proxy), Deno.errors.ConnectionRefused);
    strictEqual((await exchange(connection, [["PING"]]))[0], "PONG");
    proxy.accept();
    using again = await connect(proxy);
    strictEqual((await exchange(again, [["PING"]]))[0], "PONG");
  },
);

Deno.test(
  "startProxy: an upstream that ends or is away closes the client",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { redis, proxy } = proxied;
    using connection = await connect(proxy);
    await exchange(connection, [["PING"]]);
    await redis.kill();
    strictEqual(await connection.read(new Uint8Array(1)), null);
    using refused = await connect(proxy);
    strictEqual(await refused.read(new Uint8Array(1)), null);
  },
);

Deno.test(
  "startProxy: ends cleanly with bytes held by delay or black hole",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    for (const fault of ["delay", "blackHole"] as const) {
      const proxy = startProxy(redis);
      using connection = await connect(proxy);
      if (fault === "delay") proxy.delay(60_000);
      else proxy.blackHole();
      const answer = rejects(exchange(connection, [["PING"]]), /ended|reset/);
      await waitFor("the link", () => proxy.open === 1 ? true : undefined);
      await proxy[Symbol.asyncDispose]();
      await answer;
    }
  },
);

function connect(proxy: TcpProxy): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
}
