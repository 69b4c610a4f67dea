import { parseCounterId } from "../../../domain/counter_id.ts";
import { pageId } from "../../embed/page_id.ts";
import { createPauses } from "../../lib/pauses.ts";
import { createDays, hasFraction, isPath, isTotal, wholeNumber } from "./cell_text.ts";
import { Unreadable } from "./open_files.ts";
import type { Counters } from "./requests.ts";
import { EACH_ROW, indexOf, NO_DAY, type Source } from "./sources.ts";
import { isBlank, jsonIn, type JsonObject, type Row, type Table } from "./tables.ts";

export interface CountOptions {
  /** Put before each id. */
  readonly prefix: string;
  /** The parameters of a query that name a page, as for `query=` of the elements. */
  readonly query: string;
  /** Times are UTC and go into the days of this time zone. */
  readonly timeZone: string;
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
export class Outcome implements Counters {
  readonly entries: Counters["entries"] = new Map();
  readonly lines: string[] = [];
  /** All ids, with their views in this import. */
  readonly views: Map<string, number> = new Map();
  /** The first and the last day. Empty texts if there are none. */
  firstDay = "";
  lastDay = "";
  rows = 0;
  readonly rowsOf: Map<Table, number> = new Map();
  readonly leftOut: Map<string, LeftOut> = new Map();

  noteDay(day: string) {
    if (this.firstDay === "" || day < this.firstDay) this.firstDay = day;
    if (day > this.lastDay) this.lastDay = day;
  }

