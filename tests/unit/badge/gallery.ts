import { createDrawings, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";

// The badges of the documentation. `deno task pictures:badges` draws them again.

// The formatter would spread an SVG out over many lines.
const LEFT_ALONE = "<!-- deno-fmt-ignore-file -->\n";

const COUNT = 48_213;

const QUERIES: readonly (readonly [file: string, query: string])[] = [
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

const draw = createDrawings(({ svg }) => svg);

/** The files of the gallery: name and content. */
export const GALLERY: ReadonlyMap<string, string> = new Map([
  ...QUERIES.map(([file, query]): [string, string] => {
    return [`${file}.svg`, `${LEFT_ALONE}${draw(new Map(new URLSearchParams(query)), COUNT)}\n`];
  }),
  ["error.svg", `${LEFT_ALONE}${drawError(parseLook(new Map()), "bad id")}\n`],
]);

/** The folder that holds them. */
export const GALLERY_FOLDER = new URL("../../../.docs/images/badges/", import.meta.url);

if (import.meta.main) {
  for (const [file, svg] of GALLERY) {
    await Deno.writeTextFile(new URL(file, GALLERY_FOLDER), svg);
  }
}
