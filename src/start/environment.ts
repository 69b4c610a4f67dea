import { ConfigError, type Environment, isDeploy } from "./settings_reader.ts";
import { PLATFORM_VARIABLES, VARIABLES } from "./settings.ts";
import { StartError } from "../problem.ts";

/** The environment variables of the process, with those of `.env` where they are read. */
export interface LoadedEnvironment {
  readonly environment: Environment;
  /** Names in `.env` that are no settings: typing errors, most likely. */
  readonly unknownNames: readonly string[];
}

/** Reads the process's variables and, on a standalone server, `.env` in the working directory; the process's take precedence. */
export async function readEnvironment(
  get: (name: string) => string | undefined,
): Promise<LoadedEnvironment> {
  const own = readOwn(get);
  if (isDeploy(own)) return { environment: own, unknownNames: [] };
  refuseOldRuntime(Deno.version.deno);
  const file = await readDotEnv();
  const settings = VARIABLES.map((name) => [name, own[name] ?? file[name]]);
  // A file must not say that this is Deno Deploy.
  const platform = PLATFORM_VARIABLES.map((name) => [name, undefined]);
  return {
    environment: Object.fromEntries([...settings, ...platform]),
    unknownNames: Object.keys(file).filter((name) => !VARIABLES.includes(name)).map(printable),
  };
}

/** A line of a pasted private key looks like a name too, and must not reach the log. */
function printable(name: string): string {
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
    // Startup: not readFileSync, whose error for a missing file is slow to make in the bundle.
    const bytes = await Deno.readFile(".env");
    // Some editors on Windows write UTF-16, in which no setting would be found. A byte order mark is dropped.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // Startup: any "node:" module takes longer to load than this whole service, so only those with a file pay for it.
    const { parseEnv } = await import("node:util");
    return parseEnv(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new StartError(
      ".env exists but cannot be read: make it a UTF-8 text file that this process may read",
      { cause: error },
    );
  }
}

/** Throws a {@linkcode StartError} on a version of Deno on which the service would hang. */
export function refuseBrokenRuntime(version: string): void {
  if (version !== "2.8.0") return;
  throw new StartError(
    "Deno 2.8.0 leaves every request waiting because its setImmediate does not wake the event loop: use Deno 2.8.1 or later",
  );
}

/** Throws a {@linkcode StartError} on a version of Deno that lacks what a standalone server needs. */
export function refuseOldRuntime(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 7)) return;
  throw new StartError(
    `Deno ${version} cannot lock a counter file or read .env: use Deno 2.7 or later (on Deno Deploy, 2.5 is enough)`,
  );
}
