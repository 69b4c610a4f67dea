import { PNG } from "pngjs";
import { drawBadge, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { drawPixels, pngBytes } from "../../support/picture.ts";

// `deno task pictures:badges` draws sheet.png afresh: look at it before it is committed. The fonts
// in fonts/ have the letters of SAMPLES and no others.

const SAMPLES = [
  { label: "views", message: "12,345" },
  { label: "x", message: "0" },
  { label: "Größe à l’été", message: "9007199254740991" },
  { label: "просмотры", message: "12 345" },
  { label: "مشاهدات", message: "12,345" },
  { label: "צפיות", message: "12,345" },
  { label: "アクセス数", message: "1.2万" },
  { label: "👨‍👩‍👧 <a&b>", message: "12.3K" },
  { label: "a very long label that goes on and on", message: "1" },
  { label: "hits", message: "7", color: "gold", labelColor: "white", bg: "navy" },
];

const THEMES = ["none", "light", "dark"];

const GAP = 6;
const ROW = 44;
const WIDTH = 880;

/** The address of the committed sheet. */
export const SHEET = new URL("./sheet.png", import.meta.url);

/** Draws every style in every theme with every sample and two errors on one picture. */
export function drawSheet(): PNG {
  const rows = [...new Set(STYLES.values())].flatMap(({ names: [style] }) =>
    THEMES.flatMap((theme) => wrapped(badges(style, theme).map((svg) => drawPixels(svg))))
  );
  const sheet = new PNG({ width: WIDTH, height: rows.length * ROW });
  sheet.data.fill(0xff);
  rows.forEach((row, at) => {
    let x = GAP;
    for (const picture of row) {
      PNG.bitblt(picture, sheet, 0, 0, picture.width, picture.height, x, at * ROW + GAP / 2);
      x += picture.width + GAP;
    }
  });
  return sheet;
}

if (import.meta.main) await Deno.writeFile(SHEET, pngBytes(drawSheet()));

function badges(style: string, theme: string): string[] {
  const query = { style, theme };
  const plain = parseLook(new Map(Object.entries(query)));
  return [
    ...SAMPLES.map(({ message, ...rest }) =>
      drawBadge(parseLook(new Map(Object.entries({ ...query, ...rest }))), message)
    ),
    drawError(plain, "bad id"),
    drawError(plain, "store away"),
  ];
}

/** Breaks a row where the sheet ends. */
function wrapped(pictures: readonly PNG[]): PNG[][] {
  const rows: PNG[][] = [];
  let x = Infinity;
  for (const picture of pictures) {
    if (x + picture.width + GAP > WIDTH) {
      rows.push([]);
      x = GAP;
    }
    rows.at(-1)?.push(picture);
    x += picture.width + GAP;
  }
  return rows;
}
