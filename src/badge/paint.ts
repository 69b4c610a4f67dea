import type { Color } from "./color.ts";

/** One color for all readers, or one for light pages and one for dark pages. */
export type Ink = Color | readonly [light: Color, dark: Color];

/** The page around a drawing. "auto" follows the color scheme of the reader. */
export type Scheme = "light" | "dark" | "auto";

/** An accent that is legible on all pages, and a brighter variant for dark pages. */
export const GREEN = ["#17957f", "#2fae91"] as const satisfies Ink;
/** Color of a trend that goes up. */
export const UP = ["#0b7261", "#5ad1b2"] as const satisfies Ink;
/** Color of an error. */
export const ERROR = ["#b3261e", "#ff9b90"] as const satisfies Ink;

/**
 * Turns inks into attributes, each with a leading space, and collects the rules for dark pages. The
 * class of a part is among its attributes only if a rule needs it.
 */
export class Paint {
  readonly #scheme: Scheme;
  #rules = "";

  constructor(scheme: Scheme) {
    this.#scheme = scheme;
  }

  fill(name: string, ink: Ink): string {
    return this.#part(name, "fill", ink);
  }

  stroke(name: string, ink: Ink): string {
    return this.#part(name, "stroke", ink);
  }

  /** Paints a stop of a gradient. */
  stop(name: string, ink: Ink): string {
    return this.#part(name, "stop-color", ink);
  }

  /** Paints an area with a border. */
  area(name: string, { fill, border }: { fill: Ink; border: Ink }): string {
    const rules = [darkRule("fill", fill), darkRule("stroke", border)];
    return this.#mark(name, rules.filter((rule) => rule !== "").join(";")) +
      this.#attribute("fill", fill) + this.#attribute("stroke", border);
  }

  /**
   * Returns a style element with the rules of all parts so far. Empty unless the scheme is "auto".
   */
  css(): string {
    if (this.#scheme !== "auto") return "";
    return `<style>@media(prefers-color-scheme:dark){${this.#rules}}</style>`;
  }

  #part(name: string, property: string, ink: Ink): string {
    return this.#mark(name, darkRule(property, ink)) + this.#attribute(property, ink);
  }

  #mark(name: string, rule: string): string {
    if (this.#scheme !== "auto" || rule === "") return "";
    this.#rules += `.${name}{${rule}}`;
    return ` class="${name}"`;
  }

  #attribute(property: string, ink: Ink): string {
    const color = typeof ink === "string" ? ink : ink[this.#scheme === "dark" ? 1 : 0];
    return ` ${property}="${color}"`;
  }
}

function darkRule(property: string, ink: Ink): string {
  return typeof ink === "string" || ink[0] === ink[1] ? "" : `${property}:${ink[1]}`;
}

/** Derives an ink from another, for each color scheme. */
export function mapInk(ink: Ink, derive: (color: Color) => Color): Ink {
  return typeof ink === "string" ? derive(ink) : [derive(ink[0]), derive(ink[1])];
}
