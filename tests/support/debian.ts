import { join } from "node:path";
import { projectFolder } from "./programs.ts";

/** What to unpack, and where to. */
export interface UnpackOptions {
  /** The folder that holds the files afterwards; it is there whole or not at all. */
  folder: string;
  /** The packages, or those that installing one of them would bring to this machine. */
  packages: readonly string[] | { forInstalling: string };
  /** The release of Debian that they are of; the machine's own unless given. */
  release?: string;
  /** Throws where the unpacked files are of no use. */
  check(folder: string): Promise<void>;
}

/** Unpacks packages of Debian without installing them; throws where they cannot be had. */
export async function unpackPackages(options: UnpackOptions): Promise<void> {
  const cache = join(projectFolder, ".cache");
  await Deno.mkdir(cache, { recursive: true });
  // Beside its place and moved there whole, so that a broken run leaves nothing.
  const work = await Deno.makeTempDir({ dir: cache, prefix: "unpacking-" });
  try {
    const unpacked = join(work, "unpacked");
    for (const file of await download(work, options)) await run("dpkg-deb", ["-x", file, unpacked]);
    await options.check(unpacked);
    await moveInto(unpacked, options);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Runs a program to its end and gives what it printed; throws with its last words where it failed. */
export async function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const output = await new Deno.Command(program, { args: [...args], stdin: "null", ...options })
    .output();
  if (output.success) return new TextDecoder().decode(output.stdout);
  const lines = new TextDecoder().decode(output.stderr).trim().split("\n");
  throw new Error(`${program} ended with ${output.code}: ${lines.at(-1)}`);
}

async function download(work: string, { packages, release }: UnpackOptions): Promise<string[]> {
  const options = await aptOptions(work, release);
  await run("apt-get", [...options, "-qq", "update"]);
  const names = "forInstalling" in packages
    ? await namesFor(packages.forInstalling, options)
    : packages;
  await run("apt-get", [...options, "-qq", "download", ...names], { cwd: work });
  return [...Deno.readDirSync(work)]
    .filter((entry) => entry.name.endsWith(".deb"))
    .map((entry) => join(work, entry.name));
}

/** Has apt keep what it learns in a folder of its own, and look at another release where one is named. */
async function aptOptions(work: string, release: string | undefined): Promise<string[]> {
  const [state, cache] = [join(work, "state"), join(work, "cache")];
  for (const folder of [join(state, "lists", "partial"), join(cache, "archives", "partial")]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  return Object.entries({
    "Dir::State": state,
    "Dir::Cache": cache,
    "Acquire::Languages": "none",
    // As root apt would fetch as the user _apt, who may not write in the project's folder.
    "APT::Sandbox::User": "root",
    ...release !== undefined && {
      "Dir::Etc::SourceList": await sourcesOf(release, work),
      "Dir::Etc::SourceParts": work + "/none",
    },
  }).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** A list of sources with another release of the Debian that this machine is fed from. */
async function sourcesOf(release: string, work: string): Promise<string> {
  const places = await run("apt-get", [
    ...["indextargets", "--format", "$(REPO_URI)"],
    ...["Created-By: Packages", "Component: main", "Label: Debian"],
  ]);
  const [place = ""] = places.split("\n");
  if (place === "") {
    throw new Error(`Find packages of ${release}: this machine is fed by no Debian`);
  }
  const list = join(work, "sources.list");
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg";
  await Deno.writeTextFile(list, `deb [signed-by=${key}] ${place} ${release} main\n`);
  return list;
}

/** Reads the names from lines of the form `'URI' NAME_VERSION_ARCHITECTURE.deb SIZE HASH`. */
async function namesFor(name: string, options: readonly string[]): Promise<string[]> {
  const plan = await run("apt-get", [
    ...[...options, "-qq", "--print-uris", "--no-install-recommends", "install", name],
  ]);
  const names = [...plan.matchAll(/^'[^']*' ([^_\s]+)_/gm)].map((match) => match[1] ?? "");
  // A C library of another version than the loader's would break every program.
  return names.filter((name) => name !== "libc6" && name !== "libc-bin");
}

async function moveInto(from: string, { folder, check }: UnpackOptions): Promise<void> {
  try {
    await Deno.rename(from, folder);
  } catch (error) {
    // Another run may have been faster.
    await check(folder).catch(() => {
      throw error;
    });
  }
}
