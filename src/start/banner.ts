import { RELEASED, VERSION } from "../version.ts";
import type { Config } from "./config.ts";
import type { LoadedEnvironment } from "./environment.ts";
import { type GeneratedSecret, secretWarnings } from "./generated_secret.ts";
import type { StoreSetting } from "../store/setting.ts";

/**
 * Returns the text that a start prints. It contains a generated secret that is kept in no file, and
 * the token of the sign-in link, if there is one.
 */
export function banner(
  { config, address, generated, signIn }: {
    config: Config;
    address: Deno.NetAddr;
    generated: GeneratedSecret | undefined;
    signIn: string | undefined;
  },
): string {
  const url = localUrl(address);
  const page = config.publicUrl ?? url;
  const { path, text, notice } = generated ?? {};
  const mark = notice === undefined ? "" : " (NEW: keep a copy of it with your backups)";
  const secret = path === undefined
    ? `${text} (NEW, for this run only: set SECRET_TOKEN to keep one)`
    : `in ${path}${mark}`;
  return [
    `Tallymark ${VERSION} listens on ${url}`,
    `  counters  ${placeOf(config.store)}`,
    ...config.publicUrl === undefined ? [] : [`  public    ${config.publicUrl}`],
    `  reads     ${config.openReads ? "open to everyone" : PROTECTED_READS}`,
    ...generated === undefined ? [] : [`  secret    ${secret}`],
    `  try       curl -X POST -H "X-Auth-Token: ${inShell(generated)}" "${url}/hit?id=home"`,
    signIn === undefined
      ? `  page      ${page}/`
      : `  sign in   ${page}/#sign-in=${signIn} (works once, for ten minutes)`,
  ].join("\n");
}

/** Returns warnings about settings that are valid but probably a mistake. */
export function settingsWarnings(
  config: Config,
  { unknownNames, quotedNames }: Pick<LoadedEnvironment, "unknownNames" | "quotedNames">,
): string[] {
  const { platform, secret, ignored } = config;
  const warnings = secret === undefined ? [] : secretWarnings("SECRET_TOKEN", secret);
  if (platform === "deploy" && secret === undefined) {
    warnings.push("SECRET_TOKEN is not set: /hit returns 401 until it is");
  }
  if (unknownNames.length > 0) {
    warnings.push(`These names in .env are not settings: ${unknownNames.join(", ")}`);
  }
  if (quotedNames.length > 0) {
    warnings.push(
      `The quotation marks around the value are part of it, so remove them: ${
        quotedNames.join(", ")
      }`,
    );
  }
  if (ignored.length > 0) {
    warnings.push(`These settings have no effect on Deno Deploy: ${ignored.join(", ")}`);
  }
  return warnings;
}

/** Returns a warning if the clock cannot be right, because it is before the version's release. */
export function clockWarnings(now: number): string[] {
  const date = new Date(now).toISOString().slice(0, 10);
  return date >= RELEASED ? [] : [
    `The clock says ${date}, before this version was released: set it, because hits count for the days that it says`,
  ];
}

const PROTECTED_READS = "require the secret (set PUBLIC_READS=1 to make badges public)";

/** Returns the secret for a line of a shell, within double quotes. */
function inShell(generated: GeneratedSecret | undefined): string {
  if (generated === undefined) return "$SECRET_TOKEN";
  if (generated.path === undefined) return generated.text;
  return `$(cat ${shellWord(generated.path)})`;
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
    case "redis": {
      const { form, addresses } = store;
      const places = addresses.map(({ host, port }) => `${host}:${port}`).join(", ");
      return `${REDIS_NAMES[form]} at ${places}${addresses[0].tls ? " over TLS" : ""}`;
    }
  }
}

const REDIS_NAMES = { any: "Redis", cluster: "Redis Cluster", sentinel: "Redis of the Sentinels" };

/** Returns the URL of a server for a browser on this machine, which may not open 0.0.0.0. */
export function localUrl(
  { hostname, port }: Pick<Deno.NetAddr, "hostname" | "port">,
): string {
  if (hostname === "0.0.0.0" || hostname === "::") return `http://localhost:${port}`;
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Quotes a text if a shell would not take it literally. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
