import { findServer } from "../../support/programs.ts";
import { FOREIGN_VALUES, redisBackend } from "../../support/redis_backend.ts";
import { type RedisServer, startRedis } from "../../support/redis_server.ts";
import { testStore } from "../../support/store_contract.ts";

const SERVERS = [
  { name: "Valkey 8.1", program: findServer("valkey-server") },
  { name: "Redis 8.0", program: findServer("redis-server") },
];

for (const { name, program } of SERVERS) {
  /** One for all tests, emptied after each. */
  let server: RedisServer;
  if (program !== undefined) {
    Deno.test.beforeAll(async () => {
      server = await startRedis({ program });
    });
    Deno.test.afterAll(() => server[Symbol.asyncDispose]());
  }

  testStore(`createRedisStore on ${name}`, {
    ignore: program === undefined,
    foreign: FOREIGN_VALUES,
    writers: 3,
    keeps: true,
    start: () =>
      Promise.resolve(redisBackend({
        url: server.url,
        masterOf: () => Promise.resolve(server),
        end: async () => {
          await server.command("FLUSHALL");
        },
      })),
  });
}
