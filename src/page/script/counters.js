// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { chart } from "./chart.js";
import { counterDetail, drafts } from "./counter.js";
import {
  announce,
  byId,
  debounced,
  draw,
  grouped,
  icon,
  make,
  messageOf,
  plural,
} from "./elements.js";
import { dayNumber, DAYS, figuresOf, sparkline, sumOf, trendOf } from "./figures.js";
import { call, Refused } from "./session.js";

/**
 * @typedef {import("./figures.js").Figures} Figures
 * @typedef {"id" | "today" | "yesterday" | "week" | "month" | "total"} Column
 * A line of the table: a counter, or the sum of those below a prefix.
 * @typedef {{ row: Figures, prefix: string, members: Figures[] | undefined, height: number }} Line
 */

/** @type {[Column, string, string][]} */
const COLUMNS = [
  ["id", "Counter", ""],
  ["today", "Today", ""],
  ["yesterday", "Yesterday", "wide"],
  ["week", "7 days", ""],
  ["month", "30 days", "wide"],
  ["total", "Total", "medium"],
];
const WIDTH = COLUMNS.length + 1;
const ROW_HEIGHT = 41;
const GROUPED = "tallymark-grouped";
/** From how many counters on they are grouped unless the owner chose otherwise. */
const MANY = 8;
const REFRESH_MS = 60_000;
/** A list that takes longer to load is loaded again on request only. */
const SLOW_MS = 2000;

/** @type {Figures[]} */
let rows = [];
/** Where each of them stands in the document, top to bottom. @type {Line[]} */
let lines = [];
/** The height of everything above a line. @type {number[]} */
let tops = [0];
/** @type {{ column: Column, ascending: boolean }} */
let order = { column: "month", ascending: false };
/** @type {Set<string>} */
const folded = new Set();
/** @type {{ id: string, detail: HTMLTableRowElement | undefined, height: number } | undefined} */
let open;
/** @type {AbortController | undefined} */
let loading;
/** Today where the service is, as days since 1970. */
let today = 0;
let loaded = false;
let loadedAt = 0;
let tookMs = 0;
let openReads = false;
/** Of the chart of all counters. */
let range = "90d";

// --- The parts of the view -----------------------------------------------------------------------

const asOf = make("small", {});
const refresh = make(
  "button",
  { type: "button", click: reload },
  icon("M12 7a5 5 0 1 1-1.5-3.6M12 1.5v2.7H9.3"),
  "Refresh",
);
const head = make(
  "div",
  { class: "head" },
  make("h1", {}, "Counters"),
  make("div", { class: "end" }, asOf, refresh),
);
const away = make("div", { class: "note", role: "alert", hidden: true });
const figures = make("dl", { class: "figures" });
const all = chart("All counters", 240, "90d", mostOf, loadRange);
const hero = make(
  "section",
  { class: "panel", "aria-label": "All counters" },
  figures,
  all.element,
);
const search = make("input", {
  type: "search",
  "aria-label": "Search counters",
  placeholder: "Search counters",
  input: debounced(arrange),
});
const isGrouped = make("input", {
  type: "checkbox",
  change: () => {
    localStorage.setItem(GROUPED, String(isGrouped.checked));
    arrange();
  },
});
const count = make("small", { class: "end", role: "status" });
const tools = make(
  "div",
  { class: "tools" },
  make(
    "div",
    { class: "search" },
    icon("M9.5 9.5L13 13M10.5 6a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0z"),
    search,
    make("kbd", { "aria-hidden": "true" }, "/"),
  ),
  make("label", { class: "check" }, isGrouped, "Group by prefix"),
  count,
);
const heads = make(
  "tr",
  {},
  ...COLUMNS.map(([column, name, shownFrom]) =>
    make(
      "th",
      { scope: "col", "data-column": column, class: shownFrom },
      make("button", { type: "button", click: () => sortBy(column) }, name),
    )
  ),
  make("th", { scope: "col", class: "days" }, "Last 30 days"),
);
const body = make("tbody");
const table = make("table", { class: "counters" }, make("thead", {}, heads), body);
const tablePanel = make("div", { class: "panel" }, table);
const noMatch = make("div", { class: "panel none" });
const empty = emptyPanel();

