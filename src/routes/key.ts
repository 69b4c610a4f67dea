import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type Endpoint } from "../http/endpoint.ts";
import { familyPrefix } from "../auth/secret.ts";
import { family } from "../http/parameters.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

/** `GET /key`: the key that opens one counter, or a family of them, for whoever has the secret. */
export function counterKey({ access }: Service): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", cors: "none" });
  return counterEndpoint({
    summary: "Make the counter key of one id, or of a family of ids",
    parameters: [family],
    errors: "json",
    understand(query) {
      const prefix = query.get("prefix");
      if (prefix === undefined) return;
      if (query.get("id") !== undefined) throw new Problem("bad-query", { detail: NOT_BOTH });
      familyPrefix(prefix);
    },
    find({ id, query }) {
      const given = query.get("prefix");
      if (given === undefined) return { id, key: access.keyOf(id) };
      const prefix = familyPrefix(given);
      return { prefix, key: access.familyKeyOf(prefix) };
    },
    answer: (made) => answer(JSON.stringify(made), headers),
    describe: ({ bodies, fresh }) => ({
      name: "Key",
      tags: ["Counters"],
      answers: { 200: fresh("The key.", bodies.key) },
    }),
  });
}

const NOT_BOTH = "Ask for the key of an id or of a prefix, not of both.";
