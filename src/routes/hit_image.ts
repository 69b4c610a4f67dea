import { createDrawings, errorBadge, sparkDays } from "../badge/drawings.ts";
import { BADGE_PARAMETER_LIST } from "../badge/styles.ts";
import type { ImageFormat } from "../drawing/text.ts";
import {
  type FlaggedHit,
  HIT_PARAMETERS,
  type HitRequest,
  refuseMistakenId,
} from "../hits/hit_policy.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { problemImageResponse } from "../http/problem_page.ts";
import { createResponse, flagHeader, headersFor, UNCACHED_IMAGE } from "../http/response.ts";
import { bodies, HIT_PROBLEMS, operation, success } from "../openapi/responses.ts";
import { type Problem, problemOf } from "../problem.ts";
import { readDays, show } from "../read_counter.ts";
import type { Service } from "../service.ts";

const HEADERS = headersFor("svg", UNCACHED_IMAGE);
const COUNTED = success("The badge with the new count.", bodies.svg);

/** The number of a hit, or the last known number and the reason why the hit is not confirmed. */
interface ShownHit extends FlaggedHit {
  readonly problem?: Problem | undefined;
}

/** `GET /hit.svg`: the counting image. Draws the last known number if the hit is not confirmed. */
export function hitImage(
  { counters, countHit, recentHits }: Service,
  format: ImageFormat,
): Endpoint {
  const draw = createDrawings((svg) => svg, format);

  async function count(context: HitRequest): Promise<ShownHit> {
    try {
      return recentHits.record(context, await countHit(context));
    } catch (error) {
      const hits = counters.lastKnown(context.id);
      const problem = problemOf(error);
      if (problem === undefined || problem.status < 500 || hits === undefined) throw error;
      return { hits, problem };
    }
  }

  return endpoint("counter", {
    summary: "Count a hit and show the badge",
    description: "`HEAD` does not count. " +
      "Prefetches, and crawlers with a key, get a response but are not counted. " +
      "Without `id`, the counter is `home`, but `prefix`, `ids`, `counter` or `name` in its " +
      "place is a 400.",
    parameters: [...HIT_PARAMETERS, show, ...BADGE_PARAMETER_LIST],
    parse: refuseMistakenId,
    async respond(context) {
      const { request, query, id } = context;
      const { hits: total, flag, problem } = await count(context);
      if (problem !== undefined) recentHits.recordProblem(problem, query);
      const showsToday = query.get("show") !== undefined;
      const dayCount = problem === undefined ? Math.max(showsToday ? 1 : 0, sparkDays(query)) : 0;
      const since = counters.calendar.today() - dayCount + 1;
      // Days that cannot be read are left out, because the hit was counted.
      const days = dayCount === 0
        ? undefined
        : await readDays(counters, { id, isPrefix: false, since })
          .then(({ days }) => days, () => undefined);
      const counts = days !== undefined && showsToday ? [days.hits[0] ?? 0, total] : total;
      const svg = draw(query, counts, days);
      if (problem !== undefined) return problemImageResponse(problem, { image: svg, request });
      return createResponse(svg, flag ? { ...HEADERS, ...flagHeader(flag) } : HEADERS);
    },
    drawProblem: errorBadge,
    onProblem: (problem, query) => recentHits.recordProblem(problem, query),
    openapi: operation("Counters", "HitImage", COUNTED, HIT_PROBLEMS),
  });
}
