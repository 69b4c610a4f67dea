import { BadSetting } from "./settings_reader.ts";

/** Where the counters are kept. */
export type StoreSetting =
  | { readonly kind: "kv-file"; readonly path: string }
  | { readonly kind: "kv-memory" }
  | { readonly kind: "kv-platform" }
  | { readonly kind: "kv-remote"; readonly url: string }
  | ({ readonly kind: "redis" } & RedisSetting);

/** What is at the addresses: `any` is one server or a cluster, which the server says itself. */
export type RedisForm = "any" | "cluster" | "sentinel";

export interface RedisSetting {
  readonly form: RedisForm;
  /** At least one; user, password and database are those of the Redis, also where these are Sentinels. */
  readonly addresses: readonly RedisAddress[];
  /** The Sentinels' name of the Redis; undefined if they are to say it. */
  readonly master: string | undefined;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** Parses `STORE_URL`; throws a {@linkcode BadSetting}. */
export function parseStoreUrl(text: string, deploy: boolean): StoreSetting {
  const scheme = /^[a-z]+:/i.exec(text)?.[0].toLowerCase();
  const rest = text.slice(scheme?.length ?? 0);
  if (isRedisUrl(text)) return { kind: "redis", ...parseRedisUrl(text) };
  if (scheme === "memory:" && rest === "") return { kind: "kv-memory" };
  if (scheme === "kv:" && rest !== "" && !rest.includes("\0")) return kvStore(rest, deploy);
  throw new BadSetting("must begin with redis://, rediss://, kv: or memory:");
}

/** Parses `HOSTED_STORE_URL`; throws a {@linkcode BadSetting}. */
export function parseHostedStore(host: string, password: string): StoreSetting {
  const address = redisFromHosted(host, password);
  if (address !== undefined) {
    return { kind: "redis", form: "any", addresses: [address], master: undefined };
  }
  throw new BadSetting(
    "must be host, host:port, redis://host:port, rediss://host:port or https://host",
  );
}

function kvStore(place: string, deploy: boolean): StoreSetting {
  if (place === ":memory:") throw new BadSetting("must be memory: to keep counters in memory");
  if (/^https?:\/\//i.test(place)) {
    if (URL.canParse(place)) return { kind: "kv-remote", url: place };
    throw new BadSetting("must have a complete URL after kv:, such as kv:https://host");
  }
  if (!deploy) return { kind: "kv-file", path: place };
  throw new BadSetting("cannot name a file on Deno Deploy, which keeps no files");
}

const SCHEME = /^(rediss?)(\+cluster|[+-]sentinel)?:\/\//i;
const SENTINEL_PORT = 26379;

function isRedisUrl(text: string): boolean {
  return /^rediss?[:+-]/i.test(text);
}

/** Parses the URL of one Redis, a cluster or Sentinels; throws a {@linkcode BadSetting}. */
export function parseRedisUrl(text: string): RedisSetting {
  const [scheme, tls = "", suffix = ""] = SCHEME.exec(text) ?? [];
  const form = formOf(suffix);
  if (scheme === undefined) throw bad(form);
  const { login, hosts, path } = partsOf(text.slice(scheme.length));
  const { master, database } = form === "sentinel"
    ? masterOf(path)
    : { master: undefined, database: path };
  const addresses = hosts.map((host) => {
    const place = form === "sentinel" ? withPort(host, SENTINEL_PORT) : host;
    const address = redisFromUrl(`${tls}://${login}${place}${database}`);
    if (address === undefined) throw bad(form);
    return address;
  });
  if (form === "cluster" && addresses.some(({ database }) => database !== 0)) {
    throw new BadSetting("must not name a database other than 0: a Redis Cluster has no other");
  }
  return { form, addresses, master };
}

function formOf(suffix: string): RedisForm {
  if (suffix === "") return "any";
  return suffix.toLowerCase() === "+cluster" ? "cluster" : "sentinel";
}

function withPort(host: string, port: number): string {
  return /:\d+$/.test(host) ? host : `${host}:${port}`;
}

function partsOf(rest: string): { login: string; hosts: string[]; path: string } {
  const at = rest.lastIndexOf("@") + 1;
  const slash = rest.indexOf("/", at);
  const end = slash < 0 ? rest.length : slash;
  return { login: rest.slice(0, at), hosts: rest.slice(at, end).split(","), path: rest.slice(end) };
}

/** The name and the database in `/name/database`, either of which may be missing. */
function masterOf(path: string): { master: string | undefined; database: string } {
  const parts = /^\/?([^/?#]*)(\/\d*)?$/.exec(path);
  if (parts === null) throw bad("sentinel");
  const [, name = "", database = ""] = parts;
  try {
    return { master: decodeURIComponent(name) || undefined, database };
  } catch {
    throw bad("sentinel");
  }
}

function bad(form: RedisForm): BadSetting {
  const example = {
    any: "redis://user:password@host:port/database",
    cluster: "redis+cluster://user:password@host:port,host:port",
    sentinel: "redis+sentinel://user:password@host:port,host:port/name/database",
  }[form];
  return new BadSetting(`must be ${example}, with special characters percent-encoded`);
}

const DEFAULT_PORT = 6379;

/** The address in a `redis://` or `rediss://` URL; undefined for anything else. */
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
 * `https://host`; undefined for anything else.
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
