import { createApp } from "../app.ts";
import { linkTokenOf } from "../auth/signed_token.ts";
import { banner, clockWarnings, settingsWarnings, shellWord } from "./banner.ts";
import { runCommand } from "./command_line.ts";
import { type Config, parseConfig } from "./config.ts";
import { createCalendar } from "../domain/calendar.ts";
import { createCounters } from "../counters/counters.ts";
import { folderOf } from "../store/kv/file/file_lock.ts";
import { openStore } from "../store/open_store.ts";
import { StartError } from "../start_error.ts";
import { type LoadedEnvironment, readEnvironment } from "./environment.ts";
import { listen } from "./listener.ts";
import { findSecret, keepSecret } from "./generated_secret.ts";
import { explainFailure, SETTINGS } from "./settings.ts";
import { Metrics } from "../metrics.ts";
import { createLog, type Log, printTo } from "../log.ts";
import { pause } from "../waiting.ts";

/**
 * Time that open requests may take after a signal, in milliseconds. Deno Deploy grants 5 s for the
 * whole shutdown.
 */
const DRAIN_LIMIT_MS = { deploy: 2400, standalone: 6000 };
/**
 * Time that the counters may take to close after that, in milliseconds. It is longer than the
 * deadline of hits.
 */
const END_LIMIT_MS = 2200;
/**
 * Time after a signal in which requests are still accepted, in milliseconds, so that responses can
 * close connections.
 */
const DRAIN_NOTICE_MS = 100;

/**
 * Runs the service until a signal ends it, or a command if the process has arguments. A start that
 * fails says why and exits with 1.
 */
export async function run(): Promise<void> {
  try {
    if (Deno.args.length === 0) return await start(await readEnvironment());
    const { text, code } = await runCommand(Deno.args);
    printTo(code === 0 ? "stdout" : "stderr", text);
    Deno.exit(code);
  } catch (error) {
    fail(error);
  }
}

async function start(environment: LoadedEnvironment): Promise<void> {
  const isTerminal = Deno.stdout.isTerminal();
  const service = await openService(environment, { isTerminal, onUnusable: fail });
  const { config, log } = service;
  const at = config.platform === "deploy" ? undefined : config;
  const listener = listen({ at, fetch: service.app.fetch, log });
  const closed = closeOnSignal(service, listener.stop);
  announce(service, listener.address);
  await closed;
  Deno.exit(0);
}

/** Prints the address of the service, and logs its start. */
export function announce(service: OpenService, address: Deno.NetAddr): void {
  const { config, generated, signIn, counters } = service;
  printTo("stdout", banner({ config, address, generated, signIn }));
  logWarnings(service);
  service.log.info("start", { source: counters.source });
}

/** Logs what the owner has to know about the settings and the secret. */
export function logWarnings({ warnings, generated, log }: OpenService): void {
  for (const warning of warnings) log.warn(warning);
  const { notice } = generated ?? {};
  if (notice !== undefined && !warnings.includes(notice)) log.info(notice);
}

/** Waits for a signal. Resolves once accepted requests are answered and the counters are closed. */
export async function closeOnSignal(
  { config, log, app, counters }: OpenService,
  stopListening?: () => Promise<void>,
): Promise<void> {
  await nextSignal();
  log.info("stop");
  app.drain();
  await pause(DRAIN_NOTICE_MS);
  await Promise.race([stopListening?.(), pause(DRAIN_LIMIT_MS[config.platform])]);
  await Promise.race([counters.close(), pause(END_LIMIT_MS)]);
}

export interface OpenServiceOptions {
  readonly isTerminal: boolean;
  /** Called with the reason if the store turns out later to be unusable for good. */
  onUnusable(cause: unknown, log: Log): void;
  /** The name of this worker if the process has several. */
  worker?: string;
  /** Writes a line of the log, by default to standard error. */
  write?: (line: string) => void;
}

/** The service without a listener. */
export type OpenService = Awaited<ReturnType<typeof openService>>;

