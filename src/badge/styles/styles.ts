import { classic, flatSquare, forTheBadge, plastic } from "./shields.ts";
import type { Style } from "./style.ts";
import { flap } from "./flap.ts";
import { led } from "./led.ts";
import { odometer } from "./odometer.ts";
import { pill } from "./pill.ts";
import { pixel } from "./pixel.ts";
import { social } from "./social.ts";
import { terminal } from "./terminal.ts";
import { style } from "../parameters.ts";

type StyleName = (typeof style.schema.enum)[number];

const BY_NAME: Readonly<Record<StyleName, Style>> = {
  classic,
  flat: classic,
  "flat-square": flatSquare,
  plastic,
  "for-the-badge": forTheBadge,
  social,
  pill,
  terminal,
  odometer,
  flap,
  led,
  pixel,
};

/** Every style by the names that the `style` parameter takes. */
export const STYLES: ReadonlyMap<string, Style> = new Map(Object.entries(BY_NAME));

/** The style of a badge that does not ask for one that exists. */
export const DEFAULT_STYLE: Style = BY_NAME[style.schema.default];
