import { Arrangement, type Column, type Group, type Line, nameOf } from "./arrangement.ts";
import { amount, sparkOf, trend } from "../../lib/cells.ts";
import { keep, kept } from "../../lib/storage.ts";
import { counterDetail } from "./counter.ts";
import { debounced } from "../../lib/browser.ts";
import { fill, icon, make } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import { type Figures, prefixOf } from "../../lib/figures.ts";
import { groupDetail } from "./group.ts";

/** The columns, with the class that hides each on narrow pages. */
const COLUMNS: [column: Column, name: string, className: string][] = [
  ["id", "Counter", ""],
  ["today", "Today", ""],
  ["yesterday", "Yesterday", "wide"],
  ["week", "7 days", ""],
  ["month", "30 days", "wide"],
  ["total", "Total", "medium"],
];
/** Number of columns: those, trend and sparkline. */
const ALL_COLUMNS = COLUMNS.length + 2;
/** Pages as narrow as a phone have the name on a line of its own. */
const phone = matchMedia("(max-width: 480px)");
/** Height of a row in pixels, as the style has it. */
const rowHeight = () => phone.matches ? 73 : 41;
/** Height above and below the screen that has rows too, in pixels. Scrolling shows no gap. */
const MARGIN = 400;
/** Maximum number of new rows in a frame, so that a jump among thousands stays responsive. */
const ROWS_PER_FRAME = 8;
const GROUPED = "grouped";

/** The counters, in the order in which the table shows them. */
const all = new Arrangement();
/** Today in the time zone of the service, as days since 1970. 0 until the counters are loaded. */
let today = 0;
/** Loads the counters again. */
let reload: () => Promise<void>;
/** All lines of the table, from top to bottom. */
let lines: Line[] = [];
/** Index of the open line, or -1. */
let openAt = -1;
interface Opened {
  id: string;
  isGroup: boolean;
  detail: HTMLTableRowElement | undefined;
  height: number;
}
let open: Opened | undefined;
/** The rows that are in the document. */
const drawn: Map<Line, HTMLElement> = new Map();
/** Hits of a full bar behind an id: the largest of all counters in 30 days. */
let share = 1;
let isDrawing = false;

// --- The parts of the view -----------------------------------------------------------------------

const search = make("input", {
  type: "search",
  "aria-label": "Search counters",
  placeholder: "Search counters",
  input: debounced(arrange),
});
const sorting = make(
  "select",
  { change: () => sortBy(COLUMNS[sorting.selectedIndex]?.[0] ?? "id") },
  ...COLUMNS.map(([, name]) => make("option", name)),
);
const isGrouped = make("input", {
  type: "checkbox",
  change: () => {
    keep("localStorage", GROUPED, String(isGrouped.checked));
    arrange();
  },
});
const count = make("small.end", { role: "status" });
const tools = make(
  ".tools",
  make(
    ".search",
    icon("M9.5 9.5L13 13M10.5 6a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0z"),
    search,
    make("kbd", { "aria-hidden": true }, "/"),
  ),
  make("label.check", isGrouped, "Group by prefix"),
  make("label.check.sort", "Sort by", sorting),
  count,
);
const heads = COLUMNS.map(([column, name, className]) =>
  make(
    "th",
    { scope: "col", class: className },
    make("button", { click: () => sortBy(column) }, name),
  )
);
const headRow = make(
  "tr",
  ...heads.slice(0, 4),
  make("th.trend", { scope: "col" }, "Trend"),
  ...heads.slice(4),
  make("th.days", { scope: "col" }, "Last 30 days"),
);
const body = make("tbody");
const table = make(
  "table.counters.list",
  { "aria-label": "Counters" },
  make("thead", headRow),
  body,
);
const panel = make(".panel", table);
const noMatch = make(".panel.none");
/** The parts of the table, from top to bottom. */
export const tableParts = [tools, panel, noMatch];

export function initTable(load: typeof reload) {
  reload = load;
  addEventListener("scroll", drawSoon, { passive: true });
  addEventListener("resize", drawSoon);
  phone.addEventListener("change", redraw);
  panel.addEventListener("keydown", (event) => {
    const isTyping = document.activeElement?.matches("input:not([type=radio]), select");
    if (isTyping || document.querySelector(".menu:popover-open")) return;
    if (event.key === "Escape" && open) toggle(open.id, open.isGroup);
    if (event.key !== "/") return;
    event.preventDefault();
    search.focus();
  });
}

/** Shows gray blocks in the size of the rows. */
export function showGhosts() {
  tools.hidden = panel.hidden = false;
  noMatch.hidden = true;
  count.textContent = "";
  const ghost = () => make("td", { colspan: ALL_COLUMNS }, make("span.ghost"));
  fill(body, ...Array.from({ length: 6 }, () => make("tr", { "aria-hidden": true }, ghost())));
}

