// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/**
 * @typedef {{ type: string, default?: string | number, enum?: string[], minimum?: number, maximum?: number, maxLength?: number }} Schema
 * @typedef {{ name: string, meaning: string, schema: Schema }} Parameter
 * @typedef {{ pictures: Record<string, Parameter[]>, counting: string[], shields: string[], aliases: string[], openReads: boolean }} Facts
 */

/** @type {Facts} */
const facts = JSON.parse(byId("facts").textContent ?? "");
const here = new URL(".", location.href);

// --- The page's own elements ---------------------------------------------------------------------

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Makes an element; what is no event listener becomes an attribute.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | ((event: Event) => void) | undefined>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

/** Says something to everybody, those who do not see the page too. @param {string} text */
function say(text) {
  byId("status").textContent = text;
  clearTimeout(saying);
  saying = setTimeout(() => byId("status").textContent = "", 6000);
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let saying;

/** @param {() => void} act */
function debounced(act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, 200);
  };
}

// --- The session ---------------------------------------------------------------------------------

const SESSION = "tallymark-session";

/** @returns {string | undefined} */
function sessionToken() {
  const { token, expires } = JSON.parse(sessionStorage.getItem(SESSION) ?? "{}");
  return Date.parse(expires) > Date.now() ? token : undefined;
}

/** Calls the service; throws an error that can be shown. @param {string} path @param {RequestInit} [init] */
async function call(path, init = {}) {
  const headers = new Headers(init.headers);
  const token = sessionToken();
  if (token !== undefined && !headers.has("authorization")) {
    headers.set("authorization", `Bearer ${token}`);
  }
  const answer = await fetch(new URL(path, here), { cache: "no-store", ...init, headers })
    .catch(() => {
      throw new Error("The service cannot be reached.");
    });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && token !== undefined && !("authorization" in (init.headers ?? {}))) {
    signOut();
    const ended = "The session has ended: sign in again.";
    // What was under way is called off with the session, and says nothing.
    say(ended);
    throw new Error(ended);
  }
  throw new Error(problem.detail ?? `The service answers ${answer.status}.`);
}

/** @param {Event} event */
async function signIn(event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (byId("secret"));
  try {
    const answer = await call("session", {
      method: "POST",
      headers: { authorization: `Bearer ${field.value}` },
    });
    sessionStorage.setItem(SESSION, await answer.text());
    field.value = "";
    showSession();
    say("Signed in.");
  } catch (error) {
    say(messageOf(error));
  }
}

function signOut() {
  sessionStorage.removeItem(SESSION);
  showSession();
}

function showSession() {
  const signedIn = sessionToken() !== undefined;
  byId("sign-in").hidden = signedIn;
  byId("owner").hidden = !signedIn;
  keys.clear();
  showDesign();
  if (signedIn) reload();
  else forget();
}

