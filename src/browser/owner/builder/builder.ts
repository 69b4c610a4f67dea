import { debounced } from "../../lib/browser.ts";
import { byId, fill, make } from "../../lib/make.ts";
import { errorMessage, plural } from "../../lib/words.ts";
import { awaitResult, isCurrent, showPicture, showPreviews, showSnippets } from "./preview.ts";
import type { Control } from "../../../page/compose.ts";
import {
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
  words,
} from "./design.ts";
import { callForJson, facts, Refused, sessionToken } from "../sign_in/session.ts";
import { queryOf } from "../../lib/snippets.ts";

/** The chosen design. */
const state: DesignState = newDesign();

// --- The form ------------------------------------------------------------------------------------

const form = byId<HTMLFormElement>("design", {
  submit: (event) => event.preventDefault(),
  input: take,
});
const idField = byId<HTMLInputElement>("id");
const idHint = byId("id-hint");
const others = byId<HTMLTextAreaElement>("others");
const labelField = byId<HTMLInputElement>("label");
const tiles = byId("tiles");

const swatches = Object.entries(facts.colors).map(([name, hex]) => {
  const radio = { type: "radio", name: "swatch", value: name, "aria-label": name };
  const label = make("label", { title: name }, make("input", radio));
  label.style.setProperty("--c", hex);
  return label;
});
form.querySelector(".own")?.before(...swatches);
for (const [name, control] of Object.entries(facts.controls)) {
  if (["label", "color", "style", "kind"].includes(name)) continue;
  byId("looks").append(fieldOf(name, control));
}
showTiles();

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
      const attributes = { type: "radio", name: name || "tile", value };
      return make(
        "label.tile",
        make("span.shot", make("img", { alt: "", "data-value": value, loading: "lazy" })),
        make(
          "span.cap",
          make("input", attributes, { checked: value === first }),
          valueWords(name, value),
        ),
      );
    }),
  );
}

// --- What is chosen ------------------------------------------------------------------------------

/** Chooses a value of the fields with a name. */
function set(name: string, value: string) {
  for (const field of form.querySelectorAll<HTMLInputElement>(`[name="${name}"]`)) {
    if (/radio|checkbox/.test(field.type)) field.checked = field.value === value;
    else field.value = value;
  }
}

const showSoon = debounced(show);

/** Handles a choice, and a text while it is typed. */
function take({ target }: Event) {
  const { name, value, type } = target as HTMLInputElement;
  if (name === tileName(state.kind)) state.tiles.set(state.kind, value);
  if (name === "do" && state.kind === "badge") state.counts = value === "count";
  readForm();
  if (name === "picture" || target === others) showTiles();
  awaitResult();
  if (/text|number/.test(type)) showSoon();
  else show();
}

function hasOthers() {
  return state.kind === MANY && others.value.trim() !== "";
}

/** Fills the form from a query, as the address has it. */
export function restoreDesign(query: URLSearchParams) {
  const [id = "", ...more] = query.getAll("id");
  others.value = more.join("\n");
  const picture = query.get("picture") ?? "";
  const kind = state.kind = KINDS.includes(picture) ? picture : state.kind;
  set("picture", kind);
  const tile = query.get(tileName(kind));
  if (tile !== null) state.tiles.set(kind, tile);
  showTiles();
  const color = query.get("color") ?? "";
  const isNamed = color === "" || Object.hasOwn(facts.colors, color);
  for (const [name, value] of query) {
    if (name === "once" || Object.hasOwn(facts.controls, name)) set(name, value);
  }
  set("swatch", isNamed ? color : "other");
  set("group", query.get("group") ?? "");
  idField.value = id;
  const wanted = query.get("do");
  state.counts = wanted === null ? undefined : wanted === "count";
  readForm();
  for (const name of Object.keys(STYLE_DEFAULTS)) {
    // A whole design that leaves it out has it off.
    const value = query.get(name) ?? (query.size > 1 ? OFF : "");
    const isDefault = value === (styleDefault(name, kind, state.values.style ?? "") || OFF);
    set(name, isDefault ? "" : value);
  }
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
  byId<HTMLInputElement>("counts").disabled = !isBadge;
  set("do", isCounting ? "count" : "show");
  set("group", design.usesGroupKey ? "on" : "");
  byId("only-show").hidden = isBadge;
  byId("once").hidden = !isCounting;
  byId("closed").hidden = facts.openReads || isCounting || !isOwner;
  byId("beside").hidden = kind !== MANY;
  byId("scope").hidden = prefix === "";
  byId("below").textContent = `all counters under ${prefix}`;
  byId("own-color").hidden = state.values.swatch !== "other";
  byId("label-name").textContent = isBadge ? "Label" : "A label";
  showKnown(isCounting);
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
  showPreviews(design, hasPicture);
  showSnippets(design, obstacle, mine);
}

/** Reads what is chosen in the form. */
function readForm() {
  const values = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  state.values = Object.fromEntries(values);
  state.kind = state.values.picture ?? state.kind;
  const more = hasOthers() ? others.value.split("\n") : [];
  state.ids = [idField.value, ...more].map((id) => id.trim()).filter((id) => id !== "");
}

/** Shows the fields that have an effect on the picture. */
function showKnown(isCounting: boolean) {
  const known = new Map(parametersOf(state.kind, facts));
  labelField.placeholder = known.get("label") ?? "";
  const controls = form.querySelectorAll<HTMLInputElement>(".grid [name], #label");
  for (const control of controls) {
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
