import {
  type Column,
  type Group,
  identityOf,
  isFound,
  isGrouped,
  isUnfolded,
  type Line,
  linesBetween,
  linesOf,
  nameOf,
  orderBy,
  topOf,
} from "./arrangement.ts";
import { MAX_WHOLE, short, sparkOf, trend } from "../../lib/cells.ts";
import { keep, kept } from "../../lib/storage.ts";
import { counterDetail } from "./counter.ts";
import { debounced } from "../../lib/browser.ts";
import { fill, icon, make } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import { type Figures, prefixOf } from "../../lib/figures.ts";
import { groupDetail } from "./group.ts";
import { bar, boxFor, everything, picking, selectBy, showSelection } from "./selection.ts";
import { type Opened, shown } from "./shown.ts";

/** The columns, with the class that hides each on narrow pages unless the table is sorted by it. */
const COLUMNS: [column: Column, name: string, look: string][] = [
  ["id", "Counter", ""],
  ["today", "Today", ""],
  ["yesterday", "Yesterday", ".wide"],
  ["week", "7 days", ".week"],
  ["month", "30 days", ".wide"],
  ["total", "Total", ".medium"],
];
/** Number of columns: those, trend and sparkline. */
const ALL_COLUMNS = COLUMNS.length + 2;
/** Pages as narrow as a phone have the name on a line of its own. */
const phone = matchMedia("(max-width: 640px)");
/** Height above and below the screen that has rows too, in pixels. Scrolling shows no gap. */
const MARGIN = 400;
/** Maximum number of new rows in a frame, so that a jump among thousands stays responsive. */
const ROWS_PER_FRAME = 8;
const GROUPED = "grouped";

/** The rows that are in the document. */
const drawn: Map<Line, HTMLElement> = new Map();

// --- The parts of the view -----------------------------------------------------------------------

