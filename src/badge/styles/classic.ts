import { shinyStyle } from "./shiny.ts";
import type { Style } from "./style.ts";

/** The default, shields.io's flat: rounded corners, a faint shine, text with a soft shadow. */
export const classic: Style = shinyStyle({
  height: 20,
  radius: 3,
  baseline: 140,
  shine: `<stop offset="0" stop-color="#bbb" stop-opacity=".1"/>` +
    `<stop offset="1" stop-opacity=".1"/>`,
});
