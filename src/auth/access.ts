import type { CounterId } from "../domain/counter_id.ts";
import type { Parameter, Query } from "../http/query.ts";
import type { Log } from "../log.ts";
import { type Job, JOBS, type KeyGrant, type KeyOptions, Keys } from "./keys.ts";
import { Secret } from "./secret.ts";
import { createLinkCheck, isSession, type TokenCheck } from "./signed_token.ts";
import { Problem } from "../problem.ts";

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

/**
 * The credentials that may open an endpoint:
 * - `none`: nothing is required, or, at a level with others, nothing while reads are open
 * - `secret`, and `session`: the token of a session in its place
 * - `link`: the token of a sign-in link, once in each process
 * - `SERVE_AS`: the setting that makes a counter public
 * - `counter key`: a key of the counter or of a group with it
 * - `group key`: a key of the prefix or of a group with it
 * - `read key`: a read key of the group
 * - `job key`: the key of the job that the level is named after
 */
type Credential =
  | ("none" | "secret" | "session" | "link" | "SERVE_AS")
  | ("counter key" | "group key" | "read key" | "job key");

/** The credentials that an endpoint requires, see {@linkcode LEVELS}. */
export type AccessLevel =
  | ("anyone" | "reader" | "viewer" | "keyholder" | "prefix" | "lister" | "owner")
  | ("secretholder" | Job);

/** The credentials that open an endpoint, and its words if they do not suffice. */
interface LevelFacts {
  /** Those that suffice, in the order in which they are tried. */
  readonly opensWith: readonly Credential[];
  /** The addition to the detail of a 401. */
  readonly refusal?: string;
}

const UNAUTHORIZED = new Problem("unauthorized").detail;
const OPEN_READS = "The owner of the service can open reads to everyone with PUBLIC_READS=1.";
const NO_READ_KEY =
  "This page needs the read key that is part of its link, in key=. The key is missing or wrong: ask the owner of the page for the whole link.";
const OR_KEY = "A counter key in key= counts its own counter or group only.";
const OF_PREFIX =
  "The key of this group, or of a group that contains it, works too: send it in key=.";
const JOB: LevelFacts = {
  opensWith: ["secret", "session", "job key"],
  refusal: "The key of this job, from /key?job=, works too: send it as a Bearer token.",
};

/** The access levels. The documents and the checks follow from this table. */
export const LEVELS: Readonly<Record<AccessLevel, LevelFacts>> = {
  anyone: { opensWith: ["none"] },
  reader: { opensWith: ["none", "secret", "session", "SERVE_AS", "read key"], refusal: OPEN_READS },
  viewer: {
    opensWith: ["secret", "session", "read key"],
    refusal: NO_READ_KEY,
  },
  keyholder: {
    opensWith: ["secret", "SERVE_AS", "counter key"],
    refusal: OR_KEY,
  },
  prefix: {
    opensWith: ["secret", "group key"],
    refusal: OF_PREFIX,
  },
  lister: {
    opensWith: ["secret", "session", "group key", "read key"],
    refusal: OF_PREFIX,
  },
  owner: { opensWith: ["secret", "session"] },
  secretholder: { opensWith: ["secret", "link"] },
  metrics: JOB,
  backup: JOB,
  import: JOB,
};

const KEYS: readonly Credential[] = ["counter key", "group key", "read key"];

/** Returns the parameters in which an endpoint takes credentials. */
export function credentialParameters(level: AccessLevel): readonly (typeof token | typeof key)[] {
  const { opensWith } = LEVELS[level];
  return [
    ...opensWith.includes("secret") ? [token] : [],
    ...opensWith.some((credential) => KEYS.includes(credential)) ? [key] : [],
  ];
}

export interface Credentials {
  readonly request: Request;
  readonly query: Pick<Query<"token" | "key">, "get">;
  /** The counter or the prefix that a key has to open. */
  readonly id: CounterId;
  /** All counters of a request that may name several. `id` is the first of them. */
  readonly ids?: readonly CounterId[];
  /** True if the counter may be hit without a key, or read because this request has hit it. */
  readonly isPublic?: boolean;
}

/**
 * The credential that authorized a request: none was required, the secret or a session, the setting
 * SERVE_AS, which makes counters public, or a key.
 */
export type Grant = "open" | "secret" | "SERVE_AS" | KeyGrant;

/** Throws "unauthorized" if the credentials do not suffice. */
export type AccessCheck = (credentials: Credentials) => Grant;

export type Access = ReturnType<typeof createAccess>;

export interface AccessOptions extends KeyOptions {
  /** Undefined if no request can have the secret. */
  secret: string | undefined;
  /** True if anyone may read. */
  openReads: boolean;
  /** Start of the server in milliseconds since the epoch. Undefined turns sign-in links off. */
  startedAt?: number | undefined;
  /** Called for each request with a key of an earlier secret. */
  onEarlierKey?: () => void;
  log: Log;
}

/**
 * Creates the checks. A missing secret and a wrong one get the same response.
 *
 * @example
 * ```ts
 * const { checkOf } = createAccess(options);
 * const grant = checkOf("keyholder")?.({ request, query, id });
 * ```
 */
