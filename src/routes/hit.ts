import { counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Access } from "../http/access.ts";
import { answer, type Headers, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { isPrefetch, PREFETCH } from "../http/prefetch.ts";
import { parseQuery } from "../http/query.ts";
import { whenKnown } from "../http/when_known.ts";

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
    handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const write = (hits: number, headers: Headers) =>
        answer(JSON.stringify({ id, hits, source: counters.source }), headers);
      return whenKnown(
        access.checkHit(request, query, id),
        () =>
          isPrefetch(request)
            ? whenKnown(counters.count(id), (hits) => write(hits, uncounted))
            : counters.hit(id).then((hits) => write(hits, headers)),
      );
    },
  };
}
