import type { Color } from "./color.ts";

/** One color for all readers, or one for light pages and one for dark pages. */
export type Ink = Color | readonly [light: Color, dark: Color];

/** The page around a drawing. "auto" follows the color scheme of the reader. */
export type Scheme = "light" | "dark" | "auto";

/** The color scheme that a client chose; "none" keeps the colors that fit all pages. */
export type Theme = "none" | Scheme;

export function parseTheme(text: string | undefined): Theme {
  return text === "auto" || text === "light" || text === "dark" ? text : "none";
}

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
export class Inks {
  readonly #scheme: Scheme;
  #rules = "";

  constructor(scheme: Scheme) {
    this.#scheme = scheme;
  }

  fill(name: string, ink: Ink): string {
    return this.attributes(name, { fill: ink });
  }

  stroke(name: string, ink: Ink): string {
    return this.attributes(name, { stroke: ink });
  }

  /**
   * Returns a style element with the rules of all parts so far. Empty unless the scheme is "auto".
   */
  css(): string {
    if (this.#scheme !== "auto") return "";
    return `<style>@media(prefers-color-scheme:dark){${this.#rules}}</style>`;
  }

  /** Returns the attributes of a part, such as the fill and the stroke of an area with a border. */
  attributes(name: string, inks: Readonly<Record<string, Ink>>): string {
    let attributes = "";
    const rules: string[] = [];
    for (const [property, ink] of Object.entries(inks)) {
      const [light, dark] = typeof ink === "string" ? [ink, ink] : ink;
      attributes += ` ${property}="${this.#scheme === "dark" ? dark : light}"`;
      if (light !== dark) rules.push(`${property}:${dark}`);
    }
    if (this.#scheme !== "auto" || rules.length === 0) return attributes;
    this.#rules += `.${name}{${rules.join(";")}}`;
    return ` class="${name}"${attributes}`;
  }
}

/** Derives an ink from another, for each color scheme. */
export function mapInk(ink: Ink, derive: (color: Color) => Color): Ink {
  return typeof ink === "string" ? derive(ink) : [derive(ink[0]), derive(ink[1])];
}
