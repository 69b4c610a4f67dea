import { keyPrefix } from "../auth/secret.ts";
import { MAX_ID_BYTES } from "../counter/counter_id.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { fresh, json, operation } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

const HEADERS = headersFor("json", "no-store");

const read = {
  name: "read",
  meaning:
    "Instead of `id`: a group whose numbers the key shall open, as in `blog/`. Such a key counts nothing.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** `GET /key`: the key of a counter, of all counters with a prefix, or of their numbers. */
export function counterKey({ access }: Service): Endpoint {
  return endpoint("counter or prefix", {
    summary: "Get the key of a counter or of a group",
    parameters: [read],
    parse(query) {
      const prefix = query.get("read");
      if (prefix === undefined) return undefined;
      if (query.get("id") === undefined && query.get("prefix") === undefined) {
        return keyPrefix(prefix);
      }
      throw new Problem("bad-query", { detail: "Send read without id and prefix." });
    },
    respond({ id, isPrefix }, readable) {
      const secret = access.secretFor("Counter keys");
      const body = readable !== undefined
        ? { read: readable, key: secret.keyOf("read", readable) }
        : isPrefix
        ? { prefix: id, key: secret.keyOf("prefix", keyPrefix(id)) }
        : { id, key: secret.keyOf("counter", id) };
      return createResponse(JSON.stringify(body), HEADERS);
    },
    openapi: operation("Counters", "Key", fresh("The key.", json("Key", "GroupKey", "ReadKey"))),
  });
}
