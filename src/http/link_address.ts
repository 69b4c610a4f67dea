import { Problem } from "../problem.ts";
import type { Parameter } from "./query.ts";

/** Maximum length of an address in characters. */
const MAX_ADDRESS_LENGTH = 2000;

/** Names the address of a link. */
export const to = {
  name: "to",
  meaning: "The address that the link leads to, with `http` or `https`.",
  schema: { type: "string", maxLength: MAX_ADDRESS_LENGTH },
} as const satisfies Parameter;

/** Parses the address of a link. Throws "bad-query" if it is none. */
export function parseAddress(text: string | undefined): URL {
  const url = text === undefined || text.length > MAX_ADDRESS_LENGTH ? null : URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new Problem("bad-query", {
    detail:
      `to must be an address with http or https, of at most ${MAX_ADDRESS_LENGTH} characters.`,
  });
}
