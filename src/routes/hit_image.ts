import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { BADGE_PARAMETERS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import type { Days } from "../counter/days.ts";
import { type HitResult, once, refuseMistakenId, visitor } from "../hits/hit_policy.ts";
import type { HitOutcome } from "../hits/recent_hits.ts";
import { type CounterContext, type Endpoint, endpoint } from "../http/endpoint.ts";
import {
  createResponse,
  flagHeader,
  headersFor,
  problemImageResponse,
  UNCACHED_IMAGE,
} from "../http/response.ts";
import { HIT_FLAGS, HIT_PROBLEMS, uncached } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import { readDays, show } from "./read_counter.ts";
import type { Service } from "./service.ts";

const HEADERS = headersFor("svg", UNCACHED_IMAGE);

/** A hit that the store did not confirm, with the last known number. */
interface FailedHit {
  readonly hits: number;
  readonly problem: Problem;
}

type Context = CounterContext<
  "id" | "once" | "visitor" | "show" | (typeof BADGE_PARAMETERS)[number]["name"]
>;

/** `GET /hit.svg`: the counting image. Draws the last known number if the hit is not confirmed. */
export function hitImage({ counters, hits, recentHits }: Service): Endpoint {
  const draw = createDrawings(({ svg }) => svg);

  async function count(context: Context): Promise<HitResult | FailedHit> {
    try {
      return await hits.countHit(context);
    } catch (error) {
      const hits = counters.lastSeen(context.id);
      if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
      return { hits, problem: error };
    }
  }

  /** Resolves with undefined if the days cannot be read, because the hit was counted. */
  async function readDaysAfter(hit: Context, dayCount: number): Promise<Days | undefined> {
    const since = counters.calendar.today() - daysBehind(dayCount) + 1;
    const { days } = await readDays(counters, { id: hit.id, isPrefix: false, since })
      .catch(() => ({ days: undefined }));
    return days;
  }

  return endpoint("counter", {
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, show, ...BADGE_PARAMETERS],
    parse: refuseMistakenId,
    async respond(context) {
      const { request, query, id } = context;
      const hit = await count(context);
      const isFailed = typeof hit === "object" && "problem" in hit;
      const total = typeof hit === "number" ? hit : hit.hits;
      const [bars, showsToday] = [sparkOf(query), query.get("show") !== undefined];
      const drawsDays = !isFailed && (bars > 0 || showsToday);
      const days = drawsDays ? await readDaysAfter(context, Math.max(1, bars)) : undefined;
      // HEAD sends no hit.
      if (request.method !== "HEAD") recentHits.record(id, outcomeOf(hit));
      const counts = days !== undefined && showsToday ? [days.hits[0] ?? 0, total] : total;
      const figures = days !== undefined && bars > 0
        ? { counts, bars: badgeBars(days, bars) }
        : counts;
      const svg = draw(query, figures);
      if (typeof hit === "number") return createResponse(svg, HEADERS);
      if ("problem" in hit) return problemImageResponse(hit.problem, { image: svg, request });
      return createResponse(svg, { ...HEADERS, ...flagHeader(hit.flag) });
    },
    drawProblem: errorBadge,
    onProblem: (problem, query) => recentHits.recordProblem(problem, query),
    openapi: {
      name: "HitImage",
      tags: ["Counters", "Badges"],
      description: "`HEAD` does not count. " +
        "Prefetches, and crawlers with a key, get a response but are not counted. " +
        "Without `id`, the counter is `home`, but `prefix`, `ids`, `counter` or `name` in its " +
        "place is a 400.",
      responses: uncached("The badge with the new count.", ...HIT_FLAGS, "counted", "problem"),
      problems: HIT_PROBLEMS,
    },
  });
}

function outcomeOf(hit: HitResult | FailedHit): HitOutcome {
  if (typeof hit === "number") return "counted";
  return "problem" in hit ? hit.problem.kind : hit.flag;
}
