// Measures operations whose cost could grow with the number of counters, each with days in three
// past years, on both stores. Prints the CPU time of the service, because other programs may share
// the machine, and milliseconds for a start. Options: --counters 1000,10000,100000,1000000,
// --stores deno-kv,redis, and --project FOLDER for the main.ts of another checkout.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCalendar } from "../../src/domain/calendar.ts";
import { firstDayOf, type OpenYear, yearOf } from "../../src/domain/history.ts";
import { encodeLedger, encodeYear, kvKeys } from "../../src/store/kv/kv_layout.ts";
import { formatLedger, formatYear, relatedKey } from "../../src/store/redis/redis_layout.ts";
import { projectFolder } from "../support/programs.ts";
import { redisAvailable, type RedisServer, startRedis } from "../support/redis_server.ts";
import { serviceCommand } from "../support/service_command.ts";
import { type Service, startService } from "../support/service.ts";
import { firstAnswer } from "./first_answer.ts";
import { BENCH_SECRET, benchStack, serviceEnv } from "./servers.ts";
import { growthDuring, processorSeconds, residentMegabytes } from "./sizes.ts";
import { figure, table } from "./table.ts";
import { TEMP_PREFIX } from "../support/temp_dir.ts";

/** Number of counters of a group. The sum of a larger group is refused. */
const PER_GROUP = 100_000;
/** Number of counters below the short prefix that is listed. */
const FEW = 1000;
/** Number of counters that are hit for the first time of a day, and of a year. */
const FIRST_HITS = 5000;
/** Number of concurrent callers. */
const CALLERS = 64;
/** Number of days with hits in each year of a counter. */
const DAYS_PER_YEAR = 4;

const { values } = parseArgs({
  options: {
    counters: { type: "string", default: "1000,10000,100000,1000000" },
    stores: { type: "string", default: "deno-kv,redis" },
    project: { type: "string", default: projectFolder },
  },
});
const headers = { "X-Auth-Token": BENCH_SECRET };
const today = createCalendar("UTC").today();
const wrap = (line: string[]) => line.map((part) => part.replace(projectFolder, values.project));

/**
 * Counters whose open day is yesterday, or one of last year, as a service left them that was hit
 * then.
 */
const LEFT: readonly { group: string; ledger: OpenYear }[] = [
  { group: "day", ledger: ledgerOn(today - 1) },
  { group: "year", ledger: ledgerOn(firstDayOf(yearOf(today)) - 1) },
];

