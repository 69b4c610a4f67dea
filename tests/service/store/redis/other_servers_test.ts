import { findOnPath } from "../../../support/programs.ts";
import { redisKind } from "../../../support/redis_backend.ts";
import { testStore } from "../../../support/store_contract.ts";

const SERVERS = [
  { name: "Valkey 8.1", program: findOnPath(["valkey-server-8.1"]) },
  { name: "Redis 8.0", program: findOnPath(["redis-server-8.0"]) },
];

for (const { name, program } of SERVERS) {
  testStore(name, program === undefined ? redisKind(true) : redisKind(false, { program }));
}
