import { createDrawings, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import type { ChartFigures } from "../../../src/chart/draw_chart.ts";
import type { NamedFigures } from "../../../src/chart/draw_lines.ts";
import { calendar, card, chart } from "../../../src/chart/pictures.ts";

// The pictures of the documentation. `deno task pictures:badges` draws them again.

// The formatter would spread an SVG out over many lines.
export const LEFT_ALONE = "<!-- deno-fmt-ignore-file -->\n";

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

const STARS = SEVERAL.map(({ id }) => `id=${id}`).join("&");

/** The charts by the addresses that draw them. */
const ADDRESSES: readonly (readonly [file: string, address: string])[] = [
  ["30d", "/chart.svg"],
  ["90d", "/chart.svg?range=90d"],
  ["12w", "/chart.svg?range=12w"],
  ["52w", "/chart.svg?range=52w"],
  ["12m", "/chart.svg?range=12m"],
  ["all", "/chart.svg?range=all&theme=auto"],
  ["area", "/chart.svg?kind=area&theme=auto"],
  ["total", "/chart.svg?kind=total&range=52w&theme=auto"],
  ["light", "/chart.svg?theme=light"],
  ["dark", "/chart.svg?theme=dark"],
  ["auto", "/chart.svg?theme=auto"],
  ["small", "/chart.svg?width=240&height=120&range=12w"],
  ["wide", "/chart.svg?width=960&height=400&range=90d"],
  ["colors", "/chart.svg?label=Leser&locale=de&color=success&range=12m"],
  ["arabic", "/chart.svg?label=%D9%85%D8%B4%D8%A7%D9%87%D8%AF%D8%A7%D8%AA&locale=ar-EG"],
  [
    "japanese",
    "/chart.svg?label=%E3%82%A2%E3%82%AF%E3%82%BB%E3%82%B9%E6%95%B0&locale=ja&numbers=compact",
  ],
  ["several", `/chart.svg?${STARS}&range=all&label=stars&theme=auto`],
  [
    "several-wide",
    `/chart.svg?${STARS}&kind=area&range=all&label=stars+per+month&width=960&height=240&theme=auto`,
  ],
  ["calendar", "/calendar.svg?theme=auto"],
  ["card", "/card.svg?theme=auto"],
  ["card-goal", "/card.svg?goal=60000&theme=auto"],
  ["spark", "/badge?spark=14&numbers=grouped"],
  ["spark-pill", "/badge?spark=14&style=pill&numbers=grouped"],
  ["spark-social", "/badge?spark=14&style=social&numbers=grouped"],
  ["spark-terminal", "/badge?spark=30&style=terminal&numbers=grouped"],
];

/** The badges by the queries that draw them. */
const BADGES: readonly (readonly [file: string, query: string])[] = [
  ...[...new Set(STYLES.values())].map(({ names: [name] }) => [name, `style=${name}`] as const),
  ["terminal-colors", "style=terminal&bg=%23300a24&labelColor=%23ffd7a0&valueColor=%23fff"],
  ["classic-light", "theme=light"],
  ["classic-dark", "theme=dark"],
  ["classic-auto", "theme=auto"],
  ["terminal-light", "style=terminal&theme=light"],
  ["terminal-auto", "style=terminal&theme=auto"],
  ["colors", "label=hits&color=success&labelColor=24292f"],
  ["grouped", "numbers=grouped"],
  ["compact", "numbers=compact"],
  ["german", "label=Aufrufe&numbers=grouped&locale=de"],
  ["japanese", "label=%E3%82%A2%E3%82%AF%E3%82%BB%E3%82%B9%E6%95%B0&color=orange"],
  ["logo-eye", "logo=eye"],
  ["logo-star", "logo=star&label=stars&color=gold&logoColor=gold"],
  ["logo-heart", "style=flat-square&logo=heart&label=likes&color=e05d8b"],
  ["logo-download", "style=for-the-badge&logo=download&label=downloads&color=success"],
  ["goal", "goal=60000&numbers=grouped"],
  ["goal-pill", "style=pill&goal=60000&numbers=grouped"],
  ["arabic", "label=%D9%85%D8%B4%D8%A7%D9%87%D8%AF%D8%A7%D8%AA&numbers=grouped&locale=ar-EG"],
];

const PICTURES = { "/chart.svg": chart, "/calendar.svg": calendar, "/card.svg": card };
const drawBadge = createDrawings((svg) => svg);

/** Draws the image of an address, of `SEVERAL` for its ids, else of `FIGURES`. */
export function drawAddress(address: string): string {
  const { pathname, searchParams } = new URL(address, "https://hits.example.com");
  const query = new Map(searchParams);
  const found = searchParams.getAll("id").flatMap((id) => SEVERAL.filter((one) => one.id === id));
  const [figures = { ...FIGURES, id: "ada/engine" }, ...others] = found;
  for (const [path, { draw }] of Object.entries(PICTURES)) {
    if (path === pathname) return draw(figures, query, others);
  }
  return drawBadge(query, FIGURES.total, FIGURES.days);
}

/** The files of the gallery: path and content. */
export const GALLERY: ReadonlyMap<string, string> = new Map(
  [
    ...ADDRESSES.map(([file, address]) => [`charts/${file}`, drawAddress(address)] as const),
    ...BADGES.map(([file, query]) => [`badges/${file}`, drawAddress(`/badge?${query}`)] as const),
    ["badges/error", drawError(parseLook(new Map()), "bad id")] as const,
  ].map(([path, svg]) => [`${path}.svg`, `${LEFT_ALONE}${svg}\n`]),
);

/** The folder that holds them. */
export const GALLERY_FOLDER = new URL("../../../.docs/images/", import.meta.url);

if (import.meta.main) {
  for (const [file, svg] of GALLERY) {
    await Deno.writeTextFile(new URL(file, GALLERY_FOLDER), svg);
  }
}