const wanted = make("input", {
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
const grouping = make("input", {
  type: "checkbox",
  change: () => {
    keep("localStorage", GROUPED, String(grouping.checked));
    arrange();
  },
});
const count = make("small.end", { role: "status" });
const tools = make(
  ".tools",
  make(
    ".search",
    icon("M9.5 9.5L13 13M10.5 6a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0z"),
    wanted,
    make("kbd", { "aria-hidden": true }, "/"),
    make("button.clear", { click: clearSearch, "aria-label": "Clear" }, "×"),
  ),
  make("label.check", grouping, "Group by prefix"),
  make("label.check.sort", "Sort by", sorting),
  picking,
  make("label.check.tick", everything, "Select all"),
  count,
);
const heads = COLUMNS.map(([column, name, look]) =>
  make(`th${look}`, { scope: "col" }, make("button", { click: () => sortBy(column) }, name))
);
const trendHead = make("th.trend", { scope: "col" }, "Trend");
const daysHead = make("th.days", { scope: "col" }, "Last 30 days");
const body = make("tbody");
const table = make(
  "table.counters.list",
  { "aria-label": "Counters" },
  make("thead", make("tr", ...heads.slice(0, 4), trendHead, ...heads.slice(4), daysHead)),
  body,
);
const panel = make(".panel", table);
const missed = make("h2");
const noMatch = make(
  ".panel.none",
  missed,
  make("p", "The search looks anywhere in a name."),
  make("button", { click: clearSearch }, "Clear search"),
);
/** The parts of the table, from top to bottom. */
export const tableParts = [tools, bar, panel, noMatch];

export function initTable() {
  addEventListener("scroll", drawSoon, { passive: true });
  addEventListener("resize", drawSoon);
  phone.addEventListener("change", redraw);
  panel.addEventListener("keydown", (event) => {
    if (document.activeElement?.matches("input:not([type=radio], .tick), select")) return;
    if (event.key === "Escape" && shown.open) toggle(shown.open.line);
    if (event.key !== "/") return;
    event.preventDefault();
    wanted.focus();
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

// --- Order ---------------------------------------------------------------------------------------

function sortBy(column: Column) {
  Object.assign(shown.choices, orderBy(column, shown.choices));
  arrange();
}

/** Searches, groups and sorts, then draws. */
export function arrange() {
  const { rows, choices } = shown;
  if (shown.today === 0) return;
  choices.wanted = wanted.value.trim();
  choices.grouping = JSON.parse(kept("localStorage", GROUPED) ?? "null") ?? undefined;
  grouping.checked = isGrouped(rows, choices);
  shown.lines = linesOf(rows, choices);
  sorting.selectedIndex = COLUMNS.findIndex(([column]) => column === choices.column);
  for (const [index, head] of heads.entries()) {
    const isIt = index === sorting.selectedIndex;
    head.ariaSort = !isIt ? "none" : choices.ascending ? "ascending" : "descending";
    head.classList.toggle("sorted", isIt);
  }
  table.setAttribute("aria-rowcount", String(shown.lines.length + 1));
  const found = rows.filter((row) => isFound(row, choices));
  selectBy(everything, found);
  tools.hidden = rows.length === 0;
  panel.hidden = found.length === 0;
  noMatch.hidden = tools.hidden || !panel.hidden;
  missed.textContent = `No counter contains “${choices.wanted}”`;
  const text = countersOf(found.length, rows.length);
  if (count.textContent !== text) count.textContent = text;
  redraw();
  showSelection();
}

/** Returns "12 counters", or "2 of 12 counters" while a search leaves some out. */
function countersOf(found: number, all: number) {
  const every = plural(all, "counter");
  return shown.choices.wanted === "" ? every : `${grouped(found)} of ${every}`;
}

function clearSearch() {
  wanted.value = "";
  arrange();
  wanted.focus();
}

// --- Rows near the screen ------------------------------------------------------------------------

/** Draws all rows on the screen again. Rows beyond it follow. */
function redraw() {
  const button = document.activeElement;
  const focused = [...drawn].find(([, row]) => row.contains(button))?.[0];
  drawn.clear();
  drawRows(true);
  const part = [".about", ".tick"].find((part) => button?.matches(part));
  if (focused) focusOn(identityOf(focused), part ?? "button");
}

function focusOn(identity: string, button: string) {
  for (const [line, row] of drawn) {
    const isIt = identityOf(line) === identity;
    if (isIt) row.querySelector<HTMLElement>(button)?.focus({ preventScroll: true });
  }
}

function drawSoon() {
  if (shown.isDrawing || shown.today === 0) return;
  shown.isDrawing = true;
  requestAnimationFrame(() => {
    shown.isDrawing = false;
    drawRows();
  });
}

/** Returns the heights of all lines, as the style has them. */
function heightsNow() {
  const { lines, open } = shown;
  return {
    count: lines.length,
    row: phone.matches ? 73 : 41,
    openAt: open ? lines.findIndex(isOpen) : -1,
    detail: open?.height ?? 0,
  };
}

/** Adds the rows near the screen, first those on it. Empty rows take the place of all others. */
function drawRows(isRedraw = false) {
  if (!panel.checkVisibility()) return;
  const { lines, open } = shown;
  const heights = heightsNow();
  const above = -body.getBoundingClientRect().top;
  const below = above + innerHeight;
  const [seen, endOfSeen] = linesBetween(above, below, heights);
  const [first, end] = linesBetween(above - MARGIN, below + MARGIN, heights);
  const near = lines.slice(first, end).map((line, index) => ({ line, at: first + index }));
  const kept = new Set(lines.slice(first, end));
  for (const line of drawn.keys()) if (!kept.has(line)) drawn.delete(line);
  const isSeen = ({ at }: { at: number }) => at >= seen && at < endOfSeen;
  const missing = near.filter(({ line }) => !drawn.has(line))
    .sort((one, other) => Number(isSeen(other)) - Number(isSeen(one)));
  const most = isRedraw ? endOfSeen - seen : ROWS_PER_FRAME;
  for (const { line, at } of missing.slice(0, most)) drawn.set(line, rowFor(line, at));
  if (missing.length > most) drawSoon();

  const elements: HTMLElement[] = [];
  let next = 0;
  for (const { line, at } of near) {
    const element = drawn.get(line);
    if (!element) continue;
    if (at > next) elements.push(room(topOf(at, heights) - topOf(next, heights)));
    elements.push(element);
    if (open && at === heights.openAt) elements.push(detailFor(open, line));
    next = at + 1;
  }
  elements.push(room(topOf(lines.length, heights) - topOf(next, heights)));
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
  const { rows, choices } = shown;
  const isChosen = isOpen(line);
  const opener = make(
    "button.opener",
    {
      title: row.id,
      "aria-expanded": group ? isUnfolded(prefix, rows, choices) : isChosen,
      "aria-label": group
        ? `${plural(group.members.length, "counter")} under ${prefix}`
        : prefix === ""
        ? undefined
        : row.id,
      click: () => group ? fold(prefix) : toggle(identityOf(line)),
    },
    icon("M5 3l4 4-4 4", "svg.icon.chevron"),
    make("span.name", { dir: "auto" }, nameOf(line)),
  );
  const box = boxFor(group?.found ?? [row], `Select ${row.id}`);
  const id = make(".id", opener, ...group ? aboutGroup(line, group) : []);
  if (!group) id.style.setProperty("--share", String(row.month / shown.most));
  const cells = COLUMNS.map(([column, , look], index) => {
    if (column === "id") return make("th", { scope: "row" }, box, id);
    const value = row[column];
    const kind = column === "yesterday" || value === 0 ? ".soft" : "";
    const sorted = index === sorting.selectedIndex ? ".sorted" : "";
    const title = value > MAX_WHOLE ? grouped(value) : undefined;
    return make(`td${look}${kind}${sorted}`, { title }, short(value));
  });
  cells.splice(4, 0, make("td.trend", trend(row.days)));
  cells.push(make("td.days", sparkOf(row.days)));
  const look = (group ? ".group" : prefix === "" ? "" : ".in") + (isChosen ? ".chosen" : "");
  return make(`tr${look}`, { "aria-rowindex": index + 2 }, ...cells);
}

/**
 * Returns the number of counters of a group, and the button that opens its details. The name of a
 * group unfolds it, as in a list of files, so the details need a word of their own.
 */
function aboutGroup(line: Line, { members, found }: Group) {
  return [
    make("small", countersOf(found.length, members.length)),
    make(
      "button.about",
      {
        "aria-expanded": isOpen(line),
        "aria-label": `Details of ${line.row.id}`,
        click: () => toggle(identityOf(line)),
      },
      "Details",
    ),
  ];
}

function moreRow(prefix: string, more: number, index: number) {
  const click = () => {
    shown.choices.unfolded.set(prefix, true);
    shown.choices.whole.add(prefix);
    arrange();
    // The first row that was left out takes the place of the button.
    const line = shown.lines[index];
    if (line) focusOn(identityOf(line), "button");
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

function isOpen(line: Line) {
  return shown.open?.line === identityOf(line);
}

function fold(prefix: string) {
  const { rows, choices } = shown;
  choices.unfolded.set(prefix, !isUnfolded(prefix, rows, choices));
  arrange();
}

/** Opens a row, or closes it. */
function toggle(line: string) {
  shown.open = shown.open?.line === line ? undefined : { line, height: 0 };
  redraw();
  focusOn(line, line.startsWith("group") ? ".about" : "button");
}

/** Opens a counter of a group, and scrolls to it. */
function reveal(row: Figures) {
  const prefix = prefixOf(row.id);
  const line = identityOf({ row, prefix });
  shown.choices.unfolded.set(prefix, true);
  shown.choices.whole.add(prefix);
  shown.open = { line, height: 0 };
  arrange();
  const heights = heightsNow();
  const top = body.getBoundingClientRect().top + topOf(heights.openAt, heights);
  scrollBy(0, top - 2 * heights.row);
  drawRows(true);
  focusOn(line, "button");
}

function detailFor(opened: Opened, { row, group }: Line) {
  if (opened.detail) return opened.detail;
  const inside = group ? groupDetail(row, group.members, reveal) : counterDetail(row);
  const detail = opened.detail = make("tr.detail", make("td", { colspan: ALL_COLUMNS }, inside));
  new ResizeObserver((_, observer) => {
    if (shown.open?.detail !== detail) return observer.disconnect();
    const height = detail.offsetHeight;
    if (height === 0 || height === opened.height) return;
    opened.height = height;
    drawSoon();
  }).observe(detail);
  return detail;
}
