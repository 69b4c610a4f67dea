import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project, without a trailing slash. */
export const projectFolder: string = fileURLToPath(new URL("../..", import.meta.url)).replace(
  /\/$/,
  "",
);

/** Where `setup.ts` unpacks redis-server when the machine has none. */
export const redisFolder: string = join(projectFolder, ".cache", "redis");

/** True where a missing program must fail the tests that need it instead of leaving them out. */
export const strictRun: boolean = Deno.env.get("CI") === "true";

/** A program that tests start, with the arguments and variables it needs to find its libraries. */
export type Program = { path: string; args: string[]; env: Record<string, string> };

/** Where `setup.ts` unpacks servers of a later Debian. */
export const trixieFolder: string = join(projectFolder, ".cache", "trixie");

/** The redis-server of the machine, else the unpacked one, else undefined. */
export function findRedis(): Program | undefined {
  const installed = findOnPath(["redis-server"]);
  if (installed !== undefined) return { path: installed, args: [], env: {} };
  return findRedisIn(redisFolder);
}

/** The redis-server of Debian packages that were unpacked into `folder`. */
export function findRedisIn(folder: string): Program | undefined {
  const path = join(folder, "usr", "bin", "redis-server");
  if (!isFile(path)) return undefined;
  return { path, args: [], env: { LD_LIBRARY_PATH: libraryFolders(folder).join(delimiter) } };
}

/** A server of a later Debian, started by the loader that it was made for; undefined where it is not unpacked. */
export function findServer(
  name: "redis-server" | "valkey-server",
  folder: string = trixieFolder,
): Program | undefined {
  const path = join(folder, "usr", "bin", name);
  const loader = join(folder, "usr", "lib64", "ld-linux-x86-64.so.2");
  if (!isFile(path) || !isFile(loader)) return undefined;
  const libraries = libraryFolders(folder).join(delimiter);
  return { path: loader, args: ["--library-path", libraries, path], env: {} };
}

/** Where `setup.ts` unpacks promtool when the machine has none. */
export const prometheusFolder: string = join(projectFolder, ".cache", "prometheus");

/** The path of promtool, which checks what Prometheus reads, or undefined. */
export function findPromtool(folder: string = prometheusFolder): string | undefined {
  const unpacked = join(folder, "usr", "bin", "promtool");
  return findOnPath(["promtool"]) ?? (isFile(unpacked) ? unpacked : undefined);
}

/** Where `setup.ts` unpacks nginx or Caddy when the machine has none. */
export function proxyFolder(name: "nginx" | "caddy"): string {
  return join(projectFolder, ".cache", name);
}

/** The path of nginx or Caddy, installed or unpacked, or undefined. */
export function findProxy(
  name: "nginx" | "caddy",
  folder: string = proxyFolder(name),
): string | undefined {
  // A user's PATH need not have the folder of services.
  const installed = findOnPath([name]) ?? findServiceIn("/usr", name);
  return installed ?? findServiceIn(join(folder, "usr"), name);
}

/** The path of the machine's Chromium or Chrome, or undefined. */
export function findChromium(): string | undefined {
  return findOnPath(["chromium", "chromium-browser", "google-chrome"]);
}

/** Where `setup.ts` unpacks the Chromium that has no window when the machine has none. */
export const headlessFolder: string = join(projectFolder, ".cache", "chromium");

/** The path of the Chromium that has no window, installed or unpacked, or undefined. */
export function findHeadlessChromium(folder: string = headlessFolder): string | undefined {
  const name = "chromium-headless-shell";
  const unpacked = join(folder, "usr", "lib", "chromium", name);
  return findOnPath([name]) ?? (isFile(unpacked) ? unpacked : undefined);
}

/** The first of `names` that is a file in a folder of the PATH, as a full path. */
export function findOnPath(names: string[]): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if (isFile(path)) return path;
    }
  }
  return undefined;
}

function findServiceIn(root: string, name: string): string | undefined {
  return [join(root, "sbin", name), join(root, "bin", name)].find(isFile);
}

function libraryFolders(folder: string): string[] {
  const roots = [join(folder, "usr", "lib"), join(folder, "lib")];
  return roots.flatMap((root) => [root, ...foldersNamed(root, /-linux-/)]);
}

function foldersNamed(root: string, pattern: RegExp): string[] {
  try {
    return [...Deno.readDirSync(root)]
      .filter((entry) => entry.isDirectory && pattern.test(entry.name))
      .map((entry) => join(root, entry.name));
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    // It is not there, or in a folder that this user may not enter.
    return false;
  }
}
