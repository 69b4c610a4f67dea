import { findOnPath } from "../../../support/programs.ts";
import { FOREIGN_VALUES, redisBackend } from "../../../support/redis_backend.ts";
import { type RedisServer, startRedis } from "../../../support/redis_server.ts";
import { testStore } from "../../../support/store_contract.ts";

const SERVERS = [
  { name: "Valkey 8.1", program: findOnPath(["valkey-server-8.1"]) },
  { name: "Redis 8.0", program: findOnPath(["redis-server-8.0"]) },
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

  testStore(name, {
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
