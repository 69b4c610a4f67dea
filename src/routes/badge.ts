import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { shieldsColor } from "../badge/color.ts";
import { parseLabel } from "../badge/look.ts";
import { type Counts, formatCounts, parseNumberForm } from "../badge/number.ts";
import { color, label, locale, LOOKS, numbers } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { createRevalidatedImages } from "../http/conditional.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import {
  checkPeriodOrShow,
  hasDays,
  isStale,
  type Latest,
  period,
  show,
  type WithDays,
} from "./read_counter.ts";
import type { Service } from "./service.ts";

/** `GET /badge`: the number as an SVG image. */
export function badge({ latest, reads }: Service): Endpoint {
  const { cors } = reads;
  const images = createRevalidatedImages(reads);
  const draw = createDrawings(images.prepare);
  const stale = {
    ...headersOf("svg", reads.sharing("no-store")),
    ...remarkOf("stale", cors),
  };
  return readEndpoint({
    summary: "Show a counter as a badge",
    parameters: [...LOOKS, period, show],
    understand: checkPeriodOrShow,
    errors: "svg",
    find(asked): Latest | WithDays<Counts> | Promise<Latest | WithDays<Counts>> {
      const count = sparkOf(asked.query);
      if (count === 0) return latest.find(asked);
      return latest.findWithDays(asked, daysBehind(count));
    },
    recover: latest.recover,
    answer(found, { request, query }) {
      if (hasDays(found)) {
        const bars = badgeBars(found.days, sparkOf(query));
        return images.answer(draw(query, { counts: found.value, bars }), request);
      }
      if (isStale(found)) return answer(draw(query, found.stale).svg, stale);
      return images.answer(draw(query, found), request);
    },
    draw: errorBadge,
    describe: ({ revalidated, IF_NONE_MATCH, STORE_PROBLEMS }) => ({
      name: "Badge",
      tags: ["Badges"],
      headers: [IF_NONE_MATCH],
      answers: revalidated("The badge."),
      problems: STORE_PROBLEMS,
    }),
  });
}

export const cacheSeconds = {
  name: "cacheSeconds",
  meaning: "How long caches may keep the response, clamped to the range.",
  schema: { type: "integer", default: 60, minimum: 30, maximum: 3600 },
} as const satisfies Parameter;

/** `GET /badge.json`: the document that shields.io's endpoint badge renders (shields.io/badges/endpoint-badge). */
export function badgeJson({ latest, reads }: Service): Endpoint {
  const { cors } = reads;
  const stale = {
    ...headersOf("json", reads.sharing("no-store")),
    ...remarkOf("stale", cors),
  };
  return readEndpoint({
    summary: "Read a counter as JSON for the endpoint badge of shields.io",
    parameters: [period, show, label, color, cacheSeconds, numbers, locale],
    understand: checkPeriodOrShow,
    errors: "json",
    find: latest.find,
    recover: latest.recover,
    answer(latest, { query }) {
      const counts = isStale(latest) ? latest.stale : latest;
      const seconds = secondsOf(query.get("cacheSeconds"));
      // shields.io rejects documents with keys that it does not know.
      const body = JSON.stringify({
        schemaVersion: 1,
        label: parseLabel(query),
        message: formatCounts(counts, parseNumberForm(query)),
        color: shieldsColor(query.get("color")),
        cacheSeconds: seconds,
      });
      if (isStale(latest)) return answer(body, stale);
      return answer(body, headersOf("json", reads.sharing(`max-age=${seconds}`)));
    },
    describe: ({ bodies, cached, STORE_PROBLEMS }) => ({
      name: "BadgeJson",
      tags: ["Badges"],
      answers: { 200: cached("The badge as JSON.", bodies.shieldsBadge) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** A whole number of seconds within the bounds; the default if it is not a whole number. */
function secondsOf(text: string | undefined): number {
  const { default: usual, minimum, maximum } = cacheSeconds.schema;
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return usual;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
