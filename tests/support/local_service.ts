import { openService } from "../../src/start/server.ts";
import { onReservedPort } from "./reserved_port.ts";

/** The address of a service, without a trailing slash. */
export interface ServiceAddress {
  readonly url: string;
}

/** A service in the process of the test; ends when disposed of, once its lists have ended. */
export type LocalService = ServiceAddress & AsyncDisposable;

/**
 * Starts the service in the process of the test, which is faster than a process of its own. It
 * has these settings only, keeps its counters in memory unless told otherwise, and listens on any
 * port or on a reserved one.
 */
export async function startLocalService(
  env: Readonly<Record<string, string>>,
  port = 0,
): Promise<LocalService> {
  const { app, counters } = await openService(
    {
      environment: { STORE_URL: "memory:", ...env },
      unknownNames: [],
      quotedNames: [],
    },
    {
      isTerminal: false,
      onUnusable(cause) {
        throw cause;
      },
    },
  );
  const lists: Promise<void>[] = [];
  const address = { hostname: "127.0.0.1", port, onListen() {} };
  const server = onReservedPort(() =>
    Deno.serve(address, async (request, info) => {
      const response = await app.fetch(request, info);
      if (response.headers.get("content-type") !== "application/x-ndjson") return response;
      const { readable, writable } = new TransformStream();
      // Fails once the list has ended, if the browser disconnects.
      lists.push((response.body ?? ReadableStream.from([])).pipeTo(writable).catch(() => {}));
      return new Response(readable, response);
    })
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      // The list of a closed page may still pause. Its timer must not outlast the test.
      await Promise.all(lists);
      app.close();
      await counters.close();
    },
  };
}