  /** Adds views of a day, or those of no day if it is an empty text. */
  add(id: string, day: string, hits: number) {
    let entry = this.entries.get(id);
    if (!entry) this.entries.set(id, entry = {});
    this.views.set(id, (this.views.get(id) ?? 0) + hits);
    if (day === "") return void (entry.rest = (entry.rest ?? 0) + hits);
    entry.days ??= new Map();
    entry.days.set(day, (entry.days.get(day) ?? 0) + hits);
    this.noteDay(day);
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
  const outcome = new Outcome();
  const names = namesOf(tables);
  const pause = createPauses(signal);
  for (const table of tables) {
    if (table.source?.role === "names") continue;
    try {
      for (const _ of countTable(table, outcome, options, names)) await pause();
    } catch (error) {
      if (error instanceof Unreadable) error.file = table.name;
      throw error;
    }
  }
  return outcome;
}

/** Returns what a row would become, or the reason why it is left out. */
export function previewRow(table: Table, row: Row, options: CountOptions) {
  const outcome = new Outcome();
  countTable({ ...table, hasHeads: false, rows: () => [row] }, outcome, options).next();
  const [reason] = outcome.leftOut.keys();
  const [[id, number] = ["", 0]] = outcome.views;
  return reason ?? { id, views: number };
}

/** Reads a row. Returns the reason why it is left out, or null if it is none. */
type Read = (row: Row, at: number) => string | null | undefined;

/** Adds the rows of a table to an outcome. Yields from time to time, so that work can pause. */
function* countTable(table: Table, outcome: Outcome, options: CountOptions, names?: Names) {
  const { heads, isAsked } = table;
  const { read, end } = heads.length > 0
    ? viewsOf(table, outcome, options, names)
    : { read: linesOf(outcome, options), end: () => {} };
  let isHead = table.hasHeads;
  let at = 0;
  let rows = 0;
  for (const row of table.rows()) {
    if (++at % 1000 === 0) yield;
    if (isBlank(row)) continue;
    const reason = !isHead ? read(row, at) : isAsked ? "Taken as the header" : null;
    isHead = false;
    if (reason !== null) rows++;
    if (reason) outcome.leaveOut(reason, table, at, row);
  }
  end();
  outcome.rows += rows;
  outcome.rowsOf.set(table, rows);
}

/** Returns a function that adds a row of views. `end` adds rows that may be sums. */
function viewsOf(table: Table, outcome: Outcome, options: CountOptions, names?: Names) {
  const { source, heads, columns: { page, number, day, order } } = table;
  const dayOf = createDays(options.timeZone, order);
  const exclusion = exclusionOf(heads, source);
  const pages = new Map<string, Page>();
  const totals: { row: Row; at: number; hits: number; add: () => void }[] = [];
  let sum = 0;

  /** Finds the counter of a cell. It creates each id once. */
  function pageOf(cell: string) {
    let found = pages.get(cell);
    if (!found) pages.set(cell, found = find(cell));
    return found;
  }

  function find(cell: string): Page {
    const { name = "", reason } = source?.role === "paths"
      ? names?.get(`${table.archive}/${cell}`) ?? { reason: NAMELESS }
      : { name: cell.trim() };
    if (reason || name === "") return { reason: reason ?? "No page" };
    const id = parseCounterId(idOf(name, options));
    return id ? { id, isTotal: isTotal(name) } : { reason: "No valid id" };
  }

  const read: Read = (row, at) => {
    const reason = exclusion(row);
    if (reason) return reason;
    const { id, reason: why, isTotal } = pageOf(row[page] ?? "");
    if (id === undefined) return why;
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
    const on = day === NO_DAY ? "" : dayOf(row[day] ?? "");
    if (on === undefined) return "No day";
    if (on > options.lastDay) return "A day in the future";
    sum += hits;
    const add = () => outcome.add(id, on, hits);
    if (isTotal) totals.push({ row, at, hits, add });
    else add();
  };

  function end() {
    for (const { row, at, hits, add } of totals) {
      if (hits !== sum - hits) add();
      else outcome.leaveOut("The sum of all other rows", table, at, row);
    }
  }

  return { read, end };
}

/** Returns a function that adds a line of an export. Its last line is no row. */
function linesOf(outcome: Outcome, { prefix }: CountOptions): Read {
  const { lines, views } = outcome;
  let counters = 0;
  return ([text = ""]) => {
    const line: JsonObject = jsonIn(text) ?? {};
    if (line.counters !== undefined) {
      if (line.counters === counters) return null;
      throw new Unreadable(
        `it has ${counters} counters, but should have ${line.counters}. Export it again.`,
      );
    }
    const id = typeof line.id === "string" ? parseCounterId(prefix + line.id) : undefined;
    if (!id) return "No line of an export";
    counters++;
    lines.push(prefix ? JSON.stringify({ ...line, id }) : text);
    const days = Object.entries(line.days ?? {});
    for (const [day] of days) outcome.noteDay(day);
    const isNumber = (value: unknown) => typeof value === "number";
    const sum = days.map(([, hits]) => hits).filter(isNumber).reduce((sum, hits) => sum + hits, 0);
    const [found = 0] = [line.hits, line.seen, sum].filter(isNumber);
    // The larger of several states stays.
    views.set(id, Math.max(views.get(id) ?? 0, found));
  };
}

/** The counter of a page, or the reason why it has none. */
interface Page {
  readonly name?: string;
  readonly id?: string;
  readonly reason?: string | undefined;
  readonly isTotal?: boolean;
}

/** The reason why a number of GoatCounter's has no page. */
const NAMELESS = "Not in paths.jsonl of the same export";

/** The pages of GoatCounter by their archive and number. */
type Names = ReadonlyMap<string, Page>;

function namesOf(tables: readonly Table[]): Names {
  const names = new Map<string, Page>();
  for (const { source, heads, columns, archive, rows } of tables) {
    if (source?.role !== "names") continue;
    const exclusion = exclusionOf(heads, source);
    for (const row of rows()) {
      const name = row[columns.page] ?? "";
      names.set(`${archive}/${row[columns.number]}`, { name, reason: exclusion(row) });
    }
  }
  return names;
}

/** Returns a function that finds the reason why a row of a known place is left out. */
function exclusionOf(heads: readonly string[], { excludes = [] }: Partial<Source> = {}) {
  const all = excludes.map(([column, ...rest]) => [indexOf(heads, column), ...rest] as const);
  return (row: Row) => all.find(([index, isExcluded]) => isExcluded(row[index] ?? ""))?.[2];
}

/** Returns the id of a page or of a counter, with a prefix before it. */
export function idOf(page: string, { prefix, query }: CountOptions): string {
  const address = addressOf(page);
  if (address === undefined) return prefix + page;
  // The home page has this name at the addresses that take the place of LeanCloud.
  if (prefix.startsWith("leancloud/") && pageId(address) === "home") return `${prefix}*home`;
  return pageId(address, prefix, query);
}

/** Returns the path and query of a page as browsers encode it. Returns undefined for other ids. */
function addressOf(page: string): string | undefined {
  if (!isPath(page)) return undefined;
  const { pathname, search } = new URL(
    `http://host${page.replace(/^https?:\/\/[^/?#]*/i, "")}`,
  );
  return pathname + search;
}

/** Reports whether a page has a query that does not only track. */
export function hasQuery(page: string): boolean {
  const address = addressOf(page) ?? "";
  return pageId(address) !== pageId(address, "", "*");
}
