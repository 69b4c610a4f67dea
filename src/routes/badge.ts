import { createDrawings, errorBadge } from "../badge/badge.ts";
import { sparkOf } from "../badge/look.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { createCheckedImages } from "../http/conditional.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import { createLatest, isStale, type Latest } from "./reading.ts";
import { period, show } from "../http/parameters.ts";
import { checkShown, type Shown } from "./reading.ts";
import { hasDays, type WithDays } from "./reading.ts";
import type { Service } from "./service.ts";

/** `GET /badge`: the number as an SVG image. */
export function badge({ counters, reads }: Service): Endpoint {
  const { cors } = reads;
  const images = createCheckedImages(reads);
  const draw = createDrawings(images.prepare);
  const latest = createLatest(counters);
  const stale = {
    ...headersOf("svg", reads.sharing("no-store")),
    ...remarkOf("stale", cors),
  };
  return readEndpoint({
    summary: "Show a counter as a badge",
    parameters: [...LOOKS, period, show],
    understand: checkShown,
    errors: "svg",
    find(asked): Latest | WithDays<Shown> | Promise<Latest | WithDays<Shown>> {
      const count = sparkOf(asked.query);
      if (count === 0) return latest.find(asked);
      return latest.findWithDays(asked, daysBehind(count));
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
    describe: ({ revalidated, IF_NONE_MATCH, STORE_PROBLEMS }) => ({
      name: "Badge",
      tags: ["Badges"],
      headers: [IF_NONE_MATCH],
      answers: revalidated("The badge."),
      problems: STORE_PROBLEMS,
    }),
  });
}
