import { type CounterId, counterId, MAX_ID_BYTES } from "../domain/counter_id.ts";
import { formatHeld } from "../domain/line.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { textStream } from "../http/streaming.ts";
import { bodies, fresh, json, operation, STORE_PROBLEMS } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import { LINES, parseRequiredId } from "./manage_counters.ts";
import type { Service } from "./service.ts";

const from = {
  name: "from",
  meaning: "The counter, or the prefix of a group, which ends in a slash.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

const to = {
  name: "to",
  meaning: "The new id, or the new prefix.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

const MOVED = fresh("What moved: one counter, or a line for each counter of a group.", {
  ...bodies.lines,
  ...json("Line"),
});

/** `POST /counters/move`: gives a counter, or each of a group, another id. */
export function moveCounters({ counters }: Service): Endpoint {
  /** Moves the counters of a group one by one. Yields what moved as an export does. */
  async function* moveGroup(from: CounterId, to: CounterId): AsyncGenerator<string> {
    let moved = 0;
    for await (const page of counters.list({ prefix: from, since: undefined })) {
      for (const { id } of page.counters) {
        const target = counterId(to + id.slice(from.length));
        const state = await counters.move({ from: id, to: target });
        moved++;
        yield `${formatHeld({ id, ...state })}\n`;
      }
    }
    yield `${JSON.stringify({ counters: moved })}\n`;
  }

  return endpoint("none", {
    summary: "Move counters to other ids",
    description:
      "If `to` exists, totals and days are added. Each counter moves in one step, so that no hit " +
      "is lost or counted twice. Hits that arrive at the old id later stay there, and badges with " +
      "the old id need the new id and its key. If both end in a slash, all counters of that group " +
      "move, one by one. Without the last line, as in an export, not all of them have moved. " +
      "Between two slots of a Redis Cluster, a move is a 409.",
    parameters: [from, to],
    parse(query) {
      const [one, other] = [parseRequiredId(query.get("from")), parseRequiredId(query.get("to"))];
      const isGroup = one.endsWith("/");
      const overlap = isGroup && (one.startsWith(other) || other.startsWith(one));
      if (one === other || overlap || isGroup !== other.endsWith("/")) {
        throw new Problem("bad-query", {
          detail: "Send two different ids, or two prefixes that end in a slash, of which neither " +
            "begins with the other.",
        });
      }
      return { from: one, to: other, isGroup };
    },
    async respond(_, { from, to, isGroup }) {
      if (isGroup) return new Response(await textStream(moveGroup(from, to)), { headers: LINES });
      const moved = await counters.move({ from, to });
      return createResponse(formatHeld({ id: from, ...moved }), headersFor("json", "no-store"));
    },
    openapi: operation("Owners", "Move", MOVED, STORE_PROBLEMS),
  });
}
