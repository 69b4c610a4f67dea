import { MIN_SECRET_LENGTH } from "../auth/secret.ts";
import { VERSION } from "../version.ts";
import type { Config } from "./config.ts";
import type { GeneratedSecret } from "./generated_secret.ts";
import type { RedisSetting, StoreSetting } from "./store_address.ts";

export interface BannerOptions {
  config: Config;
  /** The address on which the service listens. */
  address: Deno.NetAddr;
  /** Printed if it is kept in no file. */
  own: GeneratedSecret | undefined;
  /** The token of the sign-in link, if standard output is a terminal. */
  signIn: string | undefined;
}

export function banner({ config, address, own, signIn }: BannerOptions): string {
  const url = localUrl(address);
  const lines = [
    `Tallymark ${VERSION} listens on ${url}`,
    `  counters  ${placeOf(config.store)}`,
    `  reads     ${readsOf(config)}`,
  ];
  if (own?.path !== undefined) lines.push(`  secret    in ${own.path}`);
  else if (own !== undefined) {
    lines.push(`  secret    ${own.text} (for this run only: set SECRET_TOKEN to keep one)`);
  }
  lines.push(`  try       curl -X POST -H "X-Auth-Token: ${inShell(own)}" "${url}/hit?id=home"`);
  if (signIn !== undefined) lines.push(`  page      ${url}/#sign-in=${signIn}`);
  return lines.join("\n");
}

/**
 * Returns warnings about settings that are valid but probably a mistake. `unknownNames` are the
 * names in `.env` that are not settings.
 */
export function settingsWarnings(config: Config, unknownNames: readonly string[]): string[] {
  const { platform, secret, ignored } = config;
  const warnings: string[] = [];
  if (unknownNames.length > 0) {
    warnings.push(`These names in .env are not settings: ${unknownNames.join(", ")}`);
  }
  if (platform === "deploy" && secret === undefined) {
    warnings.push("SECRET_TOKEN is not set: /hit returns 401 until it is");
  }
  if (secret !== undefined) warnings.push(...secretWarnings("SECRET_TOKEN", secret));
  if (ignored.length > 0) {
    warnings.push(`These settings have no effect on Deno Deploy: ${ignored.join(", ")}`);
  }
  return warnings;
}

/**
 * Returns warnings about a secret that is valid but weak or hard to send. `name` is its setting or
 * its file.
 */
export function secretWarnings(name: string, secret: string): string[] {
  const warnings: string[] = [];
  if (secret.length < MIN_SECRET_LENGTH) {
    warnings.push(
      `${name} is shorter than ${MIN_SECRET_LENGTH} characters: it may be guessed, and counter keys and sessions are off`,
    );
  }
  if (UNFIT_FOR_HEADERS.test(secret)) {
    warnings.push(
      `${name} begins or ends with white space or contains a control character, so no header can carry it`,
    );
  }
  return warnings;
}

/**
 * HTTP strips white space around a header value and allows no control characters in it (RFC 9110,
 * section 5.5).
 */
const UNFIT_FOR_HEADERS = /^[ \t]|[ \t]$|[^\P{Cc}\t]/u;

/** Returns the secret for a line of a shell, within double quotes. */
function inShell(own: GeneratedSecret | undefined): string {
  if (own === undefined) return "$SECRET_TOKEN";
  if (own.path === undefined) return own.text;
  return `$(cat ${shellWord(own.path)})`;
}

function placeOf(store: StoreSetting): string {
  switch (store.kind) {
    case "kv-file":
      return `Deno KV in ${store.path}`;
    case "kv-memory":
      return "Deno KV in memory: lost when the process ends";
    case "kv-remote":
      return `Deno KV at ${new URL(store.url).host}`;
    case "kv-platform":
      return "Deno KV of the platform";
    case "redis":
      return redisPlace(store);
  }
}

function redisPlace({ form, addresses }: RedisSetting): string {
  const kind = { any: "Redis", cluster: "Redis Cluster", sentinel: "Redis of the Sentinels" }[form];
  const places = addresses.map(({ host, port }) => `${host}:${port}`).join(", ");
  return `${kind} at ${places}${addresses[0]?.tls ? " over TLS" : ""}`;
}

function readsOf({ openReads }: Config): string {
  return openReads
    ? "open to everyone"
    : "only with the secret: badges on other pages show an error (PUBLIC_READS=1 opens reads)";
}

/** Returns the URL of a server for a browser on this machine, which may not open 0.0.0.0. */
export function localUrl(
  { hostname, port }: Pick<Deno.NetAddr, "hostname" | "port">,
): string {
  if (hostname === "0.0.0.0" || hostname === "::") return `http://localhost:${port}`;
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** The V8 flags of the `start` task. Without them, the heap may grow fourfold. */
const SMALL_HEAP = "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=100";

/**
 * Returns the command of the `start` task for `entry`, a file or its URL. The process may also use
 * another folder.
 */
export function runLine(entry: string, otherFolder: string): string {
  // A single comma would end the folder and begin another.
  const folder = otherFolder.replaceAll(",", ",,");
  const flags = [
    "--unstable-kv",
    SMALL_HEAP,
    "--no-prompt",
    "--allow-net",
    "--allow-env",
    `--allow-read=data,.env,${folder}`,
    `--allow-write=data,${folder}`,
  ];
  const file = entry.startsWith("file:") ? decodeURIComponent(new URL(entry).pathname) : entry;
  return ["deno", "run", ...flags, file].map(shellWord).join(" ");
}

/** Quotes a text if a shell would not take it literally. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