/** Puts the view into the page. @param {{ openReads: boolean }} facts @param {HTMLElement[]} more what stands below the table */
export function initCounters(facts, more) {
  openReads = facts.openReads;
  byId("counters").append(head, away, hero, tools, tablePanel, noMatch, empty, ...more);
  addEventListener("scroll", drawSoon, { passive: true });
  addEventListener("resize", drawSoon);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open) toggle(open.id);
    const isTyping = event.target instanceof Element &&
      event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || tools.hidden || byId("counters").hidden) return;
    event.preventDefault();
    search.focus();
  });
  setInterval(() => {
    const isDue = Date.now() - loadedAt >= REFRESH_MS && tookMs < SLOW_MS;
    if (isDue && isShown()) load();
  }, REFRESH_MS / 6);
  document.addEventListener("visibilitychange", () => {
    if (isShown() && loadedAt > 0 && Date.now() - loadedAt >= REFRESH_MS && tookMs < SLOW_MS) {
      load();
    }
  });
}

function isShown() {
  return document.visibilityState === "visible" && !byId("counters").hidden;
}

function emptyPanel() {
  const steps = [
    ["Choose a name", "Such as user/repo for a README, or blog/first-post for a page."],
    ["Paste the badge", "Markdown or HTML, ready to copy in the builder."],
    ["It appears here", "With the first view, in this table."],
  ].map(([name = "", words = ""], index) =>
    make(
      "li",
      {},
      make("span", { class: "step", "aria-hidden": "true" }, String(index + 1)),
      make("b", {}, name),
      make("small", {}, words),
    )
  );
  const mark = draw(
    "svg",
    { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" },
    draw("path", { d: "M4.5 5v14M9.5 5v14M14.5 5v14M19.5 5v14" }),
    draw("path", { class: "strike", d: "M1.5 16.5L22.5 7.5" }),
  );
  return make(
    "section",
    { class: "panel none", hidden: true },
    mark,
    make("h1", {}, "No counters yet"),
    make("p", {}, "A counter begins with its first view. Nothing to set up."),
    make("ol", { class: "first" }, ...steps),
    make("a", { class: "button primary", href: "#badges" }, "Build your first badge"),
    " ",
    make("button", {
      type: "button",
      class: "quiet",
      click: () => byId("import").toggleAttribute("open", true),
    }, "Import counters from elsewhere"),
  );
}

// --- Loading -------------------------------------------------------------------------------------

/** Loads what an owner asked for anew. */
async function reload() {
  if (open) open.detail = undefined;
  await load();
  if (range === "12m") await loadRange(range);
}

/** Loads every counter with its last days; what is shown stays until everything is there. */
export async function load() {
  loading?.abort();
  const { signal } = loading = new AbortController();
  const start = performance.now();
  refresh.setAttribute("aria-busy", "true");
  if (!loaded) showLoading(0);
  try {
    const timeZone = await timeZoneOfService(signal);
    const newToday = dayNumber(new Intl.DateTimeFormat("en-CA", { timeZone }).format());
    /** @type {Figures[]} */
    const found = [];
    await eachLine(await call(`counters?days=${DAYS}`, { signal }), (line) => {
      found.push(figuresOf(line, newToday));
    }, () => loaded || showLoading(found.length));
    if (signal.aborted) return;
    [rows, today, loaded, loadedAt] = [found, newToday, true, Date.now()];
    tookMs = performance.now() - start;
    away.hidden = true;
    asOf.textContent = `as of ${timeText(loadedAt)}`;
    showFigures();
    arrange();
  } catch (error) {
    if (!signal.aborted) showAway(error);
  } finally {
    if (loading?.signal === signal) refresh.removeAttribute("aria-busy");
  }
}

/** @param {AbortSignal} signal @returns {Promise<string>} */
async function timeZoneOfService(signal) {
  return (await (await call("days", { signal })).json()).timeZone;
}

/**
 * Reads the lines of an answer as they come in, and lets the page be drawn now and then.
 * @param {Response} answer
 * @param {(line: import("./counter.js").Line) => void} take
 * @param {() => void} progress
 */
async function eachLine({ body }, take, progress) {
  let rest = "";
  let isWhole = false;
  let next = performance.now() + 100;
  const stream = body?.pipeThrough(new TextDecoderStream());
  for await (const text of stream ?? []) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = JSON.parse(part);
      if (line.id === undefined) isWhole = true;
      else take(line);
    }
    if (performance.now() < next) continue;
    progress();
    await new Promise((resolve) => setTimeout(resolve));
    next = performance.now() + 100;
  }
  if (!isWhole) throw new Error("The list was cut off.");
}

/** The days of the last year are loaded when they are asked for: they are most of what there is. @param {string} wanted */
async function loadRange(wanted) {
  range = wanted;
  if (range !== "12m") return all.show(sumOf("", rows).days, today, range);
  const { signal } = loading ?? new AbortController();
  const days = Array(400).fill(0);
  try {
    announce("Loading twelve months");
    await eachLine(await call("counters?days=400", { signal }), (line) => {
      figuresOf(line, today, 400).days.forEach((hits, back) => days[back] += hits);
    }, () => {});
    if (range === wanted) all.show(days, today, range);
  } catch (error) {
    if (!signal.aborted) showAway(error);
  }
}

