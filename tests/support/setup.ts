// Run before the tests: makes the programs ready that some tests start.
// Nothing is installed on the system; what is fetched goes to .cache/, which git ignores.
import { join } from "node:path";
import {
  findChromium,
  findOnPath,
  findRedis,
  findRedisIn,
  projectFolder,
  redisFolder,
  strictRun,
} from "./programs.ts";

if (import.meta.main) {
  const missing = [await prepareRedis(), reportChromium()].filter((line) => line !== undefined);
  for (const line of missing) console.error(line);
  if (missing.length > 0 && strictRun) Deno.exit(1);
}

/** Makes redis-server available to the tests, or returns one line that says what to install. */
export async function prepareRedis(): Promise<string | undefined> {
  if (findRedis() !== undefined) return undefined;
  const advice = "install redis-server; until then the tests that need it are ignored";
  if (findOnPath(["apt-get"]) === undefined) return `redis-server: not found: ${advice}`;
  try {
    await fetchRedis();
    return undefined;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return `redis-server: not found and not fetched (${cause}): ${advice}`;
  }
}

function reportChromium(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  return "chromium: not found: apt-get install chromium; until then the tests that need it are ignored";
}

/** Unpacks redis-server beside its place and moves it there whole, so that a broken run leaves nothing. */
async function fetchRedis(): Promise<void> {
  await Deno.mkdir(join(projectFolder, ".cache"), { recursive: true });
  const work = await Deno.makeTempDir({ dir: join(projectFolder, ".cache"), prefix: "redis-" });
  try {
    const unpacked = join(work, "unpacked");
    for (const file of await downloadPackages(work)) await run("dpkg-deb", ["-x", file, unpacked]);
    const program = findRedisIn(unpacked);
    if (program === undefined) throw new Error("the packages hold no redis-server");
    await run(program.path, ["--version"], { env: program.env });
    await moveInto(unpacked, redisFolder);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Downloads redis-server and those of its libraries that this machine lacks. */
async function downloadPackages(work: string): Promise<string[]> {
  const state = join(work, "state");
  const cache = join(work, "cache");
  for (const folder of [join(state, "lists", "partial"), join(cache, "archives", "partial")]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  const options = Object.entries({
    "Dir::State": state,
    "Dir::Cache": cache,
    "Acquire::Languages": "none",
    // As root apt would fetch as the user _apt, who may not write in the project's folder.
    "APT::Sandbox::User": "root",
  }).flatMap(([name, value]) => ["-o", `${name}=${value}`]);

  await run("apt-get", [...options, "-qq", "update"]);
  const plan = await run("apt-get", [
    ...[...options, "-qq", "--print-uris", "--no-install-recommends"],
    ...["install", "redis-server"],
  ]);
  await run("apt-get", [...options, "-qq", "download", ...packageNames(plan)], { cwd: work });
  return [...Deno.readDirSync(work)]
    .filter((entry) => entry.name.endsWith(".deb"))
    .map((entry) => join(work, entry.name));
}

/** Reads the names from lines of the form `'URI' NAME_VERSION_ARCHITECTURE.deb SIZE HASH`. */
function packageNames(plan: string): string[] {
  const names = [...plan.matchAll(/^'[^']*' ([^_\s]+)_/gm)].map((match) => match[1] ?? "");
  // A C library of another version than the loader's would break every program.
  return names.filter((name) => name !== "libc6" && name !== "libc-bin");
}

async function moveInto(from: string, to: string): Promise<void> {
  try {
    await Deno.rename(from, to);
  } catch (error) {
    // Another run was faster.
    if (findRedisIn(to) === undefined) throw error;
  }
}

async function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const output = await new Deno.Command(program, { args, stdin: "null", ...options }).output();
  if (output.success) return new TextDecoder().decode(output.stdout);
  const lines = new TextDecoder().decode(output.stderr).trim().split("\n");
  throw new Error(`${program} ended with ${output.code}: ${lines.at(-1)}`);
}
