import type { RedisAddress } from "../../start/redis_address.ts";

/** The client library, handed in so that only who uses Redis loads it. */
export type RedisLibrary = typeof import("@redis/client");
/** One connection to a Redis, which the library makes anew when it ends. */
export type RedisClient = ReturnType<typeof createRedisClient>;

const ADDRESS = /^[\d.]+$|:/;

/** A connection that is not opened yet; each setting was found right in every outage tried, see the tests of faults. */
export function createRedisClient(library: RedisLibrary, address: RedisAddress) {
  const { host, port, tls, username, password, database } = address;
  const socket = { host, port, connectTimeout: 1500, reconnectStrategy: backoff };
  return library.createClient({
    // TLS has names of servers only, no addresses (RFC 6066, section 3).
    socket: tls ? { ...socket, tls, ...(!ADDRESS.test(host) && { servername: host }) } : socket,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    RESP: 2,
    maintNotifications: "disabled",
    disableOfflineQueue: true,
    commandOptions: {
      // Calls have a deadline of their own; the client would set a timer of 5 s for every command.
      timeout: 0,
      // The client reads numbers within 57 of 2^53 as others close by.
      typeMapping: { [library.RESP_TYPES.NUMBER]: String },
    },
  });
}

/** Milliseconds before the next try: 50, doubled up to 1,000, with a fifth of jitter. */
export function backoff(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) * (1 + Math.random() / 5);
}
