import { LOOKS } from "../badge/parameters.ts";
import type { ChartFigures } from "../chart/chart.ts";
import { CHART_LOOKS, PICTURE_LOOKS } from "../chart/parameters.ts";
import type { Picture } from "../chart/pictures.ts";
import type { Calendar } from "../counter/calendar.ts";
import type { Day } from "../counter/days.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, type EndpointFacts, READ, type Work } from "../http/endpoint.ts";
import { parseQuery, type Query, refusedQuery } from "../http/query.ts";

/** How the pictures of a sample are drawn, and those of its problems. */
interface Drawing<Name extends string> {
  picture(query: Query<Name>): string;
  readonly problem: Work["draw"];
}

/** `GET /sample/badge`: a badge of 12,345, which shows a design also where no counter may be seen. */
export function sampleBadge({ calendar }: { calendar: Calendar }): Endpoint {
  return sample({
    path: "/sample/badge",
    summary: "Show a badge of 12,345, which is no counter's",
    parameters: LOOKS,
  }, async () => {
    const { createDrawings, errorBadge } = await import("../badge/badge.ts");
    const { sparkOf } = await import("../badge/look.ts");
    const { badgeBars } = await import("../badge/spark.ts");
    const draw = createDrawings(({ svg }) => svg);
    return {
      picture(query) {
        const { total, days } = sampleFigures(calendar.today());
        const count = sparkOf(query);
        return draw(query, count === 0 ? total : { counts: total, bars: badgeBars(days, count) });
      },
      problem: errorBadge,
    };
  });
}

/** `GET /sample/chart.svg`: a chart of the same kind. */
export function sampleChart({ calendar }: { calendar: Calendar }): Endpoint {
  return sample({
    path: "/sample/chart.svg",
    summary: "Show a chart of 12,345 hits, which are no counter's",
    parameters: CHART_LOOKS,
  }, pictured(calendar, async () => (await import("../chart/pictures.ts")).chart));
}

/** `GET /sample/calendar.svg`: a calendar of the same kind. */
export function sampleCalendar({ calendar }: { calendar: Calendar }): Endpoint {
  return sample({
    path: "/sample/calendar.svg",
    summary: "Show a calendar of 12,345 hits, which are no counter's",
    parameters: PICTURE_LOOKS,
  }, pictured(calendar, async () => (await import("../chart/pictures.ts")).calendar));
}

/** `GET /sample/card.svg`: a card of the same kind. */
export function sampleCard({ calendar }: { calendar: Calendar }): Endpoint {
  return sample({
    path: "/sample/card.svg",
    summary: "Show a card of 12,345 hits, which are no counter's",
    parameters: PICTURE_LOOKS,
  }, pictured(calendar, async () => (await import("../chart/pictures.ts")).card));
}

function pictured<Name extends string>(
  calendar: Calendar,
  load: () => Promise<Picture<Pick<Query<Name>, "get">>>,
): () => Promise<Drawing<Name>> {
  return async () => {
    const { draw, drawFailure } = await load();
    return {
      picture: (query) => draw({ id: "user/repo", ...sampleFigures(calendar.today()) }, query),
      problem: (problem, { url }) => drawFailure(problem, refusedQuery(url)),
    };
  };
}

function sample<Name extends string>(
  facts: Pick<EndpointFacts<Name>, "path" | "summary" | "parameters">,
  load: () => Promise<Drawing<Name>>,
): Endpoint {
  const documented: ReadonlySet<string> = new Set(facts.parameters.map(({ name }) => name));
  const headers = headersOf("svg", { cacheControl: "max-age=3600", audience: "none" });
  return {
    ...facts,
    methods: READ,
    admits: "anyone",
    audience: "none",
    errors: "svg",
    async work(): Promise<Work> {
      const { picture, problem } = await load();
      return {
        handle: (request) => answer(picture(parseQuery(request.url, documented)), headers),
        draw: problem,
      };
    },
  };
}

/** Figures that are no counter's: a year of busier and calmer weeks, to show a design with. */
function sampleFigures(today: Day): ChartFigures {
  const hits = Array.from({ length: 366 }, (_, back) => {
    const weekend = (today - back + 3) % 7 > 4;
    return Math.round((40 + 9 * Math.sin(back * 1.7) - back / 14) * (weekend ? 0.6 : 1));
  });
  return { total: 12_345, days: { newest: today, hits } };
}
