import type { CounterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import type { Query } from "./query.ts";
import { openSecret, type Secret } from "./secret.ts";

/** A secret shorter than this could be guessed from a counter key that stands in public. */
export const MIN_SECRET_LENGTH = 16;

/** Options of {@linkcode createAccess}. */
export interface AccessOptions {
  /** Without one nobody may count. */
  secret: string | undefined;
  /** Whether anyone may read. */
  openReads: boolean;
}

/** Who may count and who may read; each check rejects with the problem "unauthorized". */
export interface Access {
  /** With the secret, or with the key of this counter. */
  checkHit(request: Request, query: Query, id: CounterId): Promise<void>;
  /** With the secret, unless anyone may. */
  checkRead(request: Request, query: Query): Promise<void> | void;
  /** The key that opens one counter, for whoever has the secret. */
  keyOf(request: Request, query: Query, id: CounterId): Promise<string>;
}

/** The rules for one secret. The same answer is given to a missing and to a wrong one. */
export function createAccess({ secret: text, openReads }: AccessOptions): Access {
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  let secret: Secret | undefined;

  /** The secret, where the request carries it. */
  async function shownSecret({ headers }: Request, query: Query): Promise<Secret | undefined> {
    if (text === undefined) return undefined;
    secret ??= await openSecret(text);
    const given = [
      headerBytes(headers.get("x-auth-token")),
      query.get("token"),
      headerBytes(bearer(headers.get("authorization"))),
    ];
    for (const one of given) {
      if (one !== undefined && one.length > 0 && secret.matches(one)) return secret;
    }
    return undefined;
  }

  return {
    async checkHit(request, query, id) {
      if (await shownSecret(request, query) !== undefined) return;
      const key = query.get("key");
      if (keysAreOn && key !== undefined && secret?.matchesKey(key, id)) return;
      throw unauthorized(keysAreOn ? OR_KEY : NO_KEYS);
    },
    checkRead(request, query) {
      if (!openReads) return checkShown(request, query);
    },
    async keyOf(request, query, id) {
      const shown = await shownSecret(request, query);
      if (shown === undefined) throw unauthorized("");
      if (!keysAreOn) throw unauthorized(NO_KEYS);
      return shown.keyOf(id);
    },
  };

  async function checkShown(request: Request, query: Query): Promise<void> {
    if (await shownSecret(request, query) !== undefined) return;
    throw unauthorized("The owner of the service can open reads to all with PUBLIC_READS=1.");
  }
}

const OR_KEY = "A counter key in key= opens its own counter.";
const NO_KEYS =
  "Counter keys are off because SECRET_TOKEN is not set or shorter than 16 characters.";
const SEND_SECRET =
  "Send the secret token in the X-Auth-Token header, as a Bearer token, or as token= in the query.";

function unauthorized(more: string): Problem {
  return new Problem("unauthorized", { detail: `${SEND_SECRET} ${more}`.trim() });
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
