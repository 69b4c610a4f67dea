import { debounced } from "../../lib/browser.ts";
import { byId, make } from "../../lib/make.ts";
import { errorMessage, plural } from "../../lib/words.ts";
import { linesOf, type Outcome, outdate, showLines, showPicture, showPreviews } from "./preview.ts";
import type { Control } from "../../../page/compose.ts";
import {
  type Design,
  designOf,
  INITIAL_VALUES,
  MANY,
  MAX_COUNTERS,
  OFF,
  STYLE_DEFAULTS,
  TILES,
  type Values,
  valueWords,
  words,
} from "./design.ts";
import { callForJson, facts, Refused, sessionToken } from "../sign_in/session.ts";
import { queryOf } from "../../lib/snippets.ts";

// --- The form ------------------------------------------------------------------------------------

const form = byId<HTMLFormElement>("design", {
  submit: (event) => event.preventDefault(),
  input: take,
});
const idField = byId<HTMLInputElement>("id");
const idHint = byId("id-hint");
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
  if (TILES.includes(name)) tiles.append(...tilesOf(name, control));
  else if (!["label", "color"].includes(name)) byId("looks").append(fieldOf(name, control));
}
/** The values of a new design. */
const initial = valuesIn();
/** The hint for a counter that does not exist. */
const FRESH = "A new name starts at 0.";
/** The chosen purpose of a badge, `count` or `show`, or empty for the usual one. */
let wanted = "";

function fieldOf(name: string, control: Control) {
  const { default: usual = "", minimum: min, maximum: max } = control;
  let values = name === "spark" ? ["7", "14", "30"] : control.enum ?? control.examples;
  if (!values) {
    const type = min === undefined ? "text" : "number";
    return make("label", words(name), make("input", { name, type, min, max, placeholder: usual }));
  }
  if (name in STYLE_DEFAULTS) values = [OFF, ...values];
  const first = INITIAL_VALUES[name] ?? usual;
  const options = (usual === "" ? ["", ...values] : values).map((value) =>
    make("option", { value, selected: value === first }, valueWords(name, value))
  );
  return make("label", words(name), make("select", { name }, ...options));
}

/** Creates a tile for each value of a parameter. */
function tilesOf(name: string, { enum: values = [], default: usual }: Control) {
  return values.map((value) => {
    const checked = value === (INITIAL_VALUES[name] ?? usual);
    const radio = make("input", { type: "radio", name, value, checked });
    return make(
      "label.tile",
      make("span.shot", make("img", { alt: "", "data-value": value, loading: "lazy" })),
      make("span.cap", radio, valueWords(name, value)),
    );
  });
}

