import type { CounterId } from "../counter/counter_id.ts";
import type { Parameter, Query } from "../http/query.ts";
import type { Log } from "../log.ts";
import { type KeyKind, type KeyPrefix, MIN_SECRET_LENGTH, Secret } from "./secret.ts";
import { createLinkCheck, isSession, type TokenCheck } from "./signed_token.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/** The secret, for clients that cannot send a header. */
export const token = {
  name: "token",
  meaning: "The secret. Prefer a header: the logs of proxies and traces record queries.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** A counter key, a group key or a read key. */
export const key = {
  name: "key",
  meaning:
    "A key from `/key`. Counter keys and group keys may be public, because they count only. A read key opens the reads of its group, so share it only with its readers.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** The parameters for credentials, by access level. */
export const CREDENTIALS = {
  anyone: [],
  reader: [token, key],
  viewer: [token, key],
  keyholder: [token, key],
  prefix: [token, key],
  lister: [token, key],
  owner: [token],
  secretholder: [token],
} as const;

/**
 * The credentials that an endpoint requires:
 * - `anyone`: none
 * - `reader`: if reads are protected, those of an owner or a read key, otherwise none
 * - `viewer`: the secret, a session, or a read key of the prefix
 * - `keyholder`: the secret, or a key of the counter
 * - `prefix`: the secret, or a key of the prefix
 * - `lister`: those of `prefix` or `viewer`
 * - `owner`: the secret or a session
 * - `secretholder`: the secret or, once, the token of a sign-in link
 */
export type AccessLevel = keyof typeof CREDENTIALS;

export interface Credentials {
  readonly request: Request;
  readonly query: Pick<Query<"token" | "key">, "get">;
  /** The counter or the prefix that a key has to open. */
  readonly id: CounterId;
  /** All counters of a request that may name several. `id` is the first of them. */
  readonly ids?: readonly CounterId[];
  /** True if the counter may be hit without a key, or read because this request has hit it. */
  readonly isPublic: boolean;
}

/**
 * The credential that authorized a request: none was required, the secret or a session, a key of
 * this kind, or the setting SERVE_AS, which makes counters public.
 */
export type Grant = "open" | "secret" | KeyKind | "SERVE_AS";

/** Throws "unauthorized" if the credentials do not suffice. */
export type AccessCheck = (credentials: Credentials) => Grant;

export type Access = ReturnType<typeof createAccess>;

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
export function createAccess({ secret: text, openReads, startedAt, log }: AccessOptions) {
  /** True if the secret is long enough for keys and sessions. */
  const keysAreOn = text !== undefined && text.length >= MIN_SECRET_LENGTH;
  const isLink = startedAt === undefined ? () => false : createLinkCheck(startedAt);
  const warnIfOnPage = createPageWarning(log);
  const secret = text === undefined ? undefined : new Secret(text);
  const keySecret = keysAreOn ? secret : undefined;

  function requireGrant(
    grantFor: (credentials: Credentials) => Grant | undefined,
    detail = UNAUTHORIZED,
  ): AccessCheck {
    return (credentials) => {
      const grant = grantFor(credentials);
      if (grant !== undefined) return grant;
      throw new Problem("unauthorized", { detail });
    };
  }

  function secretGrant({ request, query }: Credentials): "secret" | undefined {
    const isSecret = secret?.matches(headerText(request.headers.get("x-auth-token"))) ||
      secret?.matches(query.get("token")) ||
      secret?.matches(headerText(bearerToken(request)));
    if (!isSecret) return undefined;
    warnIfOnPage(request);
    return "secret";
  }

  /** Grants access by a valid session token or sign-in token, in place of the secret. */
  function tokenGrant({ request }: Credentials, isValid: TokenCheck): "secret" | undefined {
    const token = bearerToken(request);
    if (token === undefined || keySecret === undefined) return undefined;
    return isValid(token, keySecret) ? "secret" : undefined;
  }

  function keyGrant({ query, id }: Credentials): KeyKind | undefined {
    const key = query.get("key");
    return key === undefined ? undefined : keySecret?.keyKind(id, key);
  }

  /** Ignores the key of a counter with the same name as the prefix. */
  function prefixKeyGrant(credentials: Credentials): KeyKind | undefined {
    const kind = keyGrant(credentials);
    return kind === "own" ? undefined : kind;
  }

  function readKeyGrant({ query, id, ids = [] }: Credentials): KeyPrefix | undefined {
    const key = query.get("key");
    const prefix = key === undefined ? undefined : keySecret?.readPrefix(id, key);
    return prefix !== undefined && ids.every((id) => id.startsWith(prefix)) ? prefix : undefined;
  }

  const ownerGrant = (c: Credentials) => secretGrant(c) ?? tokenGrant(c, isSession);

  /** The check of each level. Undefined if it requires nothing. */
  const check: Readonly<Record<AccessLevel, AccessCheck | undefined>> = {
    anyone: undefined,
    reader: openReads ? undefined : requireGrant(
      (c) => ownerGrant(c) ?? (c.isPublic ? "SERVE_AS" : readKeyGrant(c)),
      OPEN_READS,
    ),
    viewer: requireGrant((c) => ownerGrant(c) ?? readKeyGrant(c), NO_READ_KEY),
    keyholder: requireGrant(
      (c) => secretGrant(c) ?? (c.isPublic ? "SERVE_AS" : keyGrant(c)),
      keysAreOn ? OR_KEY : `${UNAUTHORIZED} ${areOff("Counter keys")}`,
    ),
    prefix: requireGrant((c) => secretGrant(c) ?? prefixKeyGrant(c), OF_PREFIX),
    lister: requireGrant((c) => ownerGrant(c) ?? prefixKeyGrant(c) ?? readKeyGrant(c), OF_PREFIX),
    owner: requireGrant(ownerGrant),
    secretholder: requireGrant((c) => secretGrant(c) ?? tokenGrant(c, isLink)),
  };

  /**
   * Returns the secret, to make keys or sessions with. Throws "unauthorized" if it is too short for
   * those.
   */
  function secretFor(purpose: "Counter keys" | "Sessions"): Secret {
    if (keySecret === undefined) throw new Problem("unauthorized", { detail: areOff(purpose) });
    return keySecret;
  }

  return { keysAreOn, check, secretFor, isOwner: (c: Credentials) => ownerGrant(c) !== undefined };
}

/** The details of a 401, by what else would grant access. */
const UNAUTHORIZED = new Problem("unauthorized").detail;
const OPEN_READS =
  `${UNAUTHORIZED} The owner of the service can open reads to everyone with PUBLIC_READS=1.`;
const OR_KEY = `${UNAUTHORIZED} A counter key in key= counts its own counter or group only.`;
const NO_READ_KEY =
  "This page needs the read key that is part of its link, in key=. The key is missing or wrong: ask the owner of the page for the whole link.";
const OF_PREFIX =
  `${UNAUTHORIZED} The key of this group, or of a group that contains it, works too: send it in key=.`;

function areOff(purpose: string): string {
  return `${purpose} are off because SECRET_TOKEN is not set or shorter than 16 characters.`;
}

const BEYOND_ASCII = /[\x80-\xff]/;

/**
 * Decodes a header. Each of its characters is a byte (Fetch standard), and the bytes of a secret
 * are UTF-8.
 */
function headerText(value: string | null | undefined): string | undefined {
  if (!value || !BEYOND_ASCII.test(value)) return value ?? undefined;
  return new TextDecoder().decode(Uint8Array.from(value, (byte) => byte.charCodeAt(0)));
}

function bearerToken({ headers }: Request): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

const HOUR_MS = 3_600_000;
/** Capacity of the cache of origins. */
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
