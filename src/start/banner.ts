import type { Config } from "./config.ts";
import { MIN_SECRET_LENGTH } from "../min_secret_length.ts";
import type { RedisSetting } from "./redis_url.ts";
import type { StoreSetting } from "./store_setting.ts";

/** What a banner tells. */
export interface BannerOptions {
  config: Config;
  /** Where the service listens. */
  address: Deno.NetAddr;
  /** The token made for this run, where the settings have none: the only secret that is ever printed. */
  generatedToken: string | undefined;
}

/** The lines for the person who starts the service. */
export function banner({ config, address, generatedToken }: BannerOptions): string {
  const url = `http://${reachable(address.hostname)}:${address.port}`;
  const token = generatedToken ?? "$SECRET_TOKEN";
  const lines = [
    `Tallymark listens on ${url}`,
    `  counters  ${placeOf(config.store)}`,
    `  reads     ${readsOf(config)}`,
  ];
  if (generatedToken !== undefined) {
    lines.push(`  token     ${generatedToken} (made for this run: set SECRET_TOKEN to keep one)`);
  }
  lines.push(`  try       curl -X POST -H "X-Auth-Token: ${token}" "${url}/hit?id=home"`);
  return lines.join("\n");
}

/** What the settings allow but their owner should know, a line each; `strange` are the names in `.env` that are none. */
export function settingsWarnings(config: Config, strange: readonly string[]): string[] {
  const { platform, secret, ignored } = config;
  const warnings: string[] = [];
  if (strange.length > 0) {
    warnings.push(`These names in .env are no settings: ${strange.join(", ")}`);
  }
  if (platform === "deploy" && secret === undefined) {
    warnings.push("SECRET_TOKEN is not set: /hit answers 401 until it is");
  }
  if (secret !== undefined && secret.length < MIN_SECRET_LENGTH) {
    warnings.push(
      `SECRET_TOKEN is shorter than ${MIN_SECRET_LENGTH} characters: counter keys are off, and it may be guessed`,
    );
  }
  if (secret !== undefined && UNFIT_FOR_HEADERS.test(secret)) {
    warnings.push(
      "SECRET_TOKEN begins or ends with white space or holds a control character: no header can carry it",
    );
  }
  if (ignored.length > 0) {
    warnings.push(`These settings have no effect on Deno Deploy: ${ignored.join(", ")}`);
  }
  return warnings;
}

/** HTTP strips white space around a header's value and allows no control characters in it (RFC 9110, section 5.5). */
const UNFIT_FOR_HEADERS = /^[ \t]|[ \t]$|[^\P{Cc}\t]/u;

function placeOf(store: StoreSetting): string {
  switch (store.kind) {
    case "kv-file":
      return `Deno KV in ${store.path}`;
    case "kv-memory":
      return "Deno KV in memory: gone when the process ends";
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
    ? "open to all"
    : "only with the token, so badges on other pages do not show: PUBLIC_READS=1 opens them";
}

/** An address that listens everywhere is not one to call: localhost is. */
function reachable(hostname: string): string {
  if (hostname === "0.0.0.0" || hostname === "::") return "localhost";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
