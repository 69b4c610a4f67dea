import { createDrawings, errorBadge } from "../badge/drawings.ts";
import { BADGE_PARAMETER_LIST } from "../badge/styles.ts";
import type { NamedFigures } from "../chart/draw_lines.ts";
import type { Picture } from "../chart/pictures.ts";
import type { Day } from "../domain/history.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Query } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { bodies, operation, success } from "../openapi/responses.ts";
import type { Service } from "../service.ts";

const HEADERS = headersFor("svg", "max-age=3600");

interface Sample<Name extends string>
  extends Pick<Picture<Name>, "name" | "parameters" | "drawProblem"> {
  draw(figures: NamedFigures, query: Query<Name>): string;
}

/** `GET /sample/badge`: a badge of 12,345, which shows a design even if reads are protected. */
export function sampleBadge(service: Service): Endpoint {
  const drawBadge = createDrawings((svg) => svg);
  return samplePicture(service, {
    name: "Badge",
    parameters: BADGE_PARAMETER_LIST,
    draw: ({ total, days }, query) => drawBadge(query, total, days),
    drawProblem: errorBadge,
  });
}

/** `GET /sample/chart.svg`, `calendar.svg` and `card.svg`: pictures of made-up figures. */
export function samplePicture<Name extends string>(
  { counters: { calendar } }: Service,
  { name, parameters, draw, drawProblem }: Sample<Name>,
): Endpoint {
  const noun = name.toLowerCase();
  const drawn = success(`The ${noun}.`, bodies.svg);
  return endpoint("none", {
    summary: `Show a sample ${noun}`,
    parameters,
    respond({ query }) {
      return createResponse(draw(sampleFigures(calendar.today()), query), HEADERS);
    },
    drawProblem,
    openapi: operation("Badges", `Sample${name}`, drawn),
  });
}

/** Returns made-up figures of a year with busier and calmer weeks, which show a design. */
function sampleFigures(today: Day): NamedFigures {
  const hits = Array.from({ length: 366 }, (_, back) => {
    const weekend = (today - back + 3) % 7 > 4;
    return Math.round((40 + 9 * Math.sin(back * 1.7) - back / 14) * (weekend ? 0.6 : 1));
  });
  return { id: "user/repo", total: 12_345, days: { newest: today, hits } };
}
