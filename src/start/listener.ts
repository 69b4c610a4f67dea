import type { Log } from "../log.ts";
import { errorMessage, StartError } from "../start_error.ts";
import { pause } from "../waiting.ts";

/** Time between attempts to listen again, in milliseconds. */
const RELISTEN_PAUSE_MS = 100;

/** An address to listen on. Undefined if the platform chooses. */
type Place = Pick<Deno.NetAddr, "hostname" | "port"> | undefined;

/**
 * Listens until it is stopped. Throws a {@linkcode StartError} if it cannot start.
 *
 * Without a free file descriptor, Deno stops listening for good, but accepted connections remain
 * open. The listener then listens again on the same address as soon as descriptors are free.
 */
export function listen(
  { at, fetch, log }: {
    at: Place;
    fetch: Deno.ServeHandler<Deno.NetAddr>;
    log: Log;
  },
) {
  const open = new Set<Deno.HttpServer<Deno.NetAddr>>();
  let stopped = false;

  function begin(place: Place): Deno.NetAddr {
    const server = Deno.serve({ ...place, onListen: () => {}, onError }, fetch);
    open.add(server);
    server.finished.catch(async (cause) => {
      log.error("listener failed", { cause });
      // Answers accepted requests, and closes idle connections to free their descriptors.
      const retired = server.shutdown().then(() => open.delete(server));
      await Promise.all([retired, beginAgain()]);
    });
    return server.addr;
  }

  async function beginAgain(): Promise<void> {
    while (true) {
      await pause(RELISTEN_PAUSE_MS);
      if (stopped) return;
      try {
        return void begin(address);
      } catch {
        // Still no descriptors.
      }
    }
  }

  /**
   * Logs that a response body failed after it had begun, so that Deno cuts it off. The handler
   * answers every other error.
   */
  function onError(cause: unknown): Response {
    log.error("answer cut off", { cause });
    return new Response(null, { status: 500 });
  }

  let address: Deno.NetAddr;
  try {
    address = begin(at);
  } catch (cause) {
    // Conda and some shells export a HOST that their user has never set.
    const place = at && ` on HOST ${at.hostname} and PORT ${at.port} of the environment or .env`;
    throw new StartError(`Cannot listen${place ?? ""}: ${errorMessage(cause)}`, { cause });
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
