import { type CounterId, counterId } from "../counter/counter_id.ts";
import { answer, type CorsPolicy, headersOf } from "../http/answer.ts";
import { type Endpoint, endpoint, familyEndpoint, id } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { period, periodOf, readPeriod } from "./read_counter.ts";
import type { Service } from "./service.ts";

/** How many counters may be asked for at once. */
const MAX_IDS = 100;

const ids = {
  ...id,
  meaning: `A counter; 1 to ${MAX_IDS} may be given, as in \`id=a&id=b\`.`,
  maxTimes: MAX_IDS,
} as const satisfies Parameter;

/** `GET /counts`: the numbers of several counters, in the order in which they are asked for, each once. */
export function counts({ counters, reads }: Service): Endpoint {
  const headers = headersOf("json", reads.sharing("no-store"));
  return endpoint({
    summary: "Read several counters",
    parameters: [ids, period],
    errors: "json",
    understand: (_, { url }) => idsIn(url),
    async find({ understood, query }) {
      // All in the same turn of the event loop, so that the store gets them in one batch.
      const numbers = understood.map((id) => readPeriod(counters, { id, isFamily: false, query }));
      return await Promise.all(numbers.map(countOf));
    },
    answer(numbers, { understood, query }) {
      // Put together as text: an object would list ids that look like numbers first, and has no room for "__proto__".
      const members = understood.map((id, index) => `${JSON.stringify(id)}:${numbers[index]}`);
      const facts = JSON.stringify({ source: counters.source, period: query.get("period") });
      return answer(`{"counts":{${members.join(",")}},${facts.slice(1)}`, headers);
    },
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Counts",
      tags: ["Counters"],
      description:
        "In the order of the request, each id once. `null` means that the value which the " +
        "store holds under this id is not a counter.",
      answers: {
        200: fresh("The counts, each of which is 0 before the first hit.", bodies.counts),
      },
      problems: STORE_PROBLEMS.filter((status) => status !== 409),
    }),
  });
}

function idsIn(url: string): readonly CounterId[] {
  // The query is known to be valid by now, so that nothing is decoded more leniently here.
  const given = new URL(url).searchParams.getAll(ids.name);
  if (given.length < 1 || given.length > MAX_IDS) {
    throw new Problem("bad-query", {
      detail: `Send 1 to ${MAX_IDS} ids, as in id=a&id=b. This query has ${given.length}.`,
    });
  }
  return [...new Set(given.map(counterId))];
}

/** A number; null for what is not a counter. */
async function countOf(hits: number | Promise<number>): Promise<number | null> {
  try {
    return await hits;
  } catch (error) {
    if (error instanceof Problem && error.kind === "not-a-counter") return null;
    throw error;
  }
}

const limit = {
  name: "limit",
  meaning: "How many counters to list.",
  schema: { type: "integer", default: 10, minimum: 1, maximum: 100 },
  accepts: (text: string) => /^(?:[1-9]\d?|100)$/.test(text),
} as const satisfies Parameter;

/** `GET /top`: the counters of a family with the most hits. It reveals ids, so that reads that are open do not open it. */
export function top({ counters }: Service): Endpoint {
  const headers = (cors: CorsPolicy) => headersOf("json", { cacheControl: "no-store", cors });
  const headersFor = { none: headers("none"), any: headers("any") };
  return familyEndpoint({
    summary: "List the counters of a family with the most hits",
    parameters: [period, limit],
    errors: "json",
    async find({ id, query }) {
      const ranking = await (await counters.families()).ranking(id, periodOf(query));
      return ranking.slice(0, Number(query.get("limit") ?? limit.schema.default));
    },
    answer(ranked, { id, query, grant }) {
      const body = {
        prefix: id,
        period: periodOf(query),
        counters: ranked,
        source: counters.source,
      };
      return answer(JSON.stringify(body), headersFor[grant === "secret" ? "none" : "any"]);
    },
    preload: () => counters.families(),
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Top",
      tags: ["Counters"],
      description: "The highest first, and ties by id. The numbers are at most 10 s old.",
      answers: { 200: fresh("The counters.", bodies.top) },
      problems: STORE_PROBLEMS.filter((status) => status !== 504),
    }),
  });
}
