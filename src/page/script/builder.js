// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyOf } from "./counter.js";
import {
  byId,
  copyButton,
  debounced,
  icon,
  make,
  messageOf,
  plural,
  segments,
  tabs,
} from "./elements.js";
import { call, here, sessionToken } from "./session.js";
import { elementSnippet, imageSnippets, queryOf } from "./snippets.js";

/**
 * @typedef {{ default?: string | number, enum?: string[], minimum?: number, maximum?: number, maxLength?: number }} Schema
 * @typedef {{ name: string, schema: Schema }} Parameter
 * @typedef {{ pictures: Record<string, string[]>, controls: Record<string, Schema>, defaults: Record<string, Record<string, string | number>>, samples: string[], counting: string[], shields: string[], aliases: string[], unknown: Record<string, string[]>, openReads: boolean }} Facts
 * @typedef {[name: string, value: string][]} Choices
 */

/** The kinds of pictures by path, and the parameter whose values are the tiles. @type {Record<string, [name: string, tiles: string]>} */
const KINDS = {
  "badge": ["Badge", "style"],
  "chart.svg": ["Chart", "kind"],
  "calendar.svg": ["Calendar", ""],
  "card.svg": ["Card", ""],
};
/** What names and values of parameters are called, where it is not the name itself. @type {Record<string, string>} */
const WORDS = {
  "led": "LED",
  "flap": "Split flap",
  "total-kind": "Total over time",
  "calendar.svg": "A year of days",
  "chart.svg": "Bars",
  "card.svg": "Card",
  "bg": "Background",
  "valueColor": "Number color",
  "locale": "Language of numbers",
  "theme": "Light and dark",
  "spark": "Sparkline",
  "show": "Two numbers",
  "show:": "(off)",
  "period": "Which views",
  "theme:": "As shields.io",
  "auto": "Follow the reader",
  "light": "Always light",
  "dark": "Always dark",
  "plain": "12345",
  "grouped": "12,345",
  "compact": "12.3K",
  "spark:": "(off)",
  "today": "Today",
  "yesterday": "Yesterday",
  "month": "This month",
  "year": "This year",
  "total": "All of them",
  "today/total": "Today / total",
};
/** What the builder begins with; the snippets say what differs from the defaults of the service. @type {Record<string, string>} */
const FIRST = { style: "terminal", numbers: "grouped" };
/** The styles that come with bars and in the reader's colors unless somebody chose otherwise. */
const RICH = ["pill", "terminal"];
/** @type {Record<string, string>} */
const SUITED = { spark: "14", theme: "auto" };
const COLORS = [
  "brightgreen",
  "green",
  "yellowgreen",
  "yellow",
  "orange",
  "red",
  "blue",
  "grey",
  "lightgrey",
];

/** @type {Facts} */
export const facts = JSON.parse(byId("facts").textContent ?? "");

const kinds = Object.keys(KINDS).filter((kind) => Object.hasOwn(facts.pictures, kind));
let kind = kinds[0] ?? "badge";
let family = false;
let format = "Markdown";
/** What of these somebody chose. @type {Set<string>} */
const byHand = new Set();
/** The tile that was chosen of each kind. @type {Map<string, string>} */
const picked = new Map();
/** Whether a badge counts: remembered while a picture is chosen that cannot. */
let counts = true;
let turn = 0;

// --- The form ------------------------------------------------------------------------------------

