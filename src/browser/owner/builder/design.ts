import type { PageFacts } from "../../../page/compose.ts";

/** Parameters and their values. */
export type Choices = (readonly [name: string, value: string])[];

/** The parameters of pictures, and their defaults in other pictures than a badge. */
export type Looks = Pick<PageFacts, "controls" | "defaults">;

/** A design in the builder. `values` are the fields by their names. */
export interface DesignState {
  kind: string;
  values: Record<string, string>;
  /** The chosen tile of each kind. */
  readonly tiles: Map<string, string>;
  /** True if the badge shall count. Kept while a kind that cannot count is shown. */
  counts: boolean | undefined;
  isCounting: boolean;
  isOnce: boolean;
  /** True if the key is valid for all counters under the prefix of the id. */
  usesGroupKey: boolean;
}

export function newDesign(): DesignState {
  return {
    kind: "badge",
    values: {},
    tiles: new Map(),
    counts: undefined,
    isCounting: false,
    isOnce: false,
    usesGroupKey: false,
  };
}

/** The kinds of pictures by path, in the order of the tabs. */
export const KINDS = ["badge", "chart.svg", "calendar.svg", "card.svg"];
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

/** Returns the values that differ from the defaults, in the style or kind of a tile if given. */
export function chosen(state: DesignState, looks: Looks, tile?: string): Choices {
  const { kind, values } = state;
  const style = kind === "badge" ? tile ?? values.style ?? "" : "";
  return parametersOf(kind, looks).flatMap(([name, usual]) => {
    if (offIn(name, { ...state, values: { ...values, style } }, looks)) return [];
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

/** Returns where a parameter would have no effect, or an empty text. */
export function offIn(name: string, { isCounting, values }: DesignState, { controls }: Looks) {
  const { counting, unseen } = controls[name] ?? {};
  if (isCounting && counting === false) return "a badge that counts";
  const style = controls.style?.enum?.indexOf(values.style ?? "") ?? -1;
  return unseen?.includes(style) ? "this style" : "";
}

/** Returns the design as the address has it, so that it can be shared. */
export function addressOf(state: DesignState, id: string, looks: Choices): Choices {
  const { kind, counts, isCounting, isOnce, usesGroupKey } = state;
  const all: Choices = [
    ["picture", kind === "badge" ? "" : kind],
    ["id", id],
    ...looks,
    ["do", counts === undefined || kind !== "badge" ? "" : counts ? "count" : "show"],
    ["once", isCounting && isOnce ? "day" : ""],
    ["group", usesGroupKey ? "on" : ""],
  ];
  return all.filter(([, value]) => value !== "");
}
