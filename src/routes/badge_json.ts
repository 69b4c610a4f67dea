import { shieldsColor } from "../badge/color.ts";
import { parseLabel } from "../badge/look.ts";
import { formatCounts, parseNumberForm } from "../badge/number.ts";
import { color, label, locale, numbers } from "../badge/parameters.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import { createLatest, isStale } from "./reading.ts";
import { cacheSeconds, period, show } from "../http/parameters.ts";
import { checkShown } from "./reading.ts";
import type { Service } from "./service.ts";

/** `GET /badge.json`: the document that shields.io's endpoint badge renders (shields.io/badges/endpoint-badge). */
export function badgeJson({ counters, reads }: Service): Endpoint {
  const { cors } = reads;
  const latest = createLatest(counters);
  const stale = {
    ...headersOf("json", reads.sharing("no-store")),
    ...remarkOf("stale", cors),
  };
  return readEndpoint({
    summary: "Describe the badge for the endpoint badge of shields.io",
    parameters: [period, show, label, color, cacheSeconds, numbers, locale],
    understand: checkShown,
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
      answers: { 200: cached("The badge.", bodies.shieldsBadge) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** A whole number of seconds within the bounds; the default where it is not a whole number. */
function secondsOf(text: string | undefined): number {
  const { default: usual, minimum, maximum } = cacheSeconds.schema;
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return usual;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
