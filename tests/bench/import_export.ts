// Measures imports of unsorted lines into an empty store, exports, and how much slower hits on
// 10,000 other ids are during them. Options: --counters 100000,1000000, --days 0,30, --seconds 3.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { redisAvailable, startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { findLoader, type Measured } from "./load.ts";
import { benchRows, type StoreName, STORES } from "./rows.ts";
import { BENCH_SECRET, benchStack, serviceEnv } from "./servers.ts";
import { fileSize, growthDuring, usedMemory } from "./sizes.ts";
import { figure, table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

const { values } = parseArgs({
  options: {
    counters: { type: "string", default: "100000,1000000" },
    days: { type: "string", default: "0,30" },
    seconds: { type: "string", default: "3" },
  },
});
const headers = { "X-Auth-Token": BENCH_SECRET };

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const loader = findLoader(folder);
if (!loader.everyShape) Deno.exit(1);
const stores = STORES.filter((store) => store !== "redis" || redisAvailable);

const results: string[][] = [];
const beside: string[][] = [];
for (const days of values.days.split(",").map(Number)) {
  for (const counters of values.counters.split(",").map(Number)) {
    const lines = await writeLines({ counters, days });
    for (const store of stores) {
      const name = `${store}, ${counters.toLocaleString("en")} with ${days} days`;
      const { carried, hits } = await measure(store, { lines, counters });
      results.push([name, ...carried.map(figure)]);
      beside.push([name, ...hits]);
    }
    await Deno.remove(lines);
  }
}
console.log(table(
  [
    ...["store, counters", "import/s", "MB more", "bytes per counter"],
    ...["export s", "MB more", "MB sent"],
  ],
  results,
));
console.log(table(
  [
    ...["hits beside", "alone/s", "p99 ms", "export: rate ×", "p99 ×"],
    ...["import: rate ×", "p99 ×"],
  ],
  beside,
));

/** Lines of counters in an order that has nothing to do with their names. */
async function writeLines({ counters, days }: { counters: number; days: number }): Promise<string> {
  const path = join(folder, "lines");
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  const dates = Array.from({ length: days }, (_, index) => dateOf(days - index));
  let text = "";
  for (let index = 0; index < counters; index++) {
    // 7,919 is prime, so that each comes once.
    const id = `blog/post-${index * 7919 % counters}`;
    const history = dates.map((date, day) => `"${date}":${1 + (index + day) % 99}`);
    const told = days === 0 ? "" : `,"days":{${history.join(",")}}`;
    text += `{"id":"${id}","hits":${10_000 + index}${told}}\n`;
    if (text.length < 1e6 && index < counters - 1) continue;
    await writer.write(encoder.encode(text));
    text = "";
  }
  await writer.close();
  return path;
}

function dateOf(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
}

async function measure(
  store: StoreName,
  { lines, counters }: { lines: string; counters: number },
): Promise<{ carried: number[]; hits: string[] }> {
  await using local = stack.use(new AsyncDisposableStack());
  const cwd = await Deno.makeTempDir({ dir: folder });
  const redis = store === "redis" ? local.use(await startRedis()) : undefined;
  const service = local.use(await startService({ cwd, env: serviceEnv(redis?.url) }));
  await service.storeReady();
  const size = () => redis === undefined ? fileSize(cwd) : usedMemory(redis);

  const empty = await size();
  const [importing, importGrowth] = await timed(service, async () => {
    const told = await importFrom(service, lines);
    if (told.counters !== counters) throw new Error(`Import: ${JSON.stringify(told)}`);
  });
  const bytes = (await size() - empty) / counters;
  let sent = 0;
  const [exporting, exportGrowth] = await timed(service, async () => {
    sent = await exportFrom(service, { counters });
  });

  const alone = await load(service);
  const whileExporting = await loadBeside(service, (signal) => exportFrom(service, { signal }));
  const whileImporting = await loadBeside(service, (signal) => importFrom(service, lines, signal));
  return {
    carried: [counters / importing, importGrowth, bytes, exporting, exportGrowth, sent / 1e6],
    hits: [
      ...[alone.perSecond, alone.p99].map(figure),
      ...[whileExporting, whileImporting].flatMap(({ perSecond, p99 }) => [
        figure(perSecond / alone.perSecond),
        figure(p99 / alone.p99),
      ]),
    ],
  };
}

/**
 * Returns the seconds that `going` takes, and the megabytes by which the service grows during it.
 */
async function timed(service: Service, going: () => Promise<void>): Promise<[number, number]> {
  const began = performance.now();
  const growth = await growthDuring(service.pid, going);
  return [(performance.now() - began) / 1000, growth];
}

async function importFrom(
  { url }: Service,
  lines: string,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  using file = await Deno.open(lines);
  const request = { method: "POST", headers, body: file.readable, ...signal && { signal } };
  return await (await fetch(`${url}/counters`, request)).json();
}

/** Resolves with how many bytes came; throws unless the last line tells of so many counters. */
async function exportFrom(
  { url }: Service,
  { counters, signal }: { counters?: number; signal?: AbortSignal },
): Promise<number> {
  const answer = await fetch(`${url}/counters`, { headers, ...signal && { signal } });
  const decoder = new TextDecoder();
  let [bytes, end] = [0, ""];
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    end = (end + decoder.decode(part.slice(-100))).slice(-100);
  }
  const told = /\{"counters":(\d+)[^\n]*\}\n$/.exec(end)?.[1];
  if (counters !== undefined && Number(told) !== counters) throw new Error(`Export: ${end}`);
  return bytes;
}

async function load({ url }: Service): Promise<Measured> {
  const row = benchRows(loader).find(({ name }) => name === "/hit 10k 64");
  if (row === undefined) throw new Error("Measure hits: their row is gone");
  const job = { url, shape: row.shape, connections: row.connections };
  await loader.run({ ...job, seconds: 1 });
  return await loader.run({ ...job, seconds: Number(values.seconds) });
}

/** Loads a service while something goes on again and again. */
async function loadBeside(
  service: Service,
  going: (signal: AbortSignal) => Promise<unknown>,
): Promise<Measured> {
  const ending = new AbortController();
  const { signal } = ending;
  const again = async () => {
    while (!signal.aborted) await going(signal).catch((error) => signal.aborted || raise(error));
  };
  const goingOn = again();
  const measured = await load(service);
  ending.abort();
  await goingOn;
  return measured;
}

function raise(error: unknown): never {
  throw error;
}
