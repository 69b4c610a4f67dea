import type { Failing } from "../badge/badge.ts";
import type { Day } from "../counter/days.ts";
import { CALENDAR, calendarSince, drawCalendar } from "./calendar.ts";
import { CARD, CARD_DAYS, drawCard } from "./card.ts";
import { type ChartFigures, drawChart } from "./chart.ts";
import { drawFailure } from "./failure.ts";
import { parseChartLook, parsePictureLook } from "./look.ts";
import type { ChartQuery, PictureQuery } from "./parameters.ts";
import { firstDay } from "./range.ts";

/** A kind of picture that shows the days of a counter. */
export interface Picture<Query> {
  /** The first day that it shows. */
  since(query: Query, today: Day): Day;
  draw(figures: ChartFigures & { readonly id: string }, query: Query): string;
  /** Draws what went wrong in the size of the picture. */
  drawFailure(failing: Failing, query: Query): string;
}

/** The hits of days, weeks or months. */
export const chart: Picture<ChartQuery> = {
  since(query, today) {
    const { range } = parseChartLook(query);
    return firstDay(range, today, range.count - 1);
  },
  draw: (figures, query) => drawChart(figures, parseChartLook(query)),
  drawFailure(failing, query) {
    const look = parseChartLook(query);
    return drawFailure(failing, { look, size: look });
  },
};

/** The last 53 weeks as a grid of days. */
export const calendar: Picture<PictureQuery> = {
  since: (_, today) => calendarSince(today),
  draw: (figures, query) => drawCalendar(figures, parsePictureLook(query)),
  drawFailure: (failing, query) =>
    drawFailure(failing, { look: parsePictureLook(query), size: CALENDAR }),
};

/** Name, count, today, the trend of seven days and a line of thirty. */
export const card: Picture<PictureQuery> = {
  since: (_, today) => today - CARD_DAYS + 1,
  draw: (figures, query) => drawCard(figures, parsePictureLook(query)),
  drawFailure: (failing, query) =>
    drawFailure(failing, { look: parsePictureLook(query), size: CARD }),
};
