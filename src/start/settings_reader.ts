import { parseServeAs, type ServeAs } from "../compat/serve_as.ts";

/** One environment variable that an owner may set. */
export interface Setting<Value> {
  readonly name: string;
  /** The text that stands in for an unset variable; empty for none. */
  readonly default: string;
  /** The words of the table in .docs/settings.md. */
  readonly meaning: string;
  /** Whether it has an effect on Deno Deploy too. */
  readonly onDeploy: boolean;
  /** Throws a {@linkcode BadSetting} if the text is not a value of this setting. */
  parse(text: string, deploy: boolean): Value;
}

/** Why a text is no value of a setting: what follows the setting's name, and never shows the text. */
export class BadSetting extends Error {
  override readonly name = "BadSetting";
}

/** A name and its value, as the environment or a `.env` file gives it; an empty value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every invalid setting, each with what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** Whether an environment is Deno Deploy's. */
export function isDeploy(environment: Environment): boolean {
  return environment.DENO_DEPLOY === "true" || Boolean(environment.DENO_DEPLOYMENT_ID);
}

/** Reads settings and collects their problems, so that the owner sees all of them at once. */
export class SettingsReader {
  readonly deploy: boolean;
  readonly #environment: Environment;
  readonly #problems: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
    this.deploy = isDeploy(environment);
  }

  /** The value of a setting; that of its default if it is unset, invalid, or without effect here. */
  read<Value>(setting: Setting<Value>): Value {
    const text = this.has(setting) ? this.#environment[setting.name] : undefined;
    const byDefault = setting.parse(setting.default, false);
    if (text === undefined) return byDefault;
    return this.attempt(setting, () => setting.parse(text, this.deploy)) ?? byDefault;
  }

  /** Runs work that may throw a {@linkcode BadSetting} about a setting; undefined if it did. */
  attempt<Value>(setting: Setting<unknown>, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      this.addProblem(setting, error.message);
      return undefined;
    }
  }

  addProblem(setting: Setting<unknown>, what: string): void {
    this.#problems.push(`${setting.name} ${what}`);
  }

  hasProblem({ name }: Setting<unknown>): boolean {
    return this.#problems.some((problem) => problem.startsWith(`${name} `));
  }

  /** Whether a setting is set and has an effect here. */
  has(setting: Setting<unknown>): boolean {
    return Boolean(this.#environment[setting.name]) && (setting.onDeploy || !this.deploy);
  }

  /** The names of settings that are set but have no effect here. */
  withoutEffect(settings: readonly Setting<unknown>[]): string[] {
    return settings.filter((setting) => this.#environment[setting.name] && !this.has(setting))
      .map(({ name }) => name);
  }

  /** Throws a {@linkcode ConfigError} if any setting that was read has a problem. */
  check(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}

/** Any text; undefined for none. */
export function anyText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

export function parseFlag(text: string): boolean {
  const value = text.toLowerCase();
  if (value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw new BadSetting("must be 1, true, 0 or false");
}

/** A port; 0 lets the system choose a free one. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 65535");
}

/** Replicas or proxies. */
export function parseCount(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 9");
}

/** How many counters strangers may create. */
export function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 999999999");
}

/** An empty text opens nothing. */
export function parsePublicHits(text: string): ServeAs {
  try {
    return parseServeAs(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadSetting(error.message);
  }
}

export function parseHost(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new BadSetting("must be a host name or an IP address");
}

/** Long enough for any use, short enough to leave room for the id in a Deno KV key (2 KiB). */
const MAX_PREFIX_LENGTH = 200;

/** How the service's own keys begin, which lie beside those of the counters: ledgers, salts, deduplication keys. */
const OWN_KEYS = ["{", "tallymark"];

export function parsePrefix(text: string): string {
  if (text.length > MAX_PREFIX_LENGTH || /\p{C}/u.test(text)) {
    throw new BadSetting(`must have at most ${MAX_PREFIX_LENGTH} visible characters`);
  }
  // An id could complete a shorter text, such as `tally`.
  if (OWN_KEYS.some((own) => text.startsWith(own) || own.startsWith(text))) {
    throw new BadSetting(
      "must not begin with { or tallymark, as the service's own keys do (to keep all counters in one slot of a Redis Cluster, use hits:{all}:)",
    );
  }
  return text;
}

/** A time zone that the runtime knows by its IANA name. */
export function parseTimeZone(text: string): string {
  // Startup: looking up any other zone loads ICU data, which takes longer than all other settings.
  if (text === "UTC") return text;
  try {
    // An offset such as +02:00 knows no summer time: it would be a mistake.
    if (/^[a-z]/i.test(text)) return timeZoneOf(text);
  } catch {
    // Its message would show the text.
  }
  throw new BadSetting("must be an IANA time zone, such as UTC or Europe/Berlin");
}

/** Throws if there is no such zone. Returns the name as given: resolvedOptions() may give an older alias. */
function timeZoneOf(name: string): string {
  new Intl.DateTimeFormat("en", { timeZone: name });
  return name;
}