const idField = make("input", {
  class: "big",
  type: "text",
  id: "id",
  name: "id",
  placeholder: "user/repo",
  autocomplete: "off",
  autocapitalize: "none",
  spellcheck: false,
  "aria-describedby": "id-hint",
});
const idHint = make("p", { class: "small", id: "id-hint" });
const countRadio = make("input", { type: "radio", name: "do", value: "count", checked: true });
const showRadio = make("input", { type: "radio", name: "do", value: "show" });
const onceBox = make("input", { type: "checkbox", name: "once", value: "day" });
const once = make(
  "div",
  { class: "under" },
  make("label", { class: "check" }, onceBox, "Count each visitor once a day"),
  make("small", {}, "For your own pages: GitHub hides its readers."),
);
const onlyShow = make(
  "p",
  { class: "small under" },
  "Charts, calendars and cards only show. Put a counting badge beside them, or count by script.",
);
const closed = make(
  "p",
  { class: "note small" },
  "Reads are protected on this server: an image that only shows stays empty for everyone but you. PUBLIC_READS=1 opens them; counting badges work either way.",
);
const opens = make("div", { class: "opens" });
const tiles = make("div", { class: "tiles" });
const kindTabs = tabs("Kind", "tiles", kinds.map(nameOfKind), nameOfKind(kind), (name) => {
  kind = kinds.find((path) => nameOfKind(path) === name) ?? kind;
  showTiles();
  followStyle();
  show();
});
const swatches = make("div", { class: "swatches" });
const labelField = make("input", { type: "text", id: "label", name: "label" });
const ownColor = make("input", {
  type: "text",
  name: "color",
  "aria-label": "Another color: a name or hex",
  placeholder: "#0b7261",
  hidden: true,
});
const fields = make("div", { class: "grid" });
const why = make("p", { class: "small" });
const form = make(
  "form",
  { id: "design", "aria-label": "Design", submit: (event) => event.preventDefault() },
  make(
    "fieldset",
    {},
    make("legend", {}, "What should it do?"),
    make(
      "div",
      { class: "ways" },
      way(
        countRadio,
        "Count views and show them",
        "For a README or a page. Each view of the image adds one.",
      ),
      way(
        showRadio,
        "Only show the number",
        "Something else counts: your site’s script or your server.",
      ),
    ),
    onlyShow,
    closed,
    once,
  ),
  make("div", {}, make("label", { class: "label", for: "id" }, "Counter"), idField, idHint, opens),
  make(
    "fieldset",
    {},
    make("legend", {}, "Style"),
    ...(kinds.length > 1 ? [kindTabs] : []),
    make("div", {
      id: "tiles",
      role: kinds.length > 1 && "tabpanel",
      "aria-label": kinds.length > 1 && "Style",
    }, tiles),
  ),
  make(
    "div",
    { class: "pair" },
    make("div", {}, make("label", { class: "label", for: "label" }, "Label"), labelField),
    make("fieldset", {}, make("legend", {}, "Color"), swatches),
  ),
  make(
    "details",
    { class: "fold" },
    make("summary", {}, "More options ", make("small", {}, "numbers, days, theme, language, font")),
    fields,
    why,
  ),
);

const views = make("div", { class: "views" });
const code = make("pre", {
  class: "code",
  id: "code",
  role: "tabpanel",
  tabindex: 0,
  "aria-label": "To paste",
});
const formats = make("div");
const copying = make("div");
const told = make("div", { class: "told-all" });
const result = make(
  "div",
  { class: "result" },
  make(
    "section",
    { class: "panel", "aria-label": "Preview" },
    views,
    make(
      "div",
      { class: "viewbar" },
      make("small", {}, "Preview on light and dark"),
      segments(
        "Size",
        [["1", "1×"], ["2", "2×"]],
        "1",
        (size) => views.classList.toggle("twice", size === "2"),
      ),
    ),
  ),
  make("section", { class: "panel snippets", "aria-label": "To paste" }, formats, code, copying),
  told,
);

/** @param {HTMLInputElement} radio @param {string} name @param {string} words */
function way(radio, name, words) {
  return make("label", { class: "way" }, radio, make("b", {}, name), make("small", {}, words));
}

/** @param {string} path */
function nameOfKind(path) {
  return KINDS[path]?.[0] ?? path;
}

/** @param {string} path @returns {Parameter[]} */
function parametersOf(path) {
  return (facts.pictures[path] ?? []).map((name) => {
    const own = facts.defaults[path]?.[name];
    return {
      name,
      schema: { ...facts.controls[name], ...(own !== undefined && { default: own }) },
    };
  });
}

/** Every parameter that shapes a picture, and is no tile, by name. */
const parameters = new Map(
  kinds.toReversed().flatMap((path) => parametersOf(path)).map((
    parameter,
  ) => [parameter.name, parameter]),
);

