import { formatCount } from "../badge/number.ts";
import type { PictureLook } from "./look.ts";
import { drawType, type Setting, setType, setWithin } from "./type.ts";

/** What stands above a chart, and where. */
export interface Heading {
  readonly total: number;
  /** Hits within the range; undefined where no days are known. */
  readonly within: number | undefined;
  /** The range in the reader's language, such as "30 days". */
  readonly span: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}

/** Draws the label on the left, and "12,345 · 2,434 in 30 days" on the right. */
export function drawHeading(heading: Heading, look: PictureLook): string {
  const { left, right, baseline: y } = heading;
  const size = right - left < NARROW ? 11 : 13;
  const label = setType(look.label, { size, bold: false });
  const figures = setFigures(heading, { look, size, label });
  const shown = setWithin(look.label, label.type, right - left - widthOf(figures) - GAP);
  let x = right - widthOf(figures);
  const drawn = figures.map((part) => {
    const text = drawType(part, { x, y, at: "left" });
    x += part.width + SPACE;
    return text;
  });
  const labelText = shown === undefined ? "" : drawType(shown, { x: left, y, at: "left" });
  return `<g font-size="${size}">${labelText}${drawn.join("")}</g>`;
}

const NARROW = 300;
const SPACE = 4;
const GAP = 12;
/** How much of a label should be seen before the numbers become shorter. */
const LEAST_LABEL = 60;

interface Room {
  readonly look: PictureLook;
  readonly size: number;
  readonly label: Setting;
}

/** The figures from left to right, as long as there is room for: in full, compact, or the count alone. */
function setFigures(heading: Heading, { look, size, label }: Room): readonly Setting[] {
  const room = heading.right - heading.left;
  const full = figuresIn(heading, { look, size });
  if (widthOf(full) + GAP + Math.min(label.width, LEAST_LABEL) <= room) return full;
  const compact = figuresIn(heading, { look: { ...look, numbers: "compact" }, size });
  return widthOf(compact) <= room ? compact : compact.filter(({ type }) => type.bold);
}

function figuresIn(
  { total, within, span }: Heading,
  { look, size }: Pick<Room, "look" | "size">,
): readonly Setting[] {
  const count = setType(formatCount(total, look), { size, bold: true });
  if (within === undefined) return [count];
  const joined = ENGLISH.test(look.locale) ? "in" : "/";
  const words = `· ${formatCount(within, look)} ${joined} ${span}`;
  const rest = setType(words, { size, bold: false });
  // Read from the right, the count comes first there.
  return rest.line.direction === "" ? [count, rest] : [rest, count];
}

const ENGLISH = /^en\b/;

function widthOf(figures: readonly Setting[]): number {
  return figures.reduce((sum, { width }) => sum + width + SPACE, -SPACE);
}
