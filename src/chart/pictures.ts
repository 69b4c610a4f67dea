import type { ProblemText } from "../problem.ts";
import { parseGoal } from "../drawing/number.ts";
import { cleanText, type ImageFormat } from "../drawing/text.ts";
import type { Day } from "../domain/history.ts";
import type { Parameter } from "../http/query.ts";
import { firstDay } from "./bars.ts";
import { CALENDAR, calendarSince, drawCalendar } from "./draw_calendar.ts";
import { CARD, CARD_DAYS, drawCard, PREVIEW } from "./draw_card.ts";
import { drawChart } from "./draw_chart.ts";
import { frame, inksOf, type Size } from "./frame.ts";
import { drawLines, type NamedFigures } from "./draw_lines.ts";
import {
  CARD_PARAMETERS,
  CHART_PARAMETERS,
  type ChartName,
  parseChartLook,
  parsePictureLook,
  PICTURE_PARAMETERS,
  type PictureLook,
  type PictureName,
  type PictureQuery,
} from "./look.ts";
import { drawType, setType, setWithin } from "./type.ts";

/** A picture of a counter's days, as its routes use and describe it. */
export interface Picture<Name extends string> {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Parameter<Name>[];
  /** The first day that it shows. */
  since(query: PictureQuery<Name>, today: Day): Day;
  /** `others` are the other counters of a picture that can show several. */
  draw(
    figures: NamedFigures,
    query: PictureQuery<Name>,
    others?: readonly NamedFigures[],
    format?: ImageFormat,
  ): string;
  /** Draws a problem in the size of the picture. */
  drawProblem(problem: ProblemText, query: PictureQuery<Name>): string;
}

export const chart: Picture<ChartName> = {
  name: "Chart",
  summary: "Show the hits of days, weeks or months as a chart",
  parameters: CHART_PARAMETERS,
  since(query, today) {
    const { range } = parseChartLook(query);
    return range === undefined ? FIRST_DAY : firstDay(range, today, range.count - 1);
  },
  draw(figures, query, others = [], format) {
    const look = parseChartLook(query, format);
    if (others.length === 0) return drawChart(figures, look);
    const kind = look.kind === "area" ? "area" : "total";
    return drawLines([figures, ...others], { ...look, kind });
  },
  drawProblem(problem, query) {
    const look = parseChartLook(query);
    return drawProblem(problem, look, look);
  },
};

/** 1970-01-01. No counter has an earlier day. */
const FIRST_DAY: Day = 0;

export const calendar: Picture<PictureName> = {
  name: "Calendar",
  summary: "Show the hits of a year as a calendar",
  parameters: PICTURE_PARAMETERS,
  since: (_, today) => calendarSince(today),
  draw: (figures, query, _, format) => drawCalendar(figures, parsePictureLook(query, format)),
  drawProblem: (problem, query) => drawProblem(problem, parsePictureLook(query), CALENDAR),
};

export const card: Picture<PictureName | "goal"> = {
  name: "Card",
  summary: "Show a counter as a card",
  parameters: CARD_PARAMETERS,
  since: (_, today) => today - CARD_DAYS + 1,
  draw(figures, query, _, format) {
    const goal = parseGoal(query.get("goal"));
    return drawCard({ ...figures, goal }, parsePictureLook(query, format));
  },
  drawProblem: (problem, query) => drawProblem(problem, parsePictureLook(query), CARD),
};

/** A card for links. It has a background, because it is shown on pages of any color. */
export const preview: Picture<PictureName> = {
  name: "Preview",
  summary: "Show a counter as the preview image of a link, 1200 by 630 pixels",
  parameters: PICTURE_PARAMETERS,
  since: (_, today) => today - CARD_DAYS + 1,
  draw: (figures, query) => drawCard(figures, parsePreviewLook(query), PREVIEW),
  drawProblem: (problem, query) => drawProblem(problem, parsePreviewLook(query), PREVIEW),
};

function parsePreviewLook(query: PictureQuery): PictureLook {
  const look = parsePictureLook(query, "png");
  return look.theme === "dark" ? look : { ...look, theme: "light" };
}

/** Draws the frame of the picture that could not be drawn, its label, and a sentence. */
export function drawProblem({ badge, detail }: ProblemText, look: PictureLook, size: Size): string {
  const { width, height } = size;
  const inks = inksOf(look, size);
  const room = width - 2 * MARGIN;
  const small = { size: 12, bold: false };
  const label = setWithin(look.label, small, room);
  const sentence = setType(cleanText(detail), small);
  const fits = sentence.width <= room && !sentence.line.drawn.endsWith("…");
  const shown = fits ? sentence : setType(cleanText(badge), small);
  const words = drawType(label, { x: MARGIN, y: 26, at: "left" }) +
    drawType(shown, { x: width / 2, y: height / 2 + 4, at: "middle" });
  return frame(size, {
    title: `${look.label === "" ? "" : `${look.label}: `}${cleanText(badge)}`,
    description: detail,
    inks,
    words: `<g font-size="12">${words}</g>`,
  });
}

const MARGIN = 16;
