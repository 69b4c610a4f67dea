import { join } from "node:path";
import { projectFolder } from "./programs.ts";

/** How the service is started; what is left out is as `deno task start` does it. */
export type CommandOptions = {
  /** Arguments for the service itself. */
  args?: string[];
  /** Full path of another entry, such as the bundle, which is run without the project's deno.json. */
  entry?: string;
  /** Flags in the place of those of the `start` task; see `startFlags` to take one away. */
  flags?: string[];
  /** Wraps the whole line: `(line) => ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", ...line]`. */
  wrap?: (line: string[]) => string[];
};

/** The command line that starts the service from any folder with the flags of the `start` task. */
export function serviceCommand(options: CommandOptions): string[] {
  const { args = [], entry, flags = startFlags(), wrap = (line) => line } = options;
  const project = entry === undefined
    ? ["--config", join(projectFolder, "deno.json")]
    : ["--no-config", "--unstable-kv"];
  return wrap([
    ...[Deno.execPath(), "run", ...project, ...flags],
    ...[entry ?? join(projectFolder, "main.ts"), ...args],
  ]);
}

/** The flags between `deno run` and `main.ts` in the `start` task of deno.json. */
export function startFlags(): string[] {
  const config: { tasks?: Record<string, string | { command: string }> } = JSON.parse(
    Deno.readTextFileSync(join(projectFolder, "deno.json")),
  );
  const task = config.tasks?.start;
  const line = typeof task === "object" ? task.command : task;
  const flags = line?.match(/\bdeno run\s+(.*?)\s*\bmain\.ts/)?.[1];
  if (flags === undefined) {
    throw new Error("Read the start task of deno.json: no `deno run … main.ts` in it");
  }
  return flags.split(/\s+/).filter((flag) => flag !== "");
}
