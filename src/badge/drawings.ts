import { Recent } from "../recent.ts";
import { renderBadge, renderError } from "./badge.ts";
import { type Look, parseLook } from "./look.ts";
import { formatCount } from "./number.ts";
import { type LookQuery, LOOKS } from "./parameters.ts";

/** A badge, and what tells it from every other: the same for the same bytes, in characters of a URL. */
export interface Drawing {
  readonly svg: string;
  readonly tag: string;
}

/** The query of a badge, also as it was written. */
export interface DrawingQuery extends LookQuery {
  /** In the order in which they were given. */
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

/** Draws counts as queries want them to look. */
export type Draw = (query: DrawingQuery, hits: number) => Drawing;

const SHAPING: ReadonlySet<string> = new Set(LOOKS.map(({ name }) => name));
const REMEMBERED = 1000;
/** Half of a surrogate pair: no value that was decoded strictly can hold it and so pass for two. */
const SEPARATOR = "\ud800";
/** Characters; longer queries are rare, and would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/** A function that draws badges; looks that are asked for again and again are resolved once. */
export function createDrawings(): Draw {
  const known = new Recent<string, (hits: number) => Drawing>(REMEMBERED);
  return (query, hits) => {
    const key = keyOf(query);
    const found = known.get(key);
    if (found !== undefined) return found(hits);
    const draw = drawingsOf(parseLook(query));
    if (key.length <= MAX_KEY_LENGTH) known.set(key, draw);
    return draw(hits);
  };
}

/** Draws an error where no look is known: what was asked for may be what is wrong. */
export function errorBadge(message: string): string {
  return renderError(parseLook(new Map()), message);
}

/** What of a query shapes a look, in the order in which it was given. */
function keyOf(query: DrawingQuery): string {
  let key = "";
  query.forEach((value, name) => {
    if (SHAPING.has(name)) key += name + SEPARATOR + value + SEPARATOR;
  });
  return key;
}

/** Draws one look; the last drawing is kept, as badges are seen more often than their numbers change. */
function drawingsOf(look: Look): (hits: number) => Drawing {
  // Whatever changes the drawing changes the hash of a badge without a message.
  const hash = textHash(renderBadge(look, ""));
  let lastHits: number | undefined;
  let last: Drawing | undefined;
  return (hits) => {
    if (last === undefined || hits !== lastHits) {
      const message = formatCount(hits, look);
      last = { svg: renderBadge(look, message), tag: `${hash}-${encodeURIComponent(message)}` };
      lastHits = hits;
    }
    return last;
  };
}

/** A hash of a text: its length and two 32-bit hashes of its UTF-16 code units, as letters and digits. */
export function textHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return `${text.length.toString(36)}-${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}
