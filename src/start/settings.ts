import { parseKeyVersions } from "../auth/keys.ts";
import { MIN_SECRET_LENGTH } from "../auth/secret.ts";
import { parseServeAs } from "../hits/serve_as.ts";
import { errorMessage, StartError } from "../start_error.ts";
import { parseStoreUrl } from "./store_address.ts";

/** An environment variable that an owner may set. */
export interface Setting<Value> {
  readonly name: string;
  /** The name in earlier versions, which still works. */
  readonly oldName?: string;
  /** The text that replaces an unset variable. Empty by default. */
  readonly default?: string;
  /** The text of the table in .docs/settings.md. */
  readonly meaning: string;
  /** True if it has no effect on Deno Deploy. */
  readonly standaloneOnly?: boolean;
  /**
   * Throws a RangeError that completes the name of the setting and does not show the text. Only
   * the host of an origin is shown, in the form to write.
   */
  parse(text: string, deploy: boolean): Value;
}

/** All settings, in the order of .docs/settings.md. */
export const SETTINGS = {
  secret: {
    name: "SECRET_TOKEN",
    meaning:
      "The owner's secret. If it is set, reads require it as well, unless `PUBLIC_READS=1` or the server runs on Deno Deploy. Counter keys and sign-in need at least 16 characters. If it is not set, the server creates one in `data/secret`.",
    parse: anyText,
  },
  fallbacks: {
    name: "SECRET_FALLBACKS",
    meaning:
      "Up to four earlier secrets, separated by commas, each of at least 16 characters. Counter keys, group keys and read keys made with them still work, and nothing else does.",
    parse: parseFallbacks,
  },
  keyVersions: {
    name: "KEY_VERSIONS",
    meaning:
      "Makes the earlier keys of a counter or group invalid: `blog/=2,user/repo=3`. `/key` returns those of the new version.",
    parse: parseKeyVersions,
  },
  publicUrl: {
    name: "PUBLIC_URL",
    meaning:
      "The address at which the service is reached, such as `https://hits.example.com` or `https://example.org/hits`. Snippets, the examples of `/api`, link previews and the sign-in link have it. If it is not set, they have the address of the request.",
    parse: (text) => text === "" ? undefined : parsePublicUrl(text),
  },
  publicReads: {
    name: "PUBLIC_READS",
    default: "0",
    meaning: "1: everyone may read, even though `SECRET_TOKEN` is set.",
    standaloneOnly: true,
    parse: parseFlag,
  },
  groupLimit: {
    name: "GROUP_LIMIT",
    oldName: "FAMILY_LIMIT",
    default: "10000",
    meaning:
      "How many new counters a group key may create per process and day. `FAMILY_LIMIT`, its earlier name, works too.",
    parse: wholeNumberTo(999_999_999),
  },
  serveAs: {
    name: "SERVE_AS",
    meaning:
      "What anyone may count at the addresses of other counters, separated by commas: ids (`komarev/octocat`) or groups, which end in a slash (`hits.sh/github.com/octocat/`).",
    parse: parseServeAs,
  },
  hitOrigins: {
    name: "HIT_ORIGINS",
    meaning:
      "The sites whose pages may count, separated by commas: up to 20 origins such as `https://blog.example.com`, or of apps, such as `tauri://localhost`. Pages of other sites get the number and count nothing. If it is not set, every page with a key may count.",
    parse: (text) => parseOrigins(text, { isHttpAllowed: true }),
  },
  embedOrigins: {
    name: "EMBED_ORIGINS",
    meaning:
      "The sites that may embed shared pages, separated by commas: up to 20 origins such as `https://blog.example.com`.",
    parse: (text) => parseOrigins(text, { isHttpAllowed: false }),
  },
  store: {
    name: "STORE_URL",
    default: "kv:data/counters.kv",
    meaning:
      "`redis://user:password@host:port/database`, `rediss://…` (TLS), several addresses separated by commas, `redis+cluster://…`, `redis+sentinel://host,host/name`, `kv:PATH` (a Deno KV file), `kv:https://…` or `kv:http://…` (a remote Deno KV), or `memory:`.",
    parse: parseStoreUrl,
  },
  replicas: {
    name: "STORE_REPLICAS",
    default: "0",
    meaning: "Redis only. A hit returns 200 once this many replicas have it.",
    parse: wholeNumberTo(9),
  },
  hostedStore: {
    name: "HOSTED_STORE_URL",
    meaning:
      "A hosted Redis, as its vendor shows it: `host`, `host:port`, `redis://…`, `rediss://…` or `https://host`. `STORE_URL` takes precedence.",
    parse: anyText,
  },
  hostedPassword: {
    name: "HOSTED_STORE_PASSWORD",
    meaning: "The password of that Redis.",
    parse: anyText,
  },
  kvToken: {
    name: "DENO_KV_ACCESS_TOKEN",
    meaning: "The token of a remote Deno KV.",
    parse: anyText,
  },
  prefix: {
    name: "STORE_PREFIX",
    default: "hits:",
    meaning:
      "A Redis key is prefix + id and holds a plain integer; a Deno KV key is `[prefix, id]`. It cannot begin with `{` or `tallymark`.",
    standaloneOnly: true,
    parse: parsePrefix,
  },
  failFast: {
    name: "FAIL_FAST_STORE",
    default: "0",
    meaning:
      "1: the server does not start unless a network store answers within 5 s. 0: it starts, returns 503 and connects in the background.",
    standaloneOnly: true,
    parse: parseFlag,
  },
  hostname: {
    name: "HOST",
    default: "0.0.0.0",
    meaning:
      "The address to listen on. The default is all interfaces with IPv4; `::` is all with IPv4 and IPv6.",
    standaloneOnly: true,
    parse: parseHost,
  },
  port: {
    name: "PORT",
    default: "8000",
    meaning: "The port to listen on. 0 picks a free one and prints it.",
    standaloneOnly: true,
    parse: wholeNumberTo(65535),
  },
  trustProxy: {
    name: "TRUST_PROXY",
    default: "0",
    meaning:
      "The number of your own proxies in front of the server. The address of a visitor is the n-th entry of `X-Forwarded-For` from the right.",
    standaloneOnly: true,
    parse: wholeNumberTo(9),
  },
  timeZone: {
    name: "TIME_ZONE",
    default: "UTC",
    meaning:
      "The time zone of daily history: `UTC`, or the full name of a zone, such as `Europe/Berlin`. All servers on one store need the same.",
    parse: parseTimeZone,
  },
} satisfies Record<string, Setting<unknown>>;

