import type { Element } from "../../support/parse_svg.ts";

/** A bar of a chart as it is seen, in pixels; `x` is its middle. */
export interface DrawnBar {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly isPale: boolean;
}

/** Returns the bars of a chart from left to right, moved as the group around them is. */
export function drawnBars(svg: readonly Element[]): DrawnBar[] {
  const at = svg.findIndex(({ attributes }) => attributes.get("transform")?.startsWith("matrix("));
  const { attributes } = svg[at] ?? { attributes: new Map<string, string>() };
  const [across = NaN, , , up = NaN, left = NaN, bottom = NaN] = numbersIn(
    attributes.get("transform"),
  );
  const [width = NaN] = numbersIn(attributes.get("stroke-width"));
  return svg.slice(at + 1, at + 3).flatMap(({ attributes }) =>
    [...(attributes.get("d") ?? "").matchAll(/M([\d.]+) ([\d.]+)v(-?[\d.]+)/g)].map((stroke) => {
      const [x = NaN, from = NaN, length = NaN] = stroke.slice(1).map(Number);
      return {
        x: left + across * x,
        width: across * width,
        top: bottom + up * (from + length),
        height: -up * length,
        isPale: attributes.has("stroke-opacity"),
      };
    })
  );
}

function numbersIn(text = ""): number[] {
  return [...text.matchAll(/-?[\d.]+/g)].map(Number);
}
