// Compares imports of 10,000 reports with imports of 10,000 lines, of new counters and of the same
// ones again. They take turns on one store. With another checkout, its imports of lines take turns
// with these. Options: --against FOLDER, --store redis, --pairs 8.
import { parseArgs } from "node:util";
import { projectFolder } from "../support/programs.ts";
import { startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { TEMP_PREFIX } from "../support/temp_dir.ts";
import { median } from "./median.ts";
import { BENCH_SECRET, benchStack, serviceEnv } from "./servers.ts";
import { figure, table } from "./table.ts";

const COUNTERS = 10_000;
const STEPS = ["new counters", "the same again", "once more"];

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    store: { type: "string", default: "redis" },
    pairs: { type: "string", default: "8" },
  },
});

await using stack = benchStack();
const folder = await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}bench-` });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const redis = values.store === "redis" ? stack.use(await startRedis()) : undefined;
const here = await start(projectFolder);
const kinds = [
  { name: "lines", service: here, stateOf: lineState },
  { name: "reports", service: here, stateOf: reportState },
];
if (values.against !== undefined) {
  const service = await start(Deno.realPathSync(values.against));
  kinds.push({ name: "lines there", service, stateOf: lineState });
}

/** Milliseconds of each import, by the step and the kind. */
const times = STEPS.map(() => new Map(kinds.map(({ name }) => [name, new Array<number>()])));
// The first turn is that of the compiler.
for (let pair = -1; pair < Number(values.pairs); pair++) {
  await redis?.command("FLUSHALL");
  for (const { name, service, stateOf } of pair % 2 === 0 ? kinds : kinds.toReversed()) {
    for (const [step, all] of times.entries()) {
      const at = new Date().toISOString();
      // 7,919 is prime, so that each comes once, in no order.
      const lines = Array.from({ length: COUNTERS }, (_, index) => {
        const id = `${pair}/${name}/${index * 7919 % COUNTERS}`;
        return `{"id":"${id}",${stateOf(10_000 + index + 10 * step, at)}}\n`;
      });
      const took = await importLines(service, lines.join(""));
      if (pair >= 0) all.get(name)?.push(took);
    }
  }
}
const rows = times.map((all, step) => {
  const lines = all.get("lines") ?? [];
  const cells = [...all.values()].flatMap((some) => {
    return [figure(median(some)), figure(median(some.map((one, at) => one / (lines[at] ?? NaN))))];
  });
  return [STEPS[step] ?? "", ...cells];
});
console.log(table([values.store, ...kinds.flatMap(({ name }) => [`${name} ms`, "×"])], rows));

function lineState(hits: number): string {
  return `"hits":${hits}`;
}

function reportState(seen: number, at: string): string {
  return `"seen":${seen},"at":"${at}"`;
}

async function start(project: string): Promise<Service> {
  const cwd = await Deno.makeTempDir({ dir: folder });
  const wrap = (line: string[]) => line.map((part) => part.replace(projectFolder, project));
  const service = stack.use(await startService({ cwd, wrap, env: serviceEnv(redis?.url) }));
  await service.storeReady();
  return service;
}

async function importLines({ url }: Service, body: string): Promise<number> {
  const headers = { "X-Auth-Token": BENCH_SECRET };
  const began = performance.now();
  const response = await fetch(`${url}/counters?mode=max`, { method: "POST", headers, body });
  const { counters } = await response.json();
  if (counters !== COUNTERS) throw new Error(`Import: ${counters} lines`);
  return performance.now() - began;
}