/**
 * Opens the store and builds the app on it.
 *
 * @example
 * ```ts
 * const { app } = await openService(await readEnvironment(), options);
 * Deno.serve(app.fetch);
 * ```
 */
export async function openService(
  { environment, unknownNames, quotedNames }: LoadedEnvironment,
  { isTerminal, onUnusable, worker, write }: OpenServiceOptions,
) {
  const config = parseConfig(environment);
  const startedAt = config.platform === "standalone" ? Date.now() : undefined;
  const file = config.secret === undefined && startedAt !== undefined
    ? findSecret(config.store)
    : undefined;
  const secrets = secretsOf(config);
  const log = createLog({ secrets, write });
  // Deno.openKv reads the token from the process's environment, which .env does not change.
  if (config.kvToken !== undefined) Deno.env.set("DENO_KV_ACCESS_TOKEN", config.kvToken);
  if (config.store.kind === "kv-platform") refuseMemory();

  const calendar = createCalendar(config.timeZone);
  const metrics = new Metrics(worker);
  const store = await openStore({
    ...{ config, calendar, log, metrics },
    onUnusable: (cause) => onUnusable(cause, log),
  }).catch((cause) => {
    if (!(cause instanceof Deno.errors.NotCapable) || config.store.kind !== "kv-file") throw cause;
    return refuseFolder(config.store.path, cause);
  });
  const counters = createCounters(store, calendar, metrics);
  const generated = file === undefined ? undefined : keepSecret(file);
  const secret = config.secret ?? generated?.text;
  /** The token of the sign-in link, if there is a terminal for it. */
  const signIn = isTerminal && startedAt !== undefined && secret !== undefined
    ? linkTokenOf(secret)
    : undefined;
  for (const text of [secret, signIn]) if (text !== undefined) secrets.push(text);
  const clock = clockWarnings(Date.now());
  const warnings = [
    ...settingsWarnings(config, { unknownNames, quotedNames }),
    ...generated?.warnings ?? [],
    ...clock,
  ];
  const proxies = config.platform === "deploy" ? config.platform : config.trustProxy;
  const app = createApp({
    config: {
      ...{ ...config, secret, proxies, startedAt },
      notices: [generated?.notice ?? [], clock].flat(),
      secretPlace: generated === undefined ? SETTINGS.secret.name : generated.path,
    },
    counters,
    metrics,
    log,
  });
  return { config, warnings, generated, signIn, log, counters, app };
}

/**
 * Has Deno.openKv fail on Deno Deploy without an assigned KV. It may fall back to memory, where
 * counts would be lost.
 */
function refuseMemory(): void {
  const name = "DENO_KV_REQUIRES_DISTRIBUTED_DATABASE";
  if (Deno.env.get(name) === "warn") Deno.env.set(name, "error");
}

/** Throws an error that shows how to allow the folder of a counter file. */
function refuseFolder(path: string, cause: unknown): never {
  const folder = shellWord(folderOf(path));
  throw new StartError(
    `${path} is outside the folders that this process may use. This command allows its folder: deno run --no-prompt -N -E -R=.env,${folder} -W=${folder} main.ts`,
    { cause },
  );
}

/** Resolves at the first signal that asks the process to end. */
function nextSignal(): Promise<void> {
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM"];
  return new Promise((resolve) => {
    for (const signal of signals) Deno.addSignalListener(signal, () => resolve());
  });
}

/** Prints why the service cannot start, and exits with 1. */
export function fail(error: unknown): never {
  printTo("stderr", explainFailure("Tallymark cannot start", error));
  Deno.exit(1);
}

/** Returns the texts to redact. Errors of Deno show the whole URL of a remote KV. */
function secretsOf(config: Config): string[] {
  const { store } = config;
  const secrets = [...config.fallbacks, config.kvToken];
  if (store.kind === "redis") secrets.push(store.addresses[0]?.password);
  if (store.kind === "kv-remote") {
    const { password, search } = new URL(store.url);
    secrets.push(password, search);
  }
  return secrets.filter((text) => text !== undefined);
}
