import { StartError } from "../start_error.ts";
import {
  ConfigError,
  type Environment,
  isDeploy,
  namesOf,
  SETTINGS,
  VARIABLES,
} from "./settings.ts";

/** The environment variables of the process, with those of `.env` if it is read. */
export interface LoadedEnvironment {
  readonly environment: Environment;
  /** Names in `.env` that are no settings, most likely by a typing error. */
  readonly unknownNames: readonly string[];
  /** Names of the settings whose value has the quotation marks that `docker --env-file` keeps. */
  readonly quotedNames: readonly string[];
}

/**
 * Reads the variables of the process and, on a standalone server, `.env` in the working directory.
 * The process takes precedence.
 */
export async function readEnvironment(): Promise<LoadedEnvironment> {
  const variables = readVariables();
  refuseRuntime(Deno.version.deno, isDeploy(variables));
  const quotedNames = VARIABLES.filter((name) => /^(["']).*\1$/s.test(variables[name] ?? ""));
  if (isDeploy(variables)) return { environment: variables, unknownNames: [], quotedNames };
  const file = await readDotEnv();
  // Not all VARIABLES, because a file must not say that this is Deno Deploy.
  const settings = Object.values(SETTINGS).map(namesOf).flatMap((names) => {
    const source = names.some((name) => variables[name] !== undefined) ? variables : file;
    return names.map((name) => [name, source[name]]);
  });
  return {
    environment: Object.fromEntries(settings),
    // A line of a pasted private key looks like a name, too, and must not reach the log.
    unknownNames: Object.keys(file).filter((name) => !VARIABLES.includes(name))
      .map((name) => /^[\w.-]{1,40}$/.test(name) ? name : "…"),
    quotedNames,
  };
}

function readVariables(): Environment {
  const problems: string[] = [];
  const variables: Record<string, string | undefined> = {};
  for (const name of VARIABLES) {
    try {
      variables[name] = Deno.env.get(name) || undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      // The error of Deno shows the whole value.
      problems.push(`${name} must be UTF-8 text`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return variables;
}

/** A line whose value has a # that no blank precedes, and no quotation marks. */
const CUT = /^\s*(?:export\s+)?(\w+)\s*=[^\S\n]*[^\s"'`#][^\n#]*(?<!\s)#/gm;

async function readDotEnv(): Promise<Environment> {
  try {
    // In the bundle, readFileSync takes long to create its error for a missing file.
    const bytes = await Deno.readFile(".env");
    // Fatal, because no setting would be found in UTF-16, which some editors on Windows write.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const cut = [...text.matchAll(CUT)].flatMap(([, name = ""]) =>
      VARIABLES.includes(name) ? [name] : []
    );
    if (cut.length > 0) {
      throw new ConfigError(
        cut.map((name) =>
          `${name} in .env must be in quotation marks, because a # begins a comment there`
        ),
      );
    }
    // Loading any "node:" module takes longer than loading this whole service.
    const { parseEnv } = await import("node:util");
    return parseEnv(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    if (error instanceof ConfigError) throw error;
    throw new StartError(
      ".env exists but cannot be read: make it a UTF-8 text file that this process may read",
      { cause: error },
    );
  }
}

/** Throws a {@linkcode StartError} on a version of Deno on which the service does not work. */
export function refuseRuntime(version: string, onDeploy: boolean): void {
  if (version === "2.8.0") {
    throw new StartError(
      "Deno 2.8.0 leaves every request waiting because its setImmediate does not wake the event loop: use Deno 2.8.1 or later",
    );
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (onDeploy || major > 2 || (major === 2 && minor >= 7)) return;
  throw new StartError(
    `Deno ${version} cannot lock a counter file or read .env: use Deno 2.7 or later (on Deno Deploy, 2.5 is enough)`,
  );
}