/** @param {unknown} error */
function showAway(error) {
  if (error instanceof Refused && error.status === 401) return;
  const isStore = error instanceof Refused && error.status === 503;
  const since = loadedAt === 0 ? "" : ` Figures are as of ${timeText(loadedAt)}.`;
  const lost = error instanceof Refused && (isStore || error.status === 0)
    ? " New views are not counted until it is back."
    : "";
  away.replaceChildren(
    make(
      "span",
      {},
      make("b", {}, isStore ? "The store cannot be reached." : messageOf(error)),
      since + lost,
    ),
    make("button", { type: "button", click: reload }, "Try again"),
  );
  away.hidden = false;
  if (!loaded) {
    asOf.textContent = "";
    for (const part of [hero, tools, tablePanel, noMatch, empty]) part.hidden = true;
  }
}

/** @param {number} time */
function timeText(time) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** Gray blocks of the size of what will stand there. @param {number} found */
function showLoading(found) {
  asOf.textContent = found === 0 ? "loading…" : `loading… ${plural(found, "counter")}`;
  for (const part of [head, hero, tools, tablePanel]) part.hidden = false;
  for (const part of [away, noMatch, empty]) part.hidden = true;
  all.element.classList.add("loading");
  count.textContent = "";
  const ghost = () => make("span", { class: "ghost" });
  figures.replaceChildren(
    ...["Today", "Last 7 days", "Last 30 days", "Total"].map((name) => figure(name, ghost(), " ")),
  );
  body.replaceChildren(
    ...Array.from({ length: 6 }, () =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, ghost()),
        ...COLUMNS.slice(1).map(([, , shownFrom]) => make("td", { class: shownFrom }, ghost())),
        make("td", { class: "days" }, ghost()),
      )),
  );
}

// --- All counters --------------------------------------------------------------------------------

function showFigures() {
  const sum = sumOf("", rows);
  const trend = (
    /** @type {number} */ now,
    /** @type {number} */ then,
    /** @type {string} */ words,
  ) => then === 0 ? "" : make("span", {}, trendText(now, then), ` ${words}`);
  figures.replaceChildren(
    figure("Today", grouped(sum.today), `${grouped(sum.yesterday)} yesterday`),
    figure("Last 7 days", grouped(sum.week), trend(sum.week, sum.priorWeek, "vs prior 7 days")),
    figure(
      "Last 30 days",
      grouped(sum.month),
      trend(sum.month, sum.priorMonth, "vs prior 30 days"),
    ),
    figure("Total", grouped(sum.total), `in ${plural(rows.length, "counter")}`),
  );
  all.element.classList.remove("loading");
  if (range !== "12m") all.show(sum.days, today);
}

/** @param {string} name @param {Node | string} value @param {Node | string} why */
function figure(name, value, why) {
  return make(
    "div",
    {},
    make("dt", {}, name),
    make("dd", { class: "n" }, value),
    make("dd", { class: "why" }, why),
  );
}

/** @param {number} now @param {number} then */
function trendText(now, then) {
  const { up, text, word } = trendOf(now, then);
  const seen = make("span", { "aria-hidden": word !== "" && "true" }, text);
  const spoken = word === "" ? [] : [make("span", { class: "sr" }, `${word} ${text.slice(2)}`)];
  return make("span", { class: up ? "up" : "down" }, ...spoken, seen);
}

/** The counter with most of a day, for the tooltip. @param {import("./figures.js").Bar} bar */
function mostOf({ hits, back }) {
  if (range === "12m" || hits === 0) return undefined;
  const most = rows.reduce((one, other) =>
    (other.days[back] ?? 0) > (one.days[back] ?? 0) ? other : one
  );
  return `${grouped(most.days[back] ?? 0)} of them ${most.id}`;
}

// --- The table -----------------------------------------------------------------------------------

/** @param {Column} column */
function sortBy(column) {
  const ascending = order.column === column ? !order.ascending : column === "id";
  order = { column, ascending };
  arrange();
}

