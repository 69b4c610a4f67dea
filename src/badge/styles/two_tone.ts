import { type Color, isBright } from "../color.ts";
import type { Palette } from "./style.ts";

/** The paint of a badge with a label box and a value box, as attributes ready for a template. */
export interface TwoTone {
  /** A style element for readers of dark pages, or nothing. */
  readonly css: string;
  readonly labelBox: string;
  readonly labelText: string;
  readonly labelShadow: string;
  readonly valueBox: string;
  readonly valueText: string;
  readonly valueShadow: string;
}

/** The family that shields.io's badges are set in. */
export const VERDANA = "Verdana,Geneva,DejaVu Sans,sans-serif";

/** Fills in what the caller left out, and picks dark text for bright boxes. */
export function twoTone(palette: Palette): TwoTone {
  const { theme, failed, labelColor, color } = palette;
  const ground = theme === "dark" ? DARK : theme === "none" ? SHIELDS : LIGHT;
  const labelFill = labelColor ?? ground.label;
  const valueFill = color ?? (failed ? ground.error : ground.value);
  const auto = theme === "auto";
  const labelInk = isBright(labelFill) ? DARK_INK : LIGHT_INK;
  const valueInk = isBright(valueFill) ? DARK_INK : LIGHT_INK;
  return {
    css: auto ? darkRules(palette) : "",
    labelBox: paint(labelFill, auto ? "a" : ""),
    labelText: paint(labelInk.text, auto ? "b" : ""),
    labelShadow: paint(labelInk.shadow, auto ? "c" : ""),
    valueBox: paint(valueFill, auto ? "d" : ""),
    valueText: paint(valueInk.text, ""),
    valueShadow: paint(valueInk.shadow, ""),
  };
}

function paint(color: Color, name: string): string {
  return name === "" ? `fill="${color}"` : `class="${name}" fill="${color}"`;
}

// Rules only for what the caller left out: a chosen color stays as it is on every page. The text on
// a value box is light on both kinds of page, so it needs no rule.
function darkRules({ labelColor, color, failed }: Palette): string {
  let rules = "";
  if (labelColor === undefined) {
    rules += `.a{fill:${DARK.label}}.b{fill:${LIGHT_INK.text}}.c{fill:${LIGHT_INK.shadow}}`;
  }
  if (color === undefined) rules += `.d{fill:${failed ? DARK.error : DARK.value}}`;
  return `<style>@media(prefers-color-scheme:dark){${rules}}</style>`;
}

interface Ground {
  readonly label: Color;
  readonly value: Color;
  readonly error: Color;
}

const SHIELDS: Ground = { label: "#555", value: "#007ec6", error: "#dd4343" };
const LIGHT: Ground = { label: "#e4e9ee", value: "#0a63c9", error: "#c62f2f" };
const DARK: Ground = { label: "#363d47", value: "#1b69d0", error: "#cc3333" };

const LIGHT_INK = { text: "#fff", shadow: "#010101" } satisfies Record<string, Color>;
const DARK_INK = { text: "#333", shadow: "#ccc" } satisfies Record<string, Color>;
