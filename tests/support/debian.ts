import { join } from "node:path";
import { cacheFolder } from "./programs.ts";
import { TEMP_PREFIX } from "./temp_dir.ts";

/**
 * A source of Debian packages that needs no root, because apt keeps its state in a folder of ours.
 */
export interface Apt extends AsyncDisposable {
  /** Unpacks packages into a folder. The folder appears only when it is complete. */
  unpack(options: UnpackOptions): Promise<void>;
}

export interface UnpackOptions {
  readonly folder: string;
  readonly packages: readonly string[];
  /** True if all packages that apt would install with them are unpacked as well. */
  readonly withDependencies: boolean;
}

/**
 * Opens the packages of a Debian release, by default that of this machine. Updates them on first
 * use.
 */
export function openApt(release?: string): Apt {
  let updated: Promise<{ work: string; options: string[] }> | undefined;

  async function update(): Promise<{ work: string; options: string[] }> {
    await Deno.mkdir(cacheFolder, { recursive: true });
    const work = await Deno.makeTempDir({ dir: cacheFolder, prefix: TEMP_PREFIX });
    const options = await aptOptions(work, release);
    await run("apt-get", [...options, "-qq", "update"]);
    return { work, options };
  }

  return {
    async unpack({ folder, packages, withDependencies }) {
      const { work, options } = await (updated ??= update());
      const names = withDependencies ? await withNeeded(packages, options) : packages;
      // A folder next to the target, so that an interrupted run leaves no incomplete one.
      const place = await Deno.makeTempDir({ dir: work });
      await run("apt-get", [...options, "-qq", "download", ...names], { cwd: place });
      const unpacked = join(place, "unpacked");
      for (const { name } of Deno.readDirSync(place)) {
        if (name.endsWith(".deb")) await run("dpkg-deb", ["-x", join(place, name), unpacked]);
      }
      await Deno.remove(folder, { recursive: true }).catch(() => {});
      await Deno.rename(unpacked, folder);
      await Deno.remove(place, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      const work = await updated?.then(({ work }) => work, () => undefined);
      if (work !== undefined) await Deno.remove(work, { recursive: true });
    },
  };
}

/** Runs a program and returns its output. Throws the last line of its errors if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string } = {},
): Promise<string> {
  const output = await new Deno.Command(program, { args: [...args], stdin: "null", ...options })
    .output();
  if (output.success) return new TextDecoder().decode(output.stdout);
  const lines = new TextDecoder().decode(output.stderr).trim().split("\n");
  throw new Error(`${program} ended with ${output.code}: ${lines.at(-1)}`);
}

/**
 * Returns options that give apt a state and cache of its own, and another release if one is named.
 */
async function aptOptions(work: string, release: string | undefined): Promise<string[]> {
  const [state, cache] = [join(work, "state"), join(work, "cache")];
  for (const folder of [join(state, "lists", "partial"), join(cache, "archives", "partial")]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  return Object.entries({
    "Dir::State": state,
    "Dir::Cache": cache,
    "Acquire::Languages": "none",
    // As root, apt would download as the user _apt, who may not write to the project's folder.
    "APT::Sandbox::User": "root",
    ...release !== undefined && {
      "Dir::Etc::SourceList": await sourcesOf(release, work),
      "Dir::Etc::SourceParts": work + "/none",
    },
  }).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** Writes a list of sources for another release of Debian, on the mirror of this machine. */
async function sourcesOf(release: string, work: string): Promise<string> {
  const mirrors = await run("apt-get", [
    ...["indextargets", "--format", "$(REPO_URI)"],
    ...["Created-By: Packages", "Component: main", "Label: Debian"],
  ]);
  const [mirror = ""] = mirrors.split("\n");
  if (mirror === "") {
    throw new Error(`Find packages of ${release}: this machine has no Debian mirror`);
  }
  const list = join(work, "sources.list");
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg";
  await Deno.writeTextFile(list, `deb [signed-by=${key}] ${mirror} ${release} main\n`);
  return list;
}

/**
 * Returns the packages that apt would install, read from lines
 * `'URI' NAME_VERSION_ARCH.deb SIZE HASH`.
 */
async function withNeeded(
  packages: readonly string[],
  options: readonly string[],
): Promise<string[]> {
  const plan = await run("apt-get", [
    ...[...options, "-qq", "--print-uris", "--no-install-recommends", "install", ...packages],
  ]);
  const names = [...plan.matchAll(/^'[^']*' ([^_\s]+)_/gm)].map((match) => match[1] ?? "");
  // A C library of another version than the loader's would break every program.
  return names.filter((name) => name !== "libc6" && name !== "libc-bin");
}
