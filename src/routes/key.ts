import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import { familyPrefix } from "../auth/secret.ts";
import type { Service } from "./service.ts";

/** `GET /key`: the key that opens one counter, or a family of them, for whoever has the secret. */
export function counterKey({ access }: Service): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", cors: "none" });
  return readEndpoint({
    summary: "Make the counter key of one id, or of a family of ids",
    parameters: [],
    errors: "json",
    find: ({ id, isFamily }) =>
      isFamily
        ? { prefix: id, key: access.familyKeyOf(familyPrefix(id)) }
        : { id, key: access.keyOf(id) },
    answer: (made) => answer(JSON.stringify(made), headers),
    describe: ({ bodies, fresh }) => ({
      name: "Key",
      tags: ["Counters"],
      answers: { 200: fresh("The key.", bodies.key) },
    }),
  });
}
