import { type CounterId, counterId, counterPrefix, requiredId } from "../domain/counter_id.ts";
import type { Calendar } from "../domain/calendar.ts";
import { type CounterState, type Day, dropBefore } from "../domain/history.ts";
import { formatLine, formatState, LineError, MAX_LINE_BYTES, parseLine } from "../domain/line.ts";
import type { ListOptions, Update } from "../domain/store.ts";
import { idempotencyKey, parseIdempotencyKey } from "../hits/hit_policy.ts";
import type { Counters } from "../counters/counters.ts";
import { ImportError } from "../counters/import.ts";
import { bodyLines, linesResponse, TRUNCATED_BODY } from "../http/streaming.ts";
import { type Endpoint, endpoint, idParameter, type RequestContext } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { createResponse, headersFor, jsonResponse } from "../http/response.ts";
import { bodies, json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { Problem, problemOf } from "../problem.ts";
import type { Service } from "../service.ts";

const HEADERS = headersFor("json", "no-store");

const LINES_OR_LINE = { ...bodies.lines, ...json("Line") };
const PREVIOUS = success("The previous state of the counter.", json("Line"));
const DELETED = success("What was deleted, or with `dry=1` how many counters there are.", {
  ...bodies.lines,
  ...json("Line", "Imported"),
});
const MOVED = success("What moved: one counter, or a line for each of a group.", LINES_OR_LINE);
const IMPORTED = success("How many counters were imported.", json("Imported"));

const MODES = ["replace", "max", "add"] as const;

const IDEMPOTENCY_KEY = {
  ...idempotencyKey,
  description: "The name of an addition, for `mode=add`. It needs the secret.",
};

const id = idParameter("id", "The counter. It has no default here.");
const prefix = idParameter("prefix", "Only counters whose id begins with this.");
const from = idParameter("from", "The counter, or the prefix of a group, which ends in a slash.");
const single = idParameter("id", "In place of `from`: a counter, also if its id ends in a slash.");
const to = idParameter("to", "The new id, or the new prefix.");

export const lastDays = {
  name: "days",
  meaning: "How many days to include, counted back from today. 0 leaves them out. An import of " +
    "the list keeps earlier days.",
  schema: { type: "integer", minimum: 0, maximum: 99_999 },
  isStrict: true,
} as const satisfies Parameter;

/** `GET /counters`: one counter, or a line for each of them and a last line with their number. */
export function listCounters({ counters }: Service): Endpoint {
  /** Yields a line for each counter, then a last line with their number. */
  async function* exportLines(options: ListOptions & { since: Day }): AsyncGenerator<string> {
    let listed = 0;
    let foreign = 0;
    for await (const page of counters.list(options)) {
      listed += page.counters.length;
      foreign += page.foreign;
      const lines = page.counters.map(({ id, ...state }) =>
        `${lineOf(id, state, options.since)}\n`
      );
      if (lines.length > 0) yield lines.join("");
    }
    yield `${JSON.stringify({ counters: listed, ...(foreign > 0 && { foreign }) })}\n`;
  }

  return endpoint("none", {
    summary: "List or export counters, one line of JSON each",
    description:
      "With `id`, that counter only. Otherwise all counters, or those whose id begins with " +
      '`prefix`. The last line is `{"counters":N}`: without it, the list was cut off.',
    parameters: [id, prefix, lastDays],
    parse(query) {
      const [id, begin] = [query.get("id"), query.get("prefix")];
      if (id !== undefined && begin !== undefined) {
        throw new Problem("bad-query", { detail: "Send id or prefix, not both." });
      }
      const since = firstDay(query.get("days"), counters.calendar.today());
      return id === undefined
        ? { prefix: counterPrefix(begin ?? ""), since }
        : { id: requiredId(id), since };
    },
    async respond(_, wanted) {
      if (wanted.id === undefined) {
        // Waits for the first counters, so that the status says if the store is unavailable.
        return await linesResponse(exportLines(wanted));
      }
      const { id, since } = wanted;
      return createResponse(lineOf(id, await counters.history(id, since), since), HEADERS);
    },
    openapi: operation(
      "Owners",
      "Counters",
      success("The counters.", LINES_OR_LINE),
      STORE_PROBLEMS,
    ),
  });
}

/** `PUT /counters`: sets a counter, or adds to it. The response is its previous state. */
export function setCounter({ counters, readSmallBody }: Service): Endpoint {
  return endpoint("none", {
    summary: "Set a counter, or add to it",
    description:
      "Without `days`, the known days stay; with `{}` they are deleted. With `mode=add`, " +
      "`hits` and `days` are added to those of the counter, and may be negative, which undoes a " +
      "change without losing what was counted since. An addition needs an `Idempotency-Key`, and " +
      "one with the same key within 24 hours changes nothing.",
    body: json("Addition"),
    parameters: [id, mode],
    parse: (query) => ({ id: requiredId(query.get("id")), mode: modeOf(query) }),
    async respond(context, { id, mode }) {
      const name = additionName(context, mode);
      const text = await readSmallBody(context.request, MAX_LINE_BYTES, "owner");
      const line = parseBody(text, { id, calendar: counters.calendar, mode });
      const before = await counters.set(id, { ...line, mode, name });
      return createResponse(formatState({ id, ...before }), HEADERS);
    },
    openapi: {
      ...operation("Owners", "Counter", PREVIOUS, STORE_PROBLEMS),
      headers: [IDEMPOTENCY_KEY],
    },
  });
}

/**
 * `DELETE /counters`: deletes a counter with its days, or a group. The response is what was
 * deleted, which an addition brings back.
 */
export function deleteCounter({ counters }: Service): Endpoint {
  return endpoint("none", {
    summary: "Delete a counter, or all counters of a group",
    description:
      "The next hit is its first. Adding the response (`PUT` with `mode=add`) undoes the change. " +
      "With `prefix`, the response has a line for each counter that was deleted, as in an export, " +
      "so that importing it with `mode=add` undoes the change. `dry=1` says how many there are.",
    parameters: [id, prefix, dry],
    parse(query) {
      const begin = query.get("prefix");
      if (begin === undefined) return { id: requiredId(query.get("id")) };
      if (query.get("id") !== undefined || !begin.endsWith("/")) {
        throw new Problem("bad-query", {
          detail: "Send id, or the prefix of a group, which ends in a slash.",
        });
      }
      return { prefix: counterPrefix(begin), isDry: query.get("dry") === "1" };
    },
    async respond(_, { id, prefix = "", isDry }) {
      if (id !== undefined) {
        return createResponse(formatState({ id, ...await counters.delete(id) }), HEADERS);
      }
      if (isDry !== true) {
        return await linesResponse(changeGroup(counters, prefix, counters.delete));
      }
      let found = 0;
      for await (const page of counters.list({ prefix, since: undefined })) {
        found += page.counters.length;
      }
      return jsonResponse({ counters: found });
    },
    openapi: operation("Owners", "Counter", DELETED, STORE_PROBLEMS),
  });
}

/** `POST /counters/move`: gives a counter, or each of a group, another id. */
export function moveCounters({ counters }: Service): Endpoint {
  return endpoint("none", {
    summary: "Move counters to other ids",
    description:
      "If `to` exists, totals and days are added. Each counter moves in one step, so that no hit " +
      "is lost or counted twice. Hits that arrive at the old id later stay there, and badges with " +
      "the old id need the new id and its key. If both end in a slash, all counters of that group " +
      "move, one by one. Without the last line, as in an export, not all of them have moved. " +
      "Between two slots of a Redis Cluster, a move is a 409.",
    parameters: [from, single, to],
    parse(query) {
      const id = query.get("id");
      if (id !== undefined && query.get("from") !== undefined) {
        throw new Problem("bad-query", { detail: "Send from= or id=, not both." });
      }
      const [one, other] = [requiredId(id ?? query.get("from")), requiredId(query.get("to"))];
      const isGroup = id === undefined && one.endsWith("/");
      const overlap = isGroup && (one.startsWith(other) || other.startsWith(one));
      const isMixed = id === undefined && isGroup !== other.endsWith("/");
      if (one === other || overlap || isMixed) {
        throw new Problem("bad-query", {
          detail: "Send two different ids, or two prefixes that end in a slash, of which neither " +
            "begins with the other.",
        });
      }
      return { from: one, to: other, isGroup };
    },
    async respond(_, { from, to, isGroup }) {
      const move = (id: CounterId) => counters.move(id, counterId(to + id.slice(from.length)));
      if (isGroup) return await linesResponse(changeGroup(counters, from, move));
      return createResponse(formatState({ id: from, ...await move(from) }), HEADERS);
    },
    openapi: operation("Owners", "Move", MOVED, STORE_PROBLEMS),
  });
}

/** Changes the counters of a group one by one. Yields what each had or moved, as an export does. */
async function* changeGroup(
  counters: Counters,
  prefix: string,
  change: (id: CounterId) => Promise<CounterState>,
): AsyncGenerator<string> {
  let changed = 0;
  for await (const page of counters.list({ prefix, since: undefined })) {
    for (const { id } of page.counters) {
      const state = await change(id);
      changed++;
      yield `${formatState({ id, ...state })}\n`;
    }
  }
  yield `${JSON.stringify({ counters: changed })}\n`;
}

/** Returns the first of the last `days` days. Returns -Infinity for all days, Infinity for none. */
function firstDay(days: string | undefined, today: Day): Day {
  if (days === undefined) return -Infinity;
  return Number(days) === 0 ? Infinity : today - Number(days) + 1;
}

/**
 * Returns the name of an addition, which is its idempotency key. Throws `bad-idempotency-key` if it
 * has none. Other changes have no name.
 */
function additionName(
  context: Pick<RequestContext, "request" | "grant">,
  mode: Update["mode"],
): string | undefined {
  if (mode !== "add") return undefined;
  const name = parseIdempotencyKey(context);
  if (name !== undefined) return name;
  throw new Problem("bad-idempotency-key", {
    detail: "An addition needs an Idempotency-Key, so that sending it again adds nothing.",
  });
}

function parseBody(
  text: string,
  options: { id: CounterId; calendar: Calendar; mode: Update["mode"] },
) {
  try {
    return parseLine(text, options);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new Problem("bad-line", { detail: `The body cannot be used: ${error.message}.` });
  }
}

/** Formats a counter with its days from `since` on. */
function lineOf(id: CounterId, state: CounterState, since: Day): string {
  return formatLine({ id, ...state, days: state.days && dropBefore(state.days, since) }, "", since);
}

/** The effect of a line on an existing counter. */
export const mode = {
  name: "mode",
  meaning:
    "`replace` sets each counter. `max` keeps the larger number, in the total and in each day. `add` adds both, and needs an `Idempotency-Key`.",
  schema: { type: "string", default: "replace", enum: MODES },
  isStrict: true,
} as const satisfies Parameter;

/** Returns the mode that a query asks for, whose text was accepted before. */
function modeOf(query: Query<"mode">): Update["mode"] {
  return MODES.find((mode) => mode === query.get("mode")) ?? mode.schema.default;
}

/** Turns an import into a dry run. */
const dry = {
  name: "dry",
  meaning: "`1` writes nothing and reports what would change.",
  schema: { type: "string", default: "0", enum: ["0", "1"] },
  isStrict: true,
} as const satisfies Parameter;

/** Asks for the lines that undo an import. */
const undo = {
  ...dry,
  name: "undo",
  meaning: "`1` lists what undoes the import, if it is at most 10 MB. It is not for `add`.",
} as const satisfies Parameter;

/** `POST /counters`: imports the lines of the body, or reports what that would change. */
export function importCounters({ counters, draining }: Service): Endpoint {
  return endpoint("none", {
    summary: "Import counters, one line of JSON each",
    description: "A bad line stops the import. The lines before it are stored, and it is safe to " +
      "send all of them again. With a job key, a line whose id does not begin with the prefix of " +
      "the key is a 403, and neither it nor the up to 10,000 lines before it are stored.",
    body: bodies.lines,
    parameters: [mode, dry, undo],
    parse: (query) => ({
      mode: modeOf(query),
      dry: query.get("dry") === "1",
      undo: query.get("undo") === "1" && query.get("mode") !== "add",
    }),
    async respond(context, { mode, dry, undo }) {
      const { request: { body }, grant } = context;
      const name = additionName(context, mode);
      const lines = bodyLines(body ?? ReadableStream.from([]), MAX_LINE_BYTES);
      const prefix = typeof grant === "object" ? grant.prefix : undefined;
      try {
        const result = await counters.importLines(lines, { mode, dry, undo, prefix, name });
        return jsonResponse(result);
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        const isCut = error.message === TRUNCATED_BODY && draining.hasBegun;
        throw importProblem(error, { dry, isCut });
      }
    },
    openapi: {
      ...operation("Owners", "Counters", IMPORTED, [403, ...STORE_PROBLEMS]),
      headers: [IDEMPOTENCY_KEY],
    },
  });
}

/**
 * Returns the problem of one line, with its number and the fate of the other lines, or that of an
 * import that the shutdown of the service cuts off.
 */
function importProblem(
  { line, message, importedCount, failure }: ImportError,
  { dry, isCut }: { dry: boolean; isCut: boolean },
): Problem {
  const problem = problemOf(failure);
  const certainty = isCut || problem !== undefined ? "for sure" : "so far";
  const stored = dry ? "Nothing was written." : `Lines stored ${certainty}: ${importedCount}.`;
  if (isCut) {
    const detail = `The service is shutting down. ${stored} It is safe to send all lines again.`;
    return new Problem("shutting-down", { detail });
  }
  const reason = problem === undefined
    ? `cannot be used: ${message}.`
    // The detail of a store problem describes a whole request.
    : `could not be stored: ${problem.status < 500 ? problem.detail : `${problem.title}.`}`;
  const detail = `Line ${line} ${reason} ${stored} ` +
    "Once this is fixed, it is safe to send all lines again.";
  return new Problem(problem?.kind ?? "bad-line", { detail, cause: problem });
}