/** Takes out of the document what is the owner's alone. */
function forget() {
  loading?.abort();
  rows = [];
  open = undefined;
  arrange();
  for (const part of [undo, decisions, changes]) part.replaceChildren();
  given.value = "";
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// --- The design: the form is its state, and the address keeps it -----------------------------------

const design = /** @type {HTMLFormElement} */ (byId("design"));

/** The path of the picture that is designed. */
function picture() {
  return String(new FormData(design).get("picture"));
}

function isCounting() {
  return picture() === "badge" && new FormData(design).has("count");
}

function counterId() {
  return String(new FormData(design).get("id")).trim() || "home";
}

/** What differs from the defaults, as a query. @returns {[string, string][]} */
function chosen() {
  const data = new FormData(design);
  const known = parametersOf(picture()).filter(({ name }) =>
    !isCounting() || facts.counting.includes(name)
  );
  return known.flatMap(({ name, schema }) => {
    const value = String(data.get(name) ?? "");
    return value === String(schema.default ?? "") ? [] : [[name, value]];
  });
}

/** @param {string} kind */
function parametersOf(kind) {
  return facts.pictures[kind] ?? [];
}

/** @param {string} kind */
function fieldsOf(kind) {
  const fields = parametersOf(kind).map((parameter) =>
    parameter.name === "style" ? stylesOf(parameter) : fieldOf(kind, parameter)
  );
  return make("fieldset", { id: `fields-${kind}`, class: "fields", "aria-label": kind }, ...fields);
}

/** The choice of style is the badges themselves. @param {Parameter} parameter */
function stylesOf({ name, schema }) {
  const styles = schema.enum?.filter((value) => !facts.aliases.includes(value)) ?? [];
  const choices = styles.map((value) =>
    make(
      "label",
      {},
      make("input", { type: "radio", name, value, checked: value === schema.default }),
      make("img", { alt: value, "data-style": value }),
    )
  );
  return make(
    "fieldset",
    { class: "wide" },
    make("legend", {}, "Style"),
    make("div", { class: "styles" }, ...choices),
  );
}

/** @param {string} kind @param {Parameter} parameter */
function fieldOf(kind, { name, meaning, schema }) {
  const id = `${kind}-${name}`;
  const about = { id, name, "aria-describedby": `${id}-hint` };
  const fallback = String(schema.default ?? "");
  const control = schema.enum === undefined
    ? make("input", {
      ...about,
      type: schema.type === "integer" ? "number" : "text",
      value: fallback,
      min: schema.minimum,
      max: schema.maximum,
      maxlength: schema.maxLength,
      autocomplete: "off",
      spellcheck: false,
    })
    : make("select", about, ...optionsOf(schema.enum, fallback));
  const label = make("label", { for: id }, words(name));
  const hint = make("small", { id: `${id}-hint` }, meaning.replaceAll("`", ""));
  return make("p", { class: "field" }, label, control, hint);
}

/** @param {string[]} values @param {string} fallback */
function optionsOf(values, fallback) {
  const all = fallback === "" ? ["", ...values] : values;
  return all.map((value) =>
    make("option", { value, selected: value === fallback }, value || "none")
  );
}

/** "labelColor" as words. @param {string} name */
function words(name) {
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced[0]?.toUpperCase() + spaced.slice(1);
}

/** Fills the form from a query, as the address has it. @param {URLSearchParams} query */
function restore(query) {
  for (const [name, value] of query) {
    if (name === "picture" && !Object.hasOwn(facts.pictures, value)) continue;
    for (const control of design.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
      if (control.type === "radio" || control.type === "checkbox") {
        /** @type {HTMLInputElement} */ (control).checked = control.value === value;
      } else control.value = value;
    }
  }
}

/** Carries a choice over to the field of the same name of the other picture. @param {Event} event */
function shareChoice({ target }) {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  if (target.type === "radio" || target.type === "checkbox") return;
  for (const kind of Object.keys(facts.pictures)) {
    const twin = document.getElementById(`${kind}-${target.name}`);
    if (twin instanceof HTMLInputElement) twin.value = target.value;
  }
}

function showDesign() {
  const kind = picture();
  for (const other of Object.keys(facts.pictures)) {
    const fields = /** @type {HTMLFieldSetElement} */ (byId(`fields-${other}`));
    fields.hidden = fields.disabled = other !== kind;
  }
  byId("builder").classList.toggle("chart", kind !== "badge");
  byId("counting").hidden = kind !== "badge";
  const state = new URLSearchParams([["picture", kind], ["id", counterId()], ...chosen()]);
  if (isCounting()) state.set("count", "on");
  history.replaceState(null, "", `#${state}`);
  for (const id of ["on-light", "on-dark"]) showPicture(imageOf(byId(id)), chosen());
  for (const image of design.querySelectorAll("img")) {
    const others = chosen().filter(([name]) => name !== "style");
    if (kind === "badge") showPicture(image, [...others, ["style", image.dataset.style ?? ""]]);
  }
  showSnippets();
}

/** @param {HTMLElement} element */
function imageOf(element) {
  return /** @type {HTMLImageElement} */ (element);
}

/**
 * Shows the picture, which never counts; where reads are closed that of a session, or a sample.
 * @param {HTMLImageElement} image
 * @param {[string, string][]} looks
 */
function showPicture(image, looks) {
  return showAt(image, `${picture()}?${new URLSearchParams([["id", counterId()], ...looks])}`);
}

/** What images show, and by whose session. @type {WeakMap<HTMLImageElement, { address: string, by: string | undefined }>} */
const pictured = new WeakMap();

/** @param {HTMLImageElement} image @param {string} path */
async function showAt(image, path) {
  const address = new URL(path, here).href;
  const by = sessionToken();
  const last = pictured.get(image);
  if (last?.address === address && last.by === by) return;
  pictured.set(image, { address, by });
  if (facts.openReads) return image.src = address;
  if (sessionToken() === undefined) return image.src = new URL(`sample/${path}`, here).href;
  try {
    const answer = await call(address, { headers: { accept: "image/svg+xml" } });
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(await answer.blob());
  } catch (error) {
    say(messageOf(error));
  }
}

// --- What can be pasted ----------------------------------------------------------------------------

/** The keys of counters, by id. @type {Map<string, string>} */
const keys = new Map();

/** @param {string} id */
async function keyOf(id) {
  if (!keys.has(id) && sessionToken() !== undefined) {
    const answer = await call(`key?${new URLSearchParams({ id })}`);
    keys.set(id, (await answer.json()).key);
  }
  return keys.get(id) ?? "KEY";
}

/** The address of the picture in public, with more to its query. @param {Record<string, string>} more */
async function addressWith(more = {}) {
  const id = counterId();
  const path = isCounting() ? "hit.svg" : picture();
  const query = new URLSearchParams([["id", id], ...chosen()]);
  if (isCounting()) query.set("key", await keyOf(id));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return new URL(`${path}?${query}`, here).href;
}

/** The address that lets shields.io draw the badge. */
function shieldsAddress() {
  const known = chosen().filter(([name]) => facts.shields.includes(name));
  const query = new URLSearchParams([["id", counterId()], ...known]);
  const url = new URL(`badge.json?${query}`, here).href;
  return `https://img.shields.io/endpoint?${new URLSearchParams({ url })}`;
}

/** The element that counts the views of a page by script. */
async function elementText() {
  const id = counterId();
  const script = `<script type="module" src="${inHtml(new URL("tally.js", here).href)}"><\/script>`;
  const key = inHtml(await keyOf(id));
  return `${script}\n<tally-mark counter="${inHtml(id)}" key="${key}">–</tally-mark>`;
}

/** @param {string} text */
function inHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** What is pasted where, for an address and the words for those who do not see it. */
async function snippets() {
  const address = await addressWith();
  const alt = String(new FormData(design).get("label") ?? "").trim() || "views";
  const [light, dark] = await Promise.all(["light", "dark"].map((theme) => addressWith({ theme })));
  const image = `<img alt="${inHtml(alt)}" src="${inHtml(address)}">`;
  /** @type {[string, string][]} */
  const texts = [
    ["Markdown", `![${alt.replace(/[\\[\]<>&*_`]/g, "\\$&")}](${address})`],
    ["HTML", image],
    [
      "HTML that follows the reader’s light or dark",
      `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="${
        inHtml(dark ?? "")
      }">\n` +
      `  <img alt="${inHtml(alt)}" src="${inHtml(light ?? "")}">\n</picture>`,
    ],
    ["reStructuredText", `.. image:: ${address}\n   :alt: ${alt.replace(/[\\*`|_]/g, "\\$&")}`],
    // Within quotes a comma does not end the text.
    ["AsciiDoc", `image:${address}["${alt.replace(/["\]\\]/g, "\\$&")}"]`],
    ["Address", address],
  ];
  if (picture() !== "badge") return texts;
  if (isCounting()) return [...texts, ["Element, for a page of your own", await elementText()]];
  return facts.openReads ? [...texts, ["shields.io", shieldsAddress()]] : texts;
}

