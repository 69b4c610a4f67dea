import type { ServeAs } from "../compat/serve_as.ts";
import { type Environment, SettingsReader } from "./settings_reader.ts";
import { SETTINGS } from "./settings.ts";
import { parseHostedStore, type StoreSetting } from "./store_address.ts";

/** All settings, checked. */
export interface Config {
  readonly platform: "deploy" | "standalone";
  /** SECRET_TOKEN; undefined if it is not set. */
  readonly secret: string | undefined;
  readonly store: StoreSetting;
  /** The token of a remote Deno KV. */
  readonly kvToken: string | undefined;
  /** How many replicas of a Redis must have a hit before it counts. */
  readonly replicas: number;
  readonly hostname: string;
  readonly port: number;
  readonly prefix: string;
  readonly failFast: boolean;
  /** Whether anyone may read. */
  readonly openReads: boolean;
  /** How many counters the key of a family may create in one process and day. */
  readonly familyLimit: number;
  /** What anyone may count under the addresses of other counters. */
  readonly serveAs: ServeAs;
  /** How many of the owner's proxies stand in front of the service. */
  readonly trustProxy: number;
  /** The zone whose days are counted: an IANA name. */
  readonly timeZone: string;
  /** Settings that have no effect here. */
  readonly ignored: readonly string[];
}

/** Reads all settings; throws a `ConfigError` that names every invalid one and shows no value. */
export function parseConfig(environment: Environment): Config {
  const reader = new SettingsReader(environment);
  const { deploy } = reader;
  const secret = reader.read(SETTINGS.secret);
  const publicReads = reader.read(SETTINGS.publicReads);
  const store = storeOf(reader);
  const config: Config = {
    platform: deploy ? "deploy" : "standalone",
    secret,
    store,
    kvToken: reader.read(SETTINGS.kvToken),
    replicas: replicasOf(reader, store),
    hostname: reader.read(SETTINGS.hostname),
    port: reader.read(SETTINGS.port),
    prefix: reader.read(SETTINGS.prefix),
    failFast: reader.read(SETTINGS.failFast),
    openReads: deploy || secret === undefined || publicReads,
    familyLimit: reader.read(SETTINGS.familyLimit),
    serveAs: reader.read(SETTINGS.serveAs),
    trustProxy: reader.read(SETTINGS.trustProxy),
    timeZone: reader.read(SETTINGS.timeZone),
    ignored: reader.withoutEffect(Object.values(SETTINGS)),
  };
  reader.check();
  return Object.freeze(config);
}

/** `STORE_URL` takes precedence over the hosted Redis, and that over the default of the platform. */
function storeOf(reader: SettingsReader): StoreSetting {
  if (!reader.has(SETTINGS.store)) {
    const hosted = hostedStore(reader);
    if (hosted !== undefined) return hosted;
    if (reader.deploy) return { kind: "kv-platform" };
  }
  const store = reader.read(SETTINGS.store);
  if (store.kind === "kv-remote" && !reader.has(SETTINGS.kvToken)) {
    reader.addProblem(SETTINGS.kvToken, "is missing: the Deno KV in STORE_URL needs it");
  }
  return store;
}

/** Only a Redis has replicas; an invalid store setting may have been meant to name one. */
function replicasOf(reader: SettingsReader, store: StoreSetting): number {
  const { replicas: setting, store: url, hostedStore, hostedPassword } = SETTINGS;
  const replicas = reader.read(setting);
  const isStoreKnown = ![url, hostedStore, hostedPassword].some((each) => reader.hasProblem(each));
  if (replicas > 0 && store.kind !== "redis" && isStoreKnown) {
    reader.addProblem(
      setting,
      "must be 0 unless the store is Redis: a Deno KV has no replicas to wait for",
    );
  }
  return replicas;
}

function hostedStore(reader: SettingsReader): StoreSetting | undefined {
  const { hostedStore, hostedPassword } = SETTINGS;
  const host = reader.read(hostedStore);
  const password = reader.read(hostedPassword);
  if (host !== undefined && password !== undefined) {
    return reader.attempt(hostedStore, () => parseHostedStore(host, password));
  }
  if (host !== undefined) {
    reader.addProblem(hostedPassword, "is missing: HOSTED_STORE_URL needs it");
  } else if (password !== undefined) {
    reader.addProblem(hostedStore, "is missing: HOSTED_STORE_PASSWORD needs it");
  }
  return undefined;
}
