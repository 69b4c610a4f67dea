import { openService } from "../../src/start/server.ts";
import { onReservedPort } from "./reserved_port.ts";
import { statusOf, storeReady } from "./service.ts";
import { waitFor } from "./wait_for.ts";

/** The address of a service, without a trailing slash. */
export interface ServiceAddress {
  readonly url: string;
}

/** A service in the process of the test; ends when disposed of, once its lists have ended. */
export interface LocalService extends ServiceAddress, AsyncDisposable {
  /** Answers a request that came over no connection. */
  answer(request: Request): Response | Promise<Response>;
  /** Returns its log so far. */
  stderr(): string;
  /** Waits until its log matches. */
  waitForOutput(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Waits until its store can be used. */
  storeReady(): Promise<void>;
}

/**
 * Starts the service in the process of the test, which is faster than a process of its own. It
 * has these settings only, keeps its counters in memory unless told otherwise, and listens on any
 * port or on a reserved one.
 */
export async function startLocalService(
  env: Readonly<Record<string, string>>,
  port = 0,
): Promise<LocalService> {
  let printed = "";
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
      write: (line) => void (printed += `${line}\n`),
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
  const url = `http://127.0.0.1:${server.addr.port}`;
  // The client of Redis takes a while to load at first.
  if (env.STORE_URL !== undefined) await statusOf(`${url}/readyz`);
  return {
    url,
    answer: (request) => app.fetch(request, { remoteAddr: server.addr }),
    stderr: () => printed,
    waitForOutput: (pattern) => waitFor(String(pattern), () => printed.match(pattern)),
    storeReady: () => storeReady({ url }),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      // The list of a closed page may still pause. Its timer must not outlast the test.
      await Promise.all(lists);
      app.close();
      await counters.close();
    },
  };
}
