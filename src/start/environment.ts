import { ConfigError, type Environment, isDeploy, SETTINGS } from "./config.ts";
import { StartError } from "../start_error.ts";

/**
 * The settings of the process and, on a server of one's own, of the file `.env` in the working directory; what is set in
 * the process wins.
 */
export async function readEnvironment(
  get: (name: string) => string | undefined,
): Promise<Environment> {
  const own = readOwn(get);
  if (isDeploy(own)) return own;
  const file = await readDotEnv();
  const settings = SETTINGS.map((name) => [name, own[name] ?? file[name]]);
  // Where it runs is for the platform to say, not for a file.
  return { ...Object.fromEntries(settings), DENO_DEPLOY: undefined, DENO_DEPLOYMENT_ID: undefined };
}

function readOwn(get: (name: string) => string | undefined): Environment {
  const problems: string[] = [];
  const own = SETTINGS.map((name) => {
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
