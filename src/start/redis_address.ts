/** How to reach a Redis. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

const DEFAULT_PORT = 6379;

/** The address in a `redis://` or `rediss://` URL; undefined where it is not one. */
export function redisFromUrl(text: string): RedisAddress | undefined {
  // An unencoded ? or # in a password cuts the URL there: what is left names some other host.
  if (/[?#].*@/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  if (database === undefined) return undefined;
  try {
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? DEFAULT_PORT : Number(url.port),
      tls: url.protocol === "rediss:",
      username: decodeURIComponent(url.username) || undefined,
      password: decodeURIComponent(url.password) || undefined,
      database: Number(database),
    };
  } catch {
    return undefined;
  }
}

/**
 * The address of a hosted Redis from what its vendor shows: `host`, `host:port`, `redis://…`, `rediss://…` or
 * `https://host`; undefined where it is none of these.
 *
 * TLS unless the scheme is `redis`; the user is `default` unless the URL names one.
 */
export function redisFromHosted(host: string, password: string): RedisAddress | undefined {
  const scheme = /^([a-z]+):\/\//i.exec(host)?.[1]?.toLowerCase();
  const rest = scheme === undefined ? host : host.slice(scheme.length + 3);
  if (scheme !== undefined && !["redis", "rediss", "https"].includes(scheme)) return undefined;
  const address = redisFromUrl(`${scheme === "redis" ? "redis" : "rediss"}://${rest}`);
  if (address === undefined) return undefined;
  return { ...address, username: address.username ?? "default", password };
}
