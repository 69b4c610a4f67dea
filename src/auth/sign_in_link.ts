import type { Secret } from "./secret.ts";

const LIFETIME_SECONDS = 600;
const TOKEN = /^l1\.(\d{1,11})\.([\w-]{1,64})\.([\w-]{43})$/;

/** Returns the token of a new sign-in link, which begins one session in place of the secret. */
export function createLinkToken(secret: Secret, now = Date.now()): string {
  const expiry = seconds(now) + LIFETIME_SECONDS;
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
  return `l1.${expiry}.${nonce}.${secret.codeOf(signedText(expiry, nonce))}`;
}

/** The sign-in links that a server has accepted. */
export class SignInLinks {
  readonly #startedAt: number;
  /** Used nonces with the time at which their tokens expire, in seconds since the epoch. */
  readonly #used = new Map<string, number>();

  /** `startedAt` is the start of the server, in milliseconds since the epoch. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Reports whether a token is valid, and makes it invalid. A token from before the start of the
   * server is refused, because an earlier process may have accepted it.
   */
  use(token: string, secret: Secret, now = Date.now()): boolean {
    const [, end = "", nonce = "", code = ""] = TOKEN.exec(token) ?? [];
    const expiry = Number(end);
    if (expiry <= now / 1000 || expiry - LIFETIME_SECONDS < seconds(this.#startedAt)) return false;
    if (!secret.matchesCode(code, signedText(end, nonce)) || this.#used.has(nonce)) return false;
    for (const [used, expiry] of this.#used) if (expiry <= now / 1000) this.#used.delete(used);
    this.#used.set(nonce, expiry);
    return true;
  }
}

function signedText(expiry: number | string, nonce: string): string {
  return `link:${expiry}.${nonce}`;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
