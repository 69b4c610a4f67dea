import {
  ConfigError,
  type Environment,
  isDeploy,
  namesOf,
  type Setting,
  SETTINGS,
} from "./settings.ts";
import type { StoreSetting } from "../store/setting.ts";
import { parseHostedStore } from "./store_address.ts";

/** The value of each setting. */
type Values = {
  readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]["parse"]>;
};

/** All settings, checked. {@linkcode SETTINGS} says what each of them means. */
export type Config = ReturnType<typeof parseConfig>;

/** Parses all settings. Throws a {@linkcode ConfigError} that names every invalid one. */
export function parseConfig(environment: Environment) {
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
  function readStore(named: StoreSetting): StoreSetting {
    if (textOf(SETTINGS.store) === undefined) {
      const hosted = readHostedStore();
      if (hosted !== undefined) return hosted;
      if (deploy) return { kind: "kv-platform" };
    }
    if (named.kind === "kv-remote" && textOf(SETTINGS.kvToken) === undefined) {
      problems.set(SETTINGS.kvToken.name, "is missing: the Deno KV in STORE_URL needs it");
    }
    return named;
  }

  function readHostedStore(): StoreSetting | undefined {
    const { hostedStore, hostedPassword } = SETTINGS;
    const [host, password] = [textOf(hostedStore), textOf(hostedPassword)];
    if (host !== undefined && password !== undefined) {
      return attempt(hostedStore, () => parseHostedStore(host, password));
    }
    const [missing, given] = host === undefined
      ? [hostedStore, hostedPassword]
      : [hostedPassword, hostedStore];
    if (host ?? password) problems.set(missing.name, `is missing: ${given.name} needs it`);
    return undefined;
  }

  const entries = Object.entries<Setting<unknown>>(SETTINGS)
    .map(([name, setting]) => [name, read(setting)]);
  const { publicReads, hostedStore: _host, hostedPassword: _password, ...values } = Object
    .fromEntries(entries) as Values;
  const { secret, replicas } = values;
  const store = readStore(values.store);
  // Only Redis has replicas. An invalid setting may have been meant to name one.
  if (replicas > 0 && store.kind !== "redis" && problems.size === 0) {
    problems.set(
      SETTINGS.replicas.name,
      "must be 0 unless the store is Redis: a Deno KV has no replicas to wait for",
    );
  }
  /** True if anyone may read. */
  const openReads = deploy || secret === undefined || publicReads;
  const config = { ...values, platform, store, ignored, openReads };
  if (problems.size > 0) {
    throw new ConfigError(Array.from(problems, ([name, problem]) => `${name} ${problem}`));
  }
  return Object.freeze(config);
}
