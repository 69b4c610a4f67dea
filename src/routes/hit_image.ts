import type { CounterId } from "../counter/counter_id.ts";
import { createDrawings, errorBadge } from "../badge/badge.ts";
import { sparkOf } from "../badge/look.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars, daysBehind } from "../badge/spark.ts";
import { answer, type Audience, headersOf, remarkOf, UNCACHED_IMAGE } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import type { HitRequest, HitResult } from "../hits/hit_policy.ts";
import { once, show, visitor } from "../http/parameters.ts";
import { problemInPicture } from "../http/problem_answer.ts";
import { hasDays, readWithDays, type WithDays } from "../http/recent_days.ts";
import { Problem } from "../problem.ts";

/** What to draw: a number, and why it is the last one known where the store did not take the hit. */
type Shown = HitResult | { readonly hits: number; readonly problem: Problem };

/** The days are those after the hit. */
type Drawn = Shown | WithDays<HitResult>;

/** `GET /hit.svg`: the counting image. It draws the last known number where the store does not take the hit. */
export function hitImage(service: CounterService): Endpoint {
  const { counters, countHit, decisions } = service;
  const headers = (audience: Audience) =>
    headersOf("svg", { cacheControl: UNCACHED_IMAGE, audience });
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
    const found = await countHit(asked);
    const since = counters.calendar.today() - daysBehind(count) + 1;
    return await readWithDays(counters, { id: asked.id, since, show: () => found })
      .catch(() => found);
  }

  return counterEndpoint({
    path: "/hit.svg",
    methods: SHARED_READ,
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, show, ...LOOKS],
    admits: "keyholder",
    audience: "image",
    errors: "svg",
    work: {
      find(asked): Drawn | Promise<Drawn> {
        const bars = sparkOf(asked.query);
        const count = asked.query.get("show") === undefined ? bars : Math.max(1, bars);
        return count === 0 ? countHit(asked) : countWithDays(asked, count);
      },
      recover(error, { id }): Shown {
        const hits = counters.lastSeen(id);
        if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
        return { hits, problem: error };
      },
      answer(drawn, { request, query, id, grant }) {
        const audience = grant === "secret" ? "image" : "any";
        const headers = headersFor[audience];
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
          return problemInPicture(shown.problem, { svg, request, audience });
        }
        return answer(svg, { ...headers, ...remarkOf(shown.remark, audience) });
      },
      draw: errorBadge,
      onProblem: (problem, request) => decisions.noteProblem(problem, request),
    },
  }, service);
}
