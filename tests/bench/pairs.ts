// Compares this checkout with another one, or with the bare server that is its limit. Both run at
// the same time and are loaded in turns of a second each, so that both meet the same machine. Every
// pair has new processes, because V8 optimizes each process differently.
//
//   deno run -A --config tests/deno.json tests/bench/pairs.ts --against FOLDER
//   deno run -A --config tests/deno.json tests/bench/pairs.ts --against limit
//
// Prints the requests per second of this checkout divided by the other's, and the CPU time per
// request of the other divided by this one's, each with its standard error. This checkout is better
// above 1. Options: --only REGEX (over names such as "/hit hot 64 redis"), --pairs 4, --bursts 10.
import { parseArgs } from "node:util";
import { redisAvailable } from "../support/redis_server.ts";
import { Arena } from "./bench_setup.ts";
import { findLoader } from "./load.ts";
import { median } from "./median.ts";
import { benchRows, type Row, type StoreName, STORES } from "./rows.ts";
import { benchStack } from "./servers.ts";
import { processorSeconds } from "./sizes.ts";
import { figure, table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A process that is loaded. */
type Side = { url: string; pid: number };
/** The result of one burst, in requests per second and microseconds of CPU per request. */
type Burst = { perSecond: number; cpu: number };

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    only: { type: "string", default: "^/(count|badge|hit) (hot|10k) 64" },
    pairs: { type: "string", default: "4" },
    bursts: { type: "string", default: "10" },
  },
});
const { against } = values;
if (against === undefined) {
  throw new Error("Measure pairs: say against what, as in --against FOLDER");
}
const only = new RegExp(values.only);

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const loader = findLoader(folder);

const lines: string[][] = [];
for (const store of STORES) {
  if (store === "redis" && !redisAvailable) continue;
  for (const row of benchRows(loader)) {
    const name = `${row.name} ${store}`;
    if (only.test(name)) lines.push([name, ...await measure(row, store)]);
  }
}
console.log(table([`against ${against}`, "rate", "CPU", "µs there", "µs here"], lines));

async function measure(row: Row, store: StoreName): Promise<string[]> {
  const rates: number[] = [];
  const processorTimes: number[] = [];
  const used: number[][] = [[], []];
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const [theirs, ours] = await measurePair(row, store);
    rates.push(median(ours.map(({ perSecond }, at) => perSecond / (theirs[at]?.perSecond ?? NaN))));
    processorTimes.push(median(ours.map(({ cpu }, at) => (theirs[at]?.cpu ?? NaN) / cpu)));
    [theirs, ours].forEach((side, at) => used[at]?.push(median(side.map(({ cpu }) => cpu))));
  }
  const line = [withError(rates), withError(processorTimes), ...used.map(median).map(figure)];
  console.error(row.name, store, ...line);
  return line;
}

/** Returns the bursts of the other checkout and of this one. */
async function measurePair(row: Row, store: StoreName): Promise<[theirs: Burst[], ours: Burst[]]> {
  await using pairStack = new AsyncDisposableStack();
  const open = async (project?: string) => {
    const place = await Deno.makeTempDir({ dir: folder });
    const arena = new Arena(pairStack, place, project);
    return { arena, side: await arena.process(store, row) };
  };
  const { arena, side: ours } = await open();
  const theirs = against === "limit"
    ? await limitOf(arena, { row, url: ours.url })
    : (await open(Deno.realPathSync(against ?? ""))).side;
  // The first seconds of a process are those of its compiler.
  for (const side of [theirs, ours]) await burst(side, row, 3);
  const bursts: [Burst[], Burst[]] = [[], []];
  for (let turn = 0; turn < Number(values.bursts); turn++) {
    for (const at of turn % 2 === 0 ? [0, 1] as const : [1, 0] as const) {
      bursts[at].push(await burst(at === 0 ? theirs : ours, row, 1));
    }
  }
  return bursts;
}

async function limitOf(arena: Arena, { row, url }: { row: Row; url: string }): Promise<Side> {
  const { pid } = await arena.limitProcess(row, url);
  return { pid, url: (await arena.limit(row, url)).whole };
}

async function burst({ url, pid }: Side, row: Row, seconds: number): Promise<Burst> {
  const before = processorSeconds(pid);
  const { shape, connections } = row;
  const { requests, perSecond } = await loader.run({ url, shape, connections, seconds });
  return { perSecond, cpu: (processorSeconds(pid) - before) / requests * 1e6 };
}

function withError(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const squares = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0);
  const error = Math.sqrt(squares / (ratios.length - 1) / ratios.length);
  return `${mean.toFixed(2)} ± ${error.toFixed(2)}`;
}
