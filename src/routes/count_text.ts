import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import { period } from "../http/parameters.ts";
import { readPeriod } from "./reading.ts";
import type { Service } from "./service.ts";

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
      answers: { 200: fresh("The count; 0 before the first hit.", bodies.hits) },
      problems: STORE_PROBLEMS,
    }),
  });
}
