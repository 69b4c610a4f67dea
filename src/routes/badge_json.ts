import { shieldsColor } from "../badge/color.ts";
import { parseLabel } from "../badge/look.ts";
import { formatCounts, parseNumberForm } from "../badge/number.ts";
import { color, label, locale, numbers } from "../badge/parameters.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { createLatest, isStale } from "../http/latest.ts";
import { cacheSeconds, period, show } from "../http/parameters.ts";
import { checkShown } from "../http/reading.ts";

/** `GET /badge.json`: the document that shields.io's endpoint badge renders (shields.io/badges/endpoint-badge). */
export function badgeJson(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const { audience } = readers;
  const stale = {
    ...headersOf("json", readers.sharing("no-store")),
    ...remarkOf("stale", audience),
  };
  return counterEndpoint({
    path: "/badge.json",
    methods: SHARED_READ,
    summary: "Describe the badge for the endpoint badge of shields.io",
    parameters: [period, show, label, color, cacheSeconds, numbers, locale],
    check: checkShown,
    admits: "reader",
    audience,
    errors: "json",
    work: {
      ...createLatest(counters),
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
        return answer(body, headersOf("json", readers.sharing(`max-age=${seconds}`)));
      },
    },
  }, service);
}

/** A whole number of seconds within the bounds; the default where it is not a whole number. */
function secondsOf(text: string | undefined): number {
  const { default: usual, minimum, maximum } = cacheSeconds.schema;
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return usual;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