export function showRows(newRows: Figures[], newToday: number) {
  [all.rows, today] = [newRows, newToday];
  share = newRows.reduce((most, { month }) => Math.max(most, month), 1);
  arrange();
}

/** Makes an opened row load its days again. */
export function renewDetail() {
  if (open) open.detail = undefined;
}

/** Reports whether the id is that of a loaded counter. */
export function isCounter(id: string) {
  return all.rows.some((row) => row.id === id);
}

// --- Order ---------------------------------------------------------------------------------------

function sortBy(column: Column) {
  all.sortBy(column);
  arrange();
}

/** Searches, groups and sorts, then draws. */
function arrange() {
  if (today === 0) return;
  const { rows } = all;
  all.search(search.value);
  all.group(JSON.parse(kept("localStorage", GROUPED) ?? "null") ?? undefined);
  const { found, order } = all;
  isGrouped.checked = all.isGrouped;
  lines = all.lines();
  sorting.selectedIndex = COLUMNS.findIndex(([column]) => column === order.column);
  for (const [index, head] of heads.entries()) {
    const isIt = index === sorting.selectedIndex;
    head.ariaSort = !isIt ? "none" : order.ascending ? "ascending" : "descending";
  }
  table.setAttribute("aria-rowcount", String(lines.length + 1));
  tools.hidden = rows.length === 0;
  panel.hidden = found.length === 0;
  noMatch.hidden = tools.hidden || !panel.hidden;
  fill(
    noMatch,
    make("h2", `No counter contains “${search.value.trim()}”`),
    make("p", "The search looks anywhere in a name."),
    make("button", { click: clearSearch }, "Clear search"),
  );
  const every = plural(rows.length, "counter");
  const text = all.isSearching ? `${grouped(found.length)} of ${every}` : every;
  if (count.textContent !== text) count.textContent = text;
  redraw();
}

function clearSearch() {
  search.value = "";
  arrange();
  search.focus();
}

// --- Rows near the screen ------------------------------------------------------------------------

/** Draws the rows on the screen again after the lines changed. Rows beyond it follow. */
function redraw() {
  const button = document.activeElement;
  const focused = [...drawn].find(([, row]) => row.contains(button))?.[0];
  openAt = lines.findIndex(isOpen);
  drawn.clear();
  drawRows(true);
  if (!focused) return;
  const { row, group, more } = focused;
  focusOn(
    (line) => line.row.id === row.id && !line.group === !group && !line.more === !more,
    button?.matches(".about") ? ".about" : "button",
  );
}

/** Returns the height of everything above a line. */
function topOf(index: number) {
  return index * rowHeight() + (openAt >= 0 && index > openAt ? open?.height ?? 0 : 0);
}

/** Returns the last line that begins above a height, or the first. */
function indexAt(height: number) {
  const index = Math.max(0, Math.floor(height / rowHeight()));
  const below = Math.floor((height - (open?.height ?? 0)) / rowHeight());
  return openAt < 0 || index <= openAt ? index : Math.max(openAt, below);
}

function isOpen({ row, group, more }: Line) {
  return !more && open?.id === row.id && open.isGroup === (group !== undefined);
}

function drawSoon() {
  if (isDrawing || today === 0) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawRows();
  });
}

/** Adds the rows near the screen, first those on it. Empty rows take the place of all others. */
function drawRows(isRedraw = false) {
  if (!panel.checkVisibility()) return;
  const above = -body.getBoundingClientRect().top;
  const endAt = (height: number) => Math.min(lines.length, indexAt(height) + 1);
  const [seen, endOfSeen] = [indexAt(above), endAt(above + innerHeight)];
  const [first, end] = [indexAt(above - MARGIN), endAt(above + innerHeight + MARGIN)];
  const kept = new Set(lines.slice(first, end));
  for (const line of drawn.keys()) if (!kept.has(line)) drawn.delete(line);
  let left = ROWS_PER_FRAME;
  addRows(seen, endOfSeen, isRedraw);
  addRows(endOfSeen, end);
  addRows(first, seen);

  function addRows(from: number, to: number, isAll?: boolean) {
    for (let index = from; index < to; index++) {
      const line = lines[index];
      if (!line || drawn.has(line)) continue;
      if (!isAll && left-- <= 0) return drawSoon();
      drawn.set(line, rowFor(line, index));
    }
  }

  const elements: HTMLElement[] = [];
  let next = 0;
  for (let index = first; index < end; index++) {
    const line = lines[index];
    const element = line && drawn.get(line);
    if (!element) continue;
    if (index > next) elements.push(room(topOf(index) - topOf(next)));
    elements.push(element);
    if (open && isOpen(line)) elements.push(detailFor(open, line));
    next = index + 1;
  }
  elements.push(room(topOf(lines.length) - topOf(next)));
  swap(body, elements);
}

