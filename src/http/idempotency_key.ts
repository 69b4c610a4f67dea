import { Problem } from "../problem.ts";
import type { Opening } from "./access.ts";

/** As it is, or as a quoted string (RFC 8941, section 3.3.3). */
const KEY = /^(?:([\w-]{1,64})|"([\w-]{1,64})")$/;

/** What the caller names a hit by, so that it can be sent again; undefined where it has no name. */
export function idempotencyKeyOf(
  { request: { headers }, opening }: { request: Request; opening: Opening },
): string | undefined {
  const given = headers.get("idempotency-key");
  if (given === null) return undefined;
  const [, bare, quoted] = KEY.exec(given) ?? [];
  const key = bare ?? quoted;
  if (key === undefined) throw new Problem("bad-idempotency-key");
  if (opening === "secret") return key;
  // Whoever finds a counter key in a page could fill the store with keys of this kind.
  throw new Problem("bad-idempotency-key", {
    detail: "An Idempotency-Key needs the secret: a counter key does not do.",
  });
}
