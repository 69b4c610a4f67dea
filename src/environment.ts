import { parseEnv } from "node:util";
import { type Environment, isDeploy, SETTINGS } from "./config.ts";
import { StartError } from "./counter/start_error.ts";

/**
 * The settings of the process and, on a server of one's own, of the file `.env` in the working directory; what is set in
 * the process wins.
 */
export async function readEnvironment(
  get: (name: string) => string | undefined,
): Promise<Environment> {
  const own = Object.fromEntries(SETTINGS.map((name) => [name, get(name) || undefined]));
  if (isDeploy(own)) return own;
  const file = await readDotEnv();
  return Object.fromEntries(SETTINGS.map((name) => [name, own[name] ?? file[name]]));
}

async function readDotEnv(): Promise<Environment> {
  try {
    return parseEnv(await Deno.readTextFile(".env"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new StartError(".env is there but cannot be read: make it a readable text file", {
      cause: error,
    });
  }
}
