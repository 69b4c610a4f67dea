// Measures hits on Deno KV where every fsync takes 5 ms longer, and one commit for each hit on the
// same disk for comparison. Options: --seconds 3, --delay 5 (milliseconds), --connections 256.
// Needs strace.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findOnPath } from "../support/programs.ts";
import { startService } from "../support/service.ts";
import { findLoader } from "./load.ts";
import { benchRows } from "./rows.ts";
import { BENCH_SECRET, benchStack, serviceEnv, startScript } from "./servers.ts";
import { figure, table } from "./table.ts";
import { tempDir } from "../support/temp_dir.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    delay: { type: "string", default: "5" },
    connections: { type: "string", default: "256" },
  },
});
const strace = findOnPath(["strace"]);
if (strace === undefined) {
  console.error("strace: not found: apt-get install strace");
  Deno.exit(1);
}

await using stack = benchStack();
const { path: folder } = stack.use(await tempDir());
const loader = findLoader(folder);
const rows = benchRows(loader).filter(({ name }) => /^\/hit (hot|10k) 64$/.test(name));

/** The traced process stays our own child (-D), so that killing it ends both. */
const wrap = (line: string[]) => [
  ...[strace, "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null"],
  ...["-e", "trace=fsync,fdatasync"],
  ...["-e", `inject=fsync,fdatasync:delay_enter=${Number(values.delay) * 1000}`],
  ...line,
];

const service = stack.use(await persist(() => startService({ env: serviceEnv(), wrap })));
const args = [join(folder, "yardstick.kv")];
const yardstick = stack.use(
  await persist(() => startScript("kv_yardstick.ts", { args, wrap })),
);
const results: string[][] = [];
for (const [name, url] of [["service", service.url], ["yardstick", yardstick.url]] as const) {
  for (const { name: row, shape } of rows) {
    const load = { url, shape, connections: Number(values.connections) };
    await loader.run({ ...load, seconds: 1 });
    await waitForTurn(url);
    const measured = await loader.run({ ...load, seconds: Number(values.seconds) });
    const { perSecond, p50, p99, p999 } = measured;
    const what = `${name} ${row.replace(/ 64$/, "")} ${values.connections}`;
    await waitForTurn(url);
    results.push([what, ...[perSecond, p50, p99, p999].map(figure)]);
  }
}
console.log(table(
  [`each fsync + ${values.delay} ms`, "hits/s", "p50 ms", "p99", "p99.9"],
  results,
));
console.log("goal: one hot id at 256 connections ≥ 25,000 hits/s, p99 ≤ 30 ms");

/** Hits that an ended load left behind are carried out before this one. */
async function waitForTurn(url: string): Promise<void> {
  const headers = { "X-Auth-Token": BENCH_SECRET };
  const response = await fetch(`${url}/hit?id=last`, { method: "POST", headers });
  await response.body?.cancel();
}

/**
 * strace 6.1 now and then gives up at the start of a process, when several threads are held at
 * once.
 */
async function persist<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 10 || !String(error).includes("delayed wait data")) throw error;
    }
  }
}
