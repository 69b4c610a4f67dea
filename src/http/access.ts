import type { CounterId } from "../counter/counter_id.ts";
import { MIN_SECRET_LENGTH } from "../min_secret_length.ts";
import { Problem } from "../problem.ts";
import { key, token } from "./parameters.ts";
import type { Query } from "./query.ts";
import { type KeyKind, openSecret, type Secret } from "./secret.ts";
import { beginSession, isSession, type Session } from "./session.ts";
import type { FamilyPrefix } from "./family.ts";

/**
 * Who is admitted: anyone; readers, who need to be owners where reads are closed; keyholders, who have the secret or the
 * key of the counter; owners, who have the secret or a session; or secretholders, who have the secret itself.
 */
export type Admission = "anyone" | "reader" | "keyholder" | "owner" | "secretholder";

/** The parameters that may open an endpoint. */
export const CREDENTIALS = {
  anyone: [],
  reader: [token],
  keyholder: [token, key],
  owner: [token],
  secretholder: [token],
} as const;

/** What somebody shows to be admitted. */
export interface Shown {
  readonly request: Request;
  readonly query: Query<"token" | "key">;
  /** The counter that it is about; undefined where it is not about a single one. */
  readonly id: CounterId | undefined;
}

/** What opened an endpoint to somebody: nothing was asked for, or they had the secret (or a session) or a key of this kind. */
export type Opening = "open" | "secret" | KeyKind;

/** Throws or rejects with the problem "unauthorized" where somebody is not admitted. */
export type AccessCheck<Seen = Shown> = (shown: Seen) => Opening | Promise<Opening>;

/** What is looked at where it does not matter which counter it is. */
type ShownAnywhere = Omit<Shown, "id">;

/** The rules for one secret. */
export interface Access {
  readonly check: Readonly<
    & Record<Admission, AccessCheck>
    & Record<"owner" | "secretholder", AccessCheck<ShownAnywhere>>
  >;
  /** The key that opens one counter, to be given to an admitted owner only. */
  keyOf(id: CounterId): string;
  /** The same for a family of counters. */
  familyKeyOf(prefix: FamilyPrefix): string;
  /** A session, to be given to an admitted secretholder only. */
  beginSession(): Session;
}

/** Options of {@linkcode createAccess}. */
export interface AccessOptions {
  /** Without one nobody may count. */
  secret: string | undefined;
  /** Whether anyone may read. */
  openReads: boolean;
}

/** The rules for one secret. The same answer is given to a missing and to a wrong one; `onSecret` sees who has it. */
export function createAccess(
  { secret: text, openReads }: AccessOptions,
  onSecret: (request: Request) => void,
): Access {
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  let secret: Secret | undefined;

  /** A check with the secret, which the first check opens and waits for. */
  function withSecret<Seen>(check: (shown: Seen) => Opening): AccessCheck<Seen> {
    return (shown) => {
      if (text === undefined || secret !== undefined) return check(shown);
      return openSecret(text).then((opened) => {
        secret = opened;
        return check(shown);
      });
    };
  }

  function isSecretShown({ request, query }: ShownAnywhere): boolean {
    const { headers } = request;
    const isShown = matches(headerBytes(headers.get("x-auth-token"))) ||
      matches(query.get("token")) || matches(headerBytes(bearer(headers.get("authorization"))));
    if (isShown) onSecret(request);
    return isShown;
  }

  function isOwner(shown: ShownAnywhere): boolean {
    if (isSecretShown(shown)) return true;
    const given = bearer(shown.request.headers.get("authorization"));
    return keysAreOn && secret !== undefined && given !== undefined && isSession(given, secret);
  }

  function matches(given: string | Uint8Array | undefined): boolean {
    return given !== undefined && given.length > 0 && secret?.matches(given) === true;
  }

  function keyShown({ query, id }: Shown): KeyKind | undefined {
    const given = query.get("key");
    if (!keysAreOn || given === undefined || id === undefined) return undefined;
    return secret?.keyFor(id, given);
  }

  /** What makes keys and sessions; throws the reason why there are none. */
  function maker(reason: string): Secret {
    if (secret === undefined || !keysAreOn) throw new Problem("unauthorized", { detail: reason });
    return secret;
  }

  const anyone = (): Opening => "open";
  return {
    check: {
      anyone,
      reader: openReads ? anyone : withSecret((shown: Shown) => {
        if (isOwner(shown)) return "secret";
        throw unauthorized(OPEN_READS);
      }),
      keyholder: withSecret((shown: Shown) => {
        const opening = isSecretShown(shown) ? "secret" : keyShown(shown);
        if (opening === undefined) throw unauthorized(keysAreOn ? OR_KEY : NO_KEYS);
        return opening;
      }),
      owner: withSecret((shown: ShownAnywhere) => {
        if (isOwner(shown)) return "secret";
        throw unauthorized("");
      }),
      secretholder: withSecret((shown: ShownAnywhere) => {
        if (isSecretShown(shown)) return "secret";
        throw unauthorized("");
      }),
    },
    keyOf: (id) => maker(NO_KEYS).keyOf(id),
    familyKeyOf: (prefix) => maker(NO_KEYS).familyKeyOf(prefix),
    beginSession: () => beginSession(maker(NO_SESSIONS)),
  };
}

const OPEN_READS = "The owner of the service can open reads to all with PUBLIC_READS=1.";
const OR_KEY = "A counter key in key= opens its own counter, or its own family.";
const OFF = "are off because SECRET_TOKEN is not set or shorter than 16 characters.";
const NO_KEYS = `Counter keys ${OFF}`;
const NO_SESSIONS = `Sessions ${OFF}`;

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
