import {
  ConfigError,
  type Environment,
  isDeploy,
  namesOf,
  type Setting,
  SETTINGS,
} from "./settings.ts";
import { parseHostedStore, type StoreSetting } from "./store_address.ts";

/** All settings, checked. {@linkcode SETTINGS} says what each of them means. */
export type Config = ReturnType<typeof parseConfig>;

/**
 * Parses all settings. Throws a {@linkcode ConfigError} that names every invalid one. `fileNames`
 * are the settings of `.env`.
 */
export function parseConfig(environment: Environment, fileNames: readonly string[] = []) {
  const deploy = isDeploy(environment);
  const platform: "deploy" | "standalone" = deploy ? "deploy" : "standalone";
  const settings: Setting<unknown>[] = Object.values(SETTINGS);
  /** Names of the settings that are set but have no effect here. */
  const ignored: readonly string[] = settings
    .filter(({ name, standaloneOnly }) => deploy && standaloneOnly && environment[name])
    .map(({ name }) => name);
  /** The problem of each invalid setting by its name. The owner sees all of them at once. */
  const problems = new Map<string, string>();

  /** Returns the name by which a setting is set, or its current name. */
  function nameOf(setting: Setting<unknown>): string {
    return namesOf(setting).find((name) => environment[name]) ?? setting.name;
  }

  function textOf(setting: Setting<unknown>): string | undefined {
    return ignored.includes(setting.name) ? undefined : environment[nameOf(setting)] || undefined;
  }

  /** Returns the value of a setting, or that of its default if it is unset or invalid. */
  function read<Value>(setting: Setting<Value>): Value {
    const text = textOf(setting);
    const parsed = text === undefined
      ? undefined
      : attempt(setting, () => setting.parse(text, deploy));
    return parsed ?? setting.parse(setting.default ?? "", false);
  }

  /** Runs a parser. Returns undefined and adds a problem if it throws a RangeError. */
  function attempt<Value>(setting: Setting<unknown>, parse: () => Value): Value | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.set(nameOf(setting), error.message);
      return undefined;
    }
  }

  /** `STORE_URL` takes precedence over a hosted Redis, which does over the platform's default. */
  function readStore(): StoreSetting {
    if (textOf(SETTINGS.store) === undefined) {
      const hosted = readHostedStore();
      if (hosted !== undefined) return hosted;
      if (deploy) return { kind: "kv-platform" };
    }
    const store = read(SETTINGS.store);
    if (store.kind === "kv-remote" && textOf(SETTINGS.kvToken) === undefined) {
      problems.set(SETTINGS.kvToken.name, "is missing: the Deno KV in STORE_URL needs it");
    }
    return store;
  }

  function readHostedStore(): StoreSetting | undefined {
    const { hostedStore, hostedPassword } = SETTINGS;
    const [host, password] = [textOf(hostedStore), textOf(hostedPassword)];
    if (host !== undefined && password !== undefined) {
      return attempt(hostedStore, () => parseHostedStore(host, password));
    }
    if (host !== undefined) {
      problems.set(hostedPassword.name, `is missing: ${hostedStore.name} needs it`);
    }
    if (password !== undefined) {
      problems.set(hostedStore.name, `is missing: ${hostedPassword.name} needs it`);
    }
    return undefined;
  }

  const secret = read(SETTINGS.secret);
  const publicReads = read(SETTINGS.publicReads);
  const store = readStore();
  const replicas = read(SETTINGS.replicas);
  // Only Redis has replicas. An invalid setting of the store may have been meant to name one.
  const isStoreKnown = [SETTINGS.store, SETTINGS.hostedStore, SETTINGS.hostedPassword]
    .every(({ name }) => !problems.has(name));
  if (replicas > 0 && store.kind !== "redis" && isStoreKnown) {
    problems.set(
      SETTINGS.replicas.name,
      "must be 0 unless the store is Redis: a Deno KV has no replicas to wait for",
    );
  }
  const config = {
    platform,
    secret,
    store,
    replicas,
    ignored,
    fallbacks: read(SETTINGS.fallbacks),
    keyVersions: read(SETTINGS.keyVersions),
    /** True if anyone may read. */
    openReads: deploy || secret === undefined || publicReads,
    kvToken: read(SETTINGS.kvToken),
    hostname: read(SETTINGS.hostname),
    port: read(SETTINGS.port),
    prefix: read(SETTINGS.prefix),
    failFast: read(SETTINGS.failFast),
    groupLimit: read(SETTINGS.groupLimit),
    serveAs: read(SETTINGS.serveAs),
    hitOrigins: read(SETTINGS.hitOrigins),
    embedOrigins: read(SETTINGS.embedOrigins),
    trustProxy: read(SETTINGS.trustProxy),
    timeZone: read(SETTINGS.timeZone),
  };
  if (problems.size > 0) {
    // Conda and some shells export a HOST that their user has never set.
    const { name: host } = SETTINGS.hostname;
    throw new ConfigError(
      Array.from(
        problems,
        ([name, problem]) => `${name}${name === host ? sourceOf(host, fileNames) : ""} ${problem}`,
      ),
    );
  }
  return Object.freeze(config);
}

/** Returns where a setting is set, for an error that names it. */
export function sourceOf(name: string, fileNames: readonly string[]): string {
  return ` (set in ${fileNames.includes(name) ? ".env" : "the environment"})`;
}
