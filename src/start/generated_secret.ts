import { MIN_SECRET_LENGTH } from "../auth/secret.ts";
import { errorMessage, StartError } from "../problem.ts";
import type { StoreSetting } from "./store_address.ts";

/** The secret of a standalone server without SECRET_TOKEN. */
export interface GeneratedSecret {
  readonly text: string;
  /** The file that keeps it. Undefined if it is for this run only. */
  readonly path: string | undefined;
  /** True if the file does not exist. */
  readonly isNew: boolean;
}

/**
 * Reads the secret next to a local counter file, or generates one. With any other store it is for
 * this run only. Throws a {@linkcode StartError} if the file cannot be used, because another
 * secret would invalidate all keys.
 */
export function findSecret(store: StoreSetting): GeneratedSecret {
  if (store.kind !== "kv-file") return { text: randomSecret(), path: undefined, isNew: true };
  const path = store.path.replace(FILE_NAME, "secret");
  const text = readSecret(path);
  return { text: text ?? randomSecret(), path, isNew: text === undefined };
}

const FILE_NAME = Deno.build.os === "windows" ? /[^\\/]*$/ : /[^/]*$/;

/** Returns 160 random bits in hexadecimal, which needs no escaping anywhere. */
function randomSecret(): string {
  return crypto.getRandomValues(new Uint8Array(20)).toHex();
}

/** Returns undefined if there is no file, or the folder may not be read. */
function readSecret(path: string): string | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    // Opening the store will say how to allow the folder.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw unusable(path, ["read", "read"], error);
  }
  const secret = text.trim();
  if (secret === "") {
    throw new StartError(
      `The secret file ${path} is empty. Restore the secret, or delete the file to create a new one (all keys become invalid)`,
    );
  }
  if (/\p{Cc}/u.test(secret)) {
    throw new StartError(`The secret file ${path} must contain a single line`);
  }
  return secret;
}

/**
 * Writes a new secret to its file, which only the owner of the file may read. Needs the counter
 * file next to it to be open, so that no other process writes one at the same time. Returns
 * warnings about the secret in the file.
 */
export function keepSecret({ path, text, isNew }: GeneratedSecret): string[] {
  if (path === undefined) return [];
  if (isNew) writeSecret(path, text);
  const warnings = secretWarnings(path, text);
  if (!isReadByOthers(path)) return warnings;
  return [`${path} can be read by other users of this machine: chmod 600 ${path}`, ...warnings];
}

function writeSecret(path: string, secret: string): void {
  try {
    using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
    file.writeSync(new TextEncoder().encode(`${secret}\n`));
    file.syncSync();
  } catch (error) {
    throw unusable(path, ["written", "write"], error);
  }
}

function unusable(path: string, [done, verb]: [string, string], error: unknown): StartError {
  return new StartError(
    `The secret file ${path} cannot be ${done}: ${
      errorMessage(error)
    }. Let the user that runs Tallymark ${verb} it, or set SECRET_TOKEN`,
    { cause: error },
  );
}

/** Reports whether other users may read a file. Always false on Windows, which has no such mode. */
function isReadByOthers(path: string): boolean {
  const { mode } = Deno.statSync(path);
  return Deno.build.os !== "windows" && mode !== null && (mode & 0o044) !== 0;
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
      `${name} cannot be sent in a header: it starts or ends with white space or contains a control character`,
    );
  }
  return warnings;
}

/**
 * HTTP strips white space around a header value and allows no control characters in it (RFC 9110,
 * section 5.5).
 */
const UNFIT_FOR_HEADERS = /^[ \t]|[ \t]$|[^\P{Cc}\t]/u;
