import type { Log } from "../log.ts";
import { errorMessage, StartError } from "../problem.ts";

/** Time between attempts to listen again, in milliseconds. */
const RELISTEN_PAUSE_MS = 100;

export interface ListenOptions {
  /** Undefined if the platform chooses. */
  at: Pick<Deno.NetAddr, "hostname" | "port"> | undefined;
  fetch: Deno.ServeHandler<Deno.NetAddr>;
  log: Log;
}

/**
 * Listens until it is stopped. Throws a {@linkcode StartError} if it cannot start.
 *
 * Without a free file descriptor, Deno stops listening for good, but accepted connections remain
 * open. The listener then listens again on the same address as soon as descriptors are free.
 */
export function listen({ at, fetch, log }: ListenOptions) {
  const open = new Set<Server>();
  const { addr: address } = begin(at);
  let stopped = false;

  function begin(place: ListenOptions["at"]): Server {
    const server = serve(place, { fetch, log });
    open.add(server);
    server.finished.catch(async (cause) => {
      log.error("listener failed", { cause });
      await Promise.all([retire(server), beginAgain()]);
    });
    return server;
  }

  /** Answers accepted requests, and closes idle connections to free their descriptors. */
  async function retire(server: Server): Promise<void> {
    await server.shutdown();
    open.delete(server);
  }

  async function beginAgain(): Promise<void> {
    while (true) {
      await new Promise((resolve) => setTimeout(resolve, RELISTEN_PAUSE_MS));
      if (stopped) return;
      try {
        return void begin(address);
      } catch {
        // Still no descriptors.
      }
    }
  }

  return {
    address,
    /** Accepts no more requests. Resolves when all accepted ones are answered. */
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all([...open].map((server) => server.shutdown()));
    },
  };
}

type Server = Deno.HttpServer<Deno.NetAddr>;

function serve(
  at: ListenOptions["at"],
  { fetch, log }: Pick<ListenOptions, "fetch" | "log">,
): Server {
  // The handler answers every other error. Here, a response body that has begun failed, and Deno
  // cuts it off.
  const onError = (cause: unknown) => {
    log.error("answer cut off", { cause });
    return new Response(null, { status: 500 });
  };
  try {
    return Deno.serve({ ...at, onListen: () => {}, onError }, fetch);
  } catch (cause) {
    const place = at === undefined ? "" : ` on HOST ${at.hostname} and PORT ${at.port}`;
    throw new StartError(`Cannot listen${place}: ${errorMessage(cause)}`, { cause });
  }
}
