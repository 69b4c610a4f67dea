// Measures requests as the number of stored ids grows, on both stores, with ids drawn uniformly.
// Options: --ids 1000,100000,1000000 (1000,10000 is quick), --seconds 3.
import { parseArgs } from "node:util";
import { redisAvailable, startRedis } from "../support/redis_server.ts";
import { startService } from "../support/service.ts";
import { firstAnswer } from "./first_answer.ts";
import { findLoader, type Shape } from "./load.ts";
import { prefillKv, prefillRedis } from "./prefill.ts";
import { benchRows, type StoreName, STORES } from "./rows.ts";
import { serviceCommand } from "../support/service_command.ts";
import { benchStack, serviceEnv } from "./servers.ts";
import { fileSize, residentMegabytes, usedMemory } from "./sizes.ts";
import { figure, table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

const { values } = parseArgs({
  options: {
    ids: { type: "string", default: "1000,100000,1000000" },
    seconds: { type: "string", default: "3" },
  },
});
const seconds = Number(values.seconds);

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const loader = findLoader(folder);
if (!loader.everyShape) Deno.exit(1);
const stores = STORES.filter((store) => store !== "redis" || redisAvailable);

const results: string[][] = [];
for (const store of stores) {
  for (const ids of values.ids.split(",").map(Number)) results.push(await measure(store, ids));
}
console.log(table(
  [
    ...["store, ids", "/hit/s", "p99 ms", "/count/s", "p99 ms", "bytes per id"],
    ...["after /hit", "MB idle", "MB after", "start ms"],
  ],
  results,
));

async function measure(store: StoreName, ids: number): Promise<string[]> {
  await using local = stack.use(new AsyncDisposableStack());
  const cwd = await Deno.makeTempDir({ dir: folder });
  const redis = store === "redis" ? local.use(await startRedis()) : undefined;
  const size = () => redis === undefined ? fileSize(cwd) : usedMemory(redis);
  const empty = redis === undefined ? 0 : await size();
  if (redis === undefined) await prefillKv(cwd, ids);
  else await prefillRedis(redis, ids);
  const filled = await size();
  const env = serviceEnv(redis?.url);
  const health = { method: "GET", path: "/healthz", headers: {} };
  const start = { line: serviceCommand({}), env, request: health, cwd };
  await firstAnswer(start);
  const startTime = await firstAnswer(start);

  const service = local.use(await startService({ cwd, env }));
  const idle = residentMegabytes(service.pid);
  const load = async (shape: Shape) => {
    const job = { url: service.url, shape: { ...shape, ids }, connections: 64 };
    await loader.run({ ...job, seconds: 1 });
    return await loader.run({ ...job, seconds });
  };
  const hit = await load(shapeOf("/hit hot 64"));
  const count = await load(shapeOf("/count hot 64"));
  const after = residentMegabytes(service.pid);
  await service.stop();
  return [
    `${store}, ${ids.toLocaleString("en")}`,
    ...[hit.perSecond, hit.p99, count.perSecond, count.p99].map(figure),
    ...[(filled - empty) / ids, (await size() - empty) / ids, idle, after, startTime].map(figure),
  ];
}

function shapeOf(name: string): Shape {
  const row = benchRows(loader).find((row) => row.name === name);
  if (row === undefined) throw new Error(`Measure ${name}: there is no such row`);
  return row.shape;
}
