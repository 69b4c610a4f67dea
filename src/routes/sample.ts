import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { BADGE_PARAMETERS } from "../badge/parameters.ts";
import { badgeBars } from "../badge/spark.ts";
import type { ChartFigures } from "../chart/chart.ts";
import type { Picture } from "../chart/pictures.ts";
import type { Day } from "../counter/days.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { keptImage } from "../openapi/responses.ts";
import type { Service } from "./service.ts";

const HEADERS = headersFor("svg", "max-age=3600");

/** `GET /sample/badge`: a badge of 12,345, which shows a design even if reads are protected. */
export function sampleBadge({ counters: { calendar } }: Service): Endpoint {
  const draw = createDrawings(({ svg }) => svg);
  return endpoint("none", {
    summary: "Show a sample badge",
    parameters: BADGE_PARAMETERS,
    respond({ query }) {
      const { total, days } = sampleFigures(calendar.today());
      const count = sparkOf(query);
      const figures = count === 0 ? total : { counts: total, bars: badgeBars(days, count) };
      return createResponse(draw(query, figures), HEADERS);
    },
    drawProblem: errorBadge,
    openapi: {
      name: "SampleBadge",
      tags: ["Badges"],
      responses: keptImage("The badge."),
    },
  });
}

/** `GET /sample/chart.svg`, `calendar.svg` and `card.svg`: pictures of made-up figures. */
export function samplePicture<Name extends string>(
  { counters: { calendar } }: Service,
  { name, parameters, draw, drawProblem }: Picture<Name>,
): Endpoint {
  const noun = name.toLowerCase();
  return endpoint("none", {
    summary: `Show a sample ${noun}`,
    parameters,
    respond({ query }) {
      const figures = { id: "user/repo", ...sampleFigures(calendar.today()) };
      return createResponse(draw(figures, query), HEADERS);
    },
    drawProblem,
    openapi: {
      name: `Sample${name}`,
      tags: ["Badges"],
      responses: keptImage(`The ${noun}.`),
    },
  });
}

/** Returns made-up figures of a year with busier and calmer weeks, which show a design. */
function sampleFigures(today: Day): ChartFigures {
  const hits = Array.from({ length: 366 }, (_, back) => {
    const weekend = (today - back + 3) % 7 > 4;
    return Math.round((40 + 9 * Math.sin(back * 1.7) - back / 14) * (weekend ? 0.6 : 1));
  });
  return { total: 12_345, days: { newest: today, hits } };
}
