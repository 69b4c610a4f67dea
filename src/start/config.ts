import { type RedisAddress, redisFromHosted, redisFromUrl } from "./redis_address.ts";

/** Every environment variable that the service reads: also the list in the `start` task's `--allow-env`. */
export const SETTINGS = [
  "SECRET_TOKEN",
  "STORE_URL",
  "HOSTED_STORE_URL",
  "HOSTED_STORE_PASSWORD",
  "DENO_KV_ACCESS_TOKEN",
  "PORT",
  "HOST",
  "STORE_PREFIX",
  "FAIL_FAST_STORE",
  "PUBLIC_READS",
  "DENO_DEPLOY",
  "DENO_DEPLOYMENT_ID",
] as const;

/** The file that holds the counters where no store is set. */
const DEFAULT_KV_FILE = "data/counters.kv";

const DEFAULT_PREFIX = "hits:";
const DEFAULT_PORT = 8000;
const STANDALONE_ONLY = [
  "PORT",
  "HOST",
  "STORE_PREFIX",
  "FAIL_FAST_STORE",
  "PUBLIC_READS",
] as const;

/** Where the counters are kept. */
export type StoreSetting =
  | { readonly kind: "kv-file"; readonly path: string }
  | { readonly kind: "kv-memory" }
  | { readonly kind: "kv-platform" }
  | { readonly kind: "kv-remote"; readonly url: string }
  | ({ readonly kind: "redis" } & RedisAddress);

/** All settings, checked. */
export interface Config {
  /** Deno Deploy, or a server of one's own. */
  readonly platform: "deploy" | "standalone";
  /** The secret that opens `/hit`; undefined where none is set. */
  readonly secret: string | undefined;
  readonly store: StoreSetting;
  readonly hostname: string;
  readonly port: number;
  readonly prefix: string;
  readonly failFast: boolean;
  /** Whether anyone may read. */
  readonly openReads: boolean;
  /** Settings that have no effect here. */
  readonly ignored: readonly string[];
}

/** Every setting that cannot be used, each with what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** A name and its value, as the environment or a `.env` file gives it; an empty value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether an environment is Deno Deploy's. */
export function isDeploy(environment: Environment): boolean {
  return environment.DENO_DEPLOY === "true" || Boolean(environment.DENO_DEPLOYMENT_ID);
}

/** The settings of an environment; throws a {@linkcode ConfigError} that names every bad one and shows no value. */
export function parseConfig(environment: Environment): Config {
  const problems: string[] = [];
  const deploy = isDeploy(environment);
  const get = (name: typeof SETTINGS[number]) => environment[name] || undefined;
  const own = (name: typeof STANDALONE_ONLY[number]) => deploy ? undefined : get(name);

  const secret = get("SECRET_TOKEN");
  const publicReads = flag("PUBLIC_READS", own("PUBLIC_READS"), problems);
  const config: Config = {
    platform: deploy ? "deploy" : "standalone",
    secret,
    store: storeSetting(get, deploy, problems),
    hostname: hostname(own("HOST"), problems),
    port: port(own("PORT"), problems),
    prefix: prefix(own("STORE_PREFIX"), problems),
    failFast: flag("FAIL_FAST_STORE", own("FAIL_FAST_STORE"), problems),
    openReads: deploy || secret === undefined || publicReads,
    ignored: deploy ? STANDALONE_ONLY.filter((name) => get(name) !== undefined) : [],
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function storeSetting(
  get: (name: typeof SETTINGS[number]) => string | undefined,
  deploy: boolean,
  problems: string[],
): StoreSetting {
  const url = get("STORE_URL");
  const host = get("HOSTED_STORE_URL");
  const password = get("HOSTED_STORE_PASSWORD");
  if (url !== undefined) {
    const store = fromStoreUrl(url, deploy, problems);
    if (store.kind === "kv-remote" && get("DENO_KV_ACCESS_TOKEN") === undefined) {
      problems.push("DENO_KV_ACCESS_TOKEN is missing: the Deno KV in STORE_URL needs it");
    }
    return store;
  }
  if (host !== undefined && password !== undefined) {
    const address = redisFromHosted(host, password);
    if (address !== undefined) return { kind: "redis", ...address };
    problems.push(
      "HOSTED_STORE_URL must be host, host:port, redis://host:port, rediss://host:port or https://host",
    );
  } else if (host !== undefined) {
    problems.push("HOSTED_STORE_PASSWORD is missing: HOSTED_STORE_URL needs it");
  } else if (password !== undefined) {
    problems.push("HOSTED_STORE_URL is missing: HOSTED_STORE_PASSWORD needs it");
  }
  return deploy ? { kind: "kv-platform" } : { kind: "kv-file", path: DEFAULT_KV_FILE };
}

function fromStoreUrl(url: string, deploy: boolean, problems: string[]): StoreSetting {
  const scheme = /^[a-z]+:/i.exec(url)?.[0].toLowerCase();
  const rest = url.slice(scheme?.length ?? 0);
  if (scheme === "redis:" || scheme === "rediss:") {
    const address = redisFromUrl(url);
    if (address !== undefined) return { kind: "redis", ...address };
    problems.push(
      "STORE_URL must be redis://user:password@host:port/database, with special characters percent-encoded",
    );
  } else if (scheme === "memory:" && rest === "") {
    return { kind: "kv-memory" };
  } else if (scheme === "kv:" && /^https?:\/\//i.test(rest)) {
    if (URL.canParse(rest)) return { kind: "kv-remote", url: rest };
    problems.push("STORE_URL must have a whole URL after kv:, such as kv:https://host");
  } else if (scheme === "kv:" && rest === ":memory:") {
    problems.push("STORE_URL must be memory: to keep counters in memory");
  } else if (scheme === "kv:" && rest !== "" && !rest.includes("\0")) {
    if (!deploy) return { kind: "kv-file", path: rest };
    problems.push("STORE_URL cannot name a file on Deno Deploy: nothing is kept on its disks");
  } else {
    problems.push("STORE_URL must begin with redis://, rediss://, kv: or memory:");
  }
  return { kind: "kv-memory" };
}

/** 0 lets the system choose a free port. */
function port(text: string | undefined, problems: string[]): number {
  if (text === undefined) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  problems.push("PORT must be a whole number from 0 to 65535");
  return DEFAULT_PORT;
}

function hostname(text: string | undefined, problems: string[]): string {
  if (text === undefined) return "0.0.0.0";
  if (/^[\w.:%-]+$/.test(text)) return text;
  problems.push("HOST must be a host name or an IP address");
  return "0.0.0.0";
}

/** Long enough for any use, short enough to leave room for the id in a Deno KV key (2 KiB). */
const MAX_PREFIX_LENGTH = 200;

function prefix(text: string | undefined, problems: string[]): string {
  if (text === undefined) return DEFAULT_PREFIX;
  if (text.length <= MAX_PREFIX_LENGTH && !/\p{C}/u.test(text)) return text;
  problems.push(`STORE_PREFIX must have at most ${MAX_PREFIX_LENGTH} visible characters`);
  return DEFAULT_PREFIX;
}

function flag(name: string, text: string | undefined, problems: string[]): boolean {
  const value = text?.toLowerCase();
  if (value === undefined || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  problems.push(`${name} must be 1, true, 0 or false`);
  return false;
}
