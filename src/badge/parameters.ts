import { type Choices, nameParameters, SHARED_PARAMETERS } from "../drawing/parameters.ts";
import { LOGOS } from "./styles/logo.ts";

const { label, color, numbers, locale, theme, goal } = SHARED_PARAMETERS;

/** The parameters of a badge but `style`, by name. */
export const BADGE_PARAMETERS = nameParameters(
  {
    label,
    color,
    bg: {
      meaning: "The background color.",
      schema: { type: "string", default: "#1e1e1e" },
    },
    labelColor: {
      meaning: "The color of the label. Same values as `color`.",
      schema: { type: "string" },
    },
    valueColor: {
      meaning: "The color of the count, before `color`. Same values.",
      schema: { type: "string" },
    },
    font: {
      meaning: "Font family names, separated by commas.",
      schema: { type: "string", maxLength: 100 },
    },
    numbers,
    locale,
    theme,
    spark: {
      meaning: "Draws this many days up to today as bars beside the count. Clamped to the range. " +
        "0 draws none.",
      schema: { type: "integer", minimum: 7, maximum: 30 },
    },
    logo: {
      meaning: "A logo before the label.",
      schema: { type: "string", enum: [...LOGOS.keys()] },
    },
    logoColor: {
      meaning:
        "The color of the logo. Same values as `color`. The default is the color of the label.",
      schema: { type: "string" },
    },
    digits: {
      meaning: "The minimum number of digits.",
      schema: { type: "integer", default: 7, minimum: 1, maximum: 16 },
    },
    base: {
      meaning: "A whole number to add to the total that is drawn. The counter does not change.",
      schema: { type: "integer", default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    goal,
  } as const,
);

/** The parameters of a badge. The list of styles makes `style`. */
export type LookName = keyof typeof BADGE_PARAMETERS | "style";

export type LookQuery<Name extends LookName = LookName> = Choices<Name>;
