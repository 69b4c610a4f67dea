import type { GroupSum } from "../counters/groups.ts";
import { type Endpoint, endpoint, whenKnown } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { bodies, json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { period, periodOf, readPeriod } from "../read_counter.ts";
import type { Service } from "../service.ts";

export const format = {
  name: "format",
  meaning: "`txt` or `text` returns plain text, anything else returns JSON.",
  schema: { type: "string", examples: ["txt", "text"] },
} as const satisfies Parameter;

const MEANING = "The count, which is 0 before the first hit.";
const JSON_OR_TEXT = { ...json("Counter", "GroupSum"), ...bodies.hits };

/** `GET /count`: the number as JSON, or as plain text with `format=txt`. */
export function count({ counters, readPolicy }: Service): Endpoint {
  const jsonHeaders = headersFor("json", readPolicy.cacheControl("no-store"));
  const textHeaders = headersFor("text", readPolicy.cacheControl("no-store"));
  return endpoint("counter or prefix", {
    summary: "Read a counter",
    parameters: [format, period],
    errors: (query) => isText(query.get("format")) ? "text" : "json",
    respond(context) {
      const { id, isPrefix, query, grant } = context;
      const found: number | Promise<number | GroupSum> = isPrefix
        ? counters.groups.sum(id, periodOf(query), grant === "secret")
        : readPeriod(counters, context);
      return whenKnown(found, (found) => {
        const hits = typeof found === "number" ? found : found.hits;
        if (isText(query.get("format"))) return createResponse(String(hits), textHeaders);
        const { source } = counters;
        const period = query.get("period");
        const body = typeof found === "number"
          ? { id, hits, source, period }
          : { prefix: id, hits, counters: found.counters, source, period };
        return createResponse(JSON.stringify(body), jsonHeaders);
      });
    },
    openapi: operation("Counters", "Count", success(MEANING, JSON_OR_TEXT), STORE_PROBLEMS),
  });
}

function isText(format: string | undefined): boolean {
  return format === "txt" || format === "text";
}

/** `GET /count.txt`: the number as plain text. */
export function countText({ counters, readPolicy }: Service): Endpoint {
  const headers = headersFor("text", readPolicy.cacheControl("no-store"));
  return endpoint("counter or prefix", {
    summary: "Read a counter as plain text",
    parameters: [period],
    errors: "text",
    respond: (context) =>
      whenKnown(readPeriod(counters, context), (hits) => createResponse(String(hits), headers)),
    openapi: operation("Counters", "CountText", success(MEANING, bodies.hits), STORE_PROBLEMS),
  });
}
