import type { Log } from "../log.ts";
import { messageOf, StartError } from "../start_error.ts";

/** Pause before listening again where the system took the listener away. */
const RELISTEN_PAUSE_MS = 100;

export interface ListenOptions {
  /** Where to listen; undefined where the platform chooses that itself. */
  at: Pick<Deno.NetAddr, "hostname" | "port"> | undefined;
  fetch: Deno.ServeHandler<Deno.NetAddr>;
  log: Log;
}

/** A server that goes on until it is stopped. */
export interface Listener {
  readonly address: Deno.NetAddr;
  /** Takes no more requests; resolves when all that were accepted are answered. */
  stop(): Promise<void>;
}

/**
 * Listens until it is stopped; throws a {@linkcode StartError} where it cannot begin.
 *
 * Out of file descriptors, Deno stops listening for good, while the connections that it has accepted go on: this begins
 * again on the same address as soon as there are descriptors.
 */
export function listen({ at, fetch, log }: ListenOptions): Listener {
  const open = new Set<Server>();
  const { addr: address } = begin(at);
  let stopped = false;

  function begin(place: ListenOptions["at"]): Server {
    const server = serve(place, { fetch, log });
    open.add(server);
    server.finished.catch(async (cause) => {
      log.error("listener lost", { cause });
      await Promise.all([retire(server), beginAgain()]);
    });
    return server;
  }

  /** Answers what the server has accepted, and lets go of the connections that nobody uses: others need them. */
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
        // No descriptors yet: they come back as connections end.
      }
    }
  }

  return {
    address,
    async stop() {
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
  // All else is answered by the handler: what fails here is a body that was begun, which Deno then cuts off.
  const onError = (cause: unknown) => {
    log.error("answer cut off", { cause });
    return new Response(null, { status: 500 });
  };
  try {
    return Deno.serve({ ...at, onListen: () => {}, onError }, fetch);
  } catch (cause) {
    const place = at === undefined ? "" : ` on HOST ${at.hostname} and PORT ${at.port}`;
    throw new StartError(`Cannot listen${place}: ${messageOf(cause)}`, { cause });
  }
}
