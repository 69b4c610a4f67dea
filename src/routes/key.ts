import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, READ } from "../http/endpoint.ts";
import { familyPrefix } from "../auth/secret.ts";
import { family } from "../http/parameters.ts";
import { Problem } from "../problem.ts";

/** `GET /key`: the key that opens one counter, or a family of them, for whoever has the secret. */
export function counterKey(service: CounterService): Endpoint {
  const { access } = service;
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return counterEndpoint({
    path: "/key",
    methods: READ,
    summary: "Make the counter key of one id, or of a family of ids",
    parameters: [family],
    admits: "owner",
    audience: "none",
    errors: "json",
    check(query) {
      const prefix = query.get("prefix");
      if (prefix === undefined) return;
      if (query.get("id") !== undefined) throw new Problem("bad-query", { detail: NOT_BOTH });
      familyPrefix(prefix);
    },
    work: {
      find({ id, query }) {
        const given = query.get("prefix");
        if (given === undefined) return { id, key: access.keyOf(id) };
        const prefix = familyPrefix(given);
        return { prefix, key: access.familyKeyOf(prefix) };
      },
      answer: (made) => answer(JSON.stringify(made), headers),
    },
  }, service);
}

const NOT_BOTH = "Ask for the key of an id or of a prefix, not of both.";
