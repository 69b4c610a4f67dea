import { textHash } from "../badge/text.ts";
import { CHART_LOOKS, PICTURE_LOOKS } from "../chart/look.ts";
import * as pictures from "../chart/pictures.ts";
import { createRevalidatedImages } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { IF_NONE_MATCH, revalidated, STORE_PROBLEMS } from "../openapi/responses.ts";
import { readWithDays } from "./read_counter.ts";
import type { Service } from "./service.ts";

/** A kind of picture and its endpoint. */
export interface PictureFacts<Name extends string> {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Parameter<Name>[];
  readonly picture: pictures.Picture<Pick<Query<Name>, "get">>;
}

export const CHART = {
  name: "Chart",
  summary: "Show the hits of days, weeks or months as a chart",
  parameters: CHART_LOOKS,
  picture: pictures.chart,
};

export const CALENDAR = {
  name: "Calendar",
  summary: "Show the hits of a year as a calendar",
  parameters: PICTURE_LOOKS,
  picture: pictures.calendar,
};

export const CARD = {
  name: "Card",
  summary: "Show a counter as a card",
  parameters: PICTURE_LOOKS,
  picture: pictures.card,
};

export const PREVIEW = {
  name: "Preview",
  summary: "Show a counter as the preview image of a link, 1200 by 630 pixels",
  parameters: PICTURE_LOOKS,
  picture: pictures.preview,
};

/** `GET /chart.svg`, `/calendar.svg` and `/card.svg`: the days of a counter or of a prefix as a picture. */
export function picture<Name extends string>(
  { counters, reads }: Service,
  { name, summary, parameters, picture: { since, draw, drawProblem } }: PictureFacts<Name>,
): Endpoint {
  const images = createRevalidatedImages(reads);
  return endpoint("counter or prefix", {
    summary,
    parameters,
    async respond({ id, isPrefix, query, request }) {
      const { value, days } = await readWithDays(counters, {
        ...{ id, isPrefix, since: since(query, counters.calendar.today()) },
        valueOf: ({ hits }) => hits,
      });
      const svg = draw({ id, total: value, days }, query);
      return images.respond(images.prepare({ svg, tag: textHash(svg) }), request);
    },
    drawProblem,
    openapi: {
      name,
      tags: ["Badges"],
      headers: [IF_NONE_MATCH],
      responses: revalidated(`The ${name.toLowerCase()}.`),
      problems: STORE_PROBLEMS,
    },
  });
}