/** "labelColor" as words. @param {string} name */
function words(name) {
  const spaced = name.replace(/-/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return WORDS[name] ?? spaced[0]?.toUpperCase() + spaced.slice(1);
}

/** @param {string} name @param {string} value */
function valueWords(name, value) {
  const [, count, unit = ""] = /^(\d+)([dwm])$/.exec(value) ?? [];
  const units = /** @type {Record<string, string>} */ ({ d: "days", w: "weeks", m: "months" });
  if (count) return `Last ${count} ${units[unit]}`;
  return WORDS[`${name}:${value}`] ?? (value === "" ? "(none)" : words(value));
}

function showFields() {
  const known = new Set(["label", "color", "style", "kind"]);
  const names = [...parameters.keys()].filter((name) => !known.has(name));
  fields.replaceChildren(...names.map((name) => fieldOf(parameters.get(name))));
}

/** @param {Parameter | undefined} parameter */
function fieldOf(parameter) {
  if (parameter === undefined) return "";
  const { name, schema } = parameter;
  const usual = String(schema.default ?? "");
  const values = name === "spark"
    ? ["", "7", "14", "30"]
    : schema.enum && (usual === "" ? ["", ...schema.enum] : schema.enum);
  const first = FIRST[name] ?? usual;
  const control = values
    ? make(
      "select",
      { name },
      ...values.map((value) =>
        make(
          "option",
          { value, selected: value === first },
          name === "spark" && value ? `Last ${value} days` : valueWords(name, value),
        )
      ),
    )
    : make("input", {
      name,
      type: schema.minimum === undefined ? "text" : "number",
      min: schema.minimum,
      max: schema.maximum,
      maxlength: schema.maxLength,
      placeholder: usual,
      autocomplete: "off",
      spellcheck: false,
    });
  return make("label", {}, words(name), control);
}

/** The tiles of a kind: the values of the parameter that chooses among them, or the picture itself. */
function showTiles() {
  const [, name = ""] = KINDS[kind] ?? [];
  const parameter = parametersOf(kind).find((parameter) => parameter.name === name);
  const values = parameter?.schema.enum?.filter((value) => !facts.aliases.includes(value)) ?? [];
  const all = values.length > 0 ? values : [kind];
  const first = picked.get(kind) ??
    (values.includes(FIRST[name] ?? "") ? FIRST[name] : parameter?.schema.default ?? all[0]);
  const wide = RICH.filter((value) => all.includes(value));
  const sorted = [...wide, ...all.filter((value) => !wide.includes(value))];
  tiles.replaceChildren(...sorted.map((value, index) => {
    const isPicture = kind !== "badge";
    const size = all.length === 1
      ? "full"
      : isPicture && all.length < 3 || wide.length === 2 && index < 2
      ? "half"
      : "";
    const text = value === "total" ? words("total-kind") : words(value);
    const image = make("img", { alt: "", "data-value": value, loading: "lazy" });
    const radio = make("input", {
      type: "radio",
      name: name || "picture",
      value,
      checked: value === first,
    });
    return make(
      "label",
      { class: `tile ${size}` },
      make("span", { class: isPicture ? "shot tall" : "shot" }, image),
      make("span", { class: "cap" }, radio, text),
    );
  }));
}

function showSwatches() {
  const own = make("input", {
    type: "radio",
    name: "swatch",
    value: "",
    checked: true,
    "aria-label": "The style’s own",
  });
  const named = COLORS.map((color) =>
    make(
      "label",
      { class: color, title: color },
      make("input", { type: "radio", name: "swatch", value: color, "aria-label": color }),
    )
  );
  const other = make("input", {
    type: "radio",
    name: "swatch",
    value: "other",
    "aria-label": "Another color",
  });
  swatches.replaceChildren(
    make("label", { class: "auto", title: "The style’s own" }, own),
    ...named,
    make("label", { class: "own" }, other, "Other…"),
    ownColor,
  );
}

// --- What is chosen ------------------------------------------------------------------------------

function counterId() {
  return idField.value.trim() || "home";
}

function isCounting() {
  return kind === "badge" && countRadio.checked;
}

/** The part of the id up to its last slash, whose key would open all that begins with it. */
function prefixOf() {
  const id = counterId();
  return id.slice(0, id.indexOf("/") + 1);
}

function styleOf() {
  return kind === "badge" ? String(new FormData(form).get("style") ?? "") : "";
}

/** What differs from the defaults. @param {string} [tile] in place of the one that is chosen @returns {Choices} */
function chosen(tile) {
  const data = new FormData(form);
  const [, tileName = ""] = KINDS[kind] ?? [];
  const style = kind === "badge" ? tile ?? styleOf() : "";
  return parametersOf(kind).flatMap(({ name, schema }) => {
    if (isUnknown(name, style)) return [];
    if (isCounting() && !facts.counting.includes(name)) return [];
    let value = String(data.get(name) ?? "").trim();
    if (name === "color") value = colorOf(data);
    if (name === tileName && tile !== undefined) value = tile;
    if (tile !== undefined && Object.hasOwn(SUITED, name) && !byHand.has(name)) {
      value = suited(name, tile);
    }
    return value === "" || value === String(schema.default ?? "")
      ? []
      : [/** @type {[string, string]} */ ([name, value])];
  });
}

/** @param {FormData} data */
function colorOf(data) {
  const swatch = String(data.get("swatch") ?? "");
  return swatch === "other" ? ownColor.value.trim() : swatch;
}

/** Whether a style does not know a parameter. @param {string} name @param {string} style */
function isUnknown(name, style) {
  return style !== "" && facts.unknown[name]?.includes(style) === true;
}

/** Fills the form from a query, as the address has it. @param {URLSearchParams} query */
export function restoreDesign(query) {
  const picture = query.get("picture");
  if (picture !== null && kinds.includes(picture)) kind = picture;
  for (const tab of kindTabs.children) {
    const isIt = tab.textContent === nameOfKind(kind);
    tab.setAttribute("aria-selected", String(isIt));
    tab.setAttribute("tabindex", isIt ? "0" : "-1");
  }
  const tile = query.get(KINDS[kind]?.[1] || "picture");
  if (tile !== null) picked.set(kind, tile);
  showTiles();
  idField.value = query.get("id") ?? "";
  const color = query.get("color") ?? "";
  const values = [...query, ["swatch", color === "" || COLORS.includes(color) ? color : "other"]];
  for (const [name = "", value = ""] of values) {
    for (const control of controls(`[name="${CSS.escape(name)}"]`)) {
      if (control.type === "radio" || control.type === "checkbox") {
        control.checked = control.value === value;
      } else control.value = value;
    }
  }
  counts = query.get("do") !== "show";
  for (const name of Object.keys(SUITED)) {
    // What a whole design leaves out was chosen too.
    const usual = suited(name, styleOf());
    const value = query.get(name) ?? (query.size > 1 ? "" : usual);
    if (value !== usual && !isUnknown(name, styleOf())) byHand.add(name);
    for (const control of controls(`[name="${name}"]`)) control.value = value;
  }
  family = query.get("family") === "on";
  show();
}

/** The fields of the form; what selects and inputs have in common is all that is used of them. @param {string} selector */
function controls(selector) {
  return /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll(selector));
}

