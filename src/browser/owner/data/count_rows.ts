import { parseCounterId } from "../../../domain/counter_id.ts";
import { pageId } from "../../embed/page_id.ts";
import { createPauses } from "../../lib/pauses.ts";
import { grouped } from "../../lib/words.ts";
import { dayOf, hasFraction, isPath, isTotal, type Row, wholeNumber } from "./cell_text.ts";
import { isBlank } from "./csv.ts";
import { Unreadable } from "./open_files.ts";
import type { Entry } from "./requests.ts";
import { EACH_ROW, indexOf, NO_DAY, type Source } from "./sources.ts";
import { jsonIn, type JsonObject, type Table } from "./tables.ts";

export interface CountOptions {
  /** Put before each id. */
  readonly prefix: string;
  /** The parameters of a query that name a page, as for `query=` of the elements. */
  readonly query: string;
  /** Returns the day of a time. */
  readonly dayAt: (time: number) => string;
  /** The last day that the service accepts. */
  readonly lastDay: string;
}

/** Rows that are left out for one reason, and the first of them. */
export interface LeftOut {
  rows: number;
  readonly table: Table;
  readonly row: number;
  readonly text: string;
}

/** The result of an import before it is sent. */
export class Outcome {
  /** The counters, added up over all tables. */
  readonly entries: Map<string, Entry> = new Map();
  readonly days: Set<string> = new Set();
  /** Number of rows of each table. */
  readonly rows: Map<Table, number> = new Map();
  readonly leftOut: Map<string, LeftOut> = new Map();
  /** The hosts of pages, as far as they are named. */
  readonly hosts: Set<string> = new Set();

  /** `names` has the pages of GoatCounter by their archive and number. */
  constructor(readonly names: ReadonlyMap<string, string> = new Map()) {}

  entryOf(id: string): Entry {
    let entry = this.entries.get(id);
    if (!entry) this.entries.set(id, entry = { views: 0, days: new Map(), lines: [] });
    return entry;
  }

  /** Adds views of a day, or those of no day if it is an empty text. */
  add(id: string, day: string, views: number) {
    const entry = this.entryOf(id);
    entry.views += views;
    entry.days.set(day, (entry.days.get(day) ?? 0) + views);
    if (day !== "") this.days.add(day);
  }

  leaveOut(reason: string, table: Table, row: number, cells: Row) {
    const known = this.leftOut.get(reason);
    if (known) return known.rows++;
    const text = cells.filter((cell) => cell !== "").join(" · ").slice(0, 200);
    this.leftOut.set(reason, { rows: 1, table, row, text });
  }
}

/** Counts the rows of tables. Throws the reason of a signal that is aborted. */
export async function count(
  tables: readonly Table[],
  options: CountOptions,
  signal?: AbortSignal,
): Promise<Outcome> {
  const outcome = new Outcome(namesOf(tables));
  const pause = createPauses(signal);
  for (const table of tables) {
    if (table.source?.role === "names") continue;
    try {
      await countTable(table, outcome, options, pause);
    } catch (error) {
      if (error instanceof Unreadable) error.message = `${table.name}: ${error.message}`;
      throw error;
    }
  }
  return outcome;
}

/** Returns in words what a row would become. */
export function previewRow(table: Table, row: Row, options: CountOptions) {
  const outcome = new Outcome();
  const reason = viewsOf(table, outcome, options)(row, 1);
  const [[id, { views }] = ["", { views: 0 }]] = outcome.entries;
  return reason ? `left out: ${reason.toLowerCase()}` : `${id}: ${grouped(views)}`;
}

/** Adds the rows of a table to an outcome, and last those that may be the sum of the others. */
async function countTable(
  table: Table,
  outcome: Outcome,
  options: CountOptions,
  pause: () => Promise<void>,
) {
  const { heads, columns: { page } } = table;
  const read = heads.length > 0 ? viewsOf(table, outcome, options) : linesOf(outcome, options);
  const add = (row: Row, at: number) => {
    const reason = read(row, at);
    if (reason) outcome.leaveOut(reason, table, at, row);
  };
  const totals: [row: Row, at: number][] = [];
  let at = 0;
  let rows = 0;
  for (const row of table.rows()) {
    if (++at % 1000 === 0) await pause();
    if (isBlank(row)) continue;
    rows++;
    if (isTotal(row[page] ?? "")) totals.push([row, at]);
    else add(row, at);
  }
  for (const [row, at] of totals) add(row, at);
  outcome.rows.set(table, rows);
}

