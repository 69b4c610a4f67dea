import { type CounterId, counterId, counterPrefix } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import { type Day, from, type Held } from "../counter/days.ts";
import { formatHeld, formatLine, LineError, MAX_LINE_BYTES, parseLine } from "../counter/line.ts";
import type { ListOptions, ListPage } from "../counter/store.ts";
import { answer, headersOf } from "../http/answer.ts";
import { bodyText } from "../http/body.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { lastDays, ownId, prefix } from "../http/parameters.ts";
import { textStream } from "../http/body.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

const HEADERS = headersOf("json", { cacheControl: "no-store", cors: "none" });
const LINES = { ...HEADERS, "content-type": "application/x-ndjson" };

/** `GET /counters`: one counter, or all of them, a line each and a last one that says how many they were. */
export function listCounters({ counters }: Service): Endpoint {
  const exportList = createExports(counters);
  return endpoint({
    summary: "List counters, a line of JSON each",
    parameters: [ownId, prefix, lastDays],
    errors: "json",
    understand(query) {
      const [id, begin] = [query.get("id"), query.get("prefix")];
      if (id !== undefined && begin !== undefined) {
        throw new Problem("bad-query", { detail: "Give id or prefix, not both." });
      }
      const since = firstDay(query.get("days"), counters.calendar.today());
      return id === undefined
        ? { prefix: counterPrefix(begin ?? ""), since }
        : { id: namedId(id), since };
    },
    async find({ understood: wanted }) {
      if (wanted.id === undefined) return await exportList(wanted);
      const { id, since } = wanted;
      const held = await counters.history(id, since ?? Infinity);
      return answer(formatLine({ id, ...trimmed(held, since) }), HEADERS);
    },
    answer: (response) => response,
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Counters",
      tags: ["Owners"],
      description:
        "With `id`, that counter alone; without, all of them, or those that begin with " +
        '`prefix`. The last line is `{"counters":N}`: without it the answer was cut off.',
      answers: { 200: fresh("The counters.", { ...bodies.lines, ...bodies.line }) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** `PUT /counters`: sets a counter to what the body says and answers with what it held, so that this undoes it. */
export function setCounter({ counters, draining }: Service): Endpoint {
  return endpoint({
    summary: "Set a counter",
    parameters: [ownId],
    errors: "json",
    understand: (query) => namedId(query.get("id")),
    async find({ understood: id, request }) {
      const text = await bodyText(request, { limit: MAX_LINE_BYTES, draining });
      const { hits, days } = lineOf(text, { id, today: counters.calendar.today() });
      return await counters.set(id, { hits, days, mode: "replace" });
    },
    answer: (before, { understood: id }) => answer(formatHeld({ id, ...before }), HEADERS),
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Counter",
      tags: ["Owners"],
      description: "Without `days` those that are known stay; `{}` forgets them. " +
        "Sending the answer undoes it.",
      body: bodies.line,
      answers: { 200: fresh("What the counter held before.", bodies.line) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** `DELETE /counters`: removes a counter with its days and answers with what it held. */
export function deleteCounter({ counters }: Service): Endpoint {
  return endpoint({
    summary: "Remove a counter",
    parameters: [ownId],
    errors: "json",
    understand: (query) => namedId(query.get("id")),
    find: ({ understood: id }) => counters.delete(id),
    answer: (before, { understood: id }) => answer(formatHeld({ id, ...before }), HEADERS),
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Counter",
      tags: ["Owners"],
      description: "It counts from 0 again.",
      answers: { 200: fresh("What the counter held.", bodies.line) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** No counter is meant by a missing id here: a slip must not set or remove one. */
function namedId(text: string | undefined): CounterId {
  if (text === undefined || text.trim() === "") {
    throw new Problem("bad-id", { detail: "Name the counter with id= in the query." });
  }
  return counterId(text);
}

/** The first of so many last days; -Infinity for all days, undefined for none. */
function firstDay(days: string | undefined, today: Day): Day | undefined {
  if (days === undefined) return -Infinity;
  return Number(days) === 0 ? undefined : today - Number(days) + 1;
}

function lineOf(text: string, options: { id: CounterId; today: Day }) {
  try {
    return parseLine(text, options);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new Problem("bad-line", { detail: `The body cannot be used: ${error.message}.` });
  }
}

/** How many lists are sent at a time: one whose reader has stopped keeps a page of counters in memory, about 10 MB. */
const MOST_EXPORTS = 8;

function createExports(counters: Counters): (options: ListOptions) => Promise<Response> {
  let exporting = 0;

  async function* counted(source: AsyncGenerator<string>): AsyncGenerator<string> {
    try {
      yield* source;
    } finally {
      exporting--;
    }
  }

  /** Answers with its first counters, so that a store that is away is told with its status. */
  return async (options) => {
    if (exporting === MOST_EXPORTS) throw new Problem("overloaded", { detail: TOO_MANY_EXPORTS });
    exporting++;
    const pages = counters.list(options);
    try {
      const first = await pages.next();
      const lines = counted(linesOf({ first, pages, ...options }));
      return new Response(textStream(lines), { headers: LINES });
    } catch (error) {
      exporting--;
      throw error;
    }
  };
}

const TOO_MANY_EXPORTS =
  `${MOST_EXPORTS} lists of counters are being sent already: try again once one has ended.`;

async function* linesOf(
  { first, pages, since }: {
    first: IteratorResult<ListPage>;
    pages: AsyncGenerator<ListPage>;
    since: Day | undefined;
  },
): AsyncGenerator<string> {
  let counters = 0;
  let foreign = 0;
  try {
    for (let page = first; page.done !== true; page = await pages.next()) {
      counters += page.value.counters.length;
      foreign += page.value.foreign;
      const lines = page.value.counters.map(({ id, ...held }) =>
        `${formatLine({ id, ...trimmed(held, since) })}\n`
      );
      if (lines.length > 0) yield lines.join("");
    }
  } finally {
    await pages.return(undefined);
  }
  yield `${JSON.stringify({ counters, ...(foreign > 0 && { foreign }) })}\n`;
}

function trimmed({ hits, days }: Held, since: Day | undefined): Held {
  if (days === undefined || since === undefined) return { hits, days: undefined };
  return { hits, days: from(days, since) };
}
