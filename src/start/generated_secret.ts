import { MIN_SECRET_LENGTH } from "../auth/secret.ts";
import { errorMessage, StartError } from "../start_error.ts";
import { folderOf, siblingOf } from "../store/kv/file/file_lock.ts";
import type { StoreSetting } from "../store/setting.ts";

/** The file of a secret, and the secret in it. */
export interface SecretFile {
  readonly path: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

/** The secret of a standalone server without SECRET_TOKEN. */
export interface GeneratedSecret {
  readonly text: string;
  /** The file that keeps it. Undefined if it is for this run only. */
  readonly path: string | undefined;
  /** A sentence for the owner if the secret was created at this start. */
  readonly notice?: string;
  readonly warnings: readonly string[];
}

/**
 * Reads the secret next to a local counter file, or in `data/` with any other store. Throws a
 * {@linkcode StartError} if the file cannot be used, because another secret would invalidate all
 * keys.
 */
export function findSecret(store: StoreSetting): SecretFile {
  const path = store.kind === "kv-file" ? siblingOf(store.path, "secret") : "data/secret";
  return { path, text: readSecret(path) };
}

/** Returns undefined if there is no file, or the folder may not be read. */
function readSecret(path: string): string | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw new StartError(
      `The secret file ${path} cannot be read: ${
        errorMessage(error)
      }. Let the user that runs Tallymark read it, or set SECRET_TOKEN`,
      { cause: error },
    );
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
 * Writes a new secret if there is none, to a file which only its owner may read. A secret that
 * cannot be written is for this run only. Needs the store to be open, because a start that fails
 * must not leave a file that hides from the next one that its secret is new.
 */
export function keepSecret({ path, text }: SecretFile): GeneratedSecret {
  if (text !== undefined) return { text, path, warnings: fileWarnings(path, text) };
  // In hexadecimal, which needs no escaping anywhere.
  const generated = crypto.getRandomValues(new Uint8Array(20)).toHex();
  const notice =
    `The secret in ${path} is new: keep a copy of it with your backups. If the store already had counters, restore their secret or name it in SECRET_FALLBACKS, because its keys no longer work`;
  try {
    writeSecret(path, generated);
    return { text: generated, path, notice, warnings: [] };
  } catch (error) {
    // Another process may have been faster.
    const theirs = error instanceof Deno.errors.AlreadyExists ? readSecret(path) : undefined;
    if (theirs !== undefined) return { text: theirs, path, notice, warnings: [] };
    const warning = `the secret is for this run only because ${path} cannot be written: ${
      errorMessage(error)
    }. Let the user that runs Tallymark write it, or set SECRET_TOKEN`;
    return { text: generated, path: undefined, notice: warning, warnings: [warning] };
  }
}

/** Writes a secret under another name first. No start finds an empty file. */
function writeSecret(path: string, secret: string): void {
  Deno.mkdirSync(folderOf(path), { recursive: true });
  const written = `${path}.${crypto.randomUUID()}`;
  using file = Deno.openSync(written, { write: true, createNew: true, mode: 0o600 });
  try {
    file.writeSync(new TextEncoder().encode(`${secret}\n`));
    file.syncSync();
    // Unlike a move, a link replaces no file.
    Deno.linkSync(written, path);
  } finally {
    Deno.removeSync(written);
  }
}

/** Returns warnings about a secret and its file. Windows has no mode that keeps others away. */
function fileWarnings(path: string, text: string): string[] {
  const mode = Deno.build.os === "windows" ? 0 : Deno.statSync(path).mode ?? 0;
  const isOpen = (mode & 0o044) !== 0;
  const warning = `${path} can be read by other users of this machine: chmod 600 ${path}`;
  return [...isOpen ? [warning] : [], ...secretWarnings(path, text)];
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
