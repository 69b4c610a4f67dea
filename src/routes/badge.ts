import { LOOKS } from "../badge/parameters.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { isUnchanged } from "../http/entity_tag.ts";
import { createLatest, isStale } from "../http/latest.ts";
import { period, show } from "../http/parameters.ts";
import { checkShown } from "../http/reading.ts";

/** `GET /badge`: the number as an SVG image. */
export function badge(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const { audience } = readers;
  const headers = headersOf("svg", readers.sharing("no-cache, max-age=0, must-revalidate"));
  // There is no content whose type it could be (RFC 9110, section 15.4.5).
  const { "content-type": _, ...unchanged } = headers;
  const stale = {
    ...headersOf("svg", readers.sharing("no-store")),
    ...remarkOf("stale", audience),
  };
  return counterEndpoint({
    path: "/badge",
    methods: SHARED_READ,
    summary: "Show a counter as a badge",
    parameters: [...LOOKS, period, show],
    check: checkShown,
    admits: "reader",
    audience,
    errors: "svg",
    async work() {
      const { createDrawings, errorBadge } = await import("../badge/drawings.ts");
      const draw = createDrawings(({ svg, tag }) => {
        const etag = `"${tag}"`;
        return { svg, etag, tagged: { ...headers, etag } };
      });
      return {
        ...createLatest(counters),
        answer(latest, { request, query }) {
          if (isStale(latest)) return answer(draw(query, latest.stale).svg, stale);
          const { svg, etag, tagged } = draw(query, latest);
          if (!readers.areAnyone) return answer(svg, headers);
          if (isUnchanged(request, etag)) return answer(null, { ...unchanged, etag }, 304);
          return answer(svg, tagged);
        },
        draw: ({ badge }) => errorBadge(badge),
      };
    },
  }, service);
}