/** What suits a style, where nobody chose: bars and the reader's colors come and go with it. @param {string} name @param {string} style */
function suited(name, style) {
  return kind !== "badge" || RICH.includes(style) ? SUITED[name] ?? "" : "";
}

function followStyle() {
  for (const name of Object.keys(SUITED)) {
    if (byHand.has(name)) continue;
    for (const control of controls(`[name="${name}"]`)) control.value = suited(name, styleOf());
  }
}

// --- What is shown -------------------------------------------------------------------------------

/** Shows the design: its fields, its pictures and what is pasted. */
export function show() {
  if (byId("badges").hidden) return;
  const data = new FormData(form);
  const isBadge = kind === "badge";
  const style = styleOf();
  /** @type {Choices} */
  const state = [...(isBadge ? [] : [/** @type {[string, string]} */ (["picture", kind])]), [
    "id",
    idField.value.trim(),
  ], ...chosen()];
  if (isBadge && !isCounting()) state.push(["do", "show"]);
  if (isCounting() && onceBox.checked) state.push(["once", "day"]);
  if (family) state.push(["family", "on"]);
  const kept = state.filter(([name, value]) => name !== "id" || value !== "");
  history.replaceState(null, "", kept.length === 0 ? "#badges" : `#badges&${queryOf(kept)}`);
  countRadio.disabled = !isBadge;
  // Where a picture only shows, what was chosen comes back with the badge.
  if (isBadge) countRadio.checked = counts;
  else showRadio.checked = true;
  onlyShow.hidden = isBadge;
  once.hidden = !isCounting();
  closed.hidden = facts.openReads || isCounting();
  ownColor.hidden = data.get("swatch") !== "other";
  labelField.placeholder = String(
    parametersOf(kind).find(({ name }) => name === "label")?.schema.default ?? "",
  );
  showKnown(style);
  showOpens();
  showHint();
  showPictures();
  showSnippets();
}

/** Fields that a style does not know are off, and say why. @param {string} style */
function showKnown(style) {
  const names = new Set(parametersOf(kind).map(({ name }) => name));
  const off = [];
  const counting = isCounting();
  const isOff = (/** @type {string} */ name) =>
    isUnknown(name, style) || counting && !facts.counting.includes(name);
  for (const control of controls(".grid [name], #label")) {
    const label = control.closest("label");
    if (label) label.hidden = !names.has(control.name);
    control.disabled = !names.has(control.name) || isOff(control.name);
    if (names.has(control.name) && control.disabled) off.push(words(control.name).toLowerCase());
  }
  const unknown = isUnknown("color", style);
  for (const radio of swatches.querySelectorAll("input")) radio.disabled = unknown;
  if (unknown) off.push("color");
  why.textContent = off.length === 0 ? "" : `Without effect here: ${off.join(", ")}.`;
}

