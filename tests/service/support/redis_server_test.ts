import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { opensslAvailable } from "../../support/certificate.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { exchange } from "../../support/resp.ts";

Deno.test("startRedis: answers commands, each reply in its own type", needsRedis, async () => {
  await using redis = await startRedis();
  strictEqual(await redis.command("SET", "hits:日本", "7"), "OK");
  strictEqual(await redis.command("INCR", "hits:日本"), 8);
  strictEqual(await redis.command("GET", "hits:日本"), "8");
  strictEqual(await redis.command("GET", "hits:none"), null);
  strictEqual(await redis.command("INCRBY", "big", "9007199254740993"), 9007199254740993n);
  strictEqual(await redis.command("RPUSH", "list", "a", "b"), 2);
  deepStrictEqual(await redis.command("LRANGE", "list", "0", "-1"), ["a", "b"]);
  await rejects(redis.command("INCR", "list"), { name: "RespError", message: /^WRONGTYPE/ });
});

Deno.test("startRedis: restart and kill keep port, folder and saved data", needsRedis, async () => {
  await using redis = await startRedis({
    args: ["--appendonly", "yes", "--appendfsync", "always"],
  });
  const { url, pid } = redis;
  await redis.command("INCR", "hits:home");
  await redis.kill("SIGKILL");
  strictEqual(redis.stopped, true);
  await redis.restart();
  strictEqual(redis.url, url);
  strictEqual(redis.pid === pid, false);
  await redis.kill("SIGSTOP");
  await redis.kill("SIGCONT");
  await redis.restart();
  strictEqual(await redis.command("GET", "hits:home"), "1");
});

Deno.test("startRedis: a password is asked for and stands in the url", needsRedis, async () => {
  await using redis = await startRedis({ password: "p@ss/word" });
  strictEqual(redis.url, `redis://:p%40ss%2Fword@127.0.0.1:${redis.port}`);
  strictEqual(await redis.command("PING"), "PONG");
  using stranger = await Deno.connect({ hostname: "127.0.0.1", port: redis.port });
  match(String((await exchange(stranger, [["PING"]]))[0]), /NOAUTH/);
});

Deno.test({
  name: "startRedis: speaks TLS under a certificate of its own authority",
  ignore: needsRedis.ignore || !opensslAvailable,
  fn: async () => {
    await using redis = await startRedis({ tls: true });
    strictEqual(await redis.command("PING"), "PONG");
    strictEqual(redis.url, `rediss://localhost:${redis.port}`);
  },
});

Deno.test(
  "startRedis: a server that cannot start throws what it said",
  needsRedis,
  async () => {
    await using first = await startRedis();
    await rejects(startRedis({ args: ["--nonsense", "1"] }), /nonsense|Bad directive/);
    await rejects(startRedis({ port: first.port }), /already in use/);
  },
);
