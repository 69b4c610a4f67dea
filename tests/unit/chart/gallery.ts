import { drawBadge, sparkOf } from "../../../src/badge/drawings.ts";
import { parseLook } from "../../../src/badge/look.ts";
import { formatCount } from "../../../src/drawing/number.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import { drawCalendar } from "../../../src/chart/draw_calendar.ts";
import { drawCard } from "../../../src/chart/draw_card.ts";
import { type ChartFigures, drawChart } from "../../../src/chart/draw_chart.ts";
import { drawLines, type NamedFigures } from "../../../src/chart/draw_lines.ts";
import { parseChartLook, parsePictureLook } from "../../../src/chart/look.ts";

// The charts of the documentation. To draw them again:
// deno run --config tests/deno.json --allow-write=.docs tests/unit/chart/gallery.ts

// The formatter would spread an SVG out over many lines.
const LEFT_ALONE = "<!-- deno-fmt-ignore-file -->\n";

/** 2026-11-21, a Saturday. */
export const TODAY = 20_778;

/** Two years of a page that is read more and more, less at weekends, and once by very many. */
export const FIGURES: ChartFigures = {
  total: 48_213,
  days: {
    newest: TODAY,
    hits: Array.from({ length: 730 }, (_, back) => {
      const weekday = (TODAY - back + 3) % 7;
      const usual = 140 - back / 6 + 23 * Math.sin(back * 1.7) + 11 * Math.sin(back * 0.6);
      const peak = back === 17 ? 2.4 : 1;
      const today = back === 0 ? 0.6 : 1;
      return Math.max(0, Math.round(usual * peak * today * (weekday > 4 ? 0.55 : 1)));
    }),
  },
};

const QUERIES: readonly (readonly [file: string, query: string])[] = [
  ["30d", ""],
  ["90d", "range=90d"],
  ["12w", "range=12w"],
  ["52w", "range=52w"],
  ["12m", "range=12m"],
  ["all", "range=all&theme=auto"],
  ["area", "kind=area&theme=auto"],
  ["total", "kind=total&range=52w&theme=auto"],
  ["light", "theme=light"],
  ["dark", "theme=dark"],
  ["auto", "theme=auto"],
  ["small", "width=240&height=120&range=12w"],
  ["wide", "width=960&height=400&range=90d"],
  ["colors", "label=Leser&locale=de&color=success&range=12m"],
  ["arabic", "label=%D9%85%D8%B4%D8%A7%D9%87%D8%AF%D8%A7%D8%AA&locale=ar-EG"],
  ["japanese", "label=%E3%82%A2%E3%82%AF%E3%82%BB%E3%82%B9%E6%95%B0&locale=ja&numbers=compact"],
];

/** Three counters of six years and less, two of which end close together. */
export const SEVERAL: readonly NamedFigures[] = [
  grown("github/ada/engine/stars", { days: 2200, least: 8, most: 44 }),
  grown("github/grace/compiler/stars", { days: 2000, least: 30, most: 26 }),
  grown("github/alan/machine/stars", { days: 900, least: 5, most: 60 }),
];

function grown(
  id: string,
  { days, least, most }: { days: number; least: number; most: number },
): NamedFigures {
  const hits = Array.from({ length: days }, (_, back) => {
    const usual = least + (most - least) * (days - back) / days;
    return Math.round(usual * (1 + 0.5 * Math.sin(back * 1.7) + 0.4 * Math.sin(back / 60)));
  });
  const total = hits.reduce((sum, number) => sum + number, 0);
  return { id, total, days: { newest: TODAY, hits } };
}

function lines(query: string): string {
  const look = parseChartLook(new Map(new URLSearchParams(`theme=auto&range=all&${query}`)));
  return drawLines(SEVERAL, look);
}

const PICTURES: readonly (readonly [file: string, svg: string])[] = [
  ["several", lines("kind=total&label=stars")],
  ["several-wide", lines("kind=area&label=stars+per+month&width=960&height=240")],
  [
    "calendar",
    drawCalendar(FIGURES, parsePictureLook(new Map<string, string>([["theme", "auto"]]))),
  ],
  [
    "card",
    drawCard(
      { ...FIGURES, id: "ada/engine" },
      parsePictureLook(new Map<string, string>([["theme", "auto"]])),
    ),
  ],
];

const CARD_WITH_GOAL = drawCard(
  { ...FIGURES, id: "ada/engine", goal: 60_000 },
  parsePictureLook(new Map<string, string>([["theme", "auto"]])),
);

const BADGES: readonly (readonly [file: string, query: string])[] = [
  ["spark", "spark=14&numbers=grouped"],
  ["spark-pill", "spark=14&style=pill&numbers=grouped"],
  ["spark-flat-square", "spark=30&style=flat-square&label="],
  ["spark-terminal", "spark=30&style=terminal&numbers=grouped"],
];

function drawSpark(query: string): string {
  const parameters = new Map(new URLSearchParams(query));
  const look = parseLook(parameters);
  const bars = badgeBars(FIGURES.days, sparkOf(parameters));
  return drawBadge(look, formatCount(FIGURES.total, look), { bars });
}

/** The files of the gallery: name and content. */
export const GALLERY: ReadonlyMap<string, string> = new Map([
  ["card-goal.svg", `${LEFT_ALONE}${CARD_WITH_GOAL}\n`],
  ...QUERIES.map(([file, query]): [string, string] => {
    const look = parseChartLook(new Map(new URLSearchParams(query)));
    return [`${file}.svg`, `${LEFT_ALONE}${drawChart(FIGURES, look)}\n`];
  }),
  ...PICTURES.map(([file, svg]): [string, string] => [`${file}.svg`, `${LEFT_ALONE}${svg}\n`]),
  ...BADGES.map(([file, query]): [string, string] => {
    return [`${file}.svg`, `${LEFT_ALONE}${drawSpark(query)}\n`];
  }),
]);

/** The folder that holds them. */
export const GALLERY_FOLDER = new URL("../../../.docs/images/charts/", import.meta.url);

if (import.meta.main) {
  for (const [file, svg] of GALLERY) {
    await Deno.writeTextFile(new URL(file, GALLERY_FOLDER), svg);
  }
}
