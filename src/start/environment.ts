import { refuseOldRuntime } from "./runtime.ts";
import { PLATFORM_VARIABLES, VARIABLES } from "./settings.ts";
import { ConfigError, type Environment, isDeploy } from "./settings_reader.ts";
import { StartError } from "../start_error.ts";

/** What is set, and by whom. */
export interface Surroundings {
  /** Every variable that the service reads. */
  readonly environment: Environment;
  /** The names in `.env` that no setting has. */
  readonly strange: readonly string[];
}

/**
 * The settings of the process and, on a server of one's own, of the file `.env` in the working directory; what is set in
 * the process wins.
 */
export async function readEnvironment(
  get: (name: string) => string | undefined,
): Promise<Surroundings> {
  const own = readOwn(get);
  if (isDeploy(own)) return { environment: own, strange: [] };
  refuseOldRuntime(Deno.version.deno);
  const file = await readDotEnv();
  const settings = VARIABLES.map((name) => [name, own[name] ?? file[name]]);
  // Where it runs is for the platform to say, not for a file.
  const platform = PLATFORM_VARIABLES.map((name) => [name, undefined]);
  return {
    environment: Object.fromEntries([...settings, ...platform]),
    strange: Object.keys(file).filter((name) => !VARIABLES.includes(name)).map(shown),
  };
}

/** A line of a key that was pasted looks like a name too, and must not reach the log. */
function shown(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? name : "…";
}

function readOwn(get: (name: string) => string | undefined): Environment {
  const problems: string[] = [];
  const own = VARIABLES.map((name) => {
    try {
      return [name, get(name) || undefined];
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      // Deno shows the whole value in its error.
      problems.push(`${name} must be UTF-8 text`);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.fromEntries(own);
}

async function readDotEnv(): Promise<Environment> {
  try {
    // Not readFileSync: in the bundle, where there is no such file, its error takes 10 ms to make.
    const bytes = await Deno.readFile(".env");
    // Windows writes some files in UTF-16, of which not one setting would be understood; a byte order mark is dropped.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // Whatever comes from "node:" takes longer to load than all of this service: only who has the file waits.
    const { parseEnv } = await import("node:util");
    return parseEnv(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new StartError(
      ".env is there but cannot be read: make it a UTF-8 text file that this process may read",
      { cause: error },
    );
  }
}
