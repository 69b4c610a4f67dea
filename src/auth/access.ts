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

/** The secret, for clients that cannot send a header. */
export const token = {
  name: "token",
  meaning: "The secret. Prefer a header: the logs of proxies and traces record queries.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** A counter key, a prefix key or a read key. */
export const key = {
  name: "key",
  meaning:
    "A key from `/key`. Counter keys and family keys may be public, because they count only. A read key opens the reads of its family, so share it only with its readers.",
  schema: { type: "string" },
} as const satisfies Parameter;

/**
 * The credentials that an endpoint requires:
 * - `anyone`: none
 * - `reader`: if reads are protected, those of an owner or a read key, otherwise none
 * - `viewer`: the secret, a session, or a read key of the prefix
 * - `keyholder`: the secret, or a key of the counter
 * - `family`: the secret, a session, or a key of the prefix
 * - `lister`: those of `family` or `viewer`
 * - `owner`: the secret or a session
 * - `secretholder`: the secret or, once, the token of a sign-in link
 */
export type AccessLevel =
  | "anyone"
  | "reader"
  | "viewer"
  | "keyholder"
  | "family"
  | "lister"
  | "owner"
  | "secretholder";

/** The parameters for credentials, by access level. */
export const CREDENTIALS = {
  anyone: [],
  reader: [token, key],
  viewer: [token, key],
  keyholder: [token, key],
  family: [token, key],
  lister: [token, key],
  owner: [token],
  secretholder: [token],
} as const;

export interface Credentials {
  readonly request: Request;
  readonly query: Query<"token" | "key">;
  /** The counter or the prefix that a key has to open. */
  readonly id: CounterId;
  /** All counters of a request that may name several. `id` is the first of them. */
  readonly ids?: readonly CounterId[];
  /** True if the counter may be hit without a key. */
  readonly isPublic: boolean;
}

/**
 * The credential that authorized a request: none was required, the secret or a session, a key of
 * this kind, or the setting SERVE_AS, which makes counters public.
 */
export type Grant = "open" | "secret" | KeyKind | "SERVE_AS";

/** Throws or rejects with "unauthorized" if the credentials do not suffice. */
export type AccessCheck = (credentials: Credentials) => Grant | Promise<Grant>;

export interface Access {
  /** True if the secret is long enough for keys and sessions. */
  readonly keysAreOn: boolean;
  /** The check of each level. Undefined if it requires nothing. */
  readonly check: Readonly<Record<AccessLevel, AccessCheck | undefined>>;
  /** Returns the key of a counter, for owners only. */
  keyOf(id: CounterId): string;
  /** Returns the key of a prefix, for owners only. */
  familyKeyOf(prefix: FamilyPrefix): string;
  /** Returns the key that opens the reads of a prefix, for owners only. */
  readKeyOf(prefix: FamilyPrefix): string;
  /** Begins a session, for secretholders only. */
  beginSession(): Session;
}

export interface AccessOptions {
  /** Undefined if no request can have the secret. */
  secret: string | undefined;
  /** True if anyone may read. */
  openReads: boolean;
  /** Start of the server in milliseconds since the epoch. Undefined turns sign-in links off. */
  startedAt?: number | undefined;
  log: Log;
}

/** Creates the checks. A missing secret and a wrong one get the same response. */
export function createAccess(
  { secret: text, openReads, startedAt, log }: AccessOptions,
): Access {
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  const links = keysAreOn && startedAt !== undefined ? new SignInLinks(startedAt) : undefined;
  const warnIfOnPage = createPageWarning(log);
  let secret: Secret | undefined;

  /** Creates a check. The first check of the process opens the secret and waits for it. */
  function requireGrant(
    grantFor: (credentials: Credentials) => Grant | undefined,
    hint = "",
    detail?: string,
  ): AccessCheck {
    const check = (credentials: Credentials) => {
      const grant = grantFor(credentials);
      if (grant === undefined) throw unauthorized(hint, detail);
      return grant;
    };
    return (credentials) => {
      if (text === undefined || secret !== undefined) return check(credentials);
      return openSecret(text).then((opened) => {
        secret = opened;
        return check(credentials);
      });
    };
  }

  function secretGrant({ request, query }: Credentials): "secret" | undefined {
    const { headers } = request;
    const isSecret = matches(headerBytes(headers.get("x-auth-token"))) ||
      matches(query.get("token")) || matches(headerBytes(bearerToken(request)));
    if (!isSecret) return undefined;
    warnIfOnPage(request);
    return "secret";
  }

  function matches(given: string | Uint8Array | undefined): boolean {
    return given !== undefined && given.length > 0 && secret?.matches(given) === true;
  }

  function sessionGrant({ request }: Credentials): "secret" | undefined {
    const given = bearerToken(request);
    if (!keysAreOn || secret === undefined || given === undefined) return undefined;
    return isSession(given, secret) ? "secret" : undefined;
  }

  function linkGrant({ request }: Credentials): "secret" | undefined {
    const given = bearerToken(request);
    if (given === undefined || secret === undefined) return undefined;
    return links?.use(given, secret) === true ? "secret" : undefined;
  }

  function keyGrant({ query, id }: Credentials): KeyKind | undefined {
    const given = query.get("key");
    return keysAreOn && given !== undefined ? secret?.keyKind(id, given) : undefined;
  }

  /** Ignores the key of a counter with the same name as the prefix. */
  function prefixKeyGrant(credentials: Credentials): KeyKind | undefined {
    const kind = keyGrant(credentials);
    return kind === "own" ? undefined : kind;
  }

  function readKeyGrant({ query, id, ids = [] }: Credentials): FamilyPrefix | undefined {
    const given = query.get("key");
    if (!keysAreOn || given === undefined) return undefined;
    const prefix = secret?.readPrefix(id, given);
    return prefix !== undefined && ids.every((id) => id.startsWith(prefix)) ? prefix : undefined;
  }

  const ownerGrant = (credentials: Credentials) =>
    secretGrant(credentials) ?? sessionGrant(credentials);

  /** Returns the secret, to make keys and sessions with. Throws the reason if those are off. */
  function requireSecret(reason: string): Secret {
    if (secret === undefined || !keysAreOn) throw new Problem("unauthorized", { detail: reason });
    return secret;
  }

  return {
    keysAreOn,
    check: {
      anyone: undefined,
      reader: openReads
        ? undefined
        : requireGrant((c) => ownerGrant(c) ?? readKeyGrant(c), OPEN_READS),
      viewer: requireGrant((c) => ownerGrant(c) ?? readKeyGrant(c), "", NO_READ_KEY),
      keyholder: requireGrant(
        (c) => secretGrant(c) ?? (c.isPublic ? "SERVE_AS" : keyGrant(c)),
        keysAreOn ? OR_KEY : NO_KEYS,
      ),
      family: requireGrant((c) => ownerGrant(c) ?? prefixKeyGrant(c), OF_FAMILY),
      lister: requireGrant(
        (c) => ownerGrant(c) ?? prefixKeyGrant(c) ?? readKeyGrant(c),
        OF_FAMILY,
      ),
      owner: requireGrant(ownerGrant),
      secretholder: requireGrant((c) => secretGrant(c) ?? linkGrant(c)),
    },
    keyOf: (id) => requireSecret(NO_KEYS).keyOf(id),
    familyKeyOf: (prefix) => requireSecret(NO_KEYS).familyKeyOf(prefix),
    readKeyOf: (prefix) => requireSecret(NO_KEYS).readKeyOf(prefix),
    beginSession: () => beginSession(requireSecret(NO_SESSIONS)),
  };
}

const OPEN_READS = "The owner of the service can open reads to everyone with PUBLIC_READS=1.";
const OR_KEY = "A counter key in key= counts its own counter or family only.";
const NO_READ_KEY =
  "This page needs the read key that is part of its link, in key=. The key is missing or wrong: ask the owner of the page for the whole link.";
const OF_FAMILY =
  "The key of this family, or of a family that contains it, works too: send it in key=.";
const OFF = "are off because SECRET_TOKEN is not set or shorter than 16 characters.";
const NO_KEYS = `Counter keys ${OFF}`;
const NO_SESSIONS = `Sessions ${OFF}`;

function unauthorized(
  hint: string,
  detail = new Problem("unauthorized").detail,
): Problem {
  return new Problem("unauthorized", { detail: `${detail} ${hint}`.trim() });
}

const BEYOND_ASCII = /[\x80-\xff]/;

/**
 * Converts a header to bytes. Each of its characters is a byte (Fetch standard), and the bytes of
 * a secret are UTF-8.
 */
function headerBytes(value: string | null | undefined): string | Uint8Array | undefined {
  if (value === null || value === undefined) return undefined;
  return BEYOND_ASCII.test(value)
    ? Uint8Array.from(value, (character) => character.charCodeAt(0))
    : value;
}

function bearerToken({ headers }: Request): string | undefined {
  const value = headers.get("authorization");
  return value === null ? undefined : /^bearer +(.+)$/i.exec(value)?.[1];
}

interface Session {
  /** `s1`, the expiry in seconds since the epoch and a code of it. The server stores nothing. */
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
/** Minimum number of cached origins. */
const CACHE_SIZE = 1000;
/** Maximum length of a cached origin in characters. */
const MAX_ORIGIN_LENGTH = 300;

/**
 * Returns a function that warns, once per origin and hour, that a page of another site sends the
 * secret. Every visitor of that page can read it.
 */
function createPageWarning(log: Log): (request: Request) => void {
  const warned = new BoundedMap<string, number>(CACHE_SIZE);
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
