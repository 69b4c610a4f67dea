import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import type { Decision } from "../hits/decisions.ts";
import {
  type HitRequest,
  type HitResult,
  once,
  refuseMistakenId,
  visitor,
} from "../hits/hit_policy.ts";
import {
  answer,
  type CorsPolicy,
  headersOf,
  problemInPicture,
  remarkOf,
  UNCACHED_IMAGE,
} from "../http/answer.ts";
import { counterEndpoint, type Endpoint } from "../http/endpoint.ts";
import { Problem } from "../problem.ts";
import { hasDays, readWithDays, show, type WithDays } from "./read_counter.ts";
import type { Service } from "./service.ts";

/** A hit that the store did not confirm: the last known number is drawn. */
interface FailedHit {
  readonly hits: number;
  readonly problem: Problem;
}

/** The days are those after the hit. */
type Found = HitResult | FailedHit | WithDays<HitResult>;

/** `GET /hit.svg`: the counting image. It draws the last known number if the store does not take the hit. */
export function hitImage({ counters, hits, decisions }: Service): Endpoint {
  const headers = (cors: CorsPolicy) => headersOf("svg", { cacheControl: UNCACHED_IMAGE, cors });
  const draw = createDrawings(({ svg }) => svg);
  const headersFor = { image: headers("image"), any: headers("any") };

  /** Counts a hit and reads its days; if they cannot be read the number stands alone, because the hit was counted. */
  async function countWithDays(asked: HitRequest, count: number): Promise<Found> {
    const result = await hits.countHit(asked);
    const since = counters.calendar.today() - daysBehind(count) + 1;
    const valueOf = () => result;
    return await readWithDays(counters, { id: asked.id, isFamily: false, since, valueOf })
      .catch(() => result);
  }

  return counterEndpoint({
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, show, ...LOOKS],
    errors: "svg",
    understand: refuseMistakenId,
    find(asked): Found | Promise<Found> {
      const bars = sparkOf(asked.query);
      const count = asked.query.get("show") === undefined ? bars : Math.max(1, bars);
      return count === 0 ? hits.countHit(asked) : countWithDays(asked, count);
    },
    recover(error, { id }): Found {
      const hits = counters.lastSeen(id);
      if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
      return { hits, problem: error };
    },
    answer(found, { request, query, id, grant }) {
      const cors = grant === "secret" ? "image" : "any";
      const headers = headersFor[cors];
      const hit = hasDays(found) ? found.value : found;
      // HEAD sends no hit.
      if (request.method !== "HEAD") decisions.record(id, outcomeOf(hit));
      const figuresOf = (total: number) => {
        if (!hasDays(found)) return total;
        const { days } = found;
        const counts = query.get("show") === undefined ? total : [days.hits[0] ?? 0, total];
        const bars = sparkOf(query);
        return bars === 0 ? counts : { counts, bars: badgeBars(days, bars) };
      };
      if (typeof hit === "number") return answer(draw(query, figuresOf(hit)), headers);
      const svg = draw(query, figuresOf(hit.hits));
      if ("problem" in hit) return problemInPicture(hit.problem, { svg, request, cors });
      return answer(svg, { ...headers, ...remarkOf(hit.remark, cors) });
    },
    draw: errorBadge,
    onProblem: (problem, query) => decisions.recordProblem(problem, query),
    preload: hits.preload,
    describe: ({ uncached, HIT_PROBLEMS, HIT_REMARKS }) => ({
      name: "HitImage",
      tags: ["Counters", "Badges"],
      description: "`HEAD` does not count. " +
        "Prefetches, and crawlers with a key, get a response but are not counted. " +
        "Without `id`, the counter is `home`, but `prefix`, `ids`, `counter` or `name` in its " +
        "place is a 400.",
      answers: { 200: uncached("The badge with the new count.", ...HIT_REMARKS, "problem") },
      problems: HIT_PROBLEMS,
    }),
  });
}

function outcomeOf(hit: HitResult | FailedHit): Decision["outcome"] {
  if (typeof hit === "number") return "counted";
  return "problem" in hit ? hit.problem.kind : hit.remark;
}
