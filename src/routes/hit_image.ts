import { formatCount } from "../badge/number.ts";
import { LOOK_PARAMETERS } from "../badge/parameters.ts";
import { counterId } from "../counter/counter_id.ts";
import { answer, headersOf, problemWithBody } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { drawProblem } from "../http/draw_problem.ts";
import { rememberLooks } from "../http/known_looks.ts";
import { isPrefetch, PREFETCH } from "../http/prefetch.ts";
import { parseQuery } from "../http/query.ts";
import { Problem } from "../problem.ts";
import type { HitOptions } from "./hit.ts";

/** `GET /hit.svg`: the counting image. It draws the last known number where the store does not take the hit. */
export function hitImage({ counters, access }: HitOptions): Endpoint {
  const parameters = new Set(["id", "token", "key", ...LOOK_PARAMETERS]);
  const counted = headersOf("svg", "no-store", "image");
  const uncounted = { ...counted, ...PREFETCH };
  const lookOf = rememberLooks(() => counted);
  return {
    methods: ["GET", "HEAD"],
    errors: { draw: drawProblem },
    audience: "image",
    async handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      await access.checkHit(request, query, id);
      const { look, draw } = lookOf(query);
      const prefetch = isPrefetch(request);
      const looking = prefetch || request.method === "HEAD";
      try {
        const hits = await (looking ? counters.count(id) : counters.hit(id));
        const { svg, headers } = draw(formatCount(hits, look));
        return answer(svg, prefetch ? uncounted : headers);
      } catch (error) {
        const last = counters.lastSeen(id);
        if (!(error instanceof Problem) || error.status < 500 || last === undefined) throw error;
        return problemWithBody(error, "svg", "image", draw(formatCount(last, look)).svg);
      }
    },
  };
}
