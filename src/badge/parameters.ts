import type { Parameter, Query } from "../http/query.ts";
import { LOGOS } from "./styles/logo.ts";

/** The parameters of a badge but `style`, by name. */
export const BADGE_PARAMETERS = nameParameters(
  {
    label: {
      meaning: "The text on the left, cut after 100 characters. An empty label draws no left side.",
      schema: { type: "string", default: "views" },
    },
    color: {
      meaning: "The color of the count: a shields.io or CSS name, or hex with 3, 4, 6 or 8 digits.",
      schema: { type: "string", default: "blue" },
    },
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
    numbers: {
      meaning: "`grouped` writes 12345 as 12,345, and `compact` writes it as 12.3K.",
      schema: { type: "string", default: "plain", enum: ["plain", "grouped", "compact"] },
    },
    locale: {
      meaning: "The language in which to write the number, as a BCP 47 tag.",
      schema: { type: "string", default: "en" },
    },
    theme: {
      meaning: "The default colors. `auto` follows the color scheme of the reader.",
      schema: { type: "string", enum: ["auto", "light", "dark"] },
    },
    spark: {
      meaning: "Draws this many days up to today as bars before the count. Clamped to the range. " +
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
    goal: {
      meaning:
        "A count to reach. The number reads 640 / 1000, and its side is filled to that share, " +
        "except in `terminal` and the digit styles.",
      schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  } as const,
);

/** The parameters of a badge. The list of styles makes `style`. */
export type LookName = keyof typeof BADGE_PARAMETERS | "style";

export type LookQuery<Name extends LookName = LookName> = Pick<Query<Name>, "get">;

/** Returns each parameter with its key as its name. */
export function nameParameters<const Unnamed extends Record<string, Omit<Parameter, "name">>>(
  parameters: Unnamed,
) {
  const named = Object.entries(parameters).map(([name, rest]) => [name, { name, ...rest }]);
  return Object.fromEntries(named) as {
    readonly [Name in keyof Unnamed]: Unnamed[Name] & { readonly name: Name };
  };
}

/** Returns the value of a parameter, or its default if it is none of its values. */
export function valueOf<Name extends string>(
  { schema }: { schema: { readonly enum: readonly Name[]; readonly default: Name } },
  text: string | undefined,
): Name {
  return schema.enum.find((name) => name === text) ?? schema.default;
}

/** Parses a whole number from 1 and clamps it. Returns undefined for 0 and anything else. */
export function wholeWithin(
  text: string | undefined,
  { minimum, maximum }: { minimum: number; maximum: number },
): number | undefined {
  if (text === undefined || !/^\d+$/.test(text) || Number(text) === 0) return undefined;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
