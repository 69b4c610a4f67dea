import type { ConnectionInfo } from "./http/endpoint.ts";
import { logWarnings, type OpenService, openService } from "./start/server.ts";
import { readEnvironment } from "./start/environment.ts";

let opening: Promise<OpenService> | undefined;

/**
 * Responds to requests inside a server of your own. The settings are the environment variables of
 * the process. The first request opens the store. If that fails, the promise rejects and the next
 * request tries again. `connection` is the `info` that `Deno.serve` passes.
 *
 * @example
 * ```ts
 * import * as tallymark from "@tallymark/tallymark";
 *
 * const server = Deno.serve((request, info) =>
 *   new URL(request.url).hostname === "hits.example.com"
 *     ? tallymark.fetch(request, info)
 *     : new Response("My own site")
 * );
 * await server.finished;
 * await tallymark.close();
 * ```
 */
export const fetch = async (
  request: Request,
  connection: ConnectionInfo = {},
): Promise<Response> => {
  opening ??= open().catch((error) => {
    opening = undefined;
    throw error;
  });
  const { app } = await opening;
  return await app.fetch(request, connection);
};

/**
 * Waits for the calls in flight and closes the store. A later request opens it again.
 *
 * @example
 * ```ts
 * const server = Deno.serve(tallymark.fetch);
 * Deno.addSignalListener("SIGTERM", () => server.shutdown().then(tallymark.close));
 * ```
 */
export async function close(): Promise<void> {
  const opened = opening;
  opening = undefined;
  if (opened === undefined) return;
  const { app, counters } = await opened;
  app.close();
  await counters.close();
}

async function open(): Promise<OpenService> {
  const environment = await readEnvironment();
  const service = await openService(environment, {
    isTerminal: false,
    onUnusable: (cause, log) => log.error("store unusable", { cause }),
  });
  logWarnings(service);
  service.log.info("mounted", { source: service.counters.source });
  return service;
}
