import { type CounterId, counterId } from "../domain/counter_id.ts";
import { Failure } from "../domain/errors.ts";
import { type Endpoint, endpoint, id } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import { period, readPeriod } from "../read_counter.ts";
import type { Service } from "../service.ts";

/** Maximum number of counters in a request. */
const MAX_IDS = 100;

const ids = {
  ...id,
  meaning: `A counter; 1 to ${MAX_IDS} may be given, as in \`id=a&id=b\`.`,
  maxTimes: MAX_IDS,
} as const satisfies Parameter;

const COUNTS = success("The counts, each of which is 0 before the first hit.", json("Counts"));

/** `GET /counts`: the numbers of several counters, each once, in the order of the request. */
export function counts({ counters, readPolicy }: Service): Endpoint {
  const headers = headersFor("json", readPolicy.cacheControl("no-store"));
  return endpoint("none", {
    summary: "Read several counters",
    description:
      "In the order of the request, each id once. `null` means that the value which the " +
      "store holds under this id is not a counter.",
    parameters: [ids, period],
    parse: parseIds,
    async respond({ query }, ids) {
      // All in the same turn of the event loop, so that the store gets them in one batch.
      const reads = ids.map((id) => readPeriod(counters, { id, isPrefix: false, query }));
      const numbers = await Promise.all(reads.map(numberOrNull));
      // Join the members as text: an object would reorder ids that look like numbers.
      const members = ids.map((id, index) => `${JSON.stringify(id)}:${numbers[index]}`);
      const facts = JSON.stringify({ source: counters.source, period: query.get("period") });
      return createResponse(`{"counts":{${members.join(",")}},${facts.slice(1)}`, headers);
    },
    openapi: operation(
      "Counters",
      "Counts",
      COUNTS,
      STORE_PROBLEMS,
    ),
  });
}

function parseIds(query: Query<"id">): readonly CounterId[] {
  const given = query.getAll("id");
  if (given.length < 1 || given.length > MAX_IDS) {
    throw new Problem("bad-query", {
      detail: `Send 1 to ${MAX_IDS} ids, as in id=a&id=b. This query has ${given.length}.`,
    });
  }
  return [...new Set(given.map(counterId))];
}

/** Resolves with a number, or with null for a value that is not a counter. */
async function numberOrNull(hits: number | Promise<number>): Promise<number | null> {
  try {
    return await hits;
  } catch (error) {
    if (error instanceof Failure && error.kind === "not-a-counter") return null;
    throw error;
  }
}
