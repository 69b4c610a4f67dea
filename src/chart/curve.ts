/**
 * Units of a curve to a pixel. Whole units take fewer bytes than fractions of a pixel, and a fifth
 * of a pixel is the finest difference that readers see.
 */
export const FINENESS = 5;
/** Attributes that draw a curve in its own units, with a line of two pixels. */
export const CURVE_STROKE = `transform="scale(.2)" stroke-width="${
  2 * FINENESS
}" stroke-linejoin="round"`;

/** A point in units of a curve. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns path data from the first point, the position of the pen, through the others, which must
 * be equally far apart. Between two points the curve stays between their heights, so that a day
 * without hits is on the ground (the monotone cubic of Fritsch and Carlson, 1980).
 */
export function curveThrough(points: readonly Point[]): string {
  const slopes = slopesOf(points);
  let path = "";
  // Take differences from the rounded position of the pen, because rounding errors would add up.
  let pen = rounded(points[0] ?? { x: 0, y: 0 });
  points.forEach((point, index) => {
    const last = points[index - 1];
    if (last === undefined) return;
    const third = (point.x - last.x) / 3;
    const end = rounded(point);
    const [x, y] = [end.x - pen.x, end.y - pen.y];
    if (points.length > MAX_CURVES) {
      path += `l${x} ${y}`;
      pen = end;
      return;
    }
    const control = [x - third, y - third * (slopes[index] ?? 0), x, y];
    // "s" leaves a point as the last curve reached it. This fits points at equal distances.
    path += index === 1
      ? `c${[third, third * (slopes[0] ?? 0), ...control].map(Math.round).join(" ")}`
      : `s${control.map(Math.round).join(" ")}`;
    pen = end;
  });
  return path.replaceAll(" -", "-");
}

/** More points are so close together that straight lines look the same, for half the bytes. */
const MAX_CURVES = 40;

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) };
}

function slopesOf(points: readonly Point[]): number[] {
  const rises = points.slice(1).map(({ x, y }, index) => {
    const last = points[index] ?? { x: 0, y: 0 };
    return (y - last.y) / (x - last.x);
  });
  return points.map((_, index) => {
    const [before, after] = [rises[index - 1], rises[index]];
    if (before === undefined || after === undefined) return before ?? after ?? 0;
    // Level at a peak and in a valley. The harmonic mean keeps the curve between its neighbors.
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
  });
}
