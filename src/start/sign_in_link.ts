import { MIN_SECRET_LENGTH } from "../min_secret_length.ts";

/** What begins one session in place of the secret. */
export interface SignInLink {
  /** What the link holds, for the terminal of the person who started the service and for nothing else. */
  readonly token: string;
  /** Whether this is the token and was not used before; from then on it is used. */
  use(given: string): boolean;
}

const LIFETIME_MS = 10 * 60_000;

/** Makes a link that can be used once, and for ten minutes; a secret that is too short for sessions has none. */
export function createSignInLink(secret: string, now = Date.now): SignInLink | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return undefined;
  const token = crypto.getRandomValues(new Uint8Array(16)).toHex();
  const end = now() + LIFETIME_MS;
  // A set looks a text up by its hash: how long that takes does not tell how much of it is right.
  const unused = new Set([token]);
  return { token, use: (given) => now() < end && unused.delete(given) };
}