function valuesIn(): Values {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** Returns what is chosen. Only badges count. A field that is disabled keeps its value. */
function chosen(): Values {
  const values = valuesIn();
  // Visitors have no key, so at first only a line that shows works for them.
  const usual = sessionToken() ? "count" : "show";
  const act = values.picture === "badge" ? wanted || usual : "show";
  const color = values.swatch === "other" ? values.color ?? "" : "";
  return { ...values, color, label: labelField.value, do: act };
}

/** Chooses a value of the fields with a name. */
function set(name: string, value: string) {
  for (const field of Array.from(form.elements) as HTMLInputElement[]) {
    if (field.name !== name) continue;
    if (/radio|checkbox/.test(field.type)) field.checked ||= field.value === value;
    else field.value = value;
  }
}

const showSoon = debounced(show);

/** Handles a choice, and a text while it is typed. */
function take({ target }: Event) {
  const { name, value, type } = target as HTMLInputElement;
  if (name === "do") wanted = value;
  outdate();
  if (/text|number/.test(type)) showSoon();
  else show();
}

/** Fills the form from a query, as the address has it. */
export function restoreDesign(query: URLSearchParams) {
  form.reset();
  for (const [name, value] of query) set(name, value);
  // Addresses of 1.3.0 have an id for each counter, and a color without its swatch.
  const [id = "", ...others] = query.getAll("id");
  set("id", id);
  if (others.length > 0) set("others", others.join("\n"));
  const color = query.get("color") ?? "";
  if (!query.has("swatch") && color !== "") {
    set("swatch", Object.hasOwn(facts.colors, color) ? color : "other");
  }
  wanted = query.get("do") ?? "";
  show();
}

// --- What is shown -------------------------------------------------------------------------------

/** Shows the design: its fields, its pictures and what is pasted. */
export async function show() {
  if (byId("badges-view").hidden) return;
  const values = chosen();
  const design = designOf(values, facts);
  showFields(values, design);
  // The address names the design, so that a reload keeps it.
  const changed = Object.entries({ ...values, do: wanted })
    .filter(([name, value]) => value !== (initial[name] ?? ""));
  const query = changed.length > 0 ? `&${queryOf(changed)}` : "";
  history.replaceState(null, "", `#badges${query}`);
  const isLast = outdate();
  const outcome = await outcomeOf(design);
  if (!isLast()) return;
  const hasPicture = outcome.obstacle === "" || design.ids.length === 0;
  idHint.textContent = outcome.words;
  idField.ariaInvalid = String(!hasPicture);
  idHint.classList.toggle("bad", !hasPicture);
  for (const image of tiles.querySelectorAll<HTMLImageElement>("label:not([hidden]) img")) {
    showPicture(image, designOf(values, facts, image.dataset.value), hasPicture);
  }
  showPreviews(design, hasPicture);
  showLines(design, outcome);
}

/** Shows the fields that have an effect on the picture. */
function showFields(values: Values, { kind, ids, isCounting, prefix, known }: Design) {
  const isBadge = kind === "badge";
  byId<HTMLInputElement>("counts").disabled = !isBadge;
  set("do", values.do ?? "");
  byId("only-show").hidden = isBadge;
  byId("once").hidden = !isCounting;
  byId("closed").hidden = facts.openReads || isCounting || !sessionToken();
  byId("beside").hidden = kind !== MANY;
  byId("scope").hidden = prefix === "";
  // The owner chooses the key of each group, because it opens more than one counter.
  if (isCounting && prefix === "") set("group", "");
  byId("below").textContent = `all counters under ${prefix}`;
  byId("own-color").hidden = values.swatch !== "other";
  byId("label-name").textContent = isBadge ? "Label" : "A label";
  labelField.disabled = !known.has("label");
  labelField.placeholder = known.get("label") ?? "";
  const isMany = ids.length > 1;
  if (isMany && values.kind === "bars") set("kind", "total");
  for (const field of form.querySelectorAll<HTMLInputElement>(".grid [name], .tile [name]")) {
    const hidden = !known.has(field.name) || isMany && field.value === "bars";
    field.closest("label")?.toggleAttribute("hidden", hidden);
  }
}

/** Asks the service about the counters of a design, and for the key of its lines. */
async function outcomeOf(design: Design): Promise<Outcome> {
  const { ids, isCounting } = design;
  const lines = {};
  if (ids.length === 0) {
    const words = "A name of your own, such as user/repo or blog/first-post.";
    return { words, obstacle: "Name a counter first", lines };
  }
  if (ids.length > MAX_COUNTERS) {
    const words = `A chart shows up to ${MAX_COUNTERS} counters. These are ${ids.length}.`;
    return { words, obstacle: "Remove a counter first", lines };
  }
  const canRead = facts.openReads || sessionToken() !== undefined;
  try {
    const [words, lines] = await Promise.all([
      canRead ? viewsOf(ids) : FRESH,
      canRead || isCounting ? linesOf(design) : {},
    ]);
    return { words, obstacle: "", lines };
  } catch (error) {
    const isWrong = error instanceof Refused && error.status === 400;
    const obstacle = isWrong ? "Correct the name first" : "Wait until the server is back";
    return { words: errorMessage(error), obstacle, lines };
  }
}

async function viewsOf(ids: readonly string[]) {
  const counts = ids.map((id) => callForJson(`count?${queryOf([["id", id]])}`));
  const views = (await Promise.all(counts)).reduce((sum, { hits }) => sum + hits, 0);
  return `${plural(views, "view")} so far.${views === 0 ? ` ${FRESH}` : ""}`;
}
