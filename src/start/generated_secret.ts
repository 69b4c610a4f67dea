import { errorMessage, StartError } from "../problem.ts";
import type { StoreSetting } from "./store_address.ts";

/** The secret of a standalone server without SECRET_TOKEN. */
export interface GeneratedSecret {
  readonly text: string;
  /** The file that keeps it. Undefined if it is for this run only. */
  readonly path: string | undefined;
  /** True if {@linkcode keepSecret} has not written it. */
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

/** 160 random bits in hexadecimal, which needs no escaping anywhere. */
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
    throw unusable(path, { verb: "read", error });
  }
  const secret = text.trim();
  if (secret === "") {
    throw new StartError(
      `${path}, the file of the secret, is empty. Write the secret into it. If the secret is lost, delete the file: a new one is made, and all keys become invalid`,
    );
  }
  if (/\p{Cc}/u.test(secret)) {
    throw new StartError(`${path}, the file of the secret, must contain a single line`);
  }
  return secret;
}

/**
 * Writes a new secret to its file, which only the owner of the file may read. Needs the counter
 * file next to it to be open, so that no other process writes one at the same time.
 */
export function keepSecret(path: string, secret: string): void {
  try {
    using file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
    file.writeSync(new TextEncoder().encode(`${secret}\n`));
    file.syncSync();
  } catch (error) {
    throw unusable(path, { verb: "written", error });
  }
}

function unusable(
  path: string,
  { verb, error }: { verb: "read" | "written"; error: unknown },
): StartError {
  const fix = `Let the user that runs Tallymark ${verb === "read" ? "read" : "write"} it`;
  return new StartError(
    `${path}, the file of the secret, cannot be ${verb}: ${
      errorMessage(error)
    }. ${fix}, or set SECRET_TOKEN`,
    { cause: error },
  );
}

/** Reports whether other users may read a file. Always false on Windows, which has no such mode. */
export function isReadByOthers(path: string): boolean {
  const { mode } = Deno.statSync(path);
  return Deno.build.os !== "windows" && mode !== null && (mode & 0o044) !== 0;
}
