import { join } from "node:path";
import { projectFolder } from "./programs.ts";

/**
 * Registers the tests of a folder below `tests/`, or of every `parts`-th of its files from the
 * `part`-th on. A worker for each file would spend as much time on loading what it tests, and on
 * starting Chromium, as on tests. Parts run in the order of their names, the longest first, so that
 * the workers end at about the same time.
 */
export async function importTests(folder: string, part = 1, parts = 1): Promise<void> {
  const files = (await filesOf(join(projectFolder, "tests", folder))).sort();
  for (const file of files.filter((_, index) => index % parts === part - 1)) {
    await import(`file://${file}`);
  }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder), ({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return filesOf(path);
    return path.endsWith("_test.ts") ? [path] : [];
  });
  return entries.flat();
}
