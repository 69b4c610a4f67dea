import { BadSetting, type Setting } from "./setting.ts";

/** A name and its value, as the environment or a `.env` file gives it; an empty value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting that cannot be used, each with what to do. */
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

/** Reads settings one after the other and keeps what is wrong with them, so that all of it is told at once. */
export class SettingsReader {
  readonly deploy: boolean;
  readonly #environment: Environment;
  readonly #problems: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
    this.deploy = isDeploy(environment);
  }

  /** The value of a setting; that of its default where it is unset, bad, or without effect here. */
  read<Value>(setting: Setting<Value>): Value {
    const text = this.has(setting) ? this.#environment[setting.name] : undefined;
    const byDefault = setting.parse(setting.default, false);
    if (text === undefined) return byDefault;
    return this.attempt(setting, () => setting.parse(text, this.deploy)) ?? byDefault;
  }

  /** What comes of work that may throw a {@linkcode BadSetting} about a setting; undefined where it did. */
  attempt<Value>(setting: Setting<unknown>, work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      this.complain(setting, error.message);
      return undefined;
    }
  }

  /** Takes down what is wrong with a setting. */
  complain(setting: Setting<unknown>, what: string): void {
    this.#problems.push(`${setting.name} ${what}`);
  }

  /** Whether something was found wrong with a setting. */
  isBad({ name }: Setting<unknown>): boolean {
    return this.#problems.some((problem) => problem.startsWith(`${name} `));
  }

  /** Whether a setting is set and has an effect here. */
  has(setting: Setting<unknown>): boolean {
    return Boolean(this.#environment[setting.name]) && (setting.onDeploy || !this.deploy);
  }

  /** The names of those settings that are set although they have no effect here. */
  withoutEffect(settings: readonly Setting<unknown>[]): string[] {
    return settings.filter((setting) => this.#environment[setting.name] && !this.has(setting))
      .map(({ name }) => name);
  }

  /** Throws a {@linkcode ConfigError} where anything was wrong with what was read. */
  check(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
