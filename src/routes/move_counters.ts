import { type CounterId, counterId, requiredId } from "../domain/counter_id.ts";
import { formatState } from "../domain/line.ts";
import { type Endpoint, endpoint, idParameter } from "../http/endpoint.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { linesResponse } from "../http/streaming.ts";
import { bodies, json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Service } from "../service.ts";

const from = idParameter("from", "The counter, or the prefix of a group, which ends in a slash.");
const id = idParameter("id", "In place of `from`: a counter, also if its id ends in a slash.");
const to = idParameter("to", "The new id, or the new prefix.");

const MOVED = success("What moved: one counter, or a line for each counter of a group.", {
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
        const state = await counters.move(id, target);
        moved++;
        yield `${formatState({ id, ...state })}\n`;
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
    parameters: [from, id, to],
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
      if (isGroup) return linesResponse(moveGroup(from, to));
      const moved = await counters.move(from, to);
      return createResponse(formatState({ id: from, ...moved }), headersFor("json", "no-store"));
    },
    openapi: operation("Owners", "Move", MOVED, STORE_PROBLEMS),
  });
}
