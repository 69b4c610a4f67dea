import { tenth } from "./type.ts";

/** A point in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The data of a path through points from left to right, equally far apart, after a move to the first: smooth, and never above or below the
 * points beside it, so that a day without hits stays on the ground (Fritsch and Carlson's monotone cubic, 1980).
 */
export function curveThrough(points: readonly Point[]): string {
  const slopes = slopesOf(points);
  let path = "";
  // Where the pen is after rounding: differences from there do not add up to an error.
  let pen = rounded(points[0] ?? { x: 0, y: 0 });
  points.forEach((point, index) => {
    const last = points[index - 1];
    if (last === undefined) return;
    const third = (point.x - last.x) / 3;
    const end = rounded(point);
    const [x, y] = [end.x - pen.x, end.y - pen.y];
    if (points.length > MOST_CURVES) {
      path += `l${tenth(x)} ${tenth(y)}`;
      pen = end;
      return;
    }
    // A whole number for the x of a control point looks the same, for fewer bytes.
    const control = [Math.round(x - third), y - third * (slopes[index] ?? 0), x, y];
    // The points are equally far apart, so each curve leaves as the one before it came: that is what "s" draws.
    path += index === 1
      ? `c${[third, third * (slopes[0] ?? 0), ...control].map(tenth).join(" ")}`
      : `s${control.map(tenth).join(" ")}`;
    pen = end;
  });
  return path.replaceAll(" -", "-").replaceAll(/(?<!\d)0\./g, ".");
}

/** With more points they are so close that straight lines look the same, for half the bytes. */
const MOST_CURVES = 40;

function rounded({ x, y }: Point): Point {
  return { x: tenth(x), y: tenth(y) };
}

/** The slope of the curve at each point. */
function slopesOf(points: readonly Point[]): number[] {
  const rises = points.slice(1).map(({ x, y }, index) => {
    const last = points[index] ?? { x: 0, y: 0 };
    return (y - last.y) / (x - last.x);
  });
  return points.map((_, index) => {
    const [before, after] = [rises[index - 1], rises[index]];
    if (before === undefined || after === undefined) return before ?? after ?? 0;
    // At a peak or in a valley the curve is level; elsewhere the harmonic mean keeps it between its neighbors.
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
  });
}
