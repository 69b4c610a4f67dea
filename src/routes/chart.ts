import type { ImageFormat } from "../drawing/text.ts";
import type { Picture } from "../chart/pictures.ts";
import { type CounterId, counterId } from "../domain/counter_id.ts";
import { createRevalidated } from "../http/conditional.ts";
import { type Endpoint, endpoint, MAX_DRAWN } from "../http/endpoint.ts";
import type { Query } from "../http/query.ts";
import { operation, revalidated, STORE_PROBLEMS } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import { readDays } from "../read_counter.ts";
import type { Service } from "../service.ts";

/**
 * `GET /chart.svg`, `calendar.svg` and `card.svg`: the days of a counter or a prefix as an image of
 * this format. `parseOthers` parses the counters after the first, if the picture can show several.
 */
export function picture<Name extends string>(
  { counters, readPolicy }: Service,
  format: ImageFormat,
  { name, summary, parameters, since, draw, drawProblem }: Picture<Name>,
  parseOthers?: (query: Pick<Query<Name | "id">, "get" | "getAll">) => readonly CounterId[],
): Endpoint {
  const images = createRevalidated(readPolicy);
  return endpoint(parseOthers === undefined ? "counter or prefix" : "counters or prefix", {
    summary,
    parameters,
    parse: (query) => parseOthers?.(query) ?? [],
    async respond({ id, isPrefix, query, request, grant }, others) {
      const first = since(query, counters.calendar.today());
      const read = async (id: CounterId, isPrefix: boolean) => {
        const { hits, days } = await readDays(counters, { id, isPrefix, since: first, grant });
        return { id, total: hits, days };
      };
      // All in the same turn of the event loop, so that the store gets them in one batch.
      const [figures, ...more] = await Promise.all([
        read(id, isPrefix),
        ...others.map((id) => read(id, false)),
      ]);
      const svg = draw(figures, query, more, format);
      return images.respond(images.withHeaders(svg), request);
    },
    drawProblem,
    openapi: operation("Badges", name, revalidated(`The ${name.toLowerCase()}.`), STORE_PROBLEMS),
  });
}

/** Returns the counters of a request after the first, each once. */
export function parseOthers(
  query: Pick<Query<"id" | "kind">, "get" | "getAll">,
): readonly CounterId[] {
  const given = query.getAll("id");
  if (given.length > MAX_DRAWN) {
    throw new Problem("bad-query", {
      detail: `A chart shows up to ${MAX_DRAWN} counters. Remove ${given.length - MAX_DRAWN} of ` +
        `the ${given.length} ids, or send prefix= for the sum of a group.`,
    });
  }
  const [, ...others] = new Set(given.map(counterId));
  if (others.length > 0 && query.get("kind") === "bars") {
    throw new Problem("bad-query", {
      detail: "Bars show one counter. Send kind=total or kind=area with several ids.",
    });
  }
  return others;
}
