import type { Parameter } from "../http/query.ts";
import { LOGOS } from "./styles/style.ts";

export const label = {
  name: "label",
  meaning: "The text on the left, cut after 100 characters. An empty label draws no left side.",
  schema: { type: "string", default: "views" },
} as const satisfies Parameter;

export const style = {
  name: "style",
  meaning: "The style. `flat` is another name for `classic`.",
  schema: {
    type: "string",
    default: "classic",
    enum: [
      ...["classic", "flat", "flat-square", "plastic", "for-the-badge", "social"],
      ...["pill", "terminal", "odometer", "flap", "led", "pixel"],
    ],
  },
} as const satisfies Parameter;

export const color = {
  name: "color",
  meaning: "The color of the count: a shields.io or CSS name, or hex with 3, 4, 6 or 8 digits.",
  schema: { type: "string", default: "blue" },
} as const satisfies Parameter;

export const bg = {
  name: "bg",
  meaning: "The background color of the terminal style.",
  schema: { type: "string", default: "#1e1e1e" },
} as const satisfies Parameter;

export const labelColor = {
  name: "labelColor",
  meaning: "The color of the label. Same values as `color`.",
  schema: { type: "string" },
} as const satisfies Parameter;

export const valueColor = {
  name: "valueColor",
  meaning: "The color of the count in the terminal style. Same values as `color`.",
  schema: { type: "string" },
} as const satisfies Parameter;

export const font = {
  name: "font",
  meaning: "Font family names, separated by commas.",
  schema: { type: "string", maxLength: 100 },
} as const satisfies Parameter;

export const numbers = {
  name: "numbers",
  meaning: "`grouped` writes 12345 as 12,345, and `compact` writes it as 12.3K.",
  schema: { type: "string", default: "plain", enum: ["plain", "grouped", "compact"] },
} as const satisfies Parameter;

export const locale = {
  name: "locale",
  meaning: "The language in which to write the number, as a BCP 47 tag.",
  schema: { type: "string", default: "en" },
} as const satisfies Parameter;

export const theme = {
  name: "theme",
  meaning: "The default colors. `auto` follows the color scheme of the reader.",
  schema: { type: "string", enum: ["auto", "light", "dark"] },
} as const satisfies Parameter;

export const spark = {
  name: "spark",
  meaning: "Draws this many days up to today as bars before the count, in the styles `classic`, " +
    "`flat-square`, `pill` and `terminal`. Clamped to the range. 0 draws none.",
  schema: { type: "integer", minimum: 7, maximum: 30 },
} as const satisfies Parameter;

export const logo = {
  name: "logo",
  meaning: "A logo before the label, except in `terminal` and the digit styles.",
  schema: { type: "string", enum: [...LOGOS.keys()] },
} as const satisfies Parameter;

export const logoColor = {
  name: "logoColor",
  meaning: "The color of the logo. Same values as `color`. The default is the color of the label.",
  schema: { type: "string" },
} as const satisfies Parameter;

export const digits = {
  name: "digits",
  meaning: "The minimum number of digits in `odometer`, `flap`, `led` and `pixel`.",
  schema: { type: "integer", default: 7, minimum: 1, maximum: 16 },
} as const satisfies Parameter;

export const base = {
  name: "base",
  meaning: "A whole number to add to the total that is drawn. The counter does not change.",
  schema: { type: "integer", default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
} as const satisfies Parameter;

export const goal = {
  name: "goal",
  meaning:
    "A count to reach. The number reads 640 / 1,000, and its side is filled to that share, " +
    "except in `terminal` and the digit styles.",
  schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
} as const satisfies Parameter;

/** Everything that shapes a badge; invalid values fall back to the default. */
export const BADGE_PARAMETERS = Object.freeze(
  [
    ...[label, style, color, bg, labelColor, valueColor, font, numbers, locale, theme],
    ...[spark, logo, logoColor, digits, base, goal],
  ] as const,
);

export type LookName = (typeof BADGE_PARAMETERS)[number]["name"];

export interface LookQuery<Name extends LookName = LookName> {
  readonly get: (name: Name) => string | undefined;
}
