import { createDrawings, errorBadge } from "../badge/badge.ts";
import { sparkOf } from "../badge/look.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { createCheckedImages } from "../http/checked_image.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { createLatest, isStale, type Latest } from "../http/latest.ts";
import { period, show } from "../http/parameters.ts";
import { checkShown, readShownWithDays, type Shown } from "../http/reading.ts";
import { hasDays, type WithDays } from "../http/recent_days.ts";

/** `GET /badge`: the number as an SVG image. */
export function badge(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const { audience } = readers;
  const images = createCheckedImages(readers);
  const draw = createDrawings(images.prepare);
  const latest = createLatest(counters);
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
    work: {
      find(asked): Latest | WithDays<Shown> | Promise<Latest | WithDays<Shown>> {
        const count = sparkOf(asked.query);
        if (count === 0) return latest.find(asked);
        return readShownWithDays(counters, { ...asked, count: daysBehind(count) });
      },
      recover: latest.recover,
      answer(found, { request, query }) {
        if (hasDays(found)) {
          const bars = badgeBars(found.days, sparkOf(query));
          return images.answer(draw(query, { counts: found.shown, bars }), request);
        }
        if (isStale(found)) return answer(draw(query, found.stale).svg, stale);
        return images.answer(draw(query, found), request);
      },
      draw: errorBadge,
    },
  }, service);
}
