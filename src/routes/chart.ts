import { CHART_LOOKS } from "../chart/parameters.ts";
import { createCheckedImages } from "../http/checked_image.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { refusedQuery } from "../http/query.ts";
import { readWithDays } from "../http/recent_days.ts";

/** `GET /chart.svg`: the hits of days, weeks or months as bars. */
export function chart(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const images = createCheckedImages(readers);
  return counterEndpoint({
    path: "/chart.svg",
    methods: SHARED_READ,
    summary: "Show the hits of days, weeks or months as a chart",
    parameters: CHART_LOOKS,
    admits: "reader",
    audience: readers.audience,
    errors: "svg",
    async work() {
      const { drawChart, drawChartError } = await import("../chart/chart.ts");
      const { parseChartLook } = await import("../chart/look.ts");
      const { firstDay } = await import("../chart/range.ts");
      const { textHash } = await import("../badge/badge.ts");
      return {
        async find({ id, query }) {
          const look = parseChartLook(query);
          const { range } = look;
          const since = firstDay(range, counters.calendar.today(), range.count - 1);
          const show = ({ hits }: { hits: number }) => hits;
          const { shown, days } = await readWithDays(counters, { id, since, show });
          return drawChart({ total: shown, days }, look);
        },
        answer: (svg, { request }) =>
          images.answer(images.prepare({ svg, tag: textHash(svg) }), request),
        draw: (problem, { url }) => drawChartError(problem, parseChartLook(refusedQuery(url))),
      };
    },
  }, service);
}
