import { redisFromHosted } from "./redis_address.ts";
import { isRedisUrl, parseRedisUrl, type RedisSetting } from "./redis_url.ts";
import { BadSetting } from "./setting.ts";

/** Where the counters are kept. */
export type StoreSetting =
  | { readonly kind: "kv-file"; readonly path: string }
  | { readonly kind: "kv-memory" }
  | { readonly kind: "kv-platform" }
  | { readonly kind: "kv-remote"; readonly url: string }
  | ({ readonly kind: "redis" } & RedisSetting);

/** The store that a `STORE_URL` names. */
export function parseStoreUrl(text: string, deploy: boolean): StoreSetting {
  const scheme = /^[a-z]+:/i.exec(text)?.[0].toLowerCase();
  const rest = text.slice(scheme?.length ?? 0);
  if (isRedisUrl(text)) return { kind: "redis", ...parseRedisUrl(text) };
  if (scheme === "memory:" && rest === "") return { kind: "kv-memory" };
  if (scheme === "kv:" && rest !== "" && !rest.includes("\0")) return kvStore(rest, deploy);
  throw new BadSetting("must begin with redis://, rediss://, kv: or memory:");
}

/** The Redis that `HOSTED_STORE_URL` and its password name. */
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
    throw new BadSetting("must have a whole URL after kv:, such as kv:https://host");
  }
  if (!deploy) return { kind: "kv-file", path: place };
  throw new BadSetting("cannot name a file on Deno Deploy: nothing is kept on its disks");
}
