import type { CounterId } from "../counter/counter_id.ts";
import type { Parameter, Query } from "../http/query.ts";
import type { Log } from "../log.ts";
import {
  type FamilyPrefix,
  type KeyKind,
  MIN_SECRET_LENGTH,
  openSecret,
  type Secret,
} from "./secret.ts";
import { SignInLinks } from "./sign_in_link.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/** The secret, for callers that cannot send a header. */
export const token = {
  name: "token",
  meaning: "The secret. Prefer a header: the logs of proxies and traces record queries.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** A counter key or a family key. */
export const key = {
  name: "key",
  meaning: "A counter key from `/key`. It may be public: it counts its own counter or family only.",
  schema: { type: "string" },
} as const satisfies Parameter;

/**
 * Which credentials an endpoint requires: none; for readers, those of an owner if reads are protected; for keyholders, the
 * secret or the key of the counter; for a family, the secret, a session or the key of the family; for owners, the secret or
 * a session; for secretholders, the secret itself or, once, the token of the sign-in link.
 */
export type AccessLevel = "anyone" | "reader" | "keyholder" | "family" | "owner" | "secretholder";

/** The parameters in which credentials are accepted, by access level. */
export const CREDENTIALS = {
  anyone: [],
  reader: [token],
  keyholder: [token, key],
  family: [token, key],
  owner: [token],
  secretholder: [token],
} as const;

export interface Credentials {
  readonly request: Request;
  readonly query: Query<"token" | "key">;
  /** The counter that a key has to open, or the prefix of the family. */
  readonly id: CounterId;
  /** True if the counter may be hit without a key. */
  readonly isPublic: boolean;
}

/** What authorized a request: nothing was required, the secret or a session, or a key of this kind. */
export type Grant = "open" | "secret" | KeyKind;

/** Throws or rejects with "unauthorized" if the credentials do not suffice. */
export type AccessCheck = (credentials: Credentials) => Grant | Promise<Grant>;

export interface Access {
  /** True if the secret is long enough for keys and sessions. */
  readonly keysAreOn: boolean;
  /** What authorizes requests on each level; undefined if everything is open there. */
  readonly check: Readonly<Record<AccessLevel, AccessCheck | undefined>>;
  /** The key that opens one counter, to be given to an owner only. */
  keyOf(id: CounterId): string;
  /** The same for a family of counters. */
  familyKeyOf(prefix: FamilyPrefix): string;
  /** A session, to be given to a secretholder only. */
  beginSession(): Session;
}

export interface AccessOptions {
  /** Without one nobody may count. */
  secret: string | undefined;
  /** Whether anyone may read. */
  openReads: boolean;
  /** Start of the server in milliseconds since the epoch. Undefined turns sign-in links off. */
  startedAt?: number | undefined;
  log: Log;
}

/** A missing secret and a wrong one are refused with the same words. */
export function createAccess(
  { secret: text, openReads, startedAt, log }: AccessOptions,
): Access {
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  const links = keysAreOn && startedAt !== undefined ? new SignInLinks(startedAt) : undefined;
  const warnIfOnPage = createPageWarning(log);
  let secret: Secret | undefined;

  /** The first check opens the secret and waits for it. */
  function withSecret(check: (credentials: Credentials) => Grant): AccessCheck {
    return (credentials) => {
      if (text === undefined || secret !== undefined) return check(credentials);
      return openSecret(text).then((opened) => {
        secret = opened;
        return check(credentials);
      });
    };
  }

  function hasSecret({ request, query }: Credentials): boolean {
    const { headers } = request;
    const isSecret = matches(headerBytes(headers.get("x-auth-token"))) ||
      matches(query.get("token")) || matches(headerBytes(bearer(headers.get("authorization"))));
    if (isSecret) warnIfOnPage(request);
    return isSecret;
  }

  function hasSecretOrSession(credentials: Credentials): boolean {
    if (hasSecret(credentials)) return true;
    const given = bearer(credentials.request.headers.get("authorization"));
    return keysAreOn && secret !== undefined && given !== undefined && isSession(given, secret);
  }

  function usesSignInLink({ request }: Credentials): boolean {
    const given = bearer(request.headers.get("authorization"));
    return given !== undefined && secret !== undefined && links?.use(given, secret) === true;
  }

  function matches(given: string | Uint8Array | undefined): boolean {
    return given !== undefined && given.length > 0 && secret?.matches(given) === true;
  }

  function keyKindOf({ query, id, isPublic }: Credentials): KeyKind | undefined {
    if (isPublic) return "own";
    const given = query.get("key");
    return keysAreOn && given !== undefined ? secret?.keyKind(id, given) : undefined;
  }

  /** The secret, for making keys and sessions; throws the reason if there are none. */
  function requireSecret(reason: string): Secret {
    if (secret === undefined || !keysAreOn) throw new Problem("unauthorized", { detail: reason });
    return secret;
  }

  return {
    keysAreOn,
    check: {
      anyone: undefined,
      reader: openReads ? undefined : withSecret((credentials) => {
        if (hasSecretOrSession(credentials)) return "secret";
        throw unauthorized(OPEN_READS);
      }),
      keyholder: withSecret((credentials) => {
        const grant = hasSecret(credentials) ? "secret" : keyKindOf(credentials);
        if (grant === undefined) throw unauthorized(keysAreOn ? OR_KEY : NO_KEYS);
        return grant;
      }),
      family: withSecret((credentials) => {
        if (hasSecretOrSession(credentials)) return "secret";
        const kind = keyKindOf(credentials);
        // The key of the counter that has the same name opens that counter alone.
        if (kind === undefined || kind === "own") throw unauthorized(OF_FAMILY);
        return kind;
      }),
      owner: withSecret((credentials) => {
        if (hasSecretOrSession(credentials)) return "secret";
        throw unauthorized("");
      }),
      secretholder: withSecret((credentials) => {
        if (hasSecret(credentials) || usesSignInLink(credentials)) return "secret";
        throw unauthorized("");
      }),
    },
    keyOf: (id) => requireSecret(NO_KEYS).keyOf(id),
    familyKeyOf: (prefix) => requireSecret(NO_KEYS).familyKeyOf(prefix),
    beginSession: () => beginSession(requireSecret(NO_SESSIONS)),
  };
}

const OPEN_READS = "The owner of the service can open reads to everyone with PUBLIC_READS=1.";
const OR_KEY = "A counter key in key= counts its own counter or family only.";
const OF_FAMILY =
  "The key of this family, or of a family that contains it, works too: send it in key=.";
const OFF = "are off because SECRET_TOKEN is not set or shorter than 16 characters.";
const NO_KEYS = `Counter keys ${OFF}`;
const NO_SESSIONS = `Sessions ${OFF}`;

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

interface Session {
  /** `s1`, when it expires (seconds since 1970), and a code of that: the server keeps nothing. */
  readonly token: string;
  readonly expires: Date;
}

const SESSION_SECONDS = 12 * 3600;
const SESSION_TOKEN = /^s1\.(\d{1,11})\.([\w-]{43})$/;

function beginSession(secret: Secret): Session {
  const end = Math.floor(Date.now() / 1000) + SESSION_SECONDS;
  return {
    token: `s1.${end}.${secret.codeOf(sessionPayload(end))}`,
    expires: new Date(end * 1000),
  };
}

function isSession(given: string, secret: Secret): boolean {
  const [, end, code] = SESSION_TOKEN.exec(given) ?? [];
  if (end === undefined || code === undefined || Number(end) * 1000 <= Date.now()) return false;
  return secret.matchesCode(code, sessionPayload(end));
}

function sessionPayload(end: number | string): string {
  return `session:${end}`;
}

const HOUR_MS = 3_600_000;
/** At least so many origins are remembered. */
const REMEMBERED_ORIGINS = 1000;
/** Characters. */
const MAX_ORIGIN_LENGTH = 300;

/** Warns, once per origin and hour, if a page of another site sends the secret: everybody who opens that page has it. */
function createPageWarning(log: Log): (request: Request) => void {
  const warned = new BoundedMap<string, number>(REMEMBERED_ORIGINS);
  return ({ headers }) => {
    if (headers.get("sec-fetch-site") !== "cross-site") return;
    const given = headers.get("origin") ?? originOf(headers.get("referer"));
    const origin = given.slice(0, MAX_ORIGIN_LENGTH);
    const hour = Math.floor(Date.now() / HOUR_MS);
    if (warned.get(origin) === hour) return;
    warned.set(origin, hour);
    log.warn("the secret is exposed in a web page: use a counter key there and change the secret", {
      origin,
    });
  };
}

function originOf(referer: string | null): string {
  return referer !== null && URL.canParse(referer) ? new URL(referer).origin : "unknown";
}
