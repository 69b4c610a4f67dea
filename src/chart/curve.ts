/**
 * Units of a curve to a pixel. Whole units take fewer bytes than fractions of a pixel, and a fifth
 * of a pixel is the finest difference that readers see.
 */
export const FINENESS = 5;
/** Attributes that draw a curve in its own units, with a line of two pixels. */
export const CURVE_STROKE = `transform="scale(.2)" stroke-width="${
  2 * FINENESS
}" stroke-linejoin="round"`;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Converts points in pixels, which must be equally far apart, to a curve in its own units. Returns
 * the first point, and path data from there through the others. Between two points the curve stays
 * between their heights, so that it is level between two equal days (the monotone cubic of Fritsch
 * and Carlson, 1980).
 */
export function curveThrough(pixels: readonly Point[]): Point & { readonly path: string } {
  // Round heights before the slopes, because a slope between other heights would leave these.
  const points = pixels.map(({ x, y }) => ({ x: FINENESS * x, y: Math.round(FINENESS * y) }));
  const slopes = slopesOf(points);
  const [start = { x: 0, y: 0 }] = points;
  let path = "";
  // Take differences from the rounded position of the pen, because rounding errors would add up.
  let pen = Math.round(start.x);
  points.forEach((point, index) => {
    const last = points[index - 1];
    if (last === undefined) return;
    const third = (point.x - last.x) / 3;
    const [x, y] = [Math.round(point.x) - pen, point.y - last.y];
    const control = [x - third, y - third * (slopes[index] ?? 0), x, y];
    // "s" leaves a point as the last curve reached it. This fits points at equal distances.
    path += points.length > MAX_CURVES && 3 * third < FAR
      ? `l${x} ${y}`
      : index === 1
      ? `c${[third, third * (slopes[0] ?? 0), ...control].map(Math.round).join(" ")}`
      : `s${control.map(Math.round).join(" ")}`;
    pen += x;
  });
  return { x: Math.round(start.x), y: start.y, path: path.replaceAll(" -", "-") };
}

/** More points are so close together that straight lines look the same, for half the bytes. */
const MAX_CURVES = 40;
/** The distance of points, in units of the curve, at which straight lines look different. */
const FAR = 9 * FINENESS;

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
