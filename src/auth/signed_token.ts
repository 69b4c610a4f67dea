import { BoundedMap } from "../bounded_map.ts";
import { sameText, Secret } from "./secret.ts";

/**
 * The version, the lifetime and the unit of the expiry of each kind of token, in milliseconds. A
 * link begins one session. Its expiry is exact, because a restart may take less than a second.
 */
const KINDS = {
  session: { version: "s1", lifetime: 12 * 3_600_000, unit: 1000 },
  link: { version: "l2", lifetime: 600_000, unit: 1 },
} as const;
/** Maximum number of used links that a process remembers. */
const MAX_USED = 10_000;

type TokenKind = keyof typeof KINDS;

/** The version, the expiry since the epoch, the nonce of a link, and a code of these. */
const TOKEN = /^(s1|l2)\.((\d{1,14})(?:\.([\w-]{1,64}))?)\.([\w-]{43})$/;

/** Reports whether a token is valid. `now` is in milliseconds since the epoch. */
export type TokenCheck = (token: string, secret: Secret, now?: number) => boolean;

/** Creates the token of a session, which proves itself, so that the server stores nothing. */
export function createSession(secret: Secret): { token: string; expires: Date } {
  const expiry = expiryOf("session", Date.now());
  const token = sign("session", String(expiry), secret);
  return { token, expires: new Date(expiry * KINDS.session.unit) };
}

/** Checks the token of a session. */
export const isSession: TokenCheck = (token, secret, now = Date.now()) =>
  verify("session", token, secret, now) !== undefined;

/** Returns the token of a new sign-in link, which begins one session in place of the secret. */
export function createLinkToken(secret: Secret, now = Date.now()): string {
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
  return sign("link", `${expiryOf("link", now)}.${nonce}`, secret);
}

/** Returns such a token. Returns undefined if the secret is too short for sessions. */
export function linkTokenOf(text: string): string | undefined {
  const secret = new Secret(text);
  return secret.isLong ? createLinkToken(secret) : undefined;
}

/**
 * Creates a check that accepts the token of each sign-in link once. It refuses tokens from before
 * `startedAt`, in milliseconds since the epoch, because an earlier process may have accepted them.
 * It refuses those from the future for the same reason, because the clock may have been set back.
 */
export function createLinkCheck(startedAt: number): TokenCheck {
  // Not removed when they expire, because a clock that is set back would make them valid again.
  const used = new BoundedMap<string, true>(MAX_USED);
  return (token, secret, now = Date.now()) => {
    const { expiry, nonce } = verify("link", token, secret, now) ?? {};
    if (expiry === undefined || nonce === undefined || used.get(nonce)) return false;
    const createdAt = expiry - KINDS.link.lifetime;
    if (createdAt < startedAt || createdAt > now) return false;
    used.set(nonce, true);
    return true;
  };
}

function sign(kind: TokenKind, payload: string, secret: Secret): string {
  return `${KINDS[kind].version}.${payload}.${secret.codeOf(`${kind}:${payload}`)}`;
}

/** Returns the expiry and the nonce of a token. Returns undefined if it is invalid or expired. */
function verify(kind: TokenKind, token: string, secret: Secret, now: number) {
  const [, version, payload, end, nonce, code = ""] = TOKEN.exec(token) ?? [];
  const expiry = Number(end);
  if (version !== KINDS[kind].version || expiry * KINDS[kind].unit <= now) return undefined;
  if (!sameText(secret.codeOf(`${kind}:${payload}`), code)) return undefined;
  return { expiry, nonce };
}

/** Returns the expiry of a token that is created now, in the unit of its kind. */
function expiryOf(kind: TokenKind, now: number): number {
  const { lifetime, unit } = KINDS[kind];
  return Math.floor((now + lifetime) / unit);
}
