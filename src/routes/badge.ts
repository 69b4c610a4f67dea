import { shieldsColor } from "../badge/color.ts";
import { type Look, parseLook } from "../badge/look.ts";
import { formatCount } from "../badge/number.ts";
import { LOOK_PARAMETERS } from "../badge/parameters.ts";
import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { isUnchanged } from "../http/entity_tag.ts";
import { drawProblem } from "../http/draw_problem.ts";
import { rememberLooks } from "../http/known_looks.ts";
import { parseQuery } from "../http/query.ts";
import { whenKnown } from "../http/when_known.ts";
import { Problem } from "../problem.ts";
import type { ReadOptions } from "./count.ts";

/** `GET /badge`: the number as an SVG image. */
export function badge({ counters, access, openReads }: ReadOptions): Endpoint {
  const parameters = new Set(["id", "token", ...LOOK_PARAMETERS]);
  const audience = openReads ? "any" : "own";
  const uncached = openReads ? "no-store" : "private, no-store";
  const cacheControl = openReads ? "no-cache, max-age=0, must-revalidate" : uncached;
  const untagged = headersOf("svg", cacheControl, audience);
  // There is no content whose type it could be (RFC 9110, section 15.4.5).
  const { "content-type": _, ...unchanged } = untagged;
  const lookOf = rememberLooks((etag) => openReads ? { ...untagged, etag } : untagged);
  const stale = { ...headersOf("svg", uncached, audience), ...STALE };
  return {
    methods: ["GET", "HEAD", "OPTIONS"],
    errors: { draw: drawProblem },
    audience,
    handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const write = ({ hits, fresh }: Latest) => {
        const { look, draw } = lookOf(query);
        const { svg, tag, headers } = draw(formatCount(hits, look));
        if (!fresh) return answer(svg, stale);
        if (!openReads || !isUnchanged(request, tag)) return answer(svg, headers);
        return answer(null, { ...unchanged, etag: tag }, 304);
      };
      return whenKnown(
        access.checkRead(request, query),
        () => whenKnown(latest(counters, id), write),
      );
    },
  };
}

/** `GET /badge.json`: the document that shields.io's endpoint badge renders (shields.io/badges/endpoint-badge). */
export function badgeJson({ counters, access, openReads }: ReadOptions): Endpoint {
  const parameters = new Set([
    "id",
    "token",
    "cacheSeconds",
    "color",
    "label",
    "numbers",
    "locale",
  ]);
  const audience = openReads ? "any" : "own";
  const uncached = openReads ? "no-store" : "private, no-store";
  const stale = { ...headersOf("json", uncached, audience), ...STALE };
  return {
    methods: ["GET", "HEAD", "OPTIONS"],
    errors: "json",
    audience,
    handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const write = ({ hits, fresh }: Latest) => {
        const seconds = cacheSeconds(query.get("cacheSeconds"));
        const body = shieldsDocument(parseLook(query), query.get("color"), hits, seconds);
        if (!fresh) return answer(body, stale);
        const cacheControl = openReads ? `max-age=${seconds}` : uncached;
        return answer(body, headersOf("json", cacheControl, audience));
      };
      return whenKnown(
        access.checkRead(request, query),
        () => whenKnown(latest(counters, id), write),
      );
    },
  };
}

/** Only keys that shields.io knows: it refuses others. */
function shieldsDocument(
  look: Look,
  color: string | undefined,
  hits: number,
  seconds: number,
): string {
  return JSON.stringify({
    schemaVersion: 1,
    label: look.label,
    message: formatCount(hits, look),
    color: shieldsColor(color),
    cacheSeconds: seconds,
  });
}

const STALE = { "x-tallymark": "stale" };

interface Latest {
  readonly hits: number;
  /** Whether the store was asked, or is known to hold this. */
  readonly fresh: boolean;
}

/** The number of a counter; while the store is away the last one that was seen, which the answer then says. */
function latest(counters: Counters, id: CounterId): Latest | Promise<Latest> {
  const count = counters.count(id);
  if (typeof count === "number") return { hits: count, fresh: true };
  return count.then((hits) => ({ hits, fresh: true }), (error) => {
    const hits = counters.lastSeen(id);
    if (!(error instanceof Problem) || error.status !== 503 || hits === undefined) throw error;
    return { hits, fresh: false };
  });
}

/** A whole number of seconds from 30 to 3,600; 60 where it is not a whole number. */
function cacheSeconds(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return 60;
  return Math.min(3600, Math.max(30, Number(text)));
}
