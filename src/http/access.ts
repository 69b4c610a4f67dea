import type { CounterId } from "../counter/counter_id.ts";
import { MIN_SECRET_LENGTH } from "../min_secret_length.ts";
import { Problem } from "../problem.ts";
import type { Query } from "./query.ts";
import { openSecret, type Secret } from "./secret.ts";

/** Options of {@linkcode createAccess}. */
export interface AccessOptions {
  /** Without one nobody may count. */
  secret: string | undefined;
  /** Whether anyone may read. */
  openReads: boolean;
}

/** Who may count and who may read; each check throws or rejects with the problem "unauthorized". */
export interface Access {
  /** With the secret, or with the key of this counter. */
  checkHit(request: Request, query: Query, id: CounterId): void | Promise<void>;
  /** With the secret, unless anyone may. */
  checkRead(request: Request, query: Query): void | Promise<void>;
  /** The key that opens one counter, for whoever has the secret. */
  keyOf(request: Request, query: Query, id: CounterId): string | Promise<string>;
}

/** The rules for one secret. The same answer is given to a missing and to a wrong one. */
export function createAccess({ secret: text, openReads }: AccessOptions): Access {
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  let secret: Secret | undefined;

  /** Runs a check with the secret, which the first check opens and waits for. */
  function withSecret<Result>(check: () => Result): Result | Promise<Result> {
    if (text === undefined || secret !== undefined) return check();
    return openSecret(text).then((opened) => {
      secret = opened;
      return check();
    });
  }

  function isShown({ headers }: Request, query: Query): boolean {
    return matches(headerBytes(headers.get("x-auth-token"))) || matches(query.get("token")) ||
      matches(headerBytes(bearer(headers.get("authorization"))));
  }

  function matches(given: string | Uint8Array | undefined): boolean {
    return given !== undefined && given.length > 0 && secret?.matches(given) === true;
  }

  return {
    checkHit: (request, query, id) =>
      withSecret(() => {
        if (isShown(request, query)) return;
        const key = query.get("key");
        if (keysAreOn && key !== undefined && secret?.matchesKey(key, id)) return;
        throw unauthorized(keysAreOn ? OR_KEY : NO_KEYS);
      }),
    checkRead(request, query) {
      if (openReads) return;
      return withSecret(() => {
        if (!isShown(request, query)) throw unauthorized(OPEN_READS);
      });
    },
    keyOf: (request, query, id) =>
      withSecret(() => {
        if (secret === undefined || !isShown(request, query)) throw unauthorized("");
        if (!keysAreOn) throw unauthorized(NO_KEYS);
        return secret.keyOf(id);
      }),
  };
}

const OPEN_READS = "The owner of the service can open reads to all with PUBLIC_READS=1.";
const OR_KEY = "A counter key in key= opens its own counter.";
const NO_KEYS =
  "Counter keys are off because SECRET_TOKEN is not set or shorter than 16 characters.";

/** The usual sentence, and what else the caller of this endpoint should know. */
function unauthorized(more: string): Problem {
  const { detail } = new Problem("unauthorized");
  return new Problem("unauthorized", { detail: `${detail} ${more}`.trim() });
}

const BEYOND_ASCII = /[\x80-\xff]/;

/** A header's characters are its bytes (Fetch standard, "byte sequence"), which for a secret are UTF-8. */
function headerBytes(value: string | null | undefined): string | Uint8Array | undefined {
  if (value === null || value === undefined) return undefined;
  return BEYOND_ASCII.test(value)
    ? Uint8Array.from(value, (character) => character.charCodeAt(0))
    : value;
}

function bearer(value: string | null): string | undefined {
  return value === null ? undefined : /^bearer +(.+)$/i.exec(value)?.[1];
}
