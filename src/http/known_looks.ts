import { renderBadge } from "../badge/badge.ts";
import { type Look, parseLook } from "../badge/look.ts";
import { LOOK_PARAMETERS } from "../badge/parameters.ts";
import { Recent } from "../recent.ts";
import type { Headers } from "./answer.ts";
import { badgeTag, textHash } from "./entity_tag.ts";
import type { Query } from "./query.ts";

/** A badge as it is sent. */
export interface Drawing {
  readonly message: string;
  readonly svg: string;
  readonly tag: string;
  readonly headers: Headers;
}

/** A look, and its badges. */
export interface KnownLook {
  readonly look: Look;
  /** Draws a badge; the last one is kept, as badges are seen more often than their numbers change. */
  draw(message: string): Drawing;
}

const SHAPING: ReadonlySet<string> = new Set(LOOK_PARAMETERS);
const REMEMBERED = 1000;
/** Half of a surrogate pair: no value that was decoded strictly can hold it and so pass for two. */
const SEPARATOR = "\ud800";
/** Characters; longer queries are rare, and would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/**
 * A function from a query to its look; those that are asked for again and again are resolved once. `headersWith` gives
 * the headers of a badge with this tag.
 */
export function rememberLooks(headersWith: (tag: string) => Headers): (query: Query) => KnownLook {
  const known = new Recent<string, KnownLook>(REMEMBERED);
  return (query) => {
    const key = keyOf(query);
    const found = known.get(key);
    if (found !== undefined) return found;
    const entry = knownLook(parseLook(query), headersWith);
    if (key.length <= MAX_KEY_LENGTH) known.set(key, entry);
    return entry;
  };
}

/** What of a query shapes a look, in the order in which it was given. */
function keyOf(query: Query): string {
  let key = "";
  query.forEach((value, name) => {
    if (SHAPING.has(name)) key += name + SEPARATOR + value + SEPARATOR;
  });
  return key;
}

function knownLook(look: Look, headersWith: (tag: string) => Headers): KnownLook {
  // Whatever changes the drawing changes the hash of a badge without a message.
  const hash = textHash(renderBadge(look, ""));
  let last: Drawing | undefined;
  return {
    look,
    draw(message) {
      if (last?.message !== message) {
        const tag = badgeTag(hash, message);
        last = { message, svg: renderBadge(look, message), tag, headers: headersWith(tag) };
      }
      return last;
    },
  };
}
