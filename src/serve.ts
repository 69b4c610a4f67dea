import type { ConnectionInfo } from "./http/endpoint.ts";
import { StartError } from "./start_error.ts";
import { announce, closeOnSignal, fail, type OpenService, openService } from "./start/server.ts";
import { parseConfig } from "./start/config.ts";
import { readEnvironment } from "./start/environment.ts";
import { pause } from "./waiting.ts";

// As in main.ts: a bundle of the Redis client needs it.
Object.assign(globalThis, {
  require: (name: string) => globalThis.process.getBuiltinModule(name),
});
// The console of a worker would put the name of the worker before each line.
for (const [method, stream] of [["log", Deno.stdout], ["error", Deno.stderr]] as const) {
  console[method] = (line: string) => stream.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Time to wait for other workers, in milliseconds. */
const PATIENCE_MS = 2200;
/** Maximum time for which a worker waits for its store before it takes connections. */
const OPENING_MS = 5000;

/** A message to the other workers. */
type Message = [worker: string, isRunning: boolean];

/** Begins with the time, so that a worker that joins later changes the number of no other one. */
const id = `${Date.now()} ${crypto.randomUUID()}`;
/** The other workers of the process that have not ended. */
const others = new Set<string>();
const channel = new BroadcastChannel("tallymark-workers");
channel.onmessage = ({ data: [worker, isRunning] }: MessageEvent<Message>) => {
  const isNew = isRunning && !others.has(worker);
  if (isRunning) others.add(worker);
  else others.delete(worker);
  if (isNew) tell(true);
};
tell(true);

const service = await open().catch(fail);
// A worker takes connections once this module has run. On a busy machine, it may take several
// attempts to open the store, and hits would fail between them.
await until(() => service.counters.ready().then(() => true, () => false), OPENING_MS);
closeOnSignal(service).then(exitWithOthers);

/**
 * The entry for `deno serve --parallel`, which runs a worker on each core, all on one port. Each is
 * a service of its own, so that they share a Redis or a remote Deno KV as several servers do.
 *
 * @example
 * ```sh
 * STORE_URL=redis://127.0.0.1:6379 deno serve --parallel -A src/serve.ts
 * ```
 */
export default {
  fetch(request: Request, connection: ConnectionInfo): Response | Promise<Response> {
    return service.app.fetch(request, connection);
  },
  /** Called in one worker only. */
  onListen(address: Deno.NetAddr): void {
    announce(service, address);
    if (Deno.env.get("PORT") || Deno.env.get("HOST")) {
      service.log.warn("PORT and HOST ignored: deno serve takes --port and --host instead");
    }
  },
};

async function open(): Promise<OpenService> {
  const environment = await readEnvironment();
  const { store } = parseConfig(environment.environment);
  if (store.kind === "kv-memory") {
    throw new StartError(
      "Workers cannot share counters in memory: set STORE_URL to a Redis, or start main.ts",
    );
  }
  const worker = () => [id, ...others].sort().indexOf(id);
  const options = { isTerminal: false, onUnusable: fail, worker };
  const service = await openService(environment, options).catch(async (cause) => {
    // The worker that has the file may be too busy to answer at once.
    await until(() => others.size > 0);
    if (store.kind !== "kv-file" || others.size === 0) throw cause;
    throw new StartError(
      "A counter file belongs to one worker: set STORE_URL to a Redis, or start without --parallel",
      { cause },
    );
  });
  const { generated } = service;
  if (generated === undefined || generated.path !== undefined) return service;
  throw new StartError(
    `Set SECRET_TOKEN: all workers need the same one, and ${generated.warnings[0]}`,
  );
}

/** Ends the process once every worker has answered its hits, because Deno.exit ends all of them. */
async function exitWithOthers(): Promise<void> {
  // The last responses are on their way.
  await pause(100);
  tell(false);
  await until(() => others.size === 0);
  Deno.exit(0);
}

/** Resolves when a condition is met, or soon after `milliseconds`. */
async function until(
  isMet: () => boolean | Promise<boolean>,
  milliseconds = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!await isMet() && performance.now() < end) await pause(50);
}

function tell(isRunning: boolean): void {
  channel.postMessage([id, isRunning] satisfies Message);
}
