// Run before the tests: makes the programs ready that some tests start.
// Nothing is installed on the system; what is fetched goes to .cache/, which git ignores.
import { run, type UnpackOptions, unpackPackages } from "./debian.ts";
import {
  findChromium,
  findHeadlessChromium,
  findOnPath,
  findPromtool,
  findProxy,
  findRedis,
  findRedisIn,
  findServer,
  headlessFolder,
  prometheusFolder,
  proxyFolder,
  redisFolder,
  strictRun,
  trixieFolder,
} from "./programs.ts";

if (import.meta.main) {
  const needed = [
    await prepareRedis(),
    await prepareProxy("nginx"),
    await prepareProxy("caddy"),
    reportChromium(),
  ];
  const missing = needed.filter((line) => line !== undefined);
  await prepareHeadlessChromium();
  const wished = [await prepareTrixie(), await preparePromtool()];
  for (const line of [...missing, ...wished]) if (line !== undefined) console.error(line);
  if (missing.length > 0 && strictRun) Deno.exit(1);
}

/** Makes redis-server available to the tests, or returns one line that says what to install. */
export async function prepareRedis(): Promise<string | undefined> {
  if (findRedis() !== undefined) return undefined;
  return await fetched("redis-server", "install redis-server", {
    folder: redisFolder,
    packages: { forInstalling: "redis-server" },
    async check(folder) {
      const program = findRedisIn(folder);
      if (program === undefined) throw new Error("the packages hold no redis-server");
      await run(program.path, ["--version"], { env: program.env });
    },
  });
}

/** Makes nginx or Caddy available to the tests, or returns one line that says what to install. */
async function prepareProxy(name: "nginx" | "caddy"): Promise<string | undefined> {
  if (findProxy(name) !== undefined) return undefined;
  return await fetched(name, `install ${name}`, {
    folder: proxyFolder(name),
    packages: [name],
    async check(folder) {
      await run(findProxy(name, folder) ?? "", name === "nginx" ? ["-v"] : ["version"]);
    },
  });
}

/** Valkey 8.1 and Redis 8.0 with all their libraries, the one for C included, as they are of a later Debian. */
async function prepareTrixie(): Promise<string | undefined> {
  if (findServer("valkey-server") !== undefined) return undefined;
  return await fetched("Valkey 8.1 and Redis 8.0", "it needs Debian's packages", {
    folder: trixieFolder,
    release: "trixie",
    packages: [
      ...["valkey-server", "valkey-tools", "redis-server", "redis-tools", "libc6", "libatomic1"],
      ...["libjemalloc2", "liblzf1", "libsystemd0", "libssl3t64", "libcap2", "libgcc-s1"],
      ...["libstdc++6", "zlib1g", "libzstd1"],
    ],
    async check(folder) {
      for (const name of ["valkey-server", "redis-server"] as const) {
        const program = findServer(name, folder);
        if (program === undefined) throw new Error(`the packages hold no ${name}`);
        await run(program.path, [...program.args, "--version"], { env: program.env });
      }
    },
  });
}

async function preparePromtool(): Promise<string | undefined> {
  if (findPromtool() !== undefined) return undefined;
  return await fetched("promtool", "install prometheus", {
    folder: prometheusFolder,
    packages: ["prometheus"],
    async check(folder) {
      await run(findPromtool(folder) ?? "", ["--version"]);
      // It is as large as all the rest, and not started.
      await Deno.remove(`${folder}/usr/bin/prometheus`).catch(() => {});
    },
  });
}

/** The Chromium that has no window, which takes a third of the time; without it the tests use the machine's own. */
async function prepareHeadlessChromium(): Promise<void> {
  if (findChromium() === undefined || findHeadlessChromium() !== undefined) return;
  await fetched("", "", {
    folder: headlessFolder,
    packages: ["chromium-headless-shell", "chromium-common"],
    async check(folder) {
      await run(findHeadlessChromium(folder) ?? "", ["--version"]);
    },
  });
}

/** Fetches packages; where they cannot be had, a line that says so and what helps. */
async function fetched(
  what: string,
  advice: string,
  options: UnpackOptions,
): Promise<string | undefined> {
  const ignored = `${advice}; until then the tests that need it are ignored`;
  if (findOnPath(["apt-get"]) === undefined) return `${what}: not found: ${ignored}`;
  try {
    await unpackPackages(options);
    return undefined;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return `${what}: not found and not fetched (${cause}): ${ignored}`;
  }
}

function reportChromium(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  return "chromium: not found: apt-get install chromium; until then the tests that need it are ignored";
}
