import { join } from "node:path";
import { projectFolder } from "./programs.ts";
import { tempDir } from "./temp_dir.ts";

/**
 * Copies what makes the service, without data, settings and tests, into a new folder, so that tasks
 * can be run there.
 */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await tempDir();
  for (const name of ["main.ts", "deno.json", "deno.lock"]) {
    await Deno.copyFile(join(projectFolder, name), join(folder.path, name));
  }
  await copyFolder(join(projectFolder, "src"), join(folder.path, "src"));
  await copyFolder(join(projectFolder, ".deploy"), join(folder.path, ".deploy"));
  return {
    path: folder.path,
    runTask: (name, env = {}) => runTask(folder.path, name, env),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A copy of the project; removed when disposed of. */
export type ProjectCopy = AsyncDisposable & {
  readonly path: string;
  /** Runs `deno task NAME` there and returns all that it printed; throws where it fails. */
  runTask(name: string, env?: Record<string, string>): Promise<string>;
};

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

async function runTask(cwd: string, name: string, env: Record<string, string>): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", name],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (success) return text;
  throw new Error(`Run deno task ${name}: it failed\n${text}`);
}