await using stack = benchStack();
const folder = await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}bench-` });
stack.defer(() => Deno.remove(folder, { recursive: true }));

const rows: string[][] = [];
for (const store of values.stores.split(",")) {
  if (store === "redis" && !redisAvailable) continue;
  for (const counters of values.counters.split(",").map(Number)) {
    const row = await measure(store, counters);
    rows.push([`${store}, ${counters.toLocaleString("en")}`, ...row.map(figure)]);
    console.error(rows.at(-1)?.join(" | "));
  }
}
console.log(table(
  [
    ...["store, counters", "import s", "start ms", "export s", "1,000 of a prefix ms"],
    ...["page's list s", "sum ms", "sum again ms", "top ms", "a hit µs", "first of the day µs"],
    ...["first of the year µs", "MB idle", "MB more at most"],
  ],
  rows,
));

/** The figures of a row; NaN for what the service does not have, or does not make in time. */
async function measure(store: string, counters: number): Promise<number[]> {
  await using local = stack.use(new AsyncDisposableStack());
  const cwd = await Deno.makeTempDir({ dir: folder });
  const redis = store === "redis" ? local.use(await startRedis()) : undefined;
  const env = serviceEnv(redis?.url);

  const empty = await startService({ cwd, env, wrap });
  await empty.storeReady();
  const importing = await cpuSeconds(empty, () => importInto(empty, counters));
  await empty.stop();

  if (redis === undefined) await addToKv(cwd);
  else await addToRedis(redis);
  const health = { method: "GET", path: "/readyz", headers: {} };
  const start = { line: serviceCommand({ wrap }), env, request: health, cwd };
  await firstAnswer({ ...start, fillsCaches: true });
  const starting = await firstAnswer(start);

  const service = local.use(await startService({ cwd, env, wrap }));
  await service.storeReady();
  const idle = residentMegabytes(service.pid);
  const took: number[] = [];
  const growth = await growthDuring(service.pid, async () => {
    const cpu = (path: string) => cpuSeconds(service, () => read(service, path));
    took.push(await cpu("/counters"));
    took.push(1000 * await cpu("/counters?days=0&prefix=few/"));
    took.push(await cpu("/counters?days=60"));
    for (const path of ["/count?prefix=f0/", "/count?prefix=f0/", "/top?prefix=f0/&period=30d"]) {
      took.push(1000 * await cpu(path));
    }
    for (const group of ["few", "day", "year"]) {
      took.push(1e6 / FIRST_HITS * await cpuSeconds(service, () => hitAll(service, group)));
    }
  });
  await service.stop();
  return [importing, starting, ...took, idle, growth];
}

async function cpuSeconds(
  { pid }: Service,
  going: () => Promise<boolean | void>,
): Promise<number> {
  const before = processorSeconds(pid);
  return await going() === false ? NaN : processorSeconds(pid) - before;
}

/** Lines in an order that has nothing to do with their names. */
async function importInto({ url }: Service, counters: number): Promise<void> {
  const few = Array.from({ length: FEW }, (_, index) => lineOf(`few/${index}`, index));
  let index = 0;
  const lines = new ReadableStream<string>({
    pull(controller) {
      if (index === 0) controller.enqueue(few.join(""));
      const end = Math.min(counters, index + 5000);
      let text = "";
      // 7,919 is prime, so that each comes once.
      for (; index < end; index++) text += lineOf(nameOf(index * 7919 % counters), index);
      controller.enqueue(text);
      if (index === counters) controller.close();
    },
  });
  const body = lines.pipeThrough(new TextEncoderStream());
  const answer = await fetch(`${url}/counters`, { method: "POST", headers, body });
  const told = await answer.json();
  if (told.counters !== counters + FEW) throw new Error(`Import: ${JSON.stringify(told)}`);
}

function nameOf(index: number): string {
  return `f${Math.floor(index / PER_GROUP)}/post-${index}`;
}

function lineOf(id: string, index: number): string {
  const days: Record<string, number> = {};
  for (let year = yearOf(today) - 3; year <= yearOf(today); year++) {
    const month = year === yearOf(today) ? 1 : 12;
    for (let day = 1; day <= DAYS_PER_YEAR; day++) {
      const date = new Date(Date.UTC(year, month - 1, day));
      days[date.toISOString().slice(0, 10)] = 1 + (index + day) % 99;
    }
  }
  return `${JSON.stringify({ id, hits: 10_000 + index, days })}\n`;
}

/**
 * Reads an answer to its end; false if the service does not have it, or does not make it in time.
 */
async function read({ url }: Service, path: string): Promise<boolean> {
  const answer = await fetch(url + path, { headers });
  let bytes = 0;
  for await (const part of answer.body ?? []) bytes += part.length;
  if ([400, 404, 503].includes(answer.status)) return false;
  if (!answer.ok) throw new Error(`Read ${path}: ${answer.status}, ${bytes} bytes`);
  return true;
}

async function hitAll({ url }: Service, group: string): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    while (next < FIRST_HITS) {
      const id = `${group}/${next++ % (group === "few" ? FEW : FIRST_HITS)}`;
      const answer = await fetch(`${url}/hit?id=${id}`, { method: "POST", headers });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`Hit ${id}: ${answer.status}`);
    }
  }));
}

function ledgerOn(openDay: number): OpenYear {
  const before = [1, 2, 3, 4].slice(0, openDay - firstDayOf(yearOf(openDay)));
  return { openDay, totalAtDayStart: 9_999, firstYear: yearOf(openDay) - 3, before };
}

function yearsOf({ firstYear = NaN, openDay }: OpenYear) {
  return Array.from({ length: yearOf(openDay) - firstYear }, (_, index) => {
    const year = firstYear + index;
    return { year, last: firstDayOf(year + 1) - 1, hits: [1, 2, 3, 4] };
  });
}

async function addToKv(cwd: string): Promise<void> {
  const kv = await Deno.openKv(join(cwd, "data", "counters.kv"));
  const keys = kvKeys("hits:");
  for (const { group, ledger } of LEFT) {
    for (let index = 0; index < FIRST_HITS; index += 100) {
      const operation = kv.atomic();
      for (let number = index; number < index + 100; number++) {
        const id = `${group}/${number}`;
        operation.set(keys.total(id), new Deno.KvU64(10_000n));
        operation.set(keys.ledger(id), encodeLedger(ledger));
        for (const year of yearsOf(ledger)) {
          operation.set(keys.year(id, year.year), encodeYear(year));
        }
      }
      await operation.commit();
    }
  }
  kv.close();
}

async function addToRedis(redis: RedisServer): Promise<void> {
  for (const { group, ledger } of LEFT) {
    for (let number = 0; number < FIRST_HITS; number++) {
      const key = `hits:${group}/${number}`;
      const days = relatedKey(key, "days");
      const years = yearsOf(ledger).flatMap((year) => {
        return [relatedKey(key, `days${year.year}`), formatYear(year)];
      });
      await redis.command("MSET", key, "10000", days, formatLedger(ledger), ...years);
    }
  }
}
