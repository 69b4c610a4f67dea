import type { Secret } from "./secret.ts";

/** What stands for the secret for some hours. */
export interface Session {
  /** `s1`, the second since 1970 in which it ends, and a code of that second: nothing of it is kept here. */
  readonly token: string;
  readonly expires: Date;
}

/** Begins a session. */
export function beginSession(secret: Secret, now = Date.now()): Session {
  const end = Math.floor(now / 1000) + SECONDS;
  return { token: `s1.${end}.${secret.codeOf(signed(end))}`, expires: new Date(end * 1000) };
}

/** Whether this is the token of a session that has not ended. */
export function isSession(given: string, secret: Secret, now = Date.now()): boolean {
  const [, end, code] = TOKEN.exec(given) ?? [];
  if (end === undefined || code === undefined || Number(end) * 1000 <= now) return false;
  return secret.matchesCode(code, signed(end));
}

const SECONDS = 12 * 3600;
const TOKEN = /^s1\.(\d{1,11})\.([\w-]{43})$/;

function signed(end: number | string): string {
  return `session:${end}`;
}
