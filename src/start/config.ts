import type { ServeAs } from "../compat/serve_as.ts";
import { ConfigError, type Environment, isDeploy, type Setting, SETTINGS } from "./settings.ts";
import { parseHostedStore, type StoreSetting } from "./store_address.ts";

/** All settings, checked. */
export interface Config {
  readonly platform: "deploy" | "standalone";
  /** SECRET_TOKEN. Undefined if it is not set. */
  readonly secret: string | undefined;
  readonly store: StoreSetting;
  /** The token of a remote Deno KV. */
  readonly kvToken: string | undefined;
  /** Number of replicas of a Redis that must have a hit before it counts. */
  readonly replicas: number;
  readonly hostname: string;
  readonly port: number;
  readonly prefix: string;
  readonly failFast: boolean;
  /** True if anyone may read. */
  readonly openReads: boolean;
  /** Maximum number of counters that the key of a prefix may create per process and day. */
  readonly familyLimit: number;
  /** The counters that anyone may hit at the addresses of other services. */
  readonly serveAs: ServeAs;
  /** The origins of the pages that may embed shared pages. */
  readonly embedOrigins: readonly string[];
  /** Number of the owner's proxies in front of the server. */
  readonly trustProxy: number;
  /** The IANA name of the zone in which days are counted. */
  readonly timeZone: string;
  /** Names of the settings that are set but have no effect here. */
  readonly ignored: readonly string[];
}

/** Parses all settings. Throws a {@linkcode ConfigError} that names every invalid one. */
export function parseConfig(environment: Environment): Config {
  const reader = new SettingsReader(environment);
  const { deploy, problems } = reader;
  const secret = reader.read(SETTINGS.secret);
  const publicReads = reader.read(SETTINGS.publicReads);
  const store = readStore(reader);
  const config: Config = {
    platform: deploy ? "deploy" : "standalone",
    secret,
    store,
    kvToken: reader.read(SETTINGS.kvToken),
    replicas: readReplicas(reader, store),
    hostname: reader.read(SETTINGS.hostname),
    port: reader.read(SETTINGS.port),
    prefix: reader.read(SETTINGS.prefix),
    failFast: reader.read(SETTINGS.failFast),
    openReads: deploy || secret === undefined || publicReads,
    familyLimit: reader.read(SETTINGS.familyLimit),
    serveAs: reader.read(SETTINGS.serveAs),
    embedOrigins: reader.read(SETTINGS.embedOrigins),
    trustProxy: reader.read(SETTINGS.trustProxy),
    timeZone: reader.read(SETTINGS.timeZone),
    ignored: Object.values(SETTINGS).map(({ name }) => name).filter((name) =>
      environment[name] && !reader.has(name)
    ),
  };
  if (problems.size > 0) {
    throw new ConfigError(Array.from(problems, ([name, problem]) => `${name} ${problem}`));
  }
  return Object.freeze(config);
}

/** Reads settings and collects their problems, so that the owner sees all of them at once. */
class SettingsReader {
  readonly deploy: boolean;
  /** The problem of each invalid setting by its name. */
  readonly problems = new Map<string, string>();
  readonly #given: Environment;

  constructor(environment: Environment) {
    this.deploy = isDeploy(environment);
    const settings: Setting<unknown>[] = Object.values(SETTINGS);
    this.#given = Object.fromEntries(
      settings.filter(({ standaloneOnly }) => !(this.deploy && standaloneOnly))
        .map(({ name }) => [name, environment[name] || undefined]),
    );
  }

  /** Reports whether a setting is set and has an effect here. */
  has(name: string): boolean {
    return this.#given[name] !== undefined;
  }

  /** Returns the value of a setting, or that of its default if it is unset or invalid. */
  read<Value>({ name, default: byDefault = "", parse }: Setting<Value>): Value {
    const text = this.#given[name];
    const parsed = text === undefined
      ? undefined
      : this.attempt(name, () => parse(text, this.deploy));
    return parsed ?? parse(byDefault, false);
  }

  /** Runs a parser. Returns undefined and adds a problem if it throws a RangeError. */
  attempt<Value>(name: string, parse: () => Value): Value | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problems.set(name, error.message);
      return undefined;
    }
  }
}

/** `STORE_URL` takes precedence over a hosted Redis, which does over the platform's default. */
function readStore(reader: SettingsReader): StoreSetting {
  if (!reader.has(SETTINGS.store.name)) {
    const hosted = readHostedStore(reader);
    if (hosted !== undefined) return hosted;
    if (reader.deploy) return { kind: "kv-platform" };
  }
  const store = reader.read(SETTINGS.store);
  if (store.kind === "kv-remote" && !reader.has(SETTINGS.kvToken.name)) {
    reader.problems.set(SETTINGS.kvToken.name, "is missing: the Deno KV in STORE_URL needs it");
  }
  return store;
}

function readHostedStore(reader: SettingsReader): StoreSetting | undefined {
  const names = [SETTINGS.hostedStore.name, SETTINGS.hostedPassword.name] as const;
  const [host, password] = [
    reader.read(SETTINGS.hostedStore),
    reader.read(SETTINGS.hostedPassword),
  ];
  if (host !== undefined && password !== undefined) {
    return reader.attempt(names[0], () => parseHostedStore(host, password));
  }
  if (host !== undefined) reader.problems.set(names[1], `is missing: ${names[0]} needs it`);
  if (password !== undefined) reader.problems.set(names[0], `is missing: ${names[1]} needs it`);
  return undefined;
}

/** Only Redis has replicas. An invalid store setting may have been meant to name one. */
function readReplicas(reader: SettingsReader, store: StoreSetting): number {
  const { replicas: { name }, store: url, hostedStore, hostedPassword } = SETTINGS;
  const replicas = reader.read(SETTINGS.replicas);
  const isStoreKnown = ![url, hostedStore, hostedPassword].some(({ name }) =>
    reader.problems.has(name)
  );
  if (replicas > 0 && store.kind !== "redis" && isStoreKnown) {
    reader.problems.set(
      name,
      "must be 0 unless the store is Redis: a Deno KV has no replicas to wait for",
    );
  }
  return replicas;
}