/** Searches, groups and sorts, then draws. */
function arrange() {
  if (!loaded) return;
  const wanted = search.value.trim().toLowerCase();
  const found = wanted === "" ? rows : rows.filter(({ id }) => id.toLowerCase().includes(wanted));
  isGrouped.checked = JSON.parse(localStorage.getItem(GROUPED) ?? String(rows.length >= MANY));
  lines = (isGrouped.checked ? groupsOf(found) : found.map((row) => lineOf(row))).sort(inOrder)
    .flatMap((line) =>
      line.members === undefined || folded.has(line.prefix)
        ? [line]
        : [line, ...line.members.map((row) => lineOf(row, line.prefix)).sort(inOrder)]
    );
  place();
  for (const head of heads.querySelectorAll("th[data-column]")) {
    const isIt = head.getAttribute("data-column") === order.column;
    head.setAttribute("aria-sort", !isIt ? "none" : order.ascending ? "ascending" : "descending");
  }
  table.setAttribute("aria-rowcount", String(lines.length + 1));
  const isEmpty = rows.length === 0;
  for (const part of [head, hero, tools]) part.hidden = isEmpty;
  empty.hidden = !isEmpty;
  tablePanel.hidden = found.length === 0;
  noMatch.hidden = isEmpty || found.length > 0;
  noMatch.replaceChildren(
    make("h2", {}, `No counter contains “${search.value.trim()}”`),
    make("p", {}, "The search looks anywhere in a name."),
    make("button", { type: "button", click: clearSearch }, "Clear search"),
  );
  const text = wanted === ""
    ? plural(rows.length, "counter")
    : `${grouped(found.length)} of ${plural(rows.length, "counter")}`;
  if (count.textContent !== text) count.textContent = text;
  drawn.clear();
  share = Math.max(1, ...[0], rows.reduce((most, { month }) => Math.max(most, month), 0));
  drawRows();
}

function clearSearch() {
  search.value = "";
  arrange();
  search.focus();
}

/** @param {Figures} row @returns {Line} */
function lineOf(row, prefix = "") {
  return { row, prefix, members: undefined, height: ROW_HEIGHT };
}

/** Counters by the part up to their first slash; one alone stands for itself. @param {Figures[]} found @returns {Line[]} */
function groupsOf(found) {
  const groups = Map.groupBy(found, ({ id }) => id.slice(0, id.indexOf("/") + 1));
  return [...groups].flatMap(([prefix, members]) =>
    prefix === "" || members.length < 2
      ? members.map((row) => lineOf(row))
      : [{ row: sumOf(prefix, members), prefix, members, height: ROW_HEIGHT }]
  );
}

/** @param {Line} one @param {Line} other */
function inOrder({ row: one }, { row: other }) {
  const { column, ascending } = order;
  const byId = one.id < other.id ? -1 : 1;
  if (column === "id") return ascending ? byId : -byId;
  return (ascending ? one[column] - other[column] : other[column] - one[column]) || byId;
}

/** Works out where each line stands. */
function place() {
  let top = 0;
  tops = lines.map(({ row, members, height }) => {
    const at = top;
    top += height + (members === undefined && open?.id === row.id ? open.height : 0);
    return at;
  });
  tops.push(top);
}

/** The rows that are in the document. @type {Map<Line, HTMLTableRowElement>} */
const drawn = new Map();
/** The most hits in 30 days of any counter: what a full bar behind an id stands for. */
let share = 1;
let isDrawing = false;

function drawSoon() {
  if (isDrawing || tablePanel.hidden || !loaded) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawRows();
  });
}

/** Puts the rows that are near the screen into the table, and room in place of the others. */
function drawRows() {
  if (byId("counters").hidden) return;
  const above = -body.getBoundingClientRect().top;
  const first = Math.max(0, indexAt(above - 400));
  const last = Math.min(lines.length, indexAt(above + innerHeight + 400) + 1);
  const part = lines.slice(first, last);
  const kept = new Set(part);
  for (const line of drawn.keys()) if (!kept.has(line)) drawn.delete(line);
  const elements = [room(tops[first] ?? 0)];
  for (const [index, line] of part.entries()) {
    const element = drawn.get(line) ?? rowFor(line, first + index);
    drawn.set(line, element);
    elements.push(element);
    if (open && line.members === undefined && open.id === line.row.id) {
      elements.push(detailFor(open, line.row));
    }
  }
  elements.push(room((tops.at(-1) ?? 0) - (tops[last] ?? 0)));
  swap(body, elements);
}

/**
 * Gives an element these children. Those that it has stay in place, as they may have the focus, and the new ones come before
 * the old ones go: while they were gone, the page would be short, and the browser would scroll up.
 * @param {Element} parent
 * @param {Element[]} children
 */
