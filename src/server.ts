import { createApp } from "./app.ts";
import { banner, settingsWarnings } from "./start/banner.ts";
import { type Config, ConfigError, type Environment, parseConfig } from "./start/config.ts";
import { createCounters } from "./counter/counters.ts";
import { openStore, type OpenStoreOptions } from "./store/open_store.ts";
import { StartError } from "./start_error.ts";
import type { CounterStore } from "./counter/store.ts";
import { readEnvironment } from "./start/environment.ts";
import { createLog, type Log, printTo } from "./log.ts";

/** How long open requests may take to end after a signal, in milliseconds: Deno Deploy grants 5 s for everything. */
const DRAIN_LIMIT = { deploy: 2500, standalone: 6000 };
/** How long the store may take to end after that, in milliseconds: longer than the deadline of those who wait for it. */
const CLOSE_LIMIT = 2200;
/** Pause before listening again where the system took the listener away, in milliseconds. */
const RELISTEN_PAUSE = 100;

type Server = Deno.HttpServer<Deno.NetAddr>;

/** Runs the service until a signal ends it; a start that fails says why and ends the process with 1. */
export async function run(): Promise<void> {
  try {
    await start(await readEnvironment((name) => Deno.env.get(name)));
  } catch (error) {
    fail(error);
  }
}

async function start(environment: Environment): Promise<void> {
  const config = parseConfig(environment);
  const generatedToken = config.secret === undefined && config.platform === "standalone"
    ? randomToken()
    : undefined;
  const secret = config.secret ?? generatedToken;
  const { DENO_KV_ACCESS_TOKEN } = environment;
  const log = createLog({ secrets: secretsOf(config, [secret, DENO_KV_ACCESS_TOKEN]) });
  for (const warning of settingsWarnings(config)) log.warn(warning);
  // Deno.openKv finds the token in the environment only, where a .env file does not put it.
  if (DENO_KV_ACCESS_TOKEN) Deno.env.set("DENO_KV_ACCESS_TOKEN", DENO_KV_ACCESS_TOKEN);
  if (config.store.kind === "kv-platform") refuseMemory();

  const counters = createCounters(await open({ config, log, onUnusable: fail }));
  const app = createApp({ config: { secret, openReads: config.openReads }, counters, log });
  // Deno Deploy chooses the address itself.
  const address = config.platform === "deploy"
    ? {}
    : { hostname: config.hostname, port: config.port };
  const server = listen(address, app.fetch);
  const stop = keepListening(server, app.fetch, log);
  const signal = nextSignal();
  printTo("stdout", banner({ config, address: server.addr, generatedToken }));
  log.info("start", { source: counters.source });

  await signal;
  log.info("stop");
  await Promise.race([stop(), pause(DRAIN_LIMIT[config.platform])]);
  await Promise.race([counters.close(), pause(CLOSE_LIMIT)]);
  Deno.exit(0);
}

async function open(options: OpenStoreOptions): Promise<CounterStore> {
  try {
    return await openStore(options);
  } catch (cause) {
    const { store } = options.config;
    if (!(cause instanceof Deno.errors.NotCapable) || store.kind !== "kv-file") throw cause;
    const { runLine } = await import("./start/run_line.ts");
    // The entry that is packed into a binary is no file that could be run.
    const entry = Deno.build.standalone ? "main.ts" : Deno.mainModule;
    throw new StartError(
      `${store.path} is outside the folder that this process may use. To allow it, start with:\n  ${
        runLine(entry, store.path)
      }`,
      { cause },
    );
  }
}

/** Where no KV is assigned Deno Deploy may have Deno.openKv fall back to memory with a warning: counts would be lost. */
function refuseMemory(): void {
  const name = "DENO_KV_REQUIRES_DISTRIBUTED_DATABASE";
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  if (state === "granted" && Deno.env.get(name) === "warn") Deno.env.set(name, "error");
}

function listen(address: { hostname?: string; port?: number }, fetch: Deno.ServeHandler): Server {
  try {
    return Deno.serve({ ...address, onListen: () => {} }, fetch);
  } catch (cause) {
    throw new StartError(`Cannot listen on this HOST and PORT: ${messageOf(cause)}`, { cause });
  }
}

/** Out of file descriptors, Deno stops listening for good: begins again on the same address until the result is called. */
function keepListening(first: Server, fetch: Deno.ServeHandler, log: Log): () => Promise<void> {
  let server = first;
  let stopped = false;
  const { hostname, port } = first.addr;
  const watch = (): void => {
    server.finished.catch(async (cause) => {
      log.error("listener lost", { cause: asError(cause) });
      await listenAgain();
    });
  };
  watch();
  return () => {
    stopped = true;
    return server.shutdown();
  };

  async function listenAgain(): Promise<void> {
    while (true) {
      await pause(RELISTEN_PAUSE);
      if (stopped) return;
      try {
        server = listen({ hostname, port }, fetch);
        return watch();
      } catch {
        // No descriptors yet: they come back as connections end.
      }
    }
  }
}

function nextSignal(): Promise<void> {
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM"];
  return new Promise((resolve) => {
    for (const signal of signals) Deno.addSignalListener(signal, () => resolve());
  });
}

/** Ends the process with the reason, a line for each thing to do. */
function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    printTo(
      "stderr",
      `Tallymark cannot start with these settings:\n  ${error.problems.join("\n  ")}`,
    );
  } else if (error instanceof StartError) {
    printTo("stderr", `Tallymark cannot start: ${error.message}`);
  } else {
    printTo("stderr", `Tallymark cannot start: unexpected error: ${messageOf(error)}`);
  }
  Deno.exit(1);
}

/** 160 random bits in hexadecimal, which needs no escaping anywhere. */
function randomToken(): string {
  return crypto.getRandomValues(new Uint8Array(20)).toHex();
}

/** Every text that must not reach the log; Deno tells the whole URL of a remote KV that it cannot reach. */
function secretsOf({ store }: Config, others: readonly (string | undefined)[]): string[] {
  const own = store.kind === "redis" ? [store.password] : [];
  if (store.kind === "kv-remote") {
    const { password, search } = new URL(store.url);
    own.push(password, search);
  }
  return [...others, ...own].filter((text) => text !== undefined);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

function messageOf(error: unknown): string {
  return asError(error).message;
}
