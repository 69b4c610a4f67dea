import { debounced } from "../../lib/browser.ts";
import { choice } from "../../lib/choice.ts";
import { byId, fill, make } from "../../lib/make.ts";
import { errorMessage, plural } from "../../lib/words.ts";
import { awaitResult, isCurrent, result, showPicture, showResult } from "./preview.ts";
import type { Control } from "../../../page/compose.ts";
import {
  type Choices,
  type DesignState,
  hasNoEffect,
  INITIAL_VALUES,
  KINDS,
  MANY,
  MAX_COUNTERS,
  newDesign,
  OFF,
  parametersOf,
  resultOf,
  STYLE_DEFAULTS,
  styleDefault,
  tileName,
  valueWords,
  WORDS,
  words,
} from "./design.ts";
import { callForJson, facts, Refused, sessionToken } from "../sign_in/session.ts";
import { queryOf } from "../../lib/snippets.ts";

/** The chosen design. */
const state: DesignState = newDesign();

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
const others = make("textarea.big", { id: "others", rows: 2, spellcheck: "false" });
const beside = make(
  ".beside",
  make("label.label", { for: "others" }, "Compare with"),
  others,
  make("p.small", `Up to ${MAX_COUNTERS - 1} more counters, one per line.`),
);
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
  state.usesGroupKey = index === 1;
});
const opens = make(".under", make("small", "Key scope"), opening.element);
const tiles = make(".tiles", { id: "tiles" });
const kindTabs = choice("Kind", ["Badge", "Chart", "Calendar", "Card"], 0, (index) => {
  state.kind = KINDS[index] ?? state.kind;
  showTiles();
});
const labelField = make("input", { type: "text", id: "label", name: "label" });
const labelName = make("label.label", { for: "label" });
const ownColor = make("input", {
  name: "color",
  "aria-label": "Another color: a name or hex",
  placeholder: "#0b7261",
});
const swatches = make(
  ".swatches",
  swatch("auto", "", "The style’s own", true),
  ...Object.entries(facts.colors).map(([name, hex]) => swatch("", name, name, false, hex)),
  swatch("own", "other", "Another color"),
  ownColor,
);
const fields = make(".grid");
const form = make(
  "form",
  {
    id: "design",
    "aria-label": "Design",
    submit: (event) => event.preventDefault(),
    input: take,
    change: take,
  },
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
  make("div", make("label.label", { for: "id" }, "Counter"), idField, idHint, beside, opens),
  make("fieldset", make("legend", "Style"), kindTabs.element, tiles),
  make(
    ".pair",
    make("div", labelName, labelField),
    make("fieldset", make("legend", "Color"), swatches),
  ),
  make(
    "details.fold",
    make("summary", "More options ", make("small", "numbers, days, theme, language, font")),
    fields,
  ),
);

