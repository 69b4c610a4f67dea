import { classic } from "./classic.ts";
import { flatSquare } from "./flat_square.ts";
import { forTheBadge } from "./for_the_badge.ts";
import { plastic } from "./plastic.ts";
import type { Style } from "./style.ts";
import { terminal } from "./terminal.ts";
import { style } from "../parameters.ts";

type StyleName = (typeof style.schema.enum)[number];

const BY_NAME: Readonly<Record<StyleName, Style>> = {
  classic,
  flat: classic,
  "flat-square": flatSquare,
  plastic,
  "for-the-badge": forTheBadge,
  terminal,
};

/** Every style by the names that the `style` parameter takes. */
export const STYLES: ReadonlyMap<string, Style> = new Map(Object.entries(BY_NAME));

/** The style of a badge that does not ask for one that exists. */
export const DEFAULT_STYLE: Style = BY_NAME[style.schema.default];
