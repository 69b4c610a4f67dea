// Measures the time from the start of a process to its first response on a warm cache, and compares
// it with the smallest Hono apps. Option: --runs 10.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { redisAvailable, startRedis } from "../support/redis_server.ts";
import { serviceCommand } from "../support/service_command.ts";
import { bundle } from "./bundle.ts";
import { firstAnswer, type Start } from "./first_answer.ts";
import { median } from "./median.ts";
import { BENCH_SECRET, benchStack, scriptLine, serviceEnv } from "./servers.ts";
import { table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

/**
 * A way to start and what to ask first; `of` names the one it is held against, `goal` the ratio to
 * keep below.
 */
type Candidate = { name: string; start: Start; of: string; goal?: number };

const { values } = parseArgs({ options: { runs: { type: "string", default: "10" } } });

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const bundled = await bundle("main.ts", folder);
const hello = await bundle("tests/bench/hello.ts", folder);

const FIRST = {
  "/healthz": { request: { method: "GET", path: "/healthz", headers: {} }, than: "hello" },
  hit: {
    request: { method: "POST", path: "/hit", headers: { "X-Auth-Token": BENCH_SECRET } },
    than: "hello + INCR",
  },
};
const source = serviceCommand({});
const file = serviceCommand({ entry: bundled });
const candidates: Candidate[] = [
  candidate("/healthz", "hello", scriptLine("hello.ts"), {}),
  candidate("/healthz", "kv", source, serviceEnv(), 1.5),
  candidate("/healthz", "kv, bundled", file, serviceEnv(), 1.5),
  candidate("/healthz", "hello, bundled", [Deno.execPath(), "run", "-A", "--no-config", hello], {}),
];
if (redisAvailable) {
  const { url } = stack.use(await startRedis());
  candidates.push(
    candidate("/healthz", "redis", source, serviceEnv(url), 1.5),
    candidate("/healthz", "redis, bundled", file, serviceEnv(url), 1.5),
    candidate("hit", "hello + INCR", [...scriptLine("hello_redis.ts"), url], {}),
    candidate("hit", "redis", source, serviceEnv(url), 1.3),
    candidate("hit", "redis, bundled", file, serviceEnv(url), 1.3),
  );
}

const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
for (let run = 0; run <= Number(values.runs); run++) {
  for (const { name, start } of candidates) {
    const cwd = join(folder, name.replaceAll(/\W/g, "_"));
    await Deno.mkdir(cwd, { recursive: true });
    const milliseconds = await firstAnswer({ ...start, cwd, fillsCaches: run === 0 });
    // The first run fills the caches, and makes the counter file.
    if (run > 0) times.get(name)?.push(milliseconds);
  }
}

console.log(table(
  ["from start to", "ms", "ratio", "goal"],
  candidates.map(({ name, of, goal }) => {
    const own = times.get(name) ?? [];
    const ratio = median(own.map((time, run) => time / (times.get(of)?.[run] ?? NaN)));
    return [name, median(own).toFixed(1), ratio.toFixed(2), goal?.toFixed(2) ?? ""];
  }),
));

function candidate(
  asked: keyof typeof FIRST,
  name: string,
  line: string[],
  env: Record<string, string>,
  goal?: number,
): Candidate {
  const { request, than } = FIRST[asked];
  const of = `first ${asked}: ${than}`;
  return {
    name: `first ${asked}: ${name}`,
    start: { line, env, request },
    of,
    ...goal && { goal },
  };
}
