import { renderBadge } from "../badge/badge.ts";
import { type Look, LOOK_PARAMETERS, parseLook } from "../badge/look.ts";
import { Recent } from "../recent.ts";
import { textHash } from "./entity_tag.ts";
import type { Query } from "./query.ts";

/** A look and what its badges have in common. */
export interface KnownLook {
  readonly look: Look;
  /** A hash of the look's badge with no message: whatever changes the drawing changes it. */
  readonly hash: string;
}

const REMEMBERED = 1000;
/** Half of a surrogate pair: no value that was decoded strictly can hold it and so pass for two. */
const SEPARATOR = "\ud800";
/** Characters; longer queries are rare, and would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/** A function from a query to its look; those that are asked for again and again are resolved once. */
export function rememberLooks(): (query: Query) => KnownLook {
  const known = new Recent<string, KnownLook>(REMEMBERED);
  return (query) => {
    const key = LOOK_PARAMETERS.map((name) => query.get(name)).join(SEPARATOR);
    const found = known.get(key);
    if (found !== undefined) return found;
    const look = parseLook(query);
    const entry = { look, hash: textHash(renderBadge(look, "")) };
    if (key.length <= MAX_KEY_LENGTH) known.set(key, entry);
    return entry;
  };
}
