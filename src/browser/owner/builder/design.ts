import type { PageFacts } from "../../../page/compose.ts";
import { prefixOf } from "../../lib/figures.ts";

/** Parameters and their values. */
export type Choices = (readonly [name: string, value: string])[];

/** The parameters of pictures, and their defaults in other pictures than a badge. */
export type Looks = Pick<PageFacts, "controls" | "defaults">;

/** The choices of a design. `values` are the fields by their names. */
export interface DesignState {
  kind: string;
  /** The counter, and other counters of the same chart. */
  ids: readonly string[];
  values: Record<string, string>;
  /** The chosen tile of each kind. */
  readonly tiles: Map<string, string>;
  /** True if a badge shall count. Kept while a kind that cannot count is shown. */
  counts: boolean | undefined;
}

export function newDesign(): DesignState {
  return {
    kind: "badge",
    ids: [],
    values: {},
    tiles: new Map(),
    counts: undefined,
  };
}

/** The picture and the line that choices result in. */
export interface Result {
  kind: string;
  /** The counters of the picture, each once. */
  ids: readonly string[];
  isCounting: boolean;
  isOnce: boolean;
  /** The prefix of the counter, which its key may open too, or empty. */
  prefix: string;
  /** True if the key is valid for all counters under the prefix. */
  usesGroupKey: boolean;
  looks: Choices;
  /** The text in place of the picture. */
  alt: string;
  /** The design as the address has it, so that it can be shared. */
  address: Choices;
}

/** Returns the result of choices, in the style or kind of a tile if given. */
export function resultOf(
  state: DesignState,
  looks: Looks,
  isOwner: boolean,
  tile?: string,
): Result {
  const { kind, values, counts } = state;
  const isBadge = kind === "badge";
  // Visitors have no key, so at first only a line that shows works for them.
  const isCounting = isBadge && (counts ?? isOwner);
  const isOnce = isCounting && values.once === "day";
  const ids = [...new Set(state.ids)].slice(0, kind === MANY ? undefined : 1);
  const prefix = isCounting ? prefixOf(ids[0] ?? "") : "";
  const usesGroupKey = values.group === "on" && prefix !== "";
  const chosen = looksOf(state, looks, isCounting, tile);
  const all: Choices = [
    ["picture", isBadge ? "" : kind],
    ...ids.map((id) => ["id", id] as const),
    ...chosen,
    ["do", counts === undefined || !isBadge ? "" : counts ? "count" : "show"],
    ["once", isOnce ? "day" : ""],
    ["group", usesGroupKey ? "on" : ""],
  ];
  return {
    ...{ kind, ids, isCounting, isOnce, prefix, usesGroupKey, looks: chosen },
    alt: chosen.find(([name]) => name === "label")?.[1] ?? "views",
    address: all.filter(([, value]) => value !== ""),
  };
}

/** The kinds of pictures by path, in the order of the tabs. */
export const KINDS = ["badge", "chart.svg", "calendar.svg", "card.svg"];
/** The kind that shows several counters. */
export const MANY = "chart.svg";
export const MAX_COUNTERS = 6;
/** The parameters whose values are the tiles. */
const TILES: Record<string, string> = { badge: "style", "chart.svg": "kind" };
/** The labels of parameters and values that differ from their names. */
export const WORDS: Record<string, string> = {
  led: "LED",
  flap: "Split flap",
  "kind:total": "Total over time",
  "calendar.svg": "A year of days",
  "card.svg": "Card",
  bg: "Background",
  valueColor: "Number color",
  locale: "Language of numbers",
  theme: "Light and dark",
  spark: "Sparkline",
  show: "Two numbers",
  "show:": "(off)",
  period: "Period",
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
  if (name === "locale") {
    return new Intl.DisplayNames("en", { type: "language" }).of(value) ?? value;
  }
  const [, count, unit = ""] = /^(\d+)([dwm]?)$/.exec(value) ?? [];
  const units = { w: "weeks", m: "months" } as Record<string, string>;
  if (count) return `Last ${count} ${units[unit] ?? "days"}`;
  return WORDS[`${name}:${value}`] ?? (value === "" ? "(none)" : words(value));
}

/** Returns the name of the parameter that the tiles of a kind choose, or an empty text. */
export function tileName(kind: string) {
  return TILES[kind] ?? "";
}

/** Returns the parameters of a picture, with their defaults in it. */
export function parametersOf(kind: string, { controls, defaults }: Looks) {
  const place = KINDS.indexOf(kind);
  return Object.entries(controls).filter(([, { in: shaped = [0] }]) => shaped.includes(place))
    .map(([name, { default: usual }]) => ([
      name,
      String((place > 0 && defaults[name]) || (usual ?? "")),
    ] as [name: string, usual: string]));
}

/** Returns the values that differ from the defaults. */
function looksOf(
  { kind, values }: DesignState,
  looks: Looks,
  isCounting: boolean,
  tile?: string,
): Choices {
  const style = kind === "badge" ? tile ?? values.style ?? "" : "";
  return parametersOf(kind, looks).flatMap(([name, usual]) => {
    if (hasNoEffect(name, isCounting, style, looks)) return [];
    let value = (values[name] ?? "").trim();
    if (name === "color" && values.swatch !== "other") value = values.swatch ?? "";
    if (tile !== undefined && name === tileName(kind)) value = tile;
    if (name in STYLE_DEFAULTS) {
      value = value === OFF ? "" : value || styleDefault(name, kind, style);
    }
    return ["", usual].includes(value) ? [] : [[name, value] as [string, string]];
  });
}

/** Returns the style default of a parameter, or an empty text. */
export function styleDefault(name: string, kind: string, style: string) {
  return (kind !== "badge" || SPARK_STYLES.includes(style)) && STYLE_DEFAULTS[name] || "";
}

/** Reports whether a parameter changes nothing in a style or in a badge that counts. */
export function hasNoEffect(name: string, isCounting: boolean, style: string, { controls }: Looks) {
  const { counting, unseen = [] } = controls[name] ?? {};
  return isCounting && counting === false ||
    unseen.includes(controls.style?.enum?.indexOf(style) ?? -1);
}
