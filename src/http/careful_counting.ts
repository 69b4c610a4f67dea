import type { OnceOutcome } from "../counter/once.ts";
import { Problem } from "../problem.ts";
import type { Opening } from "./access.ts";
import { type CallerKind, createCallerKinds } from "./crawler.ts";
import { limitFamilies } from "./family_limit.ts";
import { type Found, remarked } from "./found.ts";
import type { CountHit, HitCountingOptions, HitRequest } from "./hit_counting.ts";
import { createVisits } from "./visits.ts";

/** Counts what has a key, a visitor, or a counter key, which stands in public: crawlers find it. */
export async function createCarefulCounting(
  options: HitCountingOptions,
): Promise<CountHit> {
  const { counters } = options;
  const inFamily = limitFamilies(options);
  const { kindOf, load } = createCallerKinds();
  const visit = createVisits(options);
  await load();

  function countCarefully(asked: HitRequest, key?: string): Promise<Found> {
    const { request, query, opening } = asked;
    const visitor = query.get("visitor");
    if (visitor !== undefined && isByKey(opening)) throw new Problem("bad-query", VISITOR_BY_KEY);
    const isServer = opening === "secret" && (visitor !== undefined || !query.get("once"));
    const kind = isServer ? "somebody" : kindOf(request.headers.get("user-agent") ?? "");
    return kind instanceof Promise
      ? kind.then((kind) => countAs(kind, { asked, key }))
      : countAs(kind, { asked, key });
  }

  function countAs(
    kind: CallerKind,
    { asked, key }: { asked: HitRequest; key: string | undefined },
  ): Promise<Found> {
    const { id, opening, query } = asked;
    if (kind === "crawler" && isByKey(opening)) return remarked(counters.count(id), "bot");
    // An image proxy hides whom it fetches for: they are many, or one who reloads.
    const isProxy = kind === "image proxy";
    const isOnce = query.get("once") !== undefined && !isProxy;
    const count = (): Promise<Found> => {
      if (isOnce) return visit(asked, key).then(foundIn);
      return key === undefined ? counters.hit(id) : counters.hitOnce(id, { key }).then(foundIn);
    };
    const found = isFamily(opening) ? inFamily({ id, prefix: opening }, count) : count();
    return isProxy ? found.then(seenByProxy) : found;
  }

  return countCarefully;
}

const VISITOR_BY_KEY = {
  detail: "visitor= needs the secret: with a counter key the caller is the visitor.",
};

function isByKey(opening: Opening): boolean {
  return opening !== "open" && opening !== "secret";
}

function isFamily(opening: Opening): opening is Exclude<Opening, "open" | "secret" | "own"> {
  return isByKey(opening) && opening !== "own";
}

function foundIn({ hits, repeat }: OnceOutcome): Found {
  return repeat ? { hits, remark: "repeat" } : hits;
}

function seenByProxy(found: Found): Found {
  return typeof found === "number" ? { hits: found, remark: "camo" } : found;
}
