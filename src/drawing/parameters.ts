import { type ImageFormat, textFor } from "./text.ts";

/** The languages that Deno 2.9 knows. */
export const LANGUAGES: readonly string[] =
  ("af ak am ar az bg bn bs ca cs da de el en es et fa fi fil fr gu he hi hr hu id it ja kn ko kok lt " +
    "lv ml mr ms nb nl no pa pl pt ro ru sd sk sl sr sv sw ta te th tr uk ur uz vi zh").split(" ");

/** The parameters that badges, charts, calendars and cards share, by name. */
export const SHARED_PARAMETERS = nameParameters(
  {
    label: {
      meaning: "The text on the left, cut after 100 characters. An empty label draws no left side.",
      schema: { type: "string", default: "views" },
    },
    color: {
      meaning: "The color of the count: a shields.io or CSS name, or hex with 3, 4, 6 or 8 digits.",
      schema: { type: "string", default: "blue" },
    },
    numbers: {
      meaning: "`grouped` writes 12345 as 12,345, and `compact` writes it as 12.3K.",
      schema: { type: "string", default: "plain", enum: ["plain", "grouped", "compact"] },
    },
    locale: {
      meaning: "The language in which to write the number, as a BCP 47 tag. A language that the " +
        "runtime does not know means `en`.",
      schema: { type: "string", default: "en", examples: LANGUAGES },
    },
    theme: {
      meaning: "The default colors. `auto` follows the color scheme of the reader.",
      schema: { type: "string", enum: ["auto", "light", "dark"] },
    },
    goal: {
      meaning:
        "A count to reach. The number reads 640 / 1000, and its side is filled to that share, " +
        "except in `terminal` and the digit styles.",
      schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  } as const,
);

/** The values that a client chose, by the names of parameters. */
export interface Choices<Name extends string> {
  get(name: Name): string | undefined;
}

/** Returns a label as clean text of at most 100 characters and "…". Empty for no left side. */
export function parseLabel(query: Choices<"label">, format: ImageFormat = "svg"): string {
  return textFor(format, query.get("label") ?? SHARED_PARAMETERS.label.schema.default);
}

/** Returns each parameter with its key as its name. */
export function nameParameters<const Unnamed extends Record<string, object>>(
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