function showOpens() {
  const prefix = prefixOf();
  opens.hidden = prefix === "" || !isCounting();
  if (prefix === "") family = false;
  if (opens.dataset.prefix === prefix + family) return;
  opens.dataset.prefix = prefix + family;
  opens.replaceChildren(
    make("small", {}, "Its key opens"),
    segments(
      "The key opens",
      [["id", "only this counter"], ["prefix", `everything under ${prefix}`]],
      family ? "prefix" : "id",
      (value) => {
        family = value === "prefix";
        opens.dataset.prefix = prefix + family;
        show();
      },
    ),
  );
}

async function showHint() {
  const id = counterId();
  const mine = idHint.dataset.id = id;
  const text = "A new name starts at 0.";
  if (idField.value.trim() === "") {
    idHint.textContent = "A name of your own, such as user/repo or blog/first-post.";
  } else if (facts.openReads || sessionToken() !== undefined) {
    const views = await call(`count.txt?${queryOf([["id", id]])}`).then(
      (answer) => answer.text(),
      messageOf,
    );
    if (idHint.dataset.id === mine) {
      idHint.textContent = /^\d+$/.test(views)
        ? `${plural(Number(views), "view")} so far. ${text}`
        : views;
    }
  } else idHint.textContent = text;
}

function showPictures() {
  if (views.dataset.kind !== kind) {
    views.dataset.kind = kind;
    views.replaceChildren(...["light", "dark"].map((ground) =>
      make(
        "div",
        { class: `readme ${ground}`, "aria-hidden": "false" },
        make("p", { class: "title", dir: "auto" }),
        make(
          "div",
          { class: "row" },
          make("img", { id: `on-${ground}`, alt: `Preview on a ${ground} page` }),
          ...(kind === "badge" ? [make("i"), make("i")] : []),
        ),
        make("div", { class: "words" }),
        make("div", { class: "words short" }),
      )
    ));
  }
  for (const title of views.querySelectorAll(".title")) {
    title.textContent = counterId().replace(/\/$/, "").split("/").at(-1) ?? "";
  }
  for (const image of views.querySelectorAll("img")) showPicture(image, chosen());
  for (const image of tiles.querySelectorAll("img")) {
    showPicture(image, chosen(image.dataset.value));
  }
}

/** What images show, and by whose session. @type {WeakMap<HTMLImageElement, string>} */
const pictured = new WeakMap();

/** Shows the picture, which never counts; where reads are closed that of the session, or a sample. @param {HTMLImageElement} image @param {Choices} looks */
async function showPicture(image, looks) {
  const path = `${kind}?${queryOf([["id", counterId()], ...looks])}`;
  const token = sessionToken();
  if (pictured.get(image) === path + token) return;
  pictured.set(image, path + token);
  if (facts.openReads) return image.src = new URL(path, here).href;
  if (token === undefined) {
    if (facts.samples.includes(kind)) image.src = new URL(`sample/${path}`, here).href;
    return;
  }
  const answer = await call(path, { headers: { accept: "image/svg+xml" } }).catch(() => undefined);
  if (answer === undefined || pictured.get(image) !== path + token) return;
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
}

/** Takes pictures of protected counters out of the page. */
export function forgetPictures() {
  views.dataset.kind = "";
  showTiles();
}

// --- What is pasted ------------------------------------------------------------------------------