async function showSnippets() {
  const turn = beginTurn();
  const texts = await snippets().catch((error) => {
    say(messageOf(error));
    return [];
  });
  if (turn !== turns) return;
  byId("snippets").setAttribute("aria-busy", "false");
  byId("snippets").replaceChildren(
    ...(isCounting() && !keys.has(counterId()) ? [make("p", {}, KEY_NEEDED)] : []),
    ...texts.map(([name = "", text = ""]) => snippet(name, text)),
  );
}

/** Makes what is shown, or about to be, a thing of the past. */
function beginTurn() {
  byId("snippets").setAttribute("aria-busy", "true");
  return ++turns;
}
let turns = 0;

const KEY_NEEDED = "KEY stands for the key of this counter: sign in below, and it is filled in.";

/** @param {string} name @param {string} text */
function snippet(name, text) {
  const code = make("code", {}, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${name}`);
    } catch {
      // Only pages that came over https or from this machine may write to the clipboard.
      getSelection()?.selectAllChildren(code);
      say("Selected: copy it with the keyboard.");
    }
  };
  return make(
    "div",
    { class: "snippet" },
    make("h3", {}, name),
    make("pre", { tabindex: 0, "aria-label": name }, code),
    make("button", { type: "button", "aria-label": `Copy ${name}`, click: copy }, "Copy"),
  );
}

// --- The owner's counters --------------------------------------------------------------------------

/**
 * A counter as the table has it; `days` are the hits of the last 30 days, today's first.
 * @typedef {{ id: string, total: number, today: number, week: number, month: number, days: number[] }} Row
 * @typedef {"id" | "today" | "week" | "month" | "total"} Column
 */

/** @type {[Column, string][]} */
const COLUMNS = [
  ["id", "Counter"],
  ["today", "Today"],
  ["week", "7 days"],
  ["month", "30 days"],
  ["total", "Total"],
];
const DAYS = 30;
const DAY_MS = 86_400_000;
const ROW_HEIGHT = 37;
const number = new Intl.NumberFormat();
const owner = byId("owner");

/** @type {Row[]} */
let rows = [];
/** What of them is shown, in order. @type {Row[]} */
let shown = [];
/** @type {{ column: Column, ascending: boolean }} */
let order = { column: "today", ascending: false };
/** @type {WeakMap<Row, HTMLTableRowElement>} */
let drawn = new WeakMap();
/** The one row that is open, and what it shows. @type {{ id: string, detail: HTMLTableRowElement } | undefined} */
let open;
/** @type {AbortController | undefined} */
let loading;
/** Today where the service is, as days since 1970. */
let today = 0;

const search = make("input", {
  type: "search",
  "aria-label": "Search",
  placeholder: "Search",
  input: debounced(arrange),
});
const prefix = make("input", {
  "aria-label": "Load ids that begin with",
  placeholder: "Begins with",
});
const sameScale = make("input", { type: "checkbox", change: redraw });
const heads = make("tr", {}, ...COLUMNS.map(headOf), make("th", { scope: "col" }, "30 days, each"));
const body = make("tbody");
const totals = make("tr");
const table = make("table", {}, make("thead", {}, heads), body, make("tfoot", {}, totals));
const view = make(
  "div",
  { class: "view", tabindex: 0, role: "group", "aria-label": "Counters" },
  table,
);
const undo = make("p", { id: "undo", role: "status" });

owner.append(
  make(
    "form",
    { class: "tools", submit: reload },
    search,
    prefix,
    make("button", {}, "Load"),
    make("label", {}, sameScale, " Same scale"),
    make("button", { type: "button", click: signOut }, "Sign out"),
  ),
  undo,
  view,
);
view.addEventListener("scroll", draw);
addEventListener("resize", draw);

/** @param {[Column, string]} column */
function headOf([column, name]) {
  const button = make("button", { type: "button", click: () => sortBy(column) }, name);
  return make("th", { scope: "col", "data-column": column }, button);
}

/** @param {Column} column */
function sortBy(column) {
  const ascending = order.column === column ? !order.ascending : column === "id";
  order = { column, ascending };
  arrange();
}

/** @param {Event} [event] */
async function reload(event) {
  event?.preventDefault();
  loading?.abort();
  const { signal } = loading = new AbortController();
  rows = [];
  try {
    const query = new URLSearchParams({ prefix: prefix.value.trim(), days: String(DAYS) });
    today = await todayOfService();
    const answer = await call(`counters?${query}`, { signal });
    let next = 0;
    for await (const line of linesOf(answer)) {
      if (line.id !== undefined) rows.push(rowOf(line));
      else say(`${number.format(line.counters)} counters`);
      if (performance.now() < next) continue;
      arrange();
      next = performance.now() + 300;
      await new Promise(requestAnimationFrame);
    }
  } catch (error) {
    if (!signal.aborted) say(messageOf(error));
  }
  if (!signal.aborted) arrange();
}

/** Today in the time zone of the service, as days since 1970. */
async function todayOfService() {
  const { timeZone } = await (await call("days")).json();
  return dayNumber(new Intl.DateTimeFormat("en-CA", { timeZone }).format());
}

/** @param {string} text */
function dayNumber(text) {
  return Date.parse(`${text}T00:00Z`) / DAY_MS;
}

/** The lines of an answer, as they come in. @param {Response} answer */
async function* linesOf({ body }) {
  let rest = "";
  const stream = body?.pipeThrough(new TextDecoderStream());
  for await (const text of stream ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
  if (rest !== "") yield JSON.parse(rest);
}

/** @param {{ id: string, hits: number, days?: Record<string, number> }} line @returns {Row} */
function rowOf({ id, hits, days = {} }) {
  const last = Array(DAYS).fill(0);
  for (const [day, hits] of Object.entries(days)) last[today - dayNumber(day)] = hits;
  const within = (/** @type {number} */ count) =>
    last.slice(0, count).reduce((sum, hits) => sum + hits, 0);
  return { id, total: hits, today: within(1), week: within(7), month: within(DAYS), days: last };
}

/** Sorts and searches, then draws. */
function arrange() {
  const wanted = search.value.trim().toLowerCase();
  const { column, ascending } = order;
  const sign = ascending ? 1 : -1;
  shown = rows.filter(({ id }) => id.toLowerCase().includes(wanted)).sort((one, other) =>
    sign *
    (column === "id"
      ? one.id < other.id ? -1 : 1
      : one[column] - other[column] || (one.id < other.id ? -sign : sign))
  );
  for (const head of heads.querySelectorAll("th[data-column]")) {
    const sorted = head.getAttribute("data-column") === column;
    head.setAttribute("aria-sort", !sorted ? "none" : ascending ? "ascending" : "descending");
  }
  const sum = (/** @type {Exclude<Column, "id">} */ name) =>
    number.format(shown.reduce((sum, row) => sum + row[name], 0));
  totals.replaceChildren(
    make("th", { scope: "row" }, `${number.format(shown.length)} counters`),
    ...COLUMNS.slice(1).map(([name]) => make("td", {}, name === "id" ? "" : sum(name))),
    make("td"),
  );
  table.setAttribute("aria-rowcount", String(shown.length + 2));
  redraw();
}

function redraw() {
  drawn = new WeakMap();
  draw();
}

/** Puts the rows that can be seen into the table, and room in place of the others. */
function draw() {
  const active = document.activeElement;
  const first = Math.max(0, Math.floor(view.scrollTop / ROW_HEIGHT) - 10);
  const part = shown.slice(first, first + Math.ceil(view.clientHeight / ROW_HEIGHT) + 20);
  const most = Math.max(...(sameScale.checked ? shown : []).flatMap(({ days }) => days), 0);
  const lines = part.flatMap((row, at) => {
    const line = drawn.get(row) ?? lineOf(row, { index: first + at, most });
    drawn.set(row, line);
    return open?.id === row.id ? [line, open.detail] : [line];
  });
  const after = shown.length - first - part.length;
  body.replaceChildren(room(first), ...lines, room(after));
  if (active instanceof HTMLElement && body.contains(active)) active.focus({ preventScroll: true });
}

/** @param {number} count */
function room(count) {
  const row = make("tr", { "aria-hidden": "true" });
  row.style.height = `${count * ROW_HEIGHT}px`;
  return row;
}

/** @param {Row} row @param {{ index: number, most: number }} place */
function lineOf(row, { index, most }) {
  const button = make("button", {
    type: "button",
    dir: "auto",
    "aria-expanded": open?.id === row.id ? "true" : "false",
    click: () => toggle(row),
  }, row.id);
  const figures = [row.today, row.week, row.month, row.total].map((hits) =>
    make("td", {}, number.format(hits))
  );
  const bars = make("td", {}, barsOf(row.days, most));
  return make(
    "tr",
    { "aria-rowindex": index + 2 },
    make("th", { scope: "row" }, button),
    ...figures,
    bars,
  );
}

/** @param {number[]} days @param {number} most */
function barsOf(days, most) {
  const highest = Math.max(most, ...days, 1);
  const strokes = days.map((hits, back) =>
    hits === 0 ? "" : `M${4 * (DAYS - back) - 2} 20v${-Math.max(1, 20 * hits / highest)}`
  );
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [name, value] of [["width", 120], ["height", 20], ["aria-hidden", "true"]]) {
    svg.setAttribute(String(name), String(value));
  }
  path.setAttribute("d", strokes.join(""));
  svg.append(path);
  return svg;
}

// --- One counter, opened ---------------------------------------------------------------------------

/** @param {Row} row */
function toggle(row) {
  open = open?.id === row.id ? undefined : { id: row.id, detail: detailOf(row) };
  redraw();
  const opener = drawn.get(row)?.querySelector("button");
  opener?.focus({ preventScroll: true });
}

/** @param {Row} row */
function detailOf(row) {
  const { id } = row;
  const chart = make("img", { alt: `Chart of ${id}`, width: 480, height: 180 });
  showAt(chart, `chart.svg?${new URLSearchParams({ id, label: id, theme: "auto" })}`);
  const paste = make("div");
  showKey(id, paste);
  const cell = make(
    "td",
    { colspan: COLUMNS.length + 1 },
    make(
      "div",
      { class: "columns" },
      make("div", {}, chart, daysAsTable(row)),
      make("div", {}, paste, setForm(row), deleteForm(row)),
    ),
  );
  return make("tr", { class: "detail" }, cell);
}

/** @param {Row} row */
function daysAsTable({ days }) {
  const lines = days.map((hits, back) => {
    const date = new Date((today - back) * DAY_MS).toLocaleDateString([], { timeZone: "UTC" });
    return make("tr", {}, make("th", { scope: "row" }, date), make("td", {}, number.format(hits)));
  });
  const list = make("table", {}, make("tbody", {}, ...lines));
  return make("details", {}, make("summary", {}, "As a table"), list);
}

/** @param {string} id @param {HTMLElement} place */
async function showKey(id, place) {
  try {
    const key = await keyOf(id);
    const address = new URL(`hit.svg?${new URLSearchParams({ id, key })}`, here).href;
    place.replaceChildren(
      snippet("Key", key),
      snippet("Counting image, Markdown", `![views](${address})`),
    );
  } catch (error) {
    place.replaceChildren(messageOf(error));
  }
}

/** @param {Row} row */
function setForm(row) {
  const field = make("input", {
    type: "number",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    value: row.total,
    required: true,
  });
  const set = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(row.id, { method: "PUT", body: JSON.stringify({ hits: Number(field.value) }) });
  };
  return make(
    "form",
    { class: "tools", submit: set },
    make("label", {}, "Number ", field),
    make("button", {}, "Set"),
  );
}

/** @param {Row} row */
function deleteForm({ id }) {
  const field = make("input", { autocomplete: "off", placeholder: id });
  const remove = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (field.value.trim() === id) change(id, { method: "DELETE" });
    else say("Type the id of the counter to delete it.");
  };
  return make(
    "form",
    { class: "tools", submit: remove },
    make("label", {}, "Type the id to delete it ", field),
    make("button", { class: "bad" }, "Delete"),
  );
}

/** Sets or deletes a counter, and offers to undo it with what it held. @param {string} id @param {RequestInit} how */
async function change(id, how) {
  const path = `counters?${new URLSearchParams({ id })}`;
  try {
    const before = await (await call(path, how)).json();
    const back = () => change(id, { method: "PUT", body: JSON.stringify(before) });
    const what = how.method === "DELETE" ? "Deleted" : "Set";
    undo.replaceChildren(
      `${what} ${id}, which held ${number.format(before.hits)}. `,
      make("button", { type: "button", click: back }, "Undo"),
    );
    open = undefined;
    await reload();
  } catch (error) {
    say(messageOf(error));
  }
}

// --- Why doesn't it count? ---------------------------------------------------------------------------

/** What the service decided, in plain words; of a problem its name is told. @type {Record<string, string>} */
const DECISIONS = {
  counted: "counted",
  repeat: "not counted again: this visitor or this request was counted before",
  bot: "not counted: the caller says that it is a crawler",
  prefetch: "not counted: a browser fetched it before anyone asked to see it",
  camo: "counted; an image proxy stands between, so that readers look alike",
  unauthorized: "refused: no secret and no key of this counter",
  "bad-id": "refused: the id cannot be a counter's",
  "bad-query": "refused: something in the query cannot be understood, or stands there twice",
  "bad-body": "refused: it has a body, but the id belongs in the query",
  "bad-idempotency-key": "refused: not an Idempotency-Key, or sent without the secret",
  "method-not-allowed": "refused: its method counts nothing",
  "family-full": "refused: this family's key began too many counters today",
  "not-a-counter": "refused: the store holds something else under this id",
  "counter-full": "refused: the counter is full",
  "store-unavailable": "not counted: the store was away",
  "overloaded": "not counted: too many hits were waiting",
  "internal": "unknown: something went wrong, and the log has the cause",
  "outcome-unknown": "unknown: the store did not confirm it in time",
};
const decisions = make("ul", { class: "plain" });
const rejected = make("ul", { class: "plain" });

owner.append(make(
  "details",
  { toggle: showDecisions },
  make("summary", {}, "Why doesn’t it count?"),
  make("p", {}, "What became of the last hits that reached this process, the newest first:"),
  decisions,
  make("p", {}, "Requests that were rejected, which anyone can send:"),
  rejected,
));

/** @param {Event} event */
async function showDecisions({ target }) {
  if (!(target instanceof HTMLDetailsElement) || !target.open) return;
  try {
    const latest = await (await call("decisions")).json();
    decisions.replaceChildren(...itemsOf(latest.decisions));
    rejected.replaceChildren(...itemsOf(latest.rejected));
  } catch (error) {
    say(messageOf(error));
  }
}

/** @param {{ time: string, id?: string, outcome: string }[]} latest */
function itemsOf(latest) {
  if (latest.length === 0) return [make("li", {}, "None has come in.")];
  return latest.map(({ time, id = "no counter", outcome }) =>
    make(
      "li",
      {},
      `${new Date(time).toLocaleTimeString()} ${id}: ${DECISIONS[outcome] ?? outcome}`,
    )
  );
}

// --- Carrying over -----------------------------------------------------------------------------------

const given = make("textarea", {
  rows: 5,
  "aria-label": "Lines to import",
  placeholder: "12345 user/repo\nuser/other,678\nor lines of an export",
  dragover: (event) => event.preventDefault(),
  drop: takeFile,
});
const mode = make(
  "select",
  { "aria-label": "What to do with numbers that are there" },
  make("option", { value: "replace" }, "Replace what is there"),
  make("option", { value: "max" }, "Keep the larger number"),
);
const changes = make("div", { role: "status" });

owner.append(make(
  "details",
  {},
  make("summary", {}, "Import and export"),
  make(
    "form",
    { class: "tools", submit: tryImport },
    given,
    make("input", { type: "file", "aria-label": "A file to import", change: takeFile }),
    mode,
    make("button", {}, "Show what would change"),
    make("button", { type: "button", click: download }, "Export everything"),
  ),
  changes,
));

/** @param {Event} event */
async function takeFile(event) {
  const files = event instanceof DragEvent
    ? event.dataTransfer?.files
    : event.target instanceof HTMLInputElement && event.target.files;
  if (!files || files[0] === undefined) return;
  event.preventDefault();
  given.value = await files[0].text();
}

/** A line as the service takes it: "number id", "id number" (also with 12,345), CSV of either, or such a line already. */
/** @param {string} text @param {number} index */
function lineFrom(text, index) {
  if (text === "" || text.startsWith("{")) return text;
  const [, first, last] = /^(\d{1,3}(?:[.,]\d{3})+(?=\s)|\d+)[\s,;]+(.+)$/.exec(text) ?? [];
  const [, id = last, ...numbers] = first
    ? []
    : /^(.+?)(?:[\s,;]*[\s;](\d{1,3}(?:[.,]\d{3})+)|[\s,;]+(\d+))$/.exec(text) ?? [];
  const hits = numbers.find((number) => number) ?? first;
  if (id !== undefined) {
    return JSON.stringify({
      id: id.replace(/^"(.*)"$/, "$1"),
      hits: Number(hits?.replace(/[.,]/g, "")),
    });
  }
  if (index === 0) return "";
  throw new Error(`Line ${index + 1} is not an id with a number: ${text.slice(0, 40)}`);
}

/** @param {Event} event */
async function tryImport(event) {
  event.preventDefault();
  try {
    const body = given.value.split("\n").map((line, index) => lineFrom(line.trim(), index)).join(
      "\n",
    );
    const path = `counters?mode=${mode.value}`;
    const tried = await (await call(`${path}&dry=1`, { method: "POST", body })).json();
    const list = tried.changes.slice(0, 100).map((
      /** @type {{ id: string, before: number, after: number }} */ change,
    ) =>
      make(
        "li",
        {},
        `${change.id}: ${number.format(change.before)} → ${number.format(change.after)}`,
      )
    );
    const write = async () => {
      const done = await (await call(path, { method: "POST", body })).json();
      changes.replaceChildren(`Imported ${number.format(done.counters)} counters.`);
      await reload();
    };
    changes.replaceChildren(
      make(
        "p",
        {},
        `${number.format(tried.counters)} counters, ${number.format(tried.changed)} would change.`,
      ),
      make("ul", {}, ...list),
      make("button", {
        type: "button",
        click: () => write().catch((error) => say(messageOf(error))),
      }, "Import"),
    );
  } catch (error) {
    changes.replaceChildren(messageOf(error));
  }
}

/** Saves every counter with all its days; an answer that was cut off is not saved. */
async function download() {
  try {
    const file = await (await call("counters")).blob();
    const end = await file.slice(-200).text();
    if (!/\{"counters":\d+[^\n]*\}\n?$/.test(end)) {
      throw new Error("The answer was cut off: export again.");
    }
    const href = URL.createObjectURL(file);
    make("a", { href, download: "counters.ndjson" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  } catch (error) {
    say(messageOf(error));
  }
}

design.append(...Object.keys(facts.pictures).map(fieldsOf));
byId("pictures").hidden = Object.keys(facts.pictures).length < 2;
restore(new URLSearchParams(location.hash.slice(1)));
addEventListener("hashchange", () => {
  restore(new URLSearchParams(location.hash.slice(1)));
  showDesign();
});
design.addEventListener("input", shareChoice);
design.addEventListener("input", beginTurn);
design.addEventListener("input", debounced(showDesign));
design.addEventListener("submit", (event) => event.preventDefault());
byId("sign-in").addEventListener("submit", signIn);
// The address keeps the design, so that its links within the page may not change it.
for (const link of document.querySelectorAll('nav a[href^="#"]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    byId(link.getAttribute("href")?.slice(1) ?? "").scrollIntoView();
  });
}
for (const element of document.querySelectorAll("[data-script]")) {
  element.removeAttribute("hidden");
}
showSession();

export {};
