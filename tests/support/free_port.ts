/** A port of 127.0.0.1 that was free a moment ago; another process may still take it first. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Ports from here on are taken by connections that programs of this machine open. */
const EPHEMERAL = 32_768;
const FIRST = 10_000;
/** Those that are still to be listened on would be found free again. */
const given = new Set<number>();

/** A free port that no connection takes by chance, for a server that is to come back on it or cannot be given another. */
export function lastingPort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (EPHEMERAL - FIRST));
    if (given.has(port)) continue;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      given.add(port);
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