export function createAccess(
  { secret: text, openReads, startedAt, onEarlierKey, log, ...keyOptions }: AccessOptions,
) {
  const isLink = startedAt === undefined ? () => false : createLinkCheck(startedAt);
  const secret = text === undefined ? undefined : new Secret(text);
  const keys = secret?.isLong ? new Keys(secret, keyOptions) : undefined;

  /** Returns the check of a level. Returns undefined if it requires nothing. */
  function checkOf(level: AccessLevel): AccessCheck | undefined {
    const { opensWith, refusal = "" } = LEVELS[level];
    if (opensWith.includes("none") && (openReads || opensWith.length === 1)) return undefined;
    const found = opensWith.map((credential) => grants[credential]);
    const hint = level === "keyholder" && keys === undefined ? areOff("Counter keys") : refusal;
    const detail = hint === NO_READ_KEY ? hint : `${UNAUTHORIZED} ${hint}`.trim();
    return (credentials) => {
      for (const grantFor of found) {
        const grant = grantFor(credentials, level);
        if (grant === undefined) continue;
        if (typeof grant === "object" && grant.isEarlier) onEarlierKey?.();
        return grant;
      }
      throw new Problem("unauthorized", { detail });
    };
  }

  function secretGrant({ request, query }: Credentials): "secret" | undefined {
    const isSecret = secret?.matches(headerText(request.headers.get("x-auth-token"))) ||
      secret?.matches(query.get("token")) ||
      secret?.matches(headerText(bearerToken(request)));
    if (!isSecret) return undefined;
    warnIfOnPage(request, log);
    return "secret";
  }

  /** Grants access by a valid session token or sign-in token, in place of the secret. */
  function tokenGrant({ request }: Credentials, isValid: TokenCheck): "secret" | undefined {
    const token = bearerToken(request);
    if (token === undefined || keys === undefined) return undefined;
    return isValid(token, keys.secret) ? "secret" : undefined;
  }

  function keyGrant({ query, id }: Credentials): KeyGrant | undefined {
    const key = query.get("key");
    return key === undefined ? undefined : keys?.grantOf(id, key);
  }

  /** Ignores the key of a counter with the same name as the prefix. */
  function prefixKeyGrant(credentials: Credentials): KeyGrant | undefined {
    const grant = keyGrant(credentials);
    return grant?.prefix === undefined ? undefined : grant;
  }

  function readKeyGrant({ query, id, ids = [] }: Credentials): KeyGrant | undefined {
    const key = query.get("key");
    const grant = key === undefined ? undefined : keys?.readGrantOf(id, key);
    return ids.every((id) => id.startsWith(grant?.prefix ?? "")) ? grant : undefined;
  }

  /** Accepts the key of a job in this one header only. */
  function jobGrant({ request }: Credentials, level: AccessLevel): KeyGrant | undefined {
    const job = JOBS.find((job) => job === level);
    return job && keys?.jobGrantOf(job, bearerToken(request) ?? "");
  }

  const grants: Readonly<
    Record<Credential, (given: Credentials, level: AccessLevel) => Grant | undefined>
  > = {
    "none": () => undefined,
    "secret": secretGrant,
    "session": (given) => tokenGrant(given, isSession),
    "link": (given) => tokenGrant(given, isLink),
    "SERVE_AS": ({ isPublic }) => isPublic ? "SERVE_AS" : undefined,
    "counter key": keyGrant,
    "group key": prefixKeyGrant,
    "read key": readKeyGrant,
    "job key": jobGrant,
  };
  /** Returns the keys. Throws "unauthorized" if the secret is too short for those and sessions. */
  function keysFor(purpose: "Counter keys" | "Sessions"): Keys {
    if (keys === undefined) throw new Problem("unauthorized", { detail: areOff(purpose) });
    return keys;
  }

  /** Returns the grant of a link. Throws "unauthorized" if the key is not that of this pair. */
  function linkGrant(id: CounterId, to: URL, key: string): KeyGrant {
    const grant = keys?.linkGrantOf(id, to, key);
    if (grant === undefined) throw new Problem("unauthorized", { detail: OF_LINK });
    if (grant.isEarlier) onEarlierKey?.();
    return grant;
  }

  const isOwner = (given: Credentials) =>
    (secretGrant(given) ?? tokenGrant(given, isSession)) !== undefined;
  return { keysAreOn: keys !== undefined, checkOf, keysFor, linkGrant, isOwner };
}

const OF_LINK =
  "The key of this link is wrong: GET /key?id=ID&to=ADDRESS returns the key for this counter and address.";

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

/** Maximum length of an origin in the log, in characters. */
const MAX_ORIGIN_LENGTH = 300;

/** Warns if a page of another site sends the secret. Every visitor of that page can read it. */
function warnIfOnPage({ headers }: Request, log: Log): void {
  if (headers.get("sec-fetch-site") !== "cross-site") return;
  const referer = URL.parse(headers.get("referer") ?? "");
  const given = headers.get("origin") ?? referer?.origin ?? "unknown";
  const event =
    "the secret is exposed in a web page: use a counter key there and change the secret";
  log.warnOncePer("hour", event, { origin: given.slice(0, MAX_ORIGIN_LENGTH) });
}
