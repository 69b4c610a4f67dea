/** A port of 127.0.0.1 that was free a moment ago; another process may still take it first. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
