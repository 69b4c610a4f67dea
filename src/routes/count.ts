import type { FamilySum } from "../counting/families.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { period, readPeriod, readSum } from "./read_counter.ts";
import type { Service } from "./service.ts";

export const format = {
  name: "format",
  meaning: "`txt` or `text` returns plain text, anything else returns JSON.",
  schema: { type: "string", examples: ["txt", "text"] },
} as const satisfies Parameter;

/** `GET /count`: the number as JSON, or as plain text with `format=txt`. */
export function count({ counters, reads }: Service): Endpoint {
  const json = headersOf("json", reads.sharing("no-store"));
  const text = headersOf("text", reads.sharing("no-store"));
  return readEndpoint({
    summary: "Read a counter",
    parameters: [format, period],
    errors: (query) => isText(query.get("format")) ? "text" : "json",
    find: (asked): number | Promise<number | FamilySum> =>
      asked.isFamily ? readSum(counters, asked) : readPeriod(counters, asked),
    answer(found, { id, query }) {
      const hits = typeof found === "number" ? found : found.hits;
      if (isText(query.get("format"))) return answer(String(hits), text);
      const { source } = counters;
      const period = query.get("period");
      const body = typeof found === "number"
        ? { id, hits, source, period }
        : { prefix: id, hits, counters: found.counters, source, period };
      return answer(JSON.stringify(body), json);
    },
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Count",
      tags: ["Counters"],
      answers: {
        200: fresh("The count, which is 0 before the first hit.", {
          ...bodies.count,
          ...bodies.hits,
        }),
      },
      problems: STORE_PROBLEMS,
    }),
  });
}

function isText(format: string | undefined): boolean {
  return format === "txt" || format === "text";
}

/** `GET /count.txt`: the number as plain text. */
export function countText({ counters, reads }: Service): Endpoint {
  const headers = headersOf("text", reads.sharing("no-store"));
  return readEndpoint({
    summary: "Read a counter as plain text",
    parameters: [period],
    errors: "text",
    find: (asked) => readPeriod(counters, asked),
    answer: (hits) => answer(String(hits), headers),
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "CountText",
      tags: ["Counters"],
      answers: { 200: fresh("The count, which is 0 before the first hit.", bodies.hits) },
      problems: STORE_PROBLEMS,
    }),
  });
}
