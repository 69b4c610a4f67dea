// Measures several services on one Redis together, and shows that they never give a number twice.
// Options: --processes 1,2,3, --seconds 3, --hits 100000.
import { parseArgs } from "node:util";
import { startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { findLoader, type Shape } from "./load.ts";
import { benchRows } from "./rows.ts";
import { BENCH_SECRET, benchStack, serviceEnv } from "./servers.ts";
import { figure, table } from "./table.ts";
import { TEMP_PREFIX } from "../support/temp_dir.ts";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "1,2,3" },
    seconds: { type: "string", default: "3" },
    hits: { type: "string", default: "100000" },
  },
});
const counts = values.processes.split(",").map(Number);

await using stack = benchStack();
const redis = stack.use(await startRedis());
const services: Service[] = [];
const loaders = await Promise.all(Array.from({ length: Math.max(...counts) }, async () => {
  services.push(stack.use(await startService({ env: serviceEnv(redis.url) })));
  const folder = await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}bench-` });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  return findLoader(folder);
}));

const shapes = benchRows({ everyShape: false }).filter(({ name }) =>
  /^\/(hit|count) hot 64$/.test(name)
);
await together(services.length, shapes[0]?.shape, 1);
const results: string[][] = [];
for (const { name, shape } of shapes) {
  for (const count of counts) {
    const all = await together(count, shape, Number(values.seconds));
    const perSecond = all.reduce((sum, one) => sum + one.perSecond, 0);
    const p99 = Math.max(...all.map((one) => one.p99));
    results.push([`${name}, ${count} processes`, figure(perSecond), figure(p99)]);
  }
}
console.log(table(["redis", "together/s", "worst p99 ms"], results));
await proveExact(Number(values.hits));

/** Loads the first services all at once, each by a loader of its own. */
function together(count: number, shape: Shape | undefined, seconds: number) {
  if (shape === undefined) throw new Error("Measure processes: their rows are gone");
  return Promise.all(
    services.slice(0, count).map((service, index) => {
      const loader = loaders[index];
      if (loader === undefined) throw new Error("Measure processes: one has no loader");
      return loader.run({ url: service.url, shape, connections: 64, seconds });
    }),
  );
}

/**
 * Sends so many hits of one id to all services and throws unless the answers are the numbers 1, 2,
 * 3, …
 */
async function proveExact(hits: number): Promise<void> {
  const given = new Set<number>();
  const headers = { "X-Auth-Token": BENCH_SECRET };
  let sent = 0;
  const caller = async (service: Service) => {
    while (sent < hits) {
      sent++;
      const response = await fetch(`${service.url}/hit?id=exact`, { method: "POST", headers });
      const answer: { hits: number } = await response.json();
      if (!response.ok) throw new Error(`Count: ${response.status}`);
      if (given.has(answer.hits)) throw new Error(`Count: ${answer.hits} was given twice`);
      given.add(answer.hits);
    }
  };
  await Promise.all(
    services.flatMap((service) => Array.from({ length: 32 }, () => caller(service))),
  );
  const highest = given.values().reduce((a, b) => Math.max(a, b), 0);
  const held = Number(await redis.command("GET", "hits:exact"));
  if (given.size !== hits || highest !== hits || held !== hits) {
    throw new Error(
      `Count ${hits} hits: ${given.size} numbers up to ${highest}, Redis holds ${held}`,
    );
  }
  console.log(
    `${hits.toLocaleString("en")} hits over ${services.length} processes: each number from 1 to ${
      hits.toLocaleString("en")
    } was given once`,
  );
}
