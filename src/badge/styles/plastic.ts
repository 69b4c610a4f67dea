import { shinyStyle } from "./shiny.ts";
import type { Style } from "./style.ts";

/** shields.io's plastic: lower, rounder and glossy. */
export const plastic: Style = shinyStyle({
  height: 18,
  radius: 4,
  baseline: 130,
  shine: `<stop offset="0" stop-color="#fff" stop-opacity=".7"/>` +
    `<stop offset=".1" stop-color="#aaa" stop-opacity=".1"/>` +
    `<stop offset=".9" stop-opacity=".3"/><stop offset="1" stop-opacity=".5"/>`,
});
