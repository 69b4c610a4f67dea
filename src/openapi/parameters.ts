import type { Schema } from "./answers.ts";

/** One parameter of an endpoint. All are optional. */
export interface Parameter {
  name: string;
  in: "query" | "header";
  description: string;
  schema: Schema;
}

/** The counter; of every endpoint that has to do with one. */
export const id = query(
  "id",
  { default: "home", maxLength: 200 },
  "The counter: 1 to 200 bytes of UTF-8, trimmed and taken as NFC.",
);

/** Of `/count` only. */
export const format = query(
  "format",
  { examples: ["txt", "text"] },
  "`txt` or `text` answers in plain text, anything else in JSON.",
);

const label = query(
  "label",
  { default: "views" },
  "The text on the left, cut after 100 characters.",
);
const color = query(
  "color",
  { default: "blue" },
  "The color of the count: a name of shields.io or CSS, or hex of 3, 4, 6 or 8 digits.",
);
const numbers = [
  query(
    "numbers",
    { default: "plain", examples: ["plain", "grouped", "compact"] },
    "`grouped` writes 12345 as 12,345 and `compact` writes it as 12.3K.",
  ),
  query("locale", { default: "en" }, "A BCP 47 tag: the language to write the number for."),
];

/** How a badge looks; of `/badge` and `/hit.svg`. What is not understood falls back to its default. */
export const looks = [
  label,
  query(
    "style",
    {
      default: "classic",
      examples: ["classic", "flat", "flat-square", "plastic", "for-the-badge", "terminal"],
    },
    "The style; `flat` is another name of `classic`.",
  ),
  color,
  query("bg", { default: "#1e1e1e" }, "The background, of the terminal style only."),
  query("labelColor", {}, "The color of the label, as `color`."),
  query("valueColor", {}, "The color of the count in the terminal style, as `color`."),
  query("font", { maxLength: 100 }, "Names of font families, separated by commas."),
  ...numbers,
  query(
    "theme",
    { examples: ["auto", "light", "dark"] },
    "Sets the colors that were left out; `auto` follows the color scheme of the reader.",
  ),
];

/** What `/badge.json` takes beside the id. */
export const jsonLooks = [
  label,
  color,
  query(
    "cacheSeconds",
    { type: "integer", default: 60, minimum: 30, maximum: 3600 },
    "Clamped to this range; what is not a whole number is the default.",
  ),
  ...numbers,
];

/** The tag of the badge that the caller already has; of `/badge`. */
export const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier answer.",
  schema: { type: "string" },
};

function query(name: string, schema: Schema, description: string): Parameter {
  return { name, in: "query", description, schema: { type: "string", ...schema } };
}
