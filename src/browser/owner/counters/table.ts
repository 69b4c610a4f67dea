import {
  type Column,
  type Group,
  identityOf,
  isFound,
  isGrouped,
  isUnfolded,
  type Line,
  linesOf,
  nameOf,
  orderBy,
} from "./arrangement.ts";
import { MAX_WHOLE, short, sparkOf, trend } from "../../lib/cells.ts";
import { keep, kept } from "../../lib/storage.ts";
import { detailOf } from "./detail.ts";
import { debounced } from "../../lib/browser.ts";
import { byId, draw, make } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import { boxFor, everything, selectBy, showSelection } from "./selection.ts";
import { shown } from "./shown.ts";

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
/** Number of rows at first, and of those that follow when the last one comes near the screen. */
const ROWS = 100;
const GROUPED = "grouped";

// --- The parts of the view -----------------------------------------------------------------------

const wanted = byId<HTMLInputElement>("wanted", { input: debounced(arrange) });
const sorting = byId<HTMLSelectElement>("sorting", {
  change: () => sortBy(COLUMNS[sorting.selectedIndex]?.[0] ?? "id"),
});
const grouping = byId<HTMLInputElement>("grouping", {
  change() {
    keep("localStorage", GROUPED, String(grouping.checked));
    arrange();
  },
});
const count = byId("count");
const heads = COLUMNS.map(([column, name, look]) =>
  make(`th${look}`, { scope: "col" }, make("button", { click: () => sortBy(column) }, name))
);
const table = byId("table");
const body = byId("rows");

/** Number of rows that the table has, if there are as many lines. */
let most = ROWS;
/** Adds rows once the last one is less than a screen away. */
const nearEnd = new IntersectionObserver((entries) => {
  if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
  most += ROWS;
  body.append(...rowsFrom(most - ROWS));
  watchEnd();
}, { rootMargin: "100%" });

const trendHead = make("th.trend", { scope: "col" }, "Trend");
const daysHead = make("th.days", { scope: "col" }, "Last 30 days");
byId("heads").append(...heads.slice(0, 4), trendHead, ...heads.slice(4), daysHead);
sorting.append(...COLUMNS.map(([, name]) => make("option", name)));
for (const id of ["clear", "clear-search"]) byId(id, { click: clearSearch });
byId("list", {
  keydown(event) {
    if (document.activeElement?.matches("input:not([type=radio], .tick), select")) return;
    if (event.key === "Escape" && shown.open) toggle(shown.open.line);
    if (event.key !== "/") return;
    event.preventDefault();
    wanted.focus();
  },
});

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
  byId("list").hidden = found.length === 0;
  byId("no-match").hidden = found.length > 0;
  byId("missed").textContent = `No counter contains “${choices.wanted}”`;
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

// --- Rows ----------------------------------------------------------------------------------------

/** The last row of each line, and what it shows. */
const drawn: Map<string, { row: HTMLElement; content: string }> = new Map();

/** Draws rows that show something else than before. The same part of a new row has the focus. */
function redraw() {
  const focused = document.activeElement;
  const line = focused?.closest("tr")?.dataset.line;
  table.style.setProperty("--most", String(shown.most));
  const rows = rowsFrom(0);
  const kept = new Set<Element>(rows);
  for (const row of [...body.children]) if (!kept.has(row)) row.remove();
  for (const [at, row] of rows.entries()) {
    // Others move around an opened row, whose fields would lose the focus.
    const stays = row.matches(".detail") && row.parentNode === body;
    while (stays && body.children[at] !== row) body.children[at]?.remove();
    if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
  }
  watchEnd();
  if (line) focusOn(line, [".about", ".tick"].find((part) => focused?.matches(part)));
}

/** Returns the rows of the lines from one on, as far as the table has them. */
function rowsFrom(first: number) {
  return shown.lines.slice(first, most).flatMap((line, at) => {
    const identity = identityOf(line);
    const content = JSON.stringify([line.row, line.prefix, isOpen(line), sorting.selectedIndex]);
    const known = drawn.get(identity);
    // The row of a group depends on its members, too.
    const isSame = known?.content === content && known.row.parentNode === body && !line.group;
    const row = isSame ? known.row : rowFor(line);
    drawn.set(identity, { row, content });
    row.dataset.line = identity;
    row.ariaRowIndex = String(first + at + 2);
    return isOpen(line) ? [row, detailFor(line)] : [row];
  });
}

function watchEnd() {
  nearEnd.disconnect();
  const last = body.lastElementChild;
  if (last && shown.lines.length > most) nearEnd.observe(last);
}

function focusOn(identity: string, part = "button") {
  const row = body.querySelector(`[data-line="${CSS.escape(identity)}"]`);
  row?.querySelector<HTMLElement>(part)?.focus({ preventScroll: true });
}

function rowFor(line: Line) {
  const { row, prefix, group } = line;
  const { rows, choices } = shown;
  const isChosen = isOpen(line);
  const opener = make(
    "button.opener",
    {
      title: row.id,
      "aria-expanded": group ? isUnfolded(prefix, rows, choices) : isChosen,
      "aria-label": group ? `${plural(group.members.length, "counter")} under ${prefix}` : row.id,
      click: () => group ? fold(prefix) : toggle(identityOf(line)),
    },
    draw(
      "svg.icon.chevron",
      { viewBox: "0 0 14 14", "aria-hidden": true },
      draw("path", { d: "M5 3l4 4-4 4" }),
    ),
    make("span.name", { dir: "auto" }, nameOf(line)),
  );
  const box = boxFor(group?.found ?? [row], `Select ${row.id}`);
  const id = make(".id", opener, ...group ? aboutGroup(line, group) : []);
  if (!group) id.style.setProperty("--views", String(row.month));
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
  return make(`tr${look}`, ...cells);
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
  shown.open = shown.open?.line === line ? undefined : { line };
  redraw();
  focusOn(line, line.startsWith("group") ? ".about" : undefined);
}

function detailFor({ row, group }: Line) {
  const inside = () => make("td", { colspan: ALL_COLUMNS }, detailOf(row, group?.members));
  const detail = shown.open?.detail ?? make("tr.detail", inside());
  if (shown.open) shown.open.detail = detail;
  return detail;
}
