import { byId, choice, debounced, errorMessage, fill, make, plural } from "./elements.ts";
import {
  awaitResult,
  type Choices,
  forgetResult,
  result,
  showPicture,
  showResult,
} from "./preview.ts";
import type { Control } from "../../page/compose.ts";
import { call, facts, sessionToken } from "./session.ts";
import { prefixOf } from "./figures.ts";
import { queryOf } from "./snippets.ts";

/** The kinds of pictures by path, in the order of the tabs. */
const KINDS = ["badge", "chart.svg", "calendar.svg", "card.svg"];
/** The parameters whose values are the tiles. */
const TILES: Record<string, string> = { badge: "style", "chart.svg": "kind" };
/** The labels of parameters and values that differ from their names. */
const WORDS: Record<string, string> = {
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
const INITIAL_VALUES: Record<string, string> = { style: "terminal", numbers: "grouped" };
/** The styles that, as charts, have `STYLE_DEFAULTS`. */
const SPARK_STYLES = ["pill", "terminal"];
/** Initial values: bars of 14 days, in the colors of the reader's theme. */
const STYLE_DEFAULTS: Record<string, string> = { spark: "14", theme: "auto" };
/** The choice that leaves a style default out. */
const OFF = "off";
/** The named colors of shields.io, as the swatches show them. */
const COLORS: [name: string, hex: string][] = [
  ["brightgreen", "#4b0"],
  ["green", "#67ac09"],
  ["yellowgreen", "#95991a"],
  ["yellow", "#d8b800"],
  ["orange", "#ea7233"],
  ["red", "#dd4343"],
  ["blue", "#007ec6"],
  ["grey", "#555"],
  ["lightgrey", "#939393"],
];

let kind = "badge";
/** True if the key is valid for all counters under the prefix of the id. */
let usesGroupKey = false;
/** The chosen tile of each kind. */
const picked: Map<string, string> = new Map();
/** True if the badge shall count. Kept while a kind that cannot count is shown. */
let counts: boolean | undefined;

// --- The form ------------------------------------------------------------------------------------

const idField = make("input.big", {
  id: "id",
  name: "id",
  placeholder: "user/repo",
  autocapitalize: "none",
  spellcheck: "false",
  "aria-describedby": "id-hint",
});
const idHint = make("p.small", { id: "id-hint" });
const countRadio = make("input", { type: "radio", name: "do", value: "count", checked: true });
const showRadio = make("input", { type: "radio", name: "do", value: "show" });
const onceBox = make("input", { type: "checkbox", name: "once", value: "day" });
const once = make(
  ".under",
  make("label.check", onceBox, "Count each visitor once a day"),
  make("small", "For your own pages: GitHub hides its readers."),
);
const onlyShow = make(
  "p.small.under",
  "Charts, calendars and cards do not count views. Add a counting badge or the script.",
);
const closed = make(
  "p.note.small",
  "This server requires the secret to read counters, so everyone else sees an error in display-only images. Set PUBLIC_READS=1 to make them public. Counting badges always work.",
);
const everything = make("span", { dir: "auto" });
const opening = choice("Key scope", ["this counter only", everything], 0, (index) => {
  usesGroupKey = index === 1;
  show();
});
const opens = make(".under", make("small", "Key scope"), opening.element);
const tiles = make(".tiles", { id: "tiles", role: "tabpanel", "aria-label": "Style" });
const kindTabs = choice("Kind", ["Badge", "Chart", "Calendar", "Card"], 0, (index) => {
  kind = KINDS[index] ?? kind;
  showTiles();
  show();
}, "tiles");
const labelField = make("input", { type: "text", id: "label", name: "label" });
const ownColor = make("input", {
  name: "color",
  "aria-label": "Another color: a name or hex",
  placeholder: "#0b7261",
});
const swatches = make(
  ".swatches",
  swatch("auto", "", "The style’s own", true),
  ...COLORS.map(([name, hex]) => swatch("", name, name, false, hex)),
  swatch("own", "other", "Another color"),
  ownColor,
);
const fields = make(".grid");
const why = make("p.small");
const form = make(
  "form",
  { id: "design", "aria-label": "Design", submit: (event) => event.preventDefault(), input: take },
  make(
    "fieldset",
    make("legend", "What should it do?"),
    make(
      ".ways",
      way(
        countRadio,
        "Count views and show them",
        "For a README or a page. Each view of the image adds one.",
      ),
      way(
        showRadio,
        "Only show the number",
        "Views are counted elsewhere, by your site’s script or server.",
      ),
    ),
    onlyShow,
    closed,
    once,
  ),
  make("div", make("label.label", { for: "id" }, "Counter"), idField, idHint, opens),
  make("fieldset", make("legend", "Style"), kindTabs.element, tiles),
  make(
    ".pair",
    make("div", make("label.label", { for: "label" }, "Label"), labelField),
    make("fieldset", make("legend", "Color"), swatches),
  ),
  make(
    "details.fold",
    make("summary", "More options ", make("small", "numbers, days, theme, language, font")),
    fields,
    why,
  ),
);

/** Puts the view into the page. */
export function initBuilder() {
  for (const [name, control] of Object.entries(facts.controls)) {
    if (!["label", "color", "style", "kind"].includes(name)) fields.append(fieldOf(name, control));
  }
  showTiles();
  byId("badges").append(
    make("h1", "Build a badge"),
    make("p.lead", "Paste it once. Its number stays up to date."),
    make(".work", form, result),
  );
}

function way(radio: HTMLInputElement, name: string, words: string) {
  return make("label.way", radio, make("b", name), make("small", words));
}

function swatch(className: string, value: string, name: string, checked = false, hex = "") {
  const radio = make("input", {
    type: "radio",
    name: "swatch",
    value,
    checked,
    "aria-label": name,
  });
  const label = make("label", { class: className, title: name }, radio);
  if (className === "own") label.append("Other…");
  if (hex !== "") label.style.setProperty("--c", hex);
  return label;
}

/** Returns the parameters of the picture, with their defaults in it. */
function parameters() {
  const place = KINDS.indexOf(kind);
  return Object.entries(facts.controls).filter(([, { in: shaped = [0] }]) => shaped.includes(place))
    .map(([name, { default: usual }]) => ([
      name,
      String((place > 0 && facts.defaults[name]) || (usual ?? "")),
    ] as [name: string, usual: string]));
}

/** Returns a name such as "labelColor" as words. */
function words(name: string) {
  const spaced = name.replace(/-/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return WORDS[name] ?? spaced[0]?.toUpperCase() + spaced.slice(1);
}

function valueWords(name: string, value: string) {
  const [, count, unit = ""] = /^(\d+)([dwm]?)$/.exec(value) ?? [];
  const units = { w: "weeks", m: "months" } as Record<string, string>;
  if (count) return `Last ${count} ${units[unit] ?? "days"}`;
  return WORDS[`${name}:${value}`] ?? (value === "" ? "(none)" : words(value));
}

function fieldOf(name: string, { default: usual = "", enum: values, minimum, maximum }: Control) {
  if (name === "spark") values = ["7", "14", "30"];
  if (values && name in STYLE_DEFAULTS) values = [OFF, ...values];
  const first = INITIAL_VALUES[name] ?? usual;
  const control = values
    ? make(
      "select",
      { name },
      ...(usual === "" ? ["", ...values] : values).map((value) =>
        make("option", { value, selected: value === first }, valueWords(name, value))
      ),
    )
    : make("input", {
      name,
      type: minimum === undefined ? "text" : "number",
      min: minimum,
      max: maximum,
      placeholder: usual,
    });
  return make("label", words(name), control);
}

/** Shows a tile per value of the parameter that the tiles choose, or one tile for the picture. */
function showTiles() {
  const name = tileName();
  const control = facts.controls[name];
  const all = control?.enum ?? [kind];
  const first = picked.get(kind) ?? INITIAL_VALUES[name] ?? control?.default ?? kind;
  tiles.classList.toggle("tall", kind !== "badge");
  fill(
    tiles,
    ...all.map((value) => {
      const attributes = { type: "radio", name: name || "picture", value };
      return make(
        "label.tile",
        make("span.shot", make("img", { alt: "", "data-value": value, loading: "lazy" })),
        make(
          "span.cap",
          make("input", attributes, { checked: value === first }),
          WORDS[`${name}:${value}`] ?? words(value),
        ),
      );
    }),
  );
}

// --- What is chosen ------------------------------------------------------------------------------

/** Returns the name of the parameter that the tiles choose. */
function tileName() {
  return TILES[kind] ?? "";
}

function counterId() {
  return idField.value.trim() || "home";
}

function isCounting() {
  return kind === "badge" && countRadio.checked;
}

function styleOf() {
  return kind === "badge" ? String(new FormData(form).get("style") ?? "") : "";
}

/** Returns the values that differ from the defaults. */
function chosen(tile?: string): Choices {
  const data = new FormData(form);
  const style = kind === "badge" && tile || styleOf();
  return parameters().flatMap(([name, usual]) => {
    if (offIn(name, style)) return [];
    let value = String(data.get(name) ?? "").trim();
    if (name === "color" && data.get("swatch") !== "other") value = String(data.get("swatch"));
    if (tile && name === tileName()) value = tile;
    if (name in STYLE_DEFAULTS) value = value === OFF ? "" : value || styleDefault(name, style);
    return ["", usual].includes(value) ? [] : [[name, value] as [string, string]];
  });
}

/** Returns the style default of a parameter, or an empty text. */
function styleDefault(name: string, style: string) {
  return (kind !== "badge" || SPARK_STYLES.includes(style)) && STYLE_DEFAULTS[name] || "";
}

/** Returns where a parameter would have no effect, or an empty text. */
function offIn(name: string, style: string) {
  const { counting, unseen } = facts.controls[name] ?? {};
  if (isCounting() && counting === false) return "a badge that counts";
  return unseen?.includes(facts.controls.style?.enum?.indexOf(style) ?? -1) ? "this style" : "";
}

/** Returns fields of the form. Only members that selects and inputs share are used. */
function controls(selector: string) {
  return (form.querySelectorAll(selector) as NodeListOf<HTMLInputElement>);
}

const showSoon = debounced(show);

/** Handles a choice or a typed text. */
function take({ target }: Event) {
  const { name, value } = target as HTMLInputElement;
  if (name === tileName()) picked.set(kind, value);
  if (name === "do" && kind === "badge") counts = countRadio.checked;
  awaitResult();
  showSoon();
}

/** Takes pictures of protected counters out of the page. */
export function forgetPictures() {
  showTiles();
  forgetResult();
}

/** Fills the form from a query, as the address has it. */
export function restoreDesign(query: URLSearchParams) {
  const picture = query.get("picture");
  if (picture !== null && KINDS.includes(picture)) kind = picture;
  kindTabs.mark(KINDS.indexOf(kind));
  const tile = query.get(tileName() || "picture");
  if (tile !== null) picked.set(kind, tile);
  showTiles();
  idField.value = query.get("id") ?? "";
  const color = query.get("color") ?? "";
  const isNamed = color === "" || COLORS.some(([name]) => name === color);
  const choices: Choices = [...query, ["swatch", isNamed ? color : "other"]];
  for (const [name, value] of choices) {
    for (const control of controls(`[name="${CSS.escape(name)}"]`)) {
      if (/radio|checkbox/.test(control.type)) {
        control.checked = control.value === value;
      } else control.value = value;
    }
  }
  const wanted = query.get("do");
  counts = wanted === null ? undefined : wanted === "count";
  for (const name of Object.keys(STYLE_DEFAULTS)) {
    // A whole design that leaves it out has it off.
    const value = query.get(name) ?? (query.size > 1 ? OFF : "");
    const isDefault = value === (styleDefault(name, styleOf()) || OFF);
    for (const control of controls(`[name="${name}"]`)) control.value = isDefault ? "" : value;
  }
  // Links of 1.1.0 call it family.
  usesGroupKey = (query.get("group") ?? query.get("family")) === "on";
  show();
}

// --- What is shown -------------------------------------------------------------------------------

/** Shows the design: its fields, its pictures and what is pasted. */
export function show() {
  if (byId("badges").hidden) return;
  const isBadge = kind === "badge";
  countRadio.disabled = !isBadge;
  // The choice returns with the badge. Visitors have no key, so only a line that shows works.
  countRadio.checked = isBadge && (counts ?? sessionToken() !== undefined);
  showRadio.checked = !countRadio.checked;
  onlyShow.hidden = isBadge;
  once.hidden = !isCounting();
  closed.hidden = facts.openReads || isCounting() || !sessionToken();
  ownColor.hidden = new FormData(form).get("swatch") !== "other";
  const known = new Map(parameters());
  labelField.placeholder = known.get("label") ?? "";
  showKnown(known);
  showHint();
  const id = counterId();
  const prefix = prefixOf(id);
  if (prefix === "") usesGroupKey = false;
  opens.hidden = prefix === "" || !isCounting();
  opening.mark(usesGroupKey ? 1 : 0);
  everything.textContent = `all counters under ${prefix}`;
  const looks = chosen();
  keepAddress(looks);
  for (const image of tiles.querySelectorAll("img")) {
    showPicture(image, `${kind}?${queryOf([["id", id], ...chosen(image.dataset.value)])}`);
  }
  showResult({
    kind,
    id,
    looks,
    isCounting: isCounting(),
    isOnce: isCounting() && onceBox.checked,
    prefix: isCounting() && usesGroupKey ? prefix : "",
    label: labelField.disabled ? "" : labelField.value.trim(),
  });
}

/** Writes the design into the address, so that it can be shared. */
function keepAddress(looks: Choices) {
  const all: Choices = [
    ["picture", kind === "badge" ? "" : kind],
    ["id", idField.value.trim()],
    ...looks,
    ["do", counts === undefined || kind !== "badge" ? "" : counts ? "count" : "show"],
    ["once", isCounting() && onceBox.checked ? "day" : ""],
    ["group", usesGroupKey ? "on" : ""],
  ];
  const kept = all.filter(([, value]) => value !== "");
  history.replaceState(null, "", kept.length === 0 ? "#badges" : `#badges&${queryOf(kept)}`);
}

/** Disables the fields that a style or a counting badge does not have, and says so. */
function showKnown(known: Map<string, string>) {
  const off: { name: string; place: string }[] = [];
  for (const control of controls(".grid [name], #label")) {
    const { name } = control;
    const isKnown = known.has(name);
    const label = control.closest("label");
    if (label) label.hidden = !isKnown;
    const place = offIn(name, styleOf());
    control.disabled = !isKnown || place !== "";
    if (isKnown && place) off.push({ name: words(name).toLowerCase(), place });
  }
  why.textContent = Array.from(
    Map.groupBy(off, ({ place }) => place),
    ([place, all]) => `Not available in ${place}: ${all.map(({ name }) => name).join(", ")}.`,
  ).join(" ");
}

async function showHint() {
  const id = counterId();
  if (idField.value.trim() === "") {
    idHint.textContent = "A name of your own, such as user/repo or blog/first-post.";
    return;
  }
  const text = "A new name starts at 0.";
  if (!facts.openReads && !sessionToken()) {
    idHint.textContent = text;
    return;
  }
  const views = await call(`count.txt?${queryOf([["id", id]])}`)
    .then((answer) => answer.text(), errorMessage);
  if (counterId() !== id) return;
  idHint.textContent = /^\d+$/.test(views)
    ? `${plural(Number(views), "view")} so far. ${text}`
    : views;
}
