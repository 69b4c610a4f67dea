import type { Failing } from "../badge/badge.ts";
import { CHART_LOOKS, PICTURE_LOOKS } from "../chart/parameters.ts";
import type { Picture } from "../chart/pictures.ts";
import type { CounterId } from "../counter/counter_id.ts";
import { createCheckedImages } from "../http/checked_image.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, type EndpointFacts, SHARED_READ } from "../http/endpoint.ts";
import { refusedQuery } from "../http/query.ts";
import { readWithDays } from "../http/recent_days.ts";

/** `GET /chart.svg`: the hits of days, weeks or months. */
export function chart(service: CounterService): Endpoint {
  return picture(service, {
    path: "/chart.svg",
    summary: "Show the hits of days, weeks or months as a chart",
    parameters: CHART_LOOKS,
  }, async () => (await import("../chart/pictures.ts")).chart);
}

/** `GET /calendar.svg`: the hits of the last 53 weeks as a grid of days. */
export function calendar(service: CounterService): Endpoint {
  return picture(service, {
    path: "/calendar.svg",
    summary: "Show the hits of a year as a calendar",
    parameters: PICTURE_LOOKS,
  }, async () => (await import("../chart/pictures.ts")).calendar);
}

/** `GET /card.svg`: name, count, today, the trend of seven days and a line of thirty. */
export function card(service: CounterService): Endpoint {
  return picture(service, {
    path: "/card.svg",
    summary: "Show a counter as a card",
    parameters: PICTURE_LOOKS,
  }, async () => (await import("../chart/pictures.ts")).card);
}

interface Query<Name extends string> {
  readonly get: (name: Name) => string | undefined;
}

function picture<Name extends string>(
  service: CounterService,
  facts: Pick<EndpointFacts<Name>, "path" | "summary" | "parameters">,
  load: () => Promise<Picture<Query<Name>>>,
): Endpoint {
  const { counters, readers } = service;
  const images = createCheckedImages(readers);
  return counterEndpoint({
    ...facts,
    methods: SHARED_READ,
    admits: "reader",
    audience: readers.audience,
    errors: "svg",
    async work() {
      const { since, draw, drawFailure } = await load();
      const { textHash } = await import("../badge/text.ts");
      return {
        async find({ id, query }: { id: CounterId; query: Query<Name> }) {
          const show = ({ hits }: { hits: number }) => hits;
          const asked = { id, since: since(query, counters.calendar.today()), show };
          const { shown, days } = await readWithDays(counters, asked);
          return draw({ id, total: shown, days }, query);
        },
        answer: (svg: string, { request }: { request: Request }) =>
          images.answer(images.prepare({ svg, tag: textHash(svg) }), request),
        draw: (failing: Failing, { url }: Request) => drawFailure(failing, refusedQuery(url)),
      };
    },
  }, service);
}
