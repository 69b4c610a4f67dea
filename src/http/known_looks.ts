import { renderBadge } from "../badge/badge.ts";
import { type Look, LOOK_PARAMETERS, parseLook } from "../badge/look.ts";
import { Recent } from "../recent.ts";
import { badgeTag, textHash } from "./entity_tag.ts";
import type { Query } from "./query.ts";

/** A badge as it is sent. */
export interface Drawing {
  readonly message: string;
  readonly svg: string;
  readonly tag: string;
}

/** A look, and its badges. */
export interface KnownLook {
  readonly look: Look;
  /** Draws a badge; the last one is kept, as badges are seen more often than their numbers change. */
  draw(message: string): Drawing;
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
    const entry = knownLook(parseLook(query));
    if (key.length <= MAX_KEY_LENGTH) known.set(key, entry);
    return entry;
  };
}

function knownLook(look: Look): KnownLook {
  // Whatever changes the drawing changes the hash of a badge without a message.
  const hash = textHash(renderBadge(look, ""));
  let last: Drawing | undefined;
  return {
    look,
    draw(message) {
      if (last?.message !== message) {
        last = { message, svg: renderBadge(look, message), tag: badgeTag(hash, message) };
      }
      return last;
    },
  };
}