/** Returns a function that adds a row of views, or returns the reason why it is left out. */
function viewsOf(table: Table, outcome: Outcome, options: CountOptions) {
  const { source, heads, columns: { page, number, day, order } } = table;
  const exclusion = exclusionOf(heads, source);
  const isNumber = source?.role === "paths";
  const host = indexOf(heads, /^host(?:name)?$/i);
  const ids = new Map<string, string | undefined>();
  let sum = 0;
  return (row: Row, at: number) => {
    const why = exclusion(row);
    if (why) return why;
    if (row.slice(heads.length).some(Boolean)) return "More cells than columns";
    const address = (row[page] ?? "").trim();
    const name = isNumber ? outcome.names.get(`${table.archive}/${address}`) : address;
    // GA4 has such rows of other pages.
    if (!name || /^\((?:not set|other)\)$/.test(name)) return isNumber ? NAMELESS : "No page";
    if (!ids.has(name)) ids.set(name, parseCounterId(idOf(name, options)));
    const id = ids.get(name);
    if (!id) return "No valid id";
    const cell = row[number] ?? "";
    const hits = number === EACH_ROW ? 1 : cell.trim() === "" ? 0 : wholeNumber(cell);
    if (hits === undefined && hasFraction(cell)) {
      throw new Unreadable(
        `the column “${heads[number]}” has ${cell} in row ${at}, so it does not count views. ` +
          "Choose another one.",
      );
    }
    if (hits === undefined) return "No whole number";
    if (hits === 0) return "No views";
    const on = day === NO_DAY ? "" : dayOf(row[day] ?? "", order, options.dayAt);
    if (on === undefined) return "No day";
    if (on > options.lastDay) return "A day in the future";
    if (hits === sum && isTotal(name)) return "The sum of all other rows";
    sum += hits;
    outcome.add(id, on, hits);
    const from = row[host] || /^https?:\/\/[^/?#]+/i.exec(name)?.[0];
    if (from) outcome.hosts.add(from);
  };
}

/** Returns a function that adds a line of an export, as `viewsOf` does. */
function linesOf(outcome: Outcome, { prefix }: CountOptions) {
  return ([text = ""]: Row) => {
    const line: JsonObject = jsonIn(text) ?? {};
    const id = typeof line.id === "string" ? parseCounterId(prefix + line.id) : undefined;
    if (!id) return "No line of an export";
    const entry = outcome.entryOf(id);
    entry.lines.push(prefix ? JSON.stringify({ ...line, id }) : text);
    const days = Object.entries(line.days ?? {});
    for (const [day] of days) outcome.days.add(day);
    const isNumber = (value: unknown) => typeof value === "number";
    const sum = days.map(([, hits]) => hits).filter(isNumber).reduce((sum, hits) => sum + hits, 0);
    const [found = 0] = [line.hits, line.seen, sum].filter(isNumber);
    // The larger of several states stays.
    entry.views = Math.max(entry.views, found);
  };
}

/** The reason why a number of GoatCounter's has no page, which it may have for an event. */
const NAMELESS = "No page in paths.jsonl of the same export";

function namesOf(tables: readonly Table[]) {
  const names = new Map<string, string>();
  for (const { source, heads, columns: { page, number }, archive, rows } of tables) {
    if (source?.role !== "names") continue;
    const exclusion = exclusionOf(heads, source);
    for (const row of rows()) {
      if (!exclusion(row)) names.set(`${archive}/${row[number]}`, row[page] ?? "");
    }
  }
  return names;
}

/** Returns a function that finds the reason why a row of a known place is left out. */
function exclusionOf(heads: Row, { excludes = [] }: Partial<Source> = {}) {
  const all = excludes.map(([column, ...rest]) => [indexOf(heads, column), ...rest] as const);
  return (row: Row) => all.find(([index, isExcluded]) => isExcluded(row[index] ?? ""))?.[2];
}

/** Returns the id of a page or of a counter, with a prefix before it. */
export function idOf(page: string, { prefix, query }: { prefix: string; query: string }): string {
  if (!isPath(page)) return prefix + page;
  // Browsers encode a path.
  const url = new URL(`http://host${page.replace(/^https?:\/\/[^/?#]*/i, "")}`);
  const address = url.pathname + url.search;
  // The home page has this name at the addresses that take the place of LeanCloud.
  if (prefix.startsWith("leancloud/") && pageId(address) === "home") return `${prefix}*home`;
  return pageId(address, prefix, query);
}

/** Reports whether a page has a query that does not only track. */
export function hasQuery(page: string): boolean {
  return idOf(page, { prefix: "", query: "" }) !== idOf(page, { prefix: "", query: "*" });
}
