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

/** Time after which every other worker has ended as well, in milliseconds. */
const OTHERS_MS = 2500;

const service = await open().catch(fail);
// A worker takes connections once this module has run, and has its store by then if it can.
await service.counters.ready().catch(() => {});
// All workers get the signal, and Deno.exit ends all of them, also one that still answers hits.
closeOnSignal(service).then(() => pause(OTHERS_MS)).then(() => Deno.exit(0));

/**
 * The entry for `deno serve --parallel`, which runs a worker on each core, all on one port. Each is
 * a service of its own, so that they share a Redis or a remote Deno KV as several servers do. A
 * counter file takes one worker.
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
    throw new StartError("Workers share a Redis: set STORE_URL to one, or start main.ts");
  }
  const worker = crypto.randomUUID().slice(0, 8);
  const options = { isTerminal: false, onUnusable: fail, worker };
  const service = await openService(environment, options).catch((cause) => {
    if (store.kind !== "kv-file" || !(cause instanceof StartError)) throw cause;
    const remedy = "set STORE_URL to a Redis, or start without --parallel";
    throw new StartError(`${cause.message}. Workers cannot share a counter file: ${remedy}`);
  });
  const { generated } = service;
  if (generated === undefined || generated.path !== undefined) return service;
  throw new StartError(
    `Set SECRET_TOKEN: all workers need the same one, and ${generated.notice}`,
  );
}
