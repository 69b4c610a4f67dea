// `deno task bench` measures every endpoint on both stores and compares it with bare servers, in
// one table. Options: --seconds 3, --rounds 3, --only REGEX (over names such as "/hit hot 64
// redis").
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectFolder } from "../support/programs.ts";
import { redisAvailable } from "../support/redis_server.ts";
import { Arena } from "./bench_setup.ts";
import { findLoader, type Load, type Measured } from "./load.ts";
import { median } from "./median.ts";
import { benchRows, type Row, type StoreName, STORES } from "./rows.ts";
import { benchStack, scriptLine } from "./servers.ts";
import { figure, table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

/** The results of one row on one store in one round. */
type Round = {
  service: Measured;
  limit: Measured;
  oneHeader: Measured;
  yardstick?: Measured;
};
/** A row on a store, with all its rounds. */
type Entry = { row: Row; store: StoreName; rounds: Round[] };
/**
 * Single hits, one after the other: medians in milliseconds, of the yardstick over HTTP and of the
 * bare store.
 */
type IdleRound = { service: number; yardstick: number; bare: number };
type Idle = { store: StoreName; rounds: IdleRound[] };

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const only = new RegExp(values.only);

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const arena = new Arena(stack, folder);
const loader = findLoader(folder);
const stores = STORES.filter((store) => store !== "redis" || redisAvailable);

const rows = benchRows(loader);
const entries: Entry[] = rows.flatMap((row) =>
  stores.filter((store) => only.test(`${row.name} ${store}`)).map((store) => ({
    ...{ row, store, rounds: [] },
  }))
);
const idle: Idle[] = stores.filter((store) => only.test(`idle hit ${store}`)).map((store) => ({
  ...{ store, rounds: [] },
}));

for (let round = 1; round <= rounds; round++) {
  for (const [row, group] of Map.groupBy(entries, (entry) => entry.row)) {
    await measureRow(row, group, round);
  }
  for (const one of idle) one.rounds.push(await measureIdle(one.store));
}
report();

/** Stores share the limit of their row: both are measured right after it. */
async function measureRow(row: Row, group: readonly Entry[], round: number): Promise<void> {
  const { shape, connections } = row;
  const load = async (what: string, url: string): Promise<Measured> => {
    const job: Load = { url, shape, connections, seconds };
    // The first seconds of a process are those of its compiler.
    if (round === 1) await loader.run({ ...job, seconds: 1 });
    const measured = await loader.run(job);
    console.error(`${round}/${rounds} ${row.name}, ${what}: ${figure(measured.perSecond)}/s`);
    return measured;
  };
  const urls = await Promise.all(group.map(({ store }) => arena.service(store, row)));
  const bare = await arena.limit(row, urls[0] ?? "");
  const limit = await load("limit", bare.whole);
  const oneHeader = await load("limit with one header", bare.oneHeader);
  for (const [index, entry] of group.entries()) {
    const { store } = entry;
    const service = await load(store, urls[index] ?? "");
    const yardstick = row.yardstick
      ? { yardstick: await load(`yardstick ${store}`, await arena.yardstick(store, row)) }
      : {};
    entry.rounds.push({ service, limit, oneHeader, ...yardstick });
  }
}

/** A second holds thousands of single hits. */
async function measureIdle(store: StoreName): Promise<IdleRound> {
  const row = benchRows(loader).find(({ name }) => name === "/hit hot 1");
  if (row === undefined) throw new Error("Measure single hits: their row is gone");
  const url = await arena.service(store, row);
  const [program = "", ...args] = scriptLine("one_by_one.ts");
  const bare = await new Deno.Command(program, {
    args: [...args, store, await arena.place(store), "1"],
    stderr: "inherit",
  }).output();
  const single = { shape: row.shape, connections: 1, seconds: 1 };
  const service = await loader.run({ ...single, url });
  const yardstick = await loader.run({ ...single, url: await arena.yardstick(store, row) });
  return {
    service: service.p50,
    yardstick: yardstick.p50,
    bare: Number(new TextDecoder().decode(bare.stdout)),
  };
}

function report(): void {
  const results = entries.map(resultOf);
  const head = ["endpoint, ids, connections, store", "hits or reads/s", "p50 ms", "p99", "p99.9"];
  console.log(table(
    [...head, "× limit", "goal", "× one header", "× yardstick"],
    results.map((result) => [
      result.name,
      ...[result.perSecond, result.p50, result.p99, result.p999].map(figure),
      ...[result.ofLimit, result.goal, result.ofOneHeader, result.ofYardstick].map(figure),
    ]),
  ));
  const single = idle.map(idleResultOf);
  if (single.length > 0) {
    console.log(
      "\n" + table(
        [
          "one hit after the other",
          "p50 ms",
          "yardstick",
          "no HTTP",
          "× yardstick",
          "× no HTTP",
          "goal",
        ],
        single.map(({ name, p50, yardstick, bare, ofYardstick, ofBare }) => [
          ...[name, p50.toFixed(3), yardstick.toFixed(3), bare.toFixed(3)],
          ...[figure(ofYardstick), figure(ofBare), "1.30"],
        ]),
      ),
    );
  }
  const file = join(projectFolder, ".cache", "bench.json");
  const machine = { cores: navigator.hardwareConcurrency, deno: Deno.version.deno };
  const json = { date: new Date().toISOString(), machine, seconds, rounds, results, single };
  Deno.mkdirSync(join(projectFolder, ".cache"), { recursive: true });
  Deno.writeTextFileSync(file, JSON.stringify(json, null, 2) + "\n");
}

/** Ratios are taken within each round, where both sides met the same machine. */
function resultOf({ row, store, rounds }: Entry) {
  const ratio = (of: (round: Round) => Measured | undefined) =>
    median(rounds.map((round) => round.service.perSecond / (of(round)?.perSecond ?? NaN)));
  const middle = (key: keyof Measured) => median(rounds.map(({ service }) => service[key]));
  return {
    name: `${row.name} ${store}`,
    perSecond: middle("perSecond"),
    p50: middle("p50"),
    p99: middle("p99"),
    p999: middle("p999"),
    ofLimit: ratio(({ limit }) => limit),
    ofOneHeader: ratio(({ oneHeader }) => oneHeader),
    ofYardstick: ratio(({ yardstick }) => yardstick),
    goal: row.goal?.[store],
    rounds,
  };
}

function idleResultOf({ store, rounds }: Idle) {
  const middle = (of: (round: IdleRound) => number) => median(rounds.map(of));
  return {
    name: `idle hit ${store}`,
    p50: middle(({ service }) => service),
    yardstick: middle(({ yardstick }) => yardstick),
    bare: middle(({ bare }) => bare),
    ofYardstick: middle(({ service, yardstick }) => service / yardstick),
    ofBare: middle(({ service, bare }) => service / bare),
  };
}
