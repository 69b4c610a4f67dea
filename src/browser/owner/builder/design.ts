import type { PageFacts } from "../../../page/compose.ts";
import { prefixOf } from "../../lib/figures.ts";

/** Parameters and their values. */
export type Choices = (readonly [name: string, value: string])[];

/** The parameters of pictures, and their defaults in other pictures than a badge. */
export type Looks = Pick<PageFacts, "controls" | "defaults">;

/** The values of the fields by their names. */
export type Values = Readonly<Record<string, string>>;

/** The picture and the line that choices result in. */
export interface Design {
  kind: string;
  /** The counters of the picture, each once. */
  ids: readonly string[];
  isCounting: boolean;
  /** The prefix of the counter, which its key may open too, or empty. */
  prefix: string;
  /** True if the key is valid for all counters under the prefix. */
  usesGroupKey: boolean;
  /** The parameters that have an effect, with their defaults. */
  known: ReadonlyMap<string, string>;
  /** The values that differ from the defaults. */
  looks: Choices;
  /** The parameter that counts each visitor once a day, if that is wanted. */
  once: Choices;
  /** The text in place of the picture. */
  alt: string;
}

/** Returns the design of these values, in the style or kind of a tile if given. */
export function designOf(values: Values, looks: Looks, tile?: string): Design {
  const kind = values.picture ?? "badge";
  const isCounting = kind === "badge" && values.do === "count";
  const style = kind === "badge" ? tile ?? values.style ?? "" : "";
  const others = kind === MANY ? values.others ?? "" : "";
  const all = [values.id ?? "", ...others.split("\n")].map((id) => id.trim());
  const ids = [...new Set(all)].filter((id) => id !== "");
  const prefix = isCounting ? prefixOf(ids[0] ?? "") : "";
  const known = parametersOf(kind, style, isCounting, looks);
  const chosen = [...known].flatMap(([name, usual]) => {
    let value = (values[name] ?? "").trim();
    if (name === "color" && values.swatch !== "other") value = values.swatch ?? "";
    if (tile !== undefined && TILES.includes(name)) value = tile;
    // Bars show one counter.
    if (value === "bars" && ids.length > 1) value = "total";
    if (name in STYLE_DEFAULTS) {
      const isDefault = value === "" && (kind !== "badge" || SPARK_STYLES.includes(style));
      value = isDefault ? STYLE_DEFAULTS[name] ?? "" : value === OFF ? "" : value;
    }
    return value === "" || value === usual ? [] : [[name, value] as const];
  });
  return {
    ...{ kind, ids, isCounting, prefix, known, looks: chosen },
    usesGroupKey: values.group === "on" && prefix !== "",
    once: isCounting && values.once === "day" ? [["once", "day"]] : [],
    alt: chosen.find(([name]) => name === "label")?.[1] ?? "views",
  };
}

/** Returns the parameters that change something in a picture, with their defaults in it. */
function parametersOf(
  kind: string,
  style: string,
  isCounting: boolean,
  { controls, defaults }: Looks,
) {
  const place = KINDS.indexOf(kind);
  const inStyles = controls.style?.enum?.indexOf(style) ?? -1;
  const known = Object.entries(controls).filter(([, { in: pictures = [0], unseen, counting }]) =>
    pictures.includes(place) && !unseen?.includes(inStyles) && !(isCounting && counting === false)
  );
  return new Map(known.map(([name, { default: usual = "" }]) => [
    name,
    String((place > 0 && defaults[name]) || usual),
  ]));
}

/** The kinds of pictures by path, in the order of the tabs. */
const KINDS = ["badge", "chart.svg", "calendar.svg", "card.svg"];
/** The kind that shows several counters. */
export const MANY = "chart.svg";
export const MAX_COUNTERS = 6;
/** The parameters whose values are tiles. */
export const TILES = ["style", "kind"];
/** The labels of parameters and values that differ from their names. */
const WORDS: Record<string, string> = {
  led: "LED",
  flap: "Split flap",
  "kind:total": "Total over time",
  bg: "Background",
  valueColor: "Number color",
  locale: "Language of numbers",
  theme: "Light and dark",
  spark: "Sparkline",
  show: "Two numbers",
  "show:": "(off)",
  "theme:": "Automatic",
  "theme:off": "As shields.io",
  auto: "Follow the reader",
  plain: "12345",
  grouped: "12,345",
  compact: "12.3K",
  "spark:": "Automatic",
  "spark:off": "(off)",
  month: "This month",
  year: "This year",
  total: "All time",
};
/** The values of a new design. Snippets contain what differs from the defaults of the service. */
export const INITIAL_VALUES: Record<string, string> = { style: "terminal", numbers: "grouped" };
/** The styles that, as charts, have `STYLE_DEFAULTS`. */
const SPARK_STYLES = ["pill", "terminal"];
/** Initial values: bars of 14 days, in the colors of the reader's theme. */
export const STYLE_DEFAULTS: Record<string, string> = { spark: "14", theme: "auto" };
/** The choice that leaves a style default out. */
export const OFF = "off";

/** Returns a name such as "labelColor" as words. */
export function words(name: string) {
  const spaced = name.replace(/-/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return WORDS[name] ?? spaced[0]?.toUpperCase() + spaced.slice(1);
}

export function valueWords(name: string, value: string) {
  if (name === "locale" && value !== "") {
    return new Intl.DisplayNames("en", { type: "language" }).of(value) ?? value;
  }
  const [, count, unit = ""] = /^(\d+)([dwm]?)$/.exec(value) ?? [];
  const units = { w: "weeks", m: "months" } as Record<string, string>;
  if (count) return `Last ${count} ${units[unit] ?? "days"}`;
  return WORDS[`${name}:${value}`] ?? (value === "" ? "(none)" : words(value));
}
