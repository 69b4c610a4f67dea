import type { CounterId } from "../counter/counter_id.ts";
import { LOOKS } from "../badge/parameters.ts";
import { answer, type Audience, headersOf, remarkOf, UNCACHED_IMAGE } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { idOf } from "../http/decisions.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import type { Found } from "../http/found.ts";
import { once, visitor } from "../http/parameters.ts";
import { problemInPicture } from "../http/problem_answer.ts";
import { Problem } from "../problem.ts";

/** What to draw: a number, and why it is the last one known where the store did not take the hit. */
type Shown = Found | { readonly hits: number; readonly problem: Problem };

/** `GET /hit.svg`: the counting image. It draws the last known number where the store does not take the hit. */
export function hitImage(service: CounterService): Endpoint {
  const { counters, countHit, decisions } = service;
  const headers = (audience: Audience) =>
    headersOf("svg", { cacheControl: UNCACHED_IMAGE, audience });
  const headersFor = { image: headers("image"), any: headers("any") };

  function note({ method }: Request, { id, shown }: { id: CounterId; shown: Shown }): void {
    // Whoever only looks sends no hit.
    if (method === "HEAD") return;
    if (typeof shown === "number") decisions.note(id, "counted");
    else decisions.note(id, "problem" in shown ? shown.problem.kind : shown.remark);
  }

  return counterEndpoint({
    path: "/hit.svg",
    methods: SHARED_READ,
    summary: "Count a hit and show the badge",
    parameters: [once, visitor, ...LOOKS],
    admits: "keyholder",
    audience: "image",
    errors: "svg",
    async work() {
      const { createDrawings, errorBadge } = await import("../badge/drawings.ts");
      const draw = createDrawings(({ svg }) => svg);
      return {
        find: (asked): Shown | Promise<Shown> => countHit(asked),
        recover(error, { id }): Shown {
          const hits = counters.lastSeen(id);
          if (!(error instanceof Problem) || error.status < 500 || hits === undefined) throw error;
          return { hits, problem: error };
        },
        answer(shown, { request, query, id, opening }) {
          const audience = opening === "secret" ? "image" : "any";
          const headers = headersFor[audience];
          note(request, { id, shown });
          if (typeof shown === "number") return answer(draw(query, shown), headers);
          const svg = draw(query, shown.hits);
          if ("problem" in shown) {
            return problemInPicture(shown.problem, { svg, request, audience });
          }
          return answer(svg, { ...headers, ...remarkOf(shown.remark, audience) });
        },
        draw: ({ badge }) => errorBadge(badge),
        onProblem: ({ kind }, request) => decisions.note(idOf(request), kind),
      };
    },
  }, service);
}
