import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { BADGE_PARAMETERS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import {
  type HitRequest,
  type HitResult,
  once,
  refuseMistakenId,
  visitor,
} from "../hits/hit_policy.ts";
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
import { hasDays, readWithDays, show, type WithDays } from "./read_counter.ts";
import type { Service } from "./service.ts";

const HEADERS = headersFor("svg", UNCACHED_IMAGE);

/** A hit that the store did not confirm, with the last known number. */
interface FailedHit {
  readonly hits: number;
  readonly problem: Problem;
}

/** A hit, with the days after it if they are drawn. */
type Outcome = HitResult | FailedHit | WithDays<HitResult>;

type Context = CounterContext<
  "id" | "once" | "visitor" | "show" | (typeof BADGE_PARAMETERS)[number]["name"]
>;

/** `GET /hit.svg`: the counting image. It draws the last known number if the store does not confirm the hit. */
export function hitImage({ counters, hits, recentHits }: Service): Endpoint {
  const draw = createDrawings(({ svg }) => svg);

  /** Counts a hit and reads its days. If they cannot be read, the number is drawn alone, because the hit was counted. */
  async function countWithDays(hit: HitRequest, count: number): Promise<Outcome> {
    const result = await hits.countHit(hit);
    const since = counters.calendar.today() - daysBehind(count) + 1;
    const valueOf = () => result;
    return await readWithDays(counters, { id: hit.id, isPrefix: false, since, valueOf })
      .catch(() => result);
  }

  async function count(context: Context): Promise<Outcome> {
    const bars = sparkOf(context.query);
    const days = context.query.get("show") === undefined ? bars : Math.max(1, bars);
    try {
      return await (days === 0 ? hits.countHit(context) : countWithDays(context, days));
    } catch (error) {
      const hits = counters.lastSeen(context.id);
      if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
      return { hits, problem: error };
    }
  }

  return endpoint("counter", {
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, show, ...BADGE_PARAMETERS],
    parse: refuseMistakenId,
    async respond(context) {
      const { request, query, id } = context;
      const outcome = await count(context);
      const hit = hasDays(outcome) ? outcome.value : outcome;
      // HEAD sends no hit.
      if (request.method !== "HEAD") recentHits.record(id, outcomeOf(hit));
      const figuresOf = (total: number) => {
        if (!hasDays(outcome)) return total;
        const { days } = outcome;
        const counts = query.get("show") === undefined ? total : [days.hits[0] ?? 0, total];
        const bars = sparkOf(query);
        return bars === 0 ? counts : { counts, bars: badgeBars(days, bars) };
      };
      if (typeof hit === "number") return createResponse(draw(query, figuresOf(hit)), HEADERS);
      const svg = draw(query, figuresOf(hit.hits));
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
      responses: {
        200: uncached("The badge with the new count.", ...HIT_FLAGS, "counted", "problem"),
      },
      problems: HIT_PROBLEMS,
    },
  });
}

function outcomeOf(hit: HitResult | FailedHit): HitOutcome {
  if (typeof hit === "number") return "counted";
  return "problem" in hit ? hit.problem.kind : hit.flag;
}
