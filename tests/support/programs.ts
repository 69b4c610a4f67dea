import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project, without a trailing slash. */
export const projectFolder: string = fileURLToPath(new URL("../..", import.meta.url)).replace(
  /\/$/,
  "",
);

/** The folder that `setup.ts` unpacks packages into. Git ignores it. */
export const cacheFolder: string = join(projectFolder, ".cache");

/** The folder with a script for each program that `setup.ts` fetched. */
export const scriptFolder: string = join(cacheFolder, "bin");

/** True where a missing program must fail the tests that need it instead of leaving them out. */
export const strictRun: boolean = Deno.env.get("CI") === "true";

extendPath();

/** The path of redis-server, installed or fetched, or undefined. */
export function findRedis(): string | undefined {
  return findOnPath(["redis-server"]);
}

/** The path of Chromium or Chrome, installed or fetched, or undefined. */
export function findChromium(): string | undefined {
  return findOnPath(["chromium", "chromium-browser", "google-chrome"]);
}

/** The path of the Chromium that has no window, installed or fetched, or undefined. */
export function findHeadlessChromium(): string | undefined {
  return findOnPath(["chromium-headless-shell"]);
}

/**
 * Returns options that ignore a test if a program is missing, except in CI runs, where it then
 * fails.
 */
export function needsPrograms(...names: string[]): { ignore: boolean } {
  return { ignore: !strictRun && names.some((name) => findOnPath([name]) === undefined) };
}

/** Returns the full path of the first of `names` that is a file in a folder of the PATH. */
export function findOnPath(names: readonly string[]): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if (isFile(path)) return path;
    }
  }
  return undefined;
}

/** Reports whether a path is a file. A folder that this user may not enter has none. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Lets this process and its children find fetched programs, and servers such as nginx, by name. */
function extendPath(): void {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  // All test files share one environment, so it may be extended already.
  const missing = [scriptFolder, "/usr/sbin"].filter((folder) => !folders.includes(folder));
  if (missing.length > 0) Deno.env.set("PATH", [...folders, ...missing].join(delimiter));
}