function swap(parent, children) {
  const wanted = new Set(children);
  const old = [...parent.children].filter((child) => !wanted.has(child));
  let at = parent.firstElementChild;
  for (const child of children) {
    while (at !== null && !wanted.has(at)) at = at.nextElementSibling;
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  for (const child of old) child.remove();
}

/** The last line that begins above a height. @param {number} height */
function indexAt(height) {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {number} height */
function room(height) {
  const row = make("tr", { "aria-hidden": "true", class: "room" });
  row.style.height = `${height}px`;
  return row;
}

/** @param {Line} line @param {number} index */
function rowFor(line, index) {
  const { row, prefix, members } = line;
  const isOpen = members === undefined ? open?.id === row.id : !folded.has(prefix);
  const name = members === undefined ? row.id.slice(prefix.length) : prefix;
  const act = () => members === undefined ? toggle(row.id) : fold(prefix);
  const opener = make(
    "button",
    {
      type: "button",
      class: "opener",
      title: row.id,
      "aria-expanded": String(isOpen),
      click: act,
      ...(prefix !== "" && members === undefined && { "aria-label": row.id }),
    },
    icon("M5 3l4 4-4 4", "icon chevron"),
    make("span", { dir: "auto" }, name),
    ...(members === undefined ? [] : [make("small", {}, plural(members.length, "counter"))]),
  );
  const bar = make("div", { class: "id" }, opener);
  if (members === undefined) bar.style.setProperty("--share", `${100 * row.month / share}%`);
  const kind = members !== undefined
    ? "group"
    : `${prefix === "" ? "" : "in"} ${isOpen ? "chosen" : ""}`;
  return make(
    "tr",
    { "aria-rowindex": index + 2, class: kind },
    make("th", { scope: "row" }, bar),
    make("td", { class: row.today === 0 ? "soft" : "" }, grouped(row.today)),
    make("td", { class: "wide soft" }, grouped(row.yesterday)),
    make(
      "td",
      {},
      make(
        "span",
        { class: "two" },
        make("span", {}, grouped(row.week)),
        trendText(row.week, row.priorWeek),
      ),
    ),
    make("td", { class: "wide" }, grouped(row.month)),
    make("td", { class: "medium" }, grouped(row.total)),
    make("td", { class: "days" }, sparkOf(row.days)),
  );
}

/** @param {readonly number[]} days */
function sparkOf(days) {
  const { before, today } = sparkline(days);
  return draw(
    "svg",
    { class: "spark", viewBox: "0 0 120 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("path", { class: "base", d: "M0 23.5H120" }),
    draw("path", { d: before }),
    draw("path", { class: "now", d: today }),
  );
}

/** @param {string} prefix */
function fold(prefix) {
  if (!folded.delete(prefix)) folded.add(prefix);
  arrange();
  focusOn((line) => line.members !== undefined && line.prefix === prefix);
}

/** @param {string} id */
function toggle(id) {
  drafts.clear();
  open = open?.id === id ? undefined : { id, detail: undefined, height: 0 };
  arrange();
  focusOn((line) => line.members === undefined && line.row.id === id);
}

/** @param {(line: Line) => boolean} isIt */
function focusOn(isIt) {
  for (const [line, row] of drawn) {
    if (isIt(line)) row.querySelector("button")?.focus({ preventScroll: true });
  }
}

/** @param {NonNullable<typeof open>} opened @param {Figures} row */
function detailFor(opened, row) {
  if (opened.detail === undefined) {
    const inside = counterDetail(row, { today, openReads, reload });
    opened.detail = make("tr", { class: "detail" }, make("td", { colspan: WIDTH }, inside));
    new ResizeObserver(([entry], observer) => {
      if (open !== opened) return observer.disconnect();
      const height = opened.detail?.offsetHeight ?? 0;
      if (entry === undefined || height === 0 || height === opened.height) return;
      opened.height = height;
      place();
      drawSoon();
    }).observe(opened.detail);
  }
  return opened.detail;
}

// --- For the rest of the page --------------------------------------------------------------------

/** Whether there is such a counter, as far as it was loaded. @param {string} id */
export function isCounter(id) {
  return rows.some((row) => row.id === id);
}

/** Takes the owner's figures out of the document; what was typed stays where a session has only ended. @param {boolean} keepsTyped */
export function forgetCounters(keepsTyped) {
  loading?.abort();
  [rows, lines, tops, loaded, loadedAt] = [[], [], [0], false, 0];
  drawn.clear();
  if (keepsTyped && open) open = { id: open.id, detail: undefined, height: 0 };
  else {
    open = undefined;
    search.value = "";
    folded.clear();
  }
  for (const part of [body, figures, noMatch]) part.replaceChildren();
  all.show([], 0, range = "90d");
  count.textContent = asOf.textContent = "";
}
