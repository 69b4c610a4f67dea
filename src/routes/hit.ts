import { counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Access } from "../http/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { isPrefetch, PREFETCH } from "../http/prefetch.ts";
import { parseQuery } from "../http/query.ts";

/** What the endpoints that count need. */
export interface HitOptions {
  counters: Counters;
  access: Access;
}

/** `GET` and `POST /hit`: adds one and answers with the new number. */
export function hit({ counters, access }: HitOptions): Endpoint {
  const parameters = new Set(["id", "token", "key"]);
  const headers = headersOf("json", "no-store", "own");
  const uncounted = { ...headers, ...PREFETCH };
  return {
    methods: ["GET", "POST"],
    errors: "json",
    audience: "own",
    async handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      await access.checkHit(request, query, id);
      const prefetch = isPrefetch(request);
      const hits = await (prefetch ? counters.count(id) : counters.hit(id));
      const body = JSON.stringify({ id, hits, source: counters.source });
      return answer(body, prefetch ? uncounted : headers);
    },
  };
}
