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
 * Turns inks into attributes, each with a leading space, and collects the rules for dark pages. An
 * attribute has a class only if a rule needs it. The class names all that its rule says, so that no
 * image in a page restyles another.
 */
export class Inks {
  readonly #scheme: Scheme;
  readonly #rules = new Set<string>();

  constructor(scheme: Scheme) {
    this.#scheme = scheme;
  }

  fill(ink: Ink): string {
    return this.attributes({ fill: ink });
  }

  stroke(ink: Ink): string {
    return this.attributes({ stroke: ink });
  }

  /** Returns a style element with the rules of all inks so far, or "" if there are none. */
  css(): string {
    if (this.#rules.size === 0) return "";
    return `<style>@media(prefers-color-scheme:dark){${[...this.#rules].join("")}}</style>`;
  }

  /** Returns several attributes, such as the fill and the stroke of an area with a border. */
  attributes(inks: Readonly<Record<string, Ink>>): string {
    let attributes = "";
    const classes: string[] = [];
    for (const [property, ink] of Object.entries(inks)) {
      const [light, dark] = typeof ink === "string" ? [ink, ink] : ink;
      attributes += ` ${property}="${this.#scheme === "dark" ? dark : light}"`;
      if (this.#scheme !== "auto" || light === dark) continue;
      const name = `${property.at(-1)}${packed(dark)}`;
      this.#rules.add(`.${name}{${property}:${dark}}`);
      classes.push(name);
    }
    return classes.length === 0 ? attributes : ` class="${classes.join(" ")}"${attributes}`;
  }
}

/** Returns a color in four characters. */
function packed(color: Color): string {
  const digits = color.length < 6 ? color.replace(/\w/g, "$&$&") : color;
  return Uint8Array.fromHex(digits.slice(1)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Returns an id for a part of a drawing. It consists of all that the part depends on, so that equal
 * ids in a page are ids of equal parts, and no image cuts or fills another.
 */
export function partId(name: string, ...content: readonly (string | number)[]): string {
  return `ty${name}${content.join("_").replaceAll("#", "")}`;
}

/** Derives an ink from another, for each color scheme. */
export function mapInk(ink: Ink, derive: (color: Color) => Color): Ink {
  return typeof ink === "string" ? derive(ink) : [derive(ink[0]), derive(ink[1])];
}