/** Puts the view into the page. */
export function initBuilder() {
  for (const [name, control] of Object.entries(facts.controls)) {
    if (!["label", "color", "style", "kind"].includes(name)) fields.append(fieldOf(name, control));
  }
  showTiles();
  byId("badges-view").append(
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

function fieldOf(
  name: string,
  { default: usual = "", enum: values, examples, minimum, maximum }: Control,
) {
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
  if (!examples) return make("label", words(name), control);
  // Other values may be typed, such as the language of a region.
  const id = `known-${name}`;
  control.setAttribute("list", id);
  const options = examples.map((value) => make("option", { value }, valueWords(name, value)));
  return make("label", words(name), control, make("datalist", { id }, ...options));
}

/** Shows a tile per value of the parameter that the tiles choose, or one tile for the picture. */
function showTiles() {
  const { kind } = state;
  const name = tileName(kind);
  const control = facts.controls[name];
  // Bars show one counter.
  const all = (control?.enum ?? [kind]).filter((value) => value !== "bars" || !hasOthers());
  const usual = state.tiles.get(kind) ?? INITIAL_VALUES[name] ?? control?.default ?? kind;
  const first = all.find((value) => value === usual) ?? all.at(-1);
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

/** Returns fields of the form. Only members that selects and inputs share are used. */
function controls(selector: string) {
  return (form.querySelectorAll(selector) as NodeListOf<HTMLInputElement>);
}

const showSoon = debounced(show);

/** Handles a choice once it is made, and a text while it is typed. */
function take({ type, target }: Event) {
  const field = target as HTMLInputElement;
  const { name, value } = field;
  const isTyped = /text|number/.test(field.type);
  if (isTyped !== (type === "input")) return;
  if (name === tileName(state.kind)) state.tiles.set(state.kind, value);
  if (name === "do" && state.kind === "badge") state.counts = countRadio.checked;
  if (target === others) showTiles();
  awaitResult();
  if (isTyped) showSoon();
  else show();
}

function hasOthers() {
  return state.kind === MANY && others.value.trim() !== "";
}

/** Fills the form from a query, as the address has it. */
export function restoreDesign(query: URLSearchParams) {
  const picture = query.get("picture");
  if (picture !== null && KINDS.includes(picture)) state.kind = picture;
  const { kind } = state;
  kindTabs.mark(KINDS.indexOf(kind));
  const tile = query.get(tileName(kind) || "picture");
  if (tile !== null) state.tiles.set(kind, tile);
  const [id = "", ...more] = query.getAll("id");
  idField.value = id;
  others.value = more.join("\n");
  showTiles();
  const color = query.get("color") ?? "";
  const isNamed = color === "" || Object.hasOwn(facts.colors, color);
  const choices: Choices = [...query, ["swatch", isNamed ? color : "other"]];
  for (const [name, value] of choices.filter(([name]) => name !== "id")) {
    for (const control of controls(`[name="${CSS.escape(name)}"]`)) {
      if (/radio|checkbox/.test(control.type)) {
        control.checked = control.value === value;
      } else control.value = value;
    }
  }
  const wanted = query.get("do");
  state.counts = wanted === null ? undefined : wanted === "count";
  readForm();
  for (const name of Object.keys(STYLE_DEFAULTS)) {
    // A whole design that leaves it out has it off.
    const value = query.get(name) ?? (query.size > 1 ? OFF : "");
    const isDefault = value === (styleDefault(name, kind, state.values.style ?? "") || OFF);
    for (const control of controls(`[name="${name}"]`)) control.value = isDefault ? "" : value;
  }
  state.usesGroupKey = query.get("group") === "on";
  show();
}

// --- What is shown -------------------------------------------------------------------------------

/** Shows the design: its fields, its pictures and what is pasted. */
export async function show() {
  if (byId("badges-view").hidden) return;
  readForm();
  const isOwner = sessionToken() !== undefined;
  const design = resultOf(state, facts, isOwner);
  const { kind, isCounting, prefix } = design;
  const isBadge = kind === "badge";
  countRadio.disabled = !isBadge;
  countRadio.checked = isCounting;
  showRadio.checked = !isCounting;
  onlyShow.hidden = isBadge;
  once.hidden = !isCounting;
  closed.hidden = facts.openReads || isCounting || !isOwner;
  beside.hidden = kind !== MANY;
  ownColor.hidden = state.values.swatch !== "other";
  labelName.textContent = isBadge ? "Label" : "A label";
  showKnown(isCounting);
  opens.hidden = prefix === "";
  state.usesGroupKey = design.usesGroupKey;
  opening.mark(state.usesGroupKey ? 1 : 0);
  everything.textContent = `all counters under ${prefix}`;
  // The address names the design, so that it can be shared.
  const address = queryOf(design.address);
  history.replaceState(null, "", address === "" ? "#badges" : `#badges&${address}`);
  const mine = awaitResult();
  const { words, obstacle } = await about(design.ids);
  if (!isCurrent(mine)) return;
  const hasPicture = obstacle === "" || design.ids.length === 0;
  idHint.textContent = words;
  idField.ariaInvalid = String(!hasPicture);
  idHint.classList.toggle("bad", !hasPicture);
  for (const image of tiles.querySelectorAll("img")) {
    showPicture(image, resultOf(state, facts, isOwner, image.dataset.value), hasPicture);
  }
  showResult(design, obstacle, hasPicture);
}

/** Reads what is chosen in the form. */
function readForm() {
  const data = new FormData(form);
  state.values = Object.fromEntries([...data].map(([name, value]) => [name, String(value)]));
  const more = hasOthers() ? others.value.split("\n") : [];
  state.ids = [idField.value, ...more].map((id) => id.trim()).filter((id) => id !== "");
}

/** Shows the fields that have an effect on the picture. */
function showKnown(isCounting: boolean) {
  const known = new Map(parametersOf(state.kind, facts));
  labelField.placeholder = known.get("label") ?? "";
  for (const control of controls(".grid [name], #label")) {
    const { name } = control;
    control.disabled = !known.has(name) ||
      hasNoEffect(name, isCounting, state.values.style ?? "", facts);
    const label = control.closest("label");
    if (label) label.hidden = control.disabled;
  }
}

/** Returns what is known of counters, and what to do before the design is of use. */
async function about(ids: readonly string[]) {
  if (ids.length === 0) {
    const example = "A name of your own, such as user/repo or blog/first-post.";
    return { words: example, obstacle: "Name a counter first" };
  }
  const wrong = ids.length === 1 ? "Correct the name first" : "Correct the names first";
  if (ids.length > MAX_COUNTERS) {
    const words = `A chart shows up to ${MAX_COUNTERS} counters. These are ${ids.length}.`;
    return { words, obstacle: wrong };
  }
  const fresh = "A new name starts at 0.";
  if (!facts.openReads && !sessionToken()) return { words: fresh, obstacle: "" };
  try {
    const counts = ids.map((id) => callForJson(`count?${queryOf([["id", id]])}`));
    const views = (await Promise.all(counts)).reduce((sum, { hits }) => sum + hits, 0);
    const words = `${plural(views, "view")} so far.${views === 0 ? ` ${fresh}` : ""}`;
    return { words, obstacle: "" };
  } catch (error) {
    const isWrong = error instanceof Refused && error.status === 400;
    return {
      words: errorMessage(error),
      obstacle: isWrong ? wrong : "Wait until the server is back",
    };
  }
}
