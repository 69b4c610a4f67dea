import { ProcessOutput } from "./process_output.ts";
import { type CommandOptions, serviceCommand } from "./service_command.ts";
import { TEMP_PREFIX } from "./temp_dir.ts";
import { FAR_AWAY_MS } from "./time_limit.ts";
import { waitFor } from "./wait_for.ts";

/** Options of a service that a test starts. */
export type ServiceOptions = CommandOptions & {
  /** The whole environment, but for `HOST`, `PORT` and what Deno needs, which have defaults. */
  env?: Record<string, string>;
  /** Working folder, kept afterwards; by default a new one that is removed. */
  cwd?: string;
  /** Matches standard output once the service is ready; by default its address. */
  ready?: RegExp;
  /**
   * Milliseconds until the service must be up or, for `runService`, ended; far away unless given.
   */
  timeout?: number;
};

/** The results of a process that has ended. */
export type Ended = {
  code: number;
  signal: Deno.Signal | null;
  stdout: string;
  stderr: string;
  /** Time from start to end. */
  milliseconds: number;
};

/**
 * Starts the service as a process of its own; waits until it says its address, and has opened its
 * Redis or failed to.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { ready = /http:\/\/[^\s/]+:\d+/, timeout = FAR_AWAY_MS } = options;
  const service = await spawnService(options);
  try {
    const match = await service.waitForOutput(ready, timeout);
    service.url = match[0].startsWith("http") ? match[0] : "";
    // The client of Redis takes a while to load: on a busy machine the first hit could wait more
    // than its two seconds.
    if (service.url !== "" && options.env?.STORE_URL !== undefined) {
      await (await fetch(`${service.url}/readyz`)).body?.cancel();
    }
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs the service until it ends by itself; after the time limit it is killed and this throws. */
export async function runService(options: ServiceOptions = {}): Promise<Ended> {
  await using service = await spawnService(options);
  return await service.waitForEnd(options.timeout);
}

/** Starts the service and does not wait for it. */
export async function spawnService(options: ServiceOptions = {}): Promise<Service> {
  const [program = "", ...args] = serviceCommand(options);
  const cwd = options.cwd ?? await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}service-` });
  const process = new Deno.Command(program, {
    args,
    cwd,
    clearEnv: true,
    env: { ...inherited(), HOST: "127.0.0.1", PORT: "0", ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return new Service(process, cwd, options.cwd === undefined);
}

/**
 * A running service: killed when disposed of, and its working folder removed unless it was given.
 */
export class Service {
  /** The address from standard output, without a trailing slash. */
  url = "";
  /** The working folder; data is kept below it. */
  readonly cwd: string;
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<Ended>;
  readonly #process: Deno.ChildProcess;
  readonly #output: ProcessOutput;
  readonly #ownFolder: boolean;
  readonly #start = performance.now();
  #over = false;

  constructor(process: Deno.ChildProcess, cwd: string, ownFolder: boolean) {
    this.#process = process;
    this.#output = new ProcessOutput([process.stdout, process.stderr]);
    this.cwd = cwd;
    this.#ownFolder = ownFolder;
    this.ended = this.#watch();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Returns standard output so far. */
  stdout(): string {
    return this.#output.text(0);
  }

  /** Returns standard error so far. */
  stderr(): string {
    return this.#output.text(1);
  }

  /**
   * Waits until either output matches; throws at the end of the process or after `timeout`
   * milliseconds.
   */
  waitForOutput(pattern: RegExp, timeout = FAR_AWAY_MS): Promise<RegExpMatchArray> {
    return this.#output.find(pattern, timeout);
  }

  /**
   * Waits until its store can be used: a network store is connected while requests are taken
   * already.
   */
  storeReady(): Promise<void> {
    return storeReady(this);
  }

  /** Sends a signal; nothing happens when the process has ended. */
  signal(signal: Deno.Signal): void {
    if (!this.#over) this.#process.kill(signal);
  }

  /** Ends the service in good order and waits for its end. */
  async stop(signal: Deno.Signal = "SIGTERM", timeout = FAR_AWAY_MS): Promise<Ended> {
    this.signal(signal);
    return await this.waitForEnd(timeout);
  }

  /** Kills the service without warning and waits for its end. */
  async kill(): Promise<Ended> {
    this.signal("SIGKILL");
    return await this.ended;
  }

  /** Waits for the end; after `timeout` milliseconds kills the process and throws. */
  async waitForEnd(timeout = FAR_AWAY_MS): Promise<Ended> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.signal("SIGKILL");
    }, timeout);
    const ended = await this.ended;
    clearTimeout(timer);
    if (!late) return ended;
    throw new Error(
      `Wait for the service to end: not in ${timeout} ms\n${ended.stdout}${ended.stderr}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    if (this.#ownFolder) await Deno.remove(this.cwd, { recursive: true });
  }

  async #watch(): Promise<Ended> {
    const { code, signal } = await this.#process.status;
    this.#over = true;
    const milliseconds = performance.now() - this.#start;
    await this.#output.ended;
    return { code, signal, stdout: this.stdout(), stderr: this.stderr(), milliseconds };
  }
}

/**
 * Returns the variables that Deno needs to find its cache of packages and to print without colors.
 */
function inherited(): Record<string, string> {
  const names = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "PATH", "TMPDIR"];
  const set = names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(set), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
}

/** Waits until the store of a service can be used. */
export async function storeReady({ url }: { readonly url: string }): Promise<void> {
  await waitFor("the store", async () => await statusOf(`${url}/readyz`) === 200);
}

/** Requests an address, and returns the status of the response, whose body it drops. */
export async function statusOf(url: string, init?: RequestInit): Promise<number> {
  return (await drained(await fetch(url, init))).status;
}

/** Drops the body of a response, and returns the rest. */
export async function drained(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}

/** Returns the events of a log. Throws if a line is not JSON. */
export function eventsOf(log: string): string[] {
  return log.trimEnd().split("\n").map((line) => JSON.parse(line).event);
}
