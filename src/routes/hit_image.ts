import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import type { CounterId } from "../counter/counter_id.ts";
import { type HitRequest, type HitResult, once, visitor } from "../hits/hit_policy.ts";
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
import { hasDays, readWithDays, show, type WithDays } from "./reading.ts";
import type { Service } from "./service.ts";

/** What to draw: a number, and why it is the last one known where the store did not take the hit. */
type Shown = HitResult | { readonly hits: number; readonly problem: Problem };

/** The days are those after the hit. */
type Drawn = Shown | WithDays<HitResult>;

/** `GET /hit.svg`: the counting image. It draws the last known number where the store does not take the hit. */
export function hitImage({ counters, hits, decisions }: Service): Endpoint {
  const headers = (cors: CorsPolicy) => headersOf("svg", { cacheControl: UNCACHED_IMAGE, cors });
  const draw = createDrawings(({ svg }) => svg);
  const headersFor = { image: headers("image"), any: headers("any") };

  function note({ method }: Request, { id, shown }: { id: CounterId; shown: Shown }): void {
    // Whoever only looks sends no hit.
    if (method === "HEAD") return;
    if (typeof shown === "number") decisions.note(id, "counted");
    else decisions.note(id, "problem" in shown ? shown.problem.kind : shown.remark);
  }

  /** Counts a hit and reads its days; where they cannot be read the number stands alone, as the hit was counted. */
  async function countWithDays(asked: HitRequest, count: number): Promise<Drawn> {
    const found = await hits.countHit(asked);
    const since = counters.calendar.today() - daysBehind(count) + 1;
    return await readWithDays(counters, { id: asked.id, isFamily: false, since, show: () => found })
      .catch(() => found);
  }

  return counterEndpoint({
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, show, ...LOOKS],
    errors: "svg",
    find(asked): Drawn | Promise<Drawn> {
      const bars = sparkOf(asked.query);
      const count = asked.query.get("show") === undefined ? bars : Math.max(1, bars);
      return count === 0 ? hits.countHit(asked) : countWithDays(asked, count);
    },
    recover(error, { id }): Shown {
      const hits = counters.lastSeen(id);
      if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
      return { hits, problem: error };
    },
    answer(drawn, { request, query, id, grant }) {
      const cors = grant === "secret" ? "image" : "any";
      const headers = headersFor[cors];
      const shown = hasDays(drawn) ? drawn.shown : drawn;
      note(request, { id, shown });
      const told = (total: number) => {
        if (!hasDays(drawn)) return total;
        const { days } = drawn;
        const counts = query.get("show") === undefined ? total : [days.hits[0] ?? 0, total];
        const bars = sparkOf(query);
        return bars === 0 ? counts : { counts, bars: badgeBars(days, bars) };
      };
      if (typeof shown === "number") return answer(draw(query, told(shown)), headers);
      const svg = draw(query, told(shown.hits));
      if ("problem" in shown) {
        return problemInPicture(shown.problem, { svg, request, cors });
      }
      return answer(svg, { ...headers, ...remarkOf(shown.remark, cors) });
    },
    draw: errorBadge,
    onProblem: (problem, query) => decisions.noteProblem(problem, query),
    preload: hits.preload,
    describe: ({ uncached, HIT_PROBLEMS, HIT_REMARKS }) => ({
      name: "HitImage",
      tags: ["Counters", "Badges"],
      description: "`HEAD` does not count. " +
        "Prefetches, and crawlers with a key, get a response but are not counted.",
      answers: { 200: uncached("The badge with the new count.", ...HIT_REMARKS, "problem") },
      problems: HIT_PROBLEMS,
    }),
  });
}