/** @returns {Promise<[name: string, text: string][]>} */
async function snippets() {
  const id = counterId();
  const alt = labelField.disabled || labelField.value.trim() === ""
    ? "views"
    : labelField.value.trim();
  const key = isCounting() || kind === "badge" ? await keyText() : "KEY";
  const prefix = prefixOf();
  const path = isCounting() ? "hit.svg" : kind;
  const counting =
    /** @type {Choices} */ (isCounting()
      ? [...(onceBox.checked ? [["once", "day"]] : []), ["key", key]]
      : []);
  const address = new URL(`${path}?${queryOf([["id", id], ...chosen(), ...counting])}`, here).href;
  const texts = imageSnippets(address, alt);
  if (kind !== "badge") return texts;
  const tally = new URL("tally.js", here).href;
  /** @type {Choices} */
  const attributes = [["counter", id]];
  if (isCounting()) attributes.push(["key", key]);
  if (isCounting() && onceBox.checked) attributes.push(["once", "day"]);
  texts.push(["Script", `${elementSnippet(tally, attributes)} views`]);
  if (isCounting() && family) {
    texts.push([
      "List",
      elementSnippet(tally, [["prefix", prefix], ["key", key], ["limit", "5"]], "tally-top", ""),
    ]);
  }
  if (!isCounting() && facts.openReads) texts.push(["shields.io", shieldsAddress(id)]);
  return texts;
}

async function keyText() {
  if (!isCounting() || sessionToken() === undefined) return "KEY";
  return await (family ? keyOf("prefix", prefixOf()) : keyOf("id", counterId()));
}

/** The address that lets shields.io draw the badge. @param {string} id */
function shieldsAddress(id) {
  const known = chosen().filter(([name]) => facts.shields.includes(name));
  const url = new URL(`badge.json?${queryOf([["id", id], ...known])}`, here).href;
  return `https://img.shields.io/endpoint?${new URLSearchParams({ url })}`;
}

async function showSnippets() {
  const mine = beginTurn();
  /** @type {string | undefined} */
  let failure;
  const texts = await snippets().catch((error) => {
    failure = messageOf(error);
    return /** @type {[string, string][]} */ ([]);
  });
  if (mine !== turn) return;
  const names = texts.map(([name]) => name);
  const shown = names.includes(format) ? format : names[0];
  const text = () => new Map(texts).get(names.includes(format) ? format : names[0] ?? "") ?? "";
  const update = () => {
    code.textContent = text();
    copying.replaceChildren(copyButton(`Copy ${format}`, text, { class: "primary" }));
  };
  if (formats.dataset.names !== names.join()) {
    formats.dataset.names = names.join();
    formats.replaceChildren(tabs("Format", "code", names, shown, (name) => {
      format = name;
      showSnippets();
    }));
  }
  if (shown !== undefined) format = shown;
  update();
  code.setAttribute("aria-busy", "false");
  told.replaceChildren(...notes(failure));
}

/** @param {string | undefined} failure */
function notes(failure) {
  const warning = (/** @type {(Node | string)[]} */ ...text) =>
    make("p", { class: "note small" }, make("span", {}, ...text));
  const bold = (/** @type {string} */ text) => make("b", {}, text);
  const list = [];
  if (failure !== undefined) list.push(warning(failure));
  else if (isCounting() && sessionToken() === undefined) {
    list.push(
      warning(
        bold("Only the owner gets keys."),
        " ",
        make("a", { href: "#sign-in" }, "Sign in"),
        ", and the key of this counter stands in the lines above in place of KEY.",
      ),
    );
  } else if (isCounting()) {
    const what = family ? `every counter under ${prefixOf()}` : "this counter";
    list.push(
      make(
        "p",
        { class: "told" },
        icon("M2 7.5l3.5 3.5L12 3.5"),
        make(
          "span",
          {},
          "The key adds views to ",
          make("b", { dir: "auto" }, what),
          " and opens nothing else, so it may stand in public.",
        ),
      ),
    );
  }
  if (/^(localhost|127\.|\[)/.test(location.hostname)) {
    list.push(
      warning(
        "GitHub cannot reach ",
        bold(location.hostname),
        ". Replace the address once your server is public.",
      ),
    );
  }
  return list;
}

/** Makes what is shown, or about to be, a thing of the past. */
function beginTurn() {
  code.setAttribute("aria-busy", "true");
  return ++turn;
}

/** Puts the view into the page. */
export function initBuilder() {
  showFields();
  showSwatches();
  showTiles();
  followStyle();
  const showSoon = debounced(show);
  form.addEventListener("input", ({ target }) => {
    const { name, value } = /** @type {HTMLInputElement} */ (target);
    if (Object.hasOwn(SUITED, name)) byHand.add(name);
    if (name === KINDS[kind]?.[1]) {
      picked.set(kind, value);
      followStyle();
    }
    if (kind === "badge") counts = countRadio.checked;
    beginTurn();
    showSoon();
  });
  byId("badges").append(
    make("h1", {}, "Build a badge"),
    make("p", { class: "lead" }, "Paste it once. It counts every view from then on."),
    make("div", { class: "work" }, form, result),
  );
}
