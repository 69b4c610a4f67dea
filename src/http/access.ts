import { createHash, createHmac } from "node:crypto";
import { Buffer } from "node:buffer";
import type { CounterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import type { Query } from "./query.ts";

/** A secret shorter than this could be guessed from a counter key that stands in public. */
export const MIN_SECRET_LENGTH = 16;

/** Options of {@linkcode createAccess}. */
export interface AccessOptions {
  /** Without one nobody may count. */
  secret: string | undefined;
  /** Whether anyone may read. */
  openReads: boolean;
}

/** Who may count and who may read; each check throws the problem "unauthorized". */
export interface Access {
  /** With the secret, or with the key of this counter. */
  checkHit(request: Request, query: Query, id: CounterId): void;
  /** With the secret, unless anyone may. */
  checkRead(request: Request, query: Query): void;
  /** The key that opens one counter, for whoever has the secret. */
  keyOf(request: Request, query: Query, id: CounterId): string;
}

/** The rules for one secret. The same answer is given to a missing and to a wrong one. */
export function createAccess({ secret, openReads }: AccessOptions): Access {
  const expected = secret === undefined ? undefined : digest(secret);
  const keySecret = secret !== undefined && secret.length >= MIN_SECRET_LENGTH ? secret : undefined;

  function hasSecret(request: Request, query: Query): boolean {
    if (expected === undefined) return false;
    const { headers } = request;
    return matches(expected, headerBytes(headers.get("x-auth-token"))) ||
      matches(expected, query.get("token")) ||
      matches(expected, headerBytes(bearer(headers.get("authorization"))));
  }

  function hasKey(query: Query, id: CounterId): boolean {
    const key = query.get("key");
    return key !== undefined && keySecret !== undefined &&
      matches(digest(keyOf(keySecret, id)), key);
  }

  return {
    checkHit(request, query, id) {
      if (hasSecret(request, query) || hasKey(query, id)) return;
      throw unauthorized(keySecret === undefined ? NO_KEYS : OR_KEY);
    },
    checkRead(request, query) {
      if (openReads || hasSecret(request, query)) return;
      throw unauthorized("The owner of the service can open reads to all with PUBLIC_READS=1.");
    },
    keyOf(request, query, id) {
      if (!hasSecret(request, query)) throw unauthorized("");
      if (keySecret === undefined) throw unauthorized(NO_KEYS);
      return keyOf(keySecret, id);
    },
  };
}

const OR_KEY = "A counter key in key= opens its own counter.";
const NO_KEYS =
  "Counter keys are off because SECRET_TOKEN is not set or shorter than 16 characters.";
const SEND_SECRET =
  "Send the secret token in the X-Auth-Token header, as a Bearer token, or as token= in the query.";

function unauthorized(more: string): Problem {
  return new Problem("unauthorized", { detail: `${SEND_SECRET} ${more}`.trim() });
}

/** The first 16 bytes of an HMAC: as hard to guess as a random 128-bit token (RFC 2104, section 5). */
function keyOf(secret: string, id: CounterId): string {
  const code = createHmac("sha256", secret).update(`counter:${id}`).digest();
  return code.subarray(0, 16).toString("base64url");
}

/** Compares digests in a time that does not depend on where they differ; they have one length, whatever the secret's. */
function matches(expected: string, given: string | Uint8Array | undefined): boolean {
  if (given === undefined || given.length === 0) return false;
  const actual = digest(given);
  let difference = expected.length ^ actual.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ actual.charCodeAt(index);
  }
  return difference === 0;
}

/** As text: making a Buffer of it for `timingSafeEqual` costs more than hashing does. */
function digest(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

const BEYOND_ASCII = /[\x80-\xff]/;

/** A header's characters are its bytes (Fetch standard, "byte sequence"), which for a secret are UTF-8. */
function headerBytes(value: string | null | undefined): string | Uint8Array | undefined {
  if (value === null || value === undefined) return undefined;
  return BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1") : value;
}

function bearer(value: string | null): string | undefined {
  return value === null ? undefined : /^bearer +(.+)$/i.exec(value)?.[1];
}
