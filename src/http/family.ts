import { type CounterId, counterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";

declare const brand: unique symbol;

/** The beginning of the ids of a family of counters: written as ids are, and ending in a slash. */
export type FamilyPrefix = string & { readonly [brand]: true };

/** In how many families a counter may be: so many keys may have to be made to find the one that was given. */
const MAX_FAMILIES = 8;

/** The family that a text names; throws a problem for what no id could begin with. */
export function familyPrefix(text: string): FamilyPrefix {
  if (!text.trim().endsWith("/")) {
    throw new Problem("bad-query", {
      detail: "A prefix ends in a slash, as in prefix=blog/: so a key for a/ does not open ab.",
    });
  }
  const prefix = counterId(text);
  if (familiesOf(prefix).at(-1)?.length === prefix.length) return branded(prefix);
  throw new Problem("bad-query", {
    detail: `A prefix has at most ${MAX_FAMILIES} slashes: the key of a longer one opens nothing.`,
  });
}

/** The families that a counter belongs to, the largest first. */
export function familiesOf(id: CounterId): readonly FamilyPrefix[] {
  const prefixes: FamilyPrefix[] = [];
  let end = id.indexOf("/");
  while (end !== -1 && prefixes.length < MAX_FAMILIES) {
    prefixes.push(branded(id.slice(0, end + 1)));
    end = id.indexOf("/", end + 1);
  }
  return prefixes;
}

/** The one place where a text becomes a prefix: a part of an id, or one itself. */
function branded(text: string): FamilyPrefix {
  return text as FamilyPrefix;
}
