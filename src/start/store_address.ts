import { percentDecoded } from "../http/query.ts";
import type { RedisAddress, RedisForm, RedisSetting, StoreSetting } from "../store/setting.ts";

/** Parses `STORE_URL`. Throws a RangeError if it is invalid. */
export function parseStoreUrl(text: string, deploy: boolean): StoreSetting {
  if (/^(?:rediss?[+-])?(?:unix|socket):|^(?!kv:).*\.sock(?:\?.*)?$/i.test(text)) {
    throw new RangeError(
      "cannot be a unix socket, because Redis is reached by TCP only, such as redis://127.0.0.1:6379",
    );
  }
  if (/^rediss?[:+-]/i.test(text)) return { kind: "redis", ...parseRedisUrl(text) };
  if (/^memory:$/i.test(text)) return { kind: "kv-memory" };
  const place = /^kv:([^\0]+)$/i.exec(text)?.[1];
  if (place === undefined) {
    throw new RangeError("must begin with redis://, rediss://, kv: or memory:");
  }
  if (place === ":memory:") throw new RangeError("must be memory: to keep counters in memory");
  if (/^https?:\/\//i.test(place)) {
    if (URL.canParse(place)) return { kind: "kv-remote", url: place };
    throw new RangeError("must have a complete URL after kv:, such as kv:https://host");
  }
  if (!deploy) return { kind: "kv-file", path: place };
  throw new RangeError("cannot name a file on Deno Deploy, which keeps no files");
}

/** The parts of the URL of several hosts. A password may contain an at sign. */
const REDIS_URL = /^(rediss?)(\+cluster|[+-]sentinel)?:\/\/(.*@)?([^/]*)(.*)$/is;
/** The name and the database in the path of Sentinels, either of which may be missing. */
const NAME_AND_DATABASE = /^\/?([^/?#]*)(\/\d*)?$/;
const SENTINEL_PORT = 26379;

const EXAMPLES: Record<RedisForm, string> = {
  any: "redis://user:password@host:port/database",
  cluster: "redis+cluster://user:password@host:port,host:port",
  sentinel: "redis+sentinel://user:password@host:port,host:port/name/database",
};

/** Parses the URL of one Redis, a cluster or Sentinels. Throws a RangeError if it is invalid. */
export function parseRedisUrl(text: string): RedisSetting {
  const [, tls, suffix = "", login = "", hosts = "", path = ""] = REDIS_URL.exec(text) ?? [];
  const isSentinel = /sentinel/i.test(suffix);
  const form = isSentinel ? "sentinel" : suffix === "" ? "any" : "cluster";
  const [, name = "", database = ""] = isSentinel
    ? NAME_AND_DATABASE.exec(path) ?? [, "%"]
    : [, "", path];
  const master = percentDecoded(name);
  const [first, ...others] = hosts.split(",").map((host) => {
    const place = isSentinel && !/:\d+$/.test(host) ? `${host}:${SENTINEL_PORT}` : host;
    return redisFromUrl(`${tls}://${login}${place}${database}`);
  });
  const areValid = others.every((address) => address !== undefined);
  if (master === undefined || first === undefined || !areValid) {
    const query = text.includes("?") ? " and no query: write /3 in place of ?db=3" : "";
    throw new RangeError(
      `must be ${EXAMPLES[form]}, with special characters percent-encoded${query}`,
    );
  }
  const addresses = [first, ...others] as const;
  if (form === "cluster" && addresses.some(({ database }) => database !== 0)) {
    throw new RangeError("must not name a database other than 0: a Redis Cluster has no other");
  }
  return { form, addresses, master: master || undefined };
}

const DEFAULT_PORT = 6379;

/** Parses a `redis://` or `rediss://` URL. Returns undefined for anything else. */
export function redisFromUrl(text: string): RedisAddress | undefined {
  // A query has no meaning here, and an unencoded ? or # in a password would end the URL.
  if (/[?#]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  const [host, username, password] = [url.hostname, url.username, url.password].map(percentDecoded);
  if (database === undefined) return undefined;
  if (host === undefined || username === undefined || password === undefined) return undefined;
  return {
    host: host.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    tls: url.protocol === "rediss:",
    username: username || undefined,
    password: password || undefined,
    database: Number(database),
  };
}

/**
 * Parses `HOSTED_STORE_URL`, the address of a hosted Redis as its vendor shows it. It has TLS
 * unless the scheme is `redis`, and the user `default` unless it names one. Throws a RangeError if
 * it is invalid.
 */
export function parseHostedStore(host: string, password: string): StoreSetting {
  const [, scheme = "", rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/is.exec(host) ?? [];
  const protocol = /^redis$/i.test(scheme) ? "redis" : "rediss";
  const address = redisFromUrl(`${protocol}://${rest}`);
  if (address === undefined || !/^(?:rediss?|https)?$/i.test(scheme)) {
    throw new RangeError(
      "must be host, host:port, redis://host:port, rediss://host:port or https://host",
    );
  }
  const login = { username: address.username ?? "default", password };
  return { kind: "redis", form: "any", addresses: [{ ...address, ...login }], master: undefined };
}