/** The variables of all settings, and those that Deno Deploy sets. */
export const VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS).flatMap(namesOf),
  ...["DENO_DEPLOY", "DENO_DEPLOYMENT_ID"],
];

/** Returns the variables that set a setting. The first one that is set takes precedence. */
export function namesOf({ name, oldName }: Setting<unknown>): readonly string[] {
  return oldName === undefined ? [name] : [name, oldName];
}

/** Environment variables by name, from the process and `.env`. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports whether an environment is that of Deno Deploy. */
export function isDeploy(environment: Environment): boolean {
  return environment.DENO_DEPLOY === "true" || Boolean(environment.DENO_DEPLOYMENT_ID);
}

/** Invalid settings, each with what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** Returns the reason why something failed, for the operator. */
export function explainFailure(failure: string, error: unknown): string {
  if (error instanceof ConfigError) {
    return `${failure} with these settings:\n  ${error.problems.join("\n  ")}`;
  }
  const isExpected = error instanceof StartError;
  return `${failure}: ${isExpected ? "" : "unexpected error: "}${errorMessage(error)}`;
}

function anyText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** Maximum number of earlier secrets. A wrong key costs a few hashes with each of them. */
const MAX_FALLBACKS = 4;

function parseFallbacks(text: string): readonly string[] {
  const secrets = text === "" ? [] : text.split(",").map((secret) => secret.trim());
  const isLong = secrets.every(({ length }) => length >= MIN_SECRET_LENGTH);
  if (isLong && secrets.length <= MAX_FALLBACKS) return secrets;
  throw new RangeError(
    `must be at most ${MAX_FALLBACKS} secrets separated by commas, each of at least ${MIN_SECRET_LENGTH} characters`,
  );
}

function parseFlag(text: string): boolean {
  const value = text.toLowerCase();
  if (value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw new RangeError("must be 1, true, 0 or false");
}

function wholeNumberTo(max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text);
    throw new RangeError(`must be a whole number from 0 to ${max}`);
  };
}

