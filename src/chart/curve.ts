import { partId } from "../drawing/inks.ts";
import type { Area } from "./axis.ts";
import type { PictureInks } from "./frame.ts";

/**
 * Units of a curve to a pixel. Whole units take fewer bytes than fractions of a pixel, and a fifth
 * of a pixel is the finest difference that readers see.
 */
export const FINENESS = 5;
/** Attributes that draw a curve in its own units, with a line of two pixels. */
const STROKE = `transform="scale(.2)" stroke-width="${2 * FINENESS}" stroke-linejoin="round"`;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws a line through points in pixels, which must be equally far apart. */
export function drawCurve(points: readonly Point[], ink = ""): string {
  const { x, y, path } = curveThrough(points);
  return `<path ${STROKE}${ink} d="M${x} ${y}${path}"/>`;
}

/** Draws a step that is not over. */
export function drawDashes(step: string, ink = ""): string {
  return `<path stroke-width="2" stroke-dasharray="4 3"${ink} d="${step}"/>`;
}

/** Draws a line through points and the ground below it as one path, cut at an area in pixels. */
export function drawHill(
  points: readonly Point[],
  { left, top, right, bottom, radius = 0 }: Area & { readonly radius?: number },
  inks: PictureInks,
): string {
  const edges = [left, top, right - left, bottom - top, radius].map((length) =>
    Math.round(FINENESS * length)
  );
  const [x = 0, y, width, height, rx] = edges;
  const cut = partId("l", ...edges);
  const { path, ...start } = curveThrough(points);
  const below = FINENESS * (bottom + 9);
  return `<linearGradient id="${
    partId("a", inks.tint)
  }" x2="0" y2="1"><stop stop-color="${inks.tint}" stop-opacity=".42"/>` +
    `<stop offset="1" stop-color="${inks.tint}" stop-opacity=".02"/></linearGradient>` +
    `<clipPath id="${cut}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${rx}"/></clipPath>` +
    `<path ${STROKE} clip-path="url(#${cut})"${shadeOf(inks)}${inks.bars} ` +
    // The sides are outside of the cut.
    `d="M${x - 20} ${below}V${start.y}H${start.x}${path}h20V${below}z"/>`;
}

/** Returns the fill of the ground below a line. */
export function shadeOf({ tint }: PictureInks): string {
  return ` fill="url(#${partId("a", tint)})"`;
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
