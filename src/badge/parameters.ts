import type { Parameter } from "../http/query.ts";

/** The text beside the count. */
export const label = {
  name: "label",
  meaning: "The text on the left, cut after 100 characters; given but empty there is no left side.",
  schema: { type: "string", default: "views" },
} as const satisfies Parameter;

/** The kind of drawing. */
export const style = {
  name: "style",
  meaning: "The style; `flat` is another name of `classic`.",
  schema: {
    type: "string",
    default: "classic",
    enum: [
      "classic",
      "flat",
      "flat-square",
      "plastic",
      "for-the-badge",
      "social",
      "pill",
      "terminal",
      "odometer",
      "flap",
      "led",
      "pixel",
    ],
  },
} as const satisfies Parameter;

/** The color of the count. */
export const color = {
  name: "color",
  meaning: "The color of the count: a name of shields.io or CSS, or hex of 3, 4, 6 or 8 digits.",
  schema: { type: "string", default: "blue" },
} as const satisfies Parameter;

/** The background of the terminal style. */
export const bg = {
  name: "bg",
  meaning: "The background, of the terminal style only.",
  schema: { type: "string", default: "#1e1e1e" },
} as const satisfies Parameter;

/** The color of the label. */
export const labelColor = {
  name: "labelColor",
  meaning: "The color of the label, as `color`.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** The color of the count in the terminal style. */
export const valueColor = {
  name: "valueColor",
  meaning: "The color of the count in the terminal style, as `color`.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** The families of the text. */
export const font = {
  name: "font",
  meaning: "Names of font families, separated by commas.",
  schema: { type: "string", maxLength: 100 },
} as const satisfies Parameter;

/** How a count is written. */
export const numbers = {
  name: "numbers",
  meaning: "`grouped` writes 12345 as 12,345 and `compact` writes it as 12.3K.",
  schema: { type: "string", default: "plain", enum: ["plain", "grouped", "compact"] },
} as const satisfies Parameter;

/** The language of a count. */
export const locale = {
  name: "locale",
  meaning: "A BCP 47 tag: the language to write the number for.",
  schema: { type: "string", default: "en" },
} as const satisfies Parameter;

/** The page to stand on. */
export const theme = {
  name: "theme",
  meaning: "Sets the colors that were left out; `auto` follows the color scheme of the reader.",
  schema: { type: "string", enum: ["auto", "light", "dark"] },
} as const satisfies Parameter;

/** The bars of a badge. */
export const spark = {
  name: "spark",
  meaning:
    "So many days, up to today, as bars before the count; in `classic`, `flat-square`, `pill` " +
    "and `terminal`. Clamped to this range; none if left out, 0 or not a whole number.",
  schema: { type: "integer", minimum: 7, maximum: 30 },
} as const satisfies Parameter;

/** A picture before the label. */
export const logo = {
  name: "logo",
  meaning: "A logo before the label; not in `terminal` and the styles of digits.",
  schema: {
    type: "string",
    enum: [
      "tally",
      "eye",
      "star",
      "heart",
      "flame",
      "users",
      "download",
      "book",
      "code",
      "globe",
      "bolt",
      "chart",
    ],
  },
} as const satisfies Parameter;

/** The color of the logo. */
export const logoColor = {
  name: "logoColor",
  meaning: "The color of the logo, as `color`; that of the label if left out.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** How many digits are shown at least. */
export const digits = {
  name: "digits",
  meaning: "How many digits `odometer`, `flap`, `led` and `pixel` show at least.",
  schema: { type: "integer", default: 7, minimum: 1, maximum: 16 },
} as const satisfies Parameter;

/** What a counter had elsewhere. */
export const base = {
  name: "base",
  meaning: "A whole number that is added to the total as it is drawn, and to nothing else.",
  schema: { type: "integer", default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
} as const satisfies Parameter;

/** Everything that shapes a badge; what is not understood falls back to its default. */
export const LOOKS = Object.freeze(
  [
    label,
    style,
    color,
    bg,
    labelColor,
    valueColor,
    font,
    numbers,
    locale,
    theme,
    spark,
    logo,
    logoColor,
    digits,
    base,
  ] as const,
);

/** The name of a parameter that shapes a badge. */
export type LookName = (typeof LOOKS)[number]["name"];

/** The values that a request gives to parameters that shape a badge. */
export interface LookQuery<Name extends LookName = LookName> {
  readonly get: (name: Name) => string | undefined;
}
