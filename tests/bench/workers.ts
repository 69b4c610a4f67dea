// Compares `deno serve --parallel src/serve.ts` with bare servers that send the same bytes, with
// one worker and with one per core, on Redis:
// `deno run -A --config tests/deno.json tests/bench/workers.ts`. All run at once and are asked in
// turns. Options: --seconds 2, --rounds 6.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectFolder } from "../support/programs.ts";
import { startRedis } from "../support/redis_server.ts";
import { type ServiceOptions, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { responseOf } from "./bench_setup.ts";
import { findLoader } from "./load.ts";
import { median } from "./median.ts";
import { prefillRedis } from "./prefill.ts";
import { benchRows, type Row } from "./rows.ts";
import { benchStack, serviceEnv } from "./servers.ts";
import { figure, table } from "./table.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "6" },
  },
});
const cores = navigator.hardwareConcurrency;

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const loader = findLoader(folder);
const redis = stack.use(await startRedis());
await prefillRedis(redis, 10_000);

const one = await start(1, "src/serve.ts");
const all = await start(cores, "src/serve.ts");
const results: string[][] = [];
for (const row of benchRows(loader)) {
  if (!/^\/(count|badge|hit) hot 64$/.test(row.name)) continue;
  const fixed = await responseOf(row, one);
  const urls = {
    one,
    all,
    bareOne: await start(1, "tests/bench/bare_worker.ts", fixed),
    bareAll: await start(cores, "tests/bench/bare_worker.ts", fixed),
  };
  results.push(await measure(row, urls));
}
const head = ["64 connections", "1 worker", "× bare", `${cores} workers`, "× bare", "× 1 worker"];
console.log(table(head, results));

/** Starts an entry for `deno serve` with a number of workers. Resolves with its address. */
async function start(workers: number, entry: string, ...args: string[]): Promise<string> {
  const options: ServiceOptions = {
    args,
    env: { ...serviceEnv(redis.url), HOST: "", PORT: "", DENO_JOBS: String(workers) },
    wrap: ([deno = "", _run, ...rest]) => [
      ...[deno, "serve", "--parallel", "--host", "127.0.0.1", "--port", "0"],
      ...rest.map((word) => word.endsWith("main.ts") ? join(projectFolder, entry) : word),
    ],
  };
  return stack.use(await startService(options)).url;
}

/**
 * Returns the row of the table, with medians of requests per second and of ratios within a round.
 */
async function measure(
  { name, shape, connections }: Row,
  urls: Record<"one" | "all" | "bareOne" | "bareAll", string>,
): Promise<string[]> {
  const rounds: Record<keyof typeof urls, number>[] = [];
  const rate = async (url: string, seconds = Number(values.seconds)) =>
    (await loader.run({ url, shape, connections, seconds })).perSecond;
  // The first seconds of a process are those of its compiler.
  for (const url of Object.values(urls)) await rate(url, 1);
  for (let round = 1; round <= Number(values.rounds); round++) {
    rounds.push({
      one: await rate(urls.one),
      bareOne: await rate(urls.bareOne),
      all: await rate(urls.all),
      bareAll: await rate(urls.bareAll),
    });
    console.error(`${round}/${values.rounds} ${name}`);
  }
  const middle = (of: (round: typeof rounds[number]) => number) => figure(median(rounds.map(of)));
  return [
    name,
    middle(({ one }) => one),
    middle(({ one, bareOne }) => one / bareOne),
    middle(({ all }) => all),
    middle(({ all, bareAll }) => all / bareAll),
    middle(({ all, one }) => all / one),
  ];
}