/**
 * Replaces the children of an element. Children that stay are not moved, because one may have the
 * focus. Old ones are removed last, because a page that becomes shorter scrolls up.
 */
function swap(parent: Element, children: Element[]) {
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

function room(height: number) {
  const row = make("tr.room", { "aria-hidden": true });
  row.style.height = `${height}px`;
  return row;
}

function rowFor(line: Line, index: number) {
  const { row, prefix, group, more } = line;
  if (more) return moreRow(prefix, more, index);
  const shows = group ? all.isUnfolded(prefix) : isOpen(line);
  const opener = make(
    "button.opener",
    {
      title: row.id,
      "aria-expanded": shows,
      "aria-label": group
        ? `${plural(group.members.length, "counter")} under ${prefix}`
        : prefix === ""
        ? undefined
        : row.id,
      click: () => group ? fold(prefix) : toggle(row.id, false),
    },
    icon("M5 3l4 4-4 4", "svg.icon.chevron"),
    make("span.name", { dir: "auto" }, nameOf(line)),
  );
  const bar = make(".id", opener, ...group ? aboutGroup(line, group) : []);
  const kind = (group ? ".group" : prefix === "" ? "" : ".in") + (isOpen(line) ? ".chosen" : "");
  if (!group) bar.style.setProperty("--share", String(row.month / share));
  return make(
    `tr${kind}`,
    { "aria-rowindex": index + 2 },
    make("th", { scope: "row" }, bar),
    make(row.today === 0 ? "td.soft" : "td", amount(row.today)),
    make("td.wide.soft", amount(row.yesterday)),
    make("td", amount(row.week)),
    make("td.trend", trend(row.days)),
    make("td.wide", amount(row.month)),
    make("td.medium", amount(row.total)),
    make("td.days", sparkOf(row.days)),
  );
}

/**
 * Returns the number of counters of a group, and the button that opens its details. The name of a
 * group unfolds it, as in a list of files, so the details need a word of their own.
 */
function aboutGroup(line: Line, { members, found }: Group) {
  const every = plural(members.length, "counter");
  const { id } = line.row;
  return [
    make("small", all.isSearching ? `${grouped(found.length)} of ${every}` : every),
    make(
      "button.about",
      {
        "aria-expanded": isOpen(line),
        "aria-label": `Details of ${id}`,
        click: () => toggle(id, true),
      },
      "Details",
    ),
  ];
}

function moreRow(prefix: string, more: number, index: number) {
  const click = () => {
    all.showWhole(prefix);
    arrange();
    // The first row that was left out takes the place of the button.
    focusOn((line) => line === lines[index]);
  };
  const name = `${grouped(more)} more`;
  const button = make("button", { "aria-label": `${name} under ${prefix}`, click }, name);
  return make(
    "tr.in.rest",
    { "aria-rowindex": index + 2 },
    make("td", { colspan: ALL_COLUMNS }, button),
  );
}

// --- Opening -------------------------------------------------------------------------------------

function fold(prefix: string) {
  all.fold(prefix);
  arrange();
  focusOn((line) => line.group && line.prefix === prefix);
}

function toggle(id: string, isGroup: boolean) {
  const changed = [id, open?.id];
  const isIt = open?.id === id && open.isGroup === isGroup;
  open = isIt ? undefined : { id, isGroup, detail: undefined, height: 0 };
  openAt = lines.findIndex(isOpen);
  for (const line of drawn.keys()) if (changed.includes(line.row.id)) drawn.delete(line);
  drawRows();
  const isLine = (line: Line) =>
    !line.more && isGroup === (line.group !== undefined) && line.row.id === id;
  focusOn(isLine, isGroup ? ".about" : "button");
}

/** Opens a counter of a group, and scrolls to it. */
function reveal(id: string) {
  all.showWhole(prefixOf(id));
  open = { id, isGroup: false, detail: undefined, height: 0 };
  arrange();
  scrollBy(0, body.getBoundingClientRect().top + topOf(openAt) - 2 * rowHeight());
  drawRows(true);
  focusOn(isOpen);
}

function focusOn(isIt: (line: Line) => unknown, button = "button") {
  for (const [line, row] of drawn) {
    if (isIt(line)) row.querySelector<HTMLElement>(button)?.focus({ preventScroll: true });
  }
}

function detailFor(opened: Opened, { row, group }: Line) {
  if (!opened.detail) {
    const inside = group
      ? groupDetail(row, { members: group.members, today, reveal })
      : counterDetail(row, today, reload);
    opened.detail = make("tr.detail", make("td", { colspan: ALL_COLUMNS }, inside));
    new ResizeObserver((_, observer) => {
      if (open !== opened) return observer.disconnect();
      const height = opened.detail?.offsetHeight ?? 0;
      if (height === 0 || height === opened.height) return;
      opened.height = height;
      drawSoon();
    }).observe(opened.detail);
  }
  return opened.detail;
}
