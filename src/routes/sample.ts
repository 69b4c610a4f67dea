import { createDrawings, errorBadge, sparkOf } from "../badge/badge.ts";
import { LOOKS } from "../badge/parameters.ts";
import { badgeBars } from "../badge/spark.ts";
import type { ChartFigures } from "../chart/chart.ts";
import { CHART_LOOKS, PICTURE_LOOKS } from "../chart/look.ts";
import * as pictures from "../chart/pictures.ts";
import type { Day } from "../counter/days.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { keptImage } from "../openapi/responses.ts";
import type { Service } from "./service.ts";

const HEADERS = headersFor("svg", "max-age=3600");

/** `GET /sample/badge`: a badge of 12,345, which shows a design even if reads are protected. */
export function sampleBadge({ counters: { calendar } }: Service): Endpoint {
  const draw = createDrawings(({ svg }) => svg);
  return endpoint("none", {
    summary: "Show a sample badge",
    parameters: LOOKS,
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
      responses: { 200: keptImage("The badge.") },
    },
  });
}

/** `GET /sample/chart.svg`: a chart of the same kind. */
export function sampleChart(service: Service): Endpoint {
  return samplePicture(service, {
    name: "chart",
    parameters: CHART_LOOKS,
    picture: pictures.chart,
  });
}

/** `GET /sample/calendar.svg`: a calendar of the same kind. */
export function sampleCalendar(service: Service): Endpoint {
  return samplePicture(service, {
    name: "calendar",
    parameters: PICTURE_LOOKS,
    picture: pictures.calendar,
  });
}

/** `GET /sample/card.svg`: a card of the same kind. */
export function sampleCard(service: Service): Endpoint {
  return samplePicture(service, {
    name: "card",
    parameters: PICTURE_LOOKS,
    picture: pictures.card,
  });
}

interface SampleFacts<Name extends string> {
  readonly name: string;
  readonly parameters: readonly Parameter<Name>[];
  readonly picture: pictures.Picture<Pick<Query<Name>, "get">>;
}

function samplePicture<Name extends string>(
  { counters: { calendar } }: Service,
  { name, parameters, picture: { draw, drawProblem } }: SampleFacts<Name>,
): Endpoint {
  return endpoint("none", {
    summary: `Show a sample ${name}`,
    parameters,
    respond({ query }) {
      const figures = { id: "user/repo", ...sampleFigures(calendar.today()) };
      return createResponse(draw(figures, query), HEADERS);
    },
    drawProblem,
    openapi: {
      name: `Sample${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      tags: ["Badges"],
      responses: { 200: keptImage(`The ${name}.`) },
    },
  });
}

/** Figures that are no counter's: a year of busier and calmer weeks, to show a design with. */
function sampleFigures(today: Day): ChartFigures {
  const hits = Array.from({ length: 366 }, (_, back) => {
    const weekend = (today - back + 3) % 7 > 4;
    return Math.round((40 + 9 * Math.sin(back * 1.7) - back / 14) * (weekend ? 0.6 : 1));
  });
  return { total: 12_345, days: { newest: today, hits } };
}
