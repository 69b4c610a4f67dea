import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { Service } from "../support/service.ts";

/** The secret of every service that is measured. */
export const BENCH_SECRET = "a-secret-for-benchmarks";

/**
 * The environment of a service that is measured: reads are open, as on a service that shows badges.
 */
export function serviceEnv(redisUrl?: string): Record<string, string> {
  const env = { SECRET_TOKEN: BENCH_SECRET, PUBLIC_READS: "1" };
  return redisUrl === undefined ? env : { ...env, STORE_URL: redisUrl };
}

/** Starts one of the small servers of this folder and waits for its address. */
export async function startScript(
  name: string,
  options: { args?: string[]; wrap?: (line: string[]) => string[] } = {},
): Promise<Service> {
  const { args = [], wrap = (line) => line } = options;
  const [program = "", ...rest] = wrap([...scriptLine(name), ...args]);
  const process = new Deno.Command(program, {
    args: rest,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const service = new Service(process, projectFolder, false);
  try {
    service.url = (await service.waitForOutput(/^http:\/\/\S+/m))[0];
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

/** The command line of a script of this folder. */
export function scriptLine(name: string): string[] {
  const config = join(projectFolder, "deno.json");
  return [Deno.execPath(), "run", "-A", "--config", config, join(import.meta.dirname ?? "", name)];
}

/**
 * Returns the stack of everything that a benchmark starts. It is disposed of on SIGINT too, so that
 * no process outlives the benchmark.
 */
export function benchStack(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  const end = async () => {
    await stack.disposeAsync();
    Deno.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, end);
    stack.defer(() => Deno.removeSignalListener(signal, end));
  }
  return stack;
}