/** Maximum number of origins in a setting. */
const MAX_ORIGINS = 20;
/**
 * The origin of a site or an app, such as tauri://localhost. Excludes characters of URLs that could
 * end or widen a source expression of a policy.
 */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+(?::\d+)?$/;
const SECURE_ORIGIN = /^(?:https:\/\/|http:\/\/localhost(?::|$))/;

/** Parses origins. Throws a RangeError that names the invalid entries by position. */
function parseOrigins(
  text: string,
  { isHttpAllowed }: { isHttpAllowed: boolean },
): readonly string[] {
  const isValid = (entry: string) =>
    isOrigin(entry) && (isHttpAllowed || SECURE_ORIGIN.test(entry));
  const entries = text === "" ? [] : text.split(",");
  const invalid = entries.flatMap((entry, index) => isValid(entry) ? [] : [index + 1]);
  if (entries.length <= MAX_ORIGINS && invalid.length === 0) return entries;
  const ascii = entries.flatMap(asciiOrigin);
  throw new RangeError(
    `must be 1 to ${MAX_ORIGINS} origins separated by commas without spaces, such as ` +
      `https://blog.example.com, ${isHttpAllowed ? "" : "with http for localhost only and "}` +
      "without paths" +
      (invalid.length > 0 ? ` (see entry ${invalid.join(", ")})` : "") +
      (ascii.length > 0 ? `. Write hosts with other letters as ${ascii.join(", ")}` : ""),
  );
}

/** Reports whether a text is an origin as browsers send it. A URL of an app has no `origin`. */
function isOrigin(text: string): boolean {
  const { origin, href } = URL.parse(text) ?? {};
  return ORIGIN.test(text) && (/^https?:/.test(text) ? origin : href) === text;
}

/** Returns the form in which browsers send an origin whose host has letters beyond ASCII. */
function asciiOrigin(text: string): string[] {
  const origin = /^https?:\/\/[^/@?#]*[^\p{ASCII}]/u.test(text)
    ? URL.parse(text)?.origin
    : undefined;
  return origin === undefined ? [] : [origin];
}

function parseHost(text: string): string {
  // A URL has an IPv6 address in brackets.
  const host = text.replace(/^\[([\da-f]*:[\w:.%]*)\]$/i, "$1");
  if (/^[\w.:%-]+$/.test(host)) return host;
  throw new RangeError("must be a host name or an IP address, in the environment or in .env");
}

/** Maximum length of a prefix: a Deno KV key has 2 KiB, and the id needs most of them. */
const MAX_PREFIX_LENGTH = 200;
/** The first characters of the service's own keys. */
const INTERNAL_PREFIXES = ["{", "tallymark"];

function parsePrefix(text: string): string {
  if (text.length > MAX_PREFIX_LENGTH || /\p{C}/u.test(text)) {
    throw new RangeError(`must have at most ${MAX_PREFIX_LENGTH} visible characters`);
  }
  // An id could complete a shorter text, such as `tally`.
  if (
    INTERNAL_PREFIXES.some((reserved) => text.startsWith(reserved) || reserved.startsWith(text))
  ) {
    throw new RangeError(
      "must not begin with { or tallymark, as the service's own keys do (to keep all counters in one slot of a Redis Cluster, use hits:{all}:)",
    );
  }
  return text;
}

/**
 * Parses the address of a service, which may have a path. Returns it without its last slash. Throws
 * a RangeError if it is no such address.
 */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  // A query, a fragment or a password makes the href longer.
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname) {
    return url.href.replace(/\/$/, "");
  }
  throw new RangeError(
    "must be the http or https address of the service without a query, such as https://hits.example.com or https://example.org/hits",
  );
}

/**
 * Returns the name as given, because resolvedOptions() may return an older alias. Short names are
 * refused because several zones share one: BST is also the time of Bangladesh.
 */
function parseTimeZone(text: string): string {
  // Looking up any other zone loads ICU data, which takes longer than all other settings.
  if (text === "UTC") return text;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    if (text.includes("/") || /^utc$/i.test(text)) return text;
  } catch {
    // The message of the runtime shows the text.
  }
  throw new RangeError(
    "must be UTC or the full name of a time zone, such as Europe/London or America/New_York",
  );
}
