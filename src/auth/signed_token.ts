import { sameText, type Secret } from "./secret.ts";

/** The version and the lifetime of each kind of token. A link begins one session. */
const KINDS = {
  session: { version: "s1", seconds: 12 * 3600 },
  link: { version: "l1", seconds: 600 },
} as const;

type TokenKind = keyof typeof KINDS;

/** The version, the expiry in seconds since the epoch, the nonce of a link, and a code of these. */
const TOKEN = /^(s1|l1)\.((\d{1,11})(?:\.([\w-]{1,64}))?)\.([\w-]{43})$/;

/** Reports whether a token is valid. `now` is in milliseconds since the epoch. */
export type TokenCheck = (token: string, secret: Secret, now?: number) => boolean;

/** Creates the token of a session, which proves itself, so that the server stores nothing. */
export function createSession(secret: Secret): { token: string; expires: Date } {
  const expiry = seconds(Date.now()) + KINDS.session.seconds;
  const token = sign("session", String(expiry), secret);
  return { token, expires: new Date(expiry * 1000) };
}

/** Checks the token of a session. */
export const isSession: TokenCheck = (token, secret, now = Date.now()) =>
  verify("session", token, secret, now) !== undefined;

/** Returns the token of a new sign-in link, which begins one session in place of the secret. */
export function createLinkToken(secret: Secret, now = Date.now()): string {
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
  return sign("link", `${seconds(now) + KINDS.link.seconds}.${nonce}`, secret);
}

/**
 * Creates a check that accepts the token of each sign-in link once. It refuses tokens from before
 * `startedAt`, in milliseconds since the epoch, because an earlier process may have accepted them.
 */
export function createLinkCheck(startedAt: number): TokenCheck {
  /** Used nonces with the time at which their tokens expire, in seconds since the epoch. */
  const used = new Map<string, number>();
  return (token, secret, now = Date.now()) => {
    const { expiry, nonce } = verify("link", token, secret, now) ?? {};
    if (expiry === undefined || nonce === undefined || used.has(nonce)) return false;
    if (expiry - KINDS.link.seconds < seconds(startedAt)) return false;
    for (const [nonce, expiry] of used) if (expiry <= now / 1000) used.delete(nonce);
    used.set(nonce, expiry);
    return true;
  };
}

function sign(kind: TokenKind, payload: string, secret: Secret): string {
  return `${KINDS[kind].version}.${payload}.${secret.codeOf(`${kind}:${payload}`)}`;
}

/** Returns the expiry and the nonce of a token. Returns undefined if it is invalid or expired. */
function verify(kind: TokenKind, token: string, secret: Secret, now: number) {
  const [, version, payload, end, nonce, code = ""] = TOKEN.exec(token) ?? [];
  if (version !== KINDS[kind].version || Number(end) <= now / 1000) return undefined;
  if (!sameText(secret.codeOf(`${kind}:${payload}`), code)) return undefined;
  return { expiry: Number(end), nonce };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
