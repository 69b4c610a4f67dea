import { type RedisAddress, redisFromUrl } from "./redis_address.ts";
import { BadSetting } from "./setting.ts";

/** What is at the addresses of a Redis: one server, a cluster or Sentinels that name one; `any` has to be asked. */
export type RedisForm = "any" | "cluster" | "sentinel";

/** How to reach a Redis of any form. */
export interface RedisSetting {
  readonly form: RedisForm;
  /** Those to ask, at least one, with the user, password and database of the Redis itself. */
  readonly addresses: readonly RedisAddress[];
  /** What Sentinels call the Redis; undefined where they are to say. */
  readonly master: string | undefined;
}

const SCHEME = /^(rediss?)(\+cluster|[+-]sentinel)?:\/\//i;
const SENTINEL_PORT = 26379;

/** Whether a text begins as the address of a Redis does. */
export function isRedisUrl(text: string): boolean {
  return /^rediss?[:+-]/i.test(text);
}

/** The Redis that a URL names; throws a {@linkcode BadSetting} where it names none. */
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
    throw new BadSetting("must name no database but 0: a Redis Cluster has no other");
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
