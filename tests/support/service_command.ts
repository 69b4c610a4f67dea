import { join } from "node:path";
import { projectFolder } from "./programs.ts";

/** Options of the command line. The defaults are those of `deno task start`. */
export type CommandOptions = {
  /** Arguments for the service itself. */
  args?: string[];
  /**
   * Full path of another entry, such as the bundle, which is run without the project's deno.json.
   */
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

/** Long names of the flags that the `start` task abbreviates. */
const LONG_FLAGS = new Map([
  ["-N", "--allow-net"],
  ["-E", "--allow-env"],
  ["-R", "--allow-read"],
  ["-W", "--allow-write"],
]);

/** Returns the flags of the `start` task of deno.json by their long names. */
export function startFlags(): string[] {
  const config: { tasks?: Record<string, string | { command: string }> } = JSON.parse(
    Deno.readTextFileSync(join(projectFolder, "deno.json")),
  );
  const task = config.tasks?.start;
  const line = typeof task === "object" ? task.command : task;
  const flags = line?.match(/^deno run \$DENO_WATCH (.*) main\.ts$/)?.[1];
  if (flags === undefined) {
    throw new Error("The start task of deno.json is not `deno run $DENO_WATCH … main.ts`");
  }
  return flags.split(" ").map((flag) =>
    flag.replace(/^-\w(?==|$)/, (short) => LONG_FLAGS.get(short) ?? short)
  );
}
