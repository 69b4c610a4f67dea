import { parseCounterId } from "../../../domain/counter_id.ts";
import { pageId } from "../../embed/page_id.ts";
import { hasFraction, isPath, isTotal, wholeNumber } from "./cell_text.ts";
import { createDays } from "./days.ts";
import type { Counters } from "./lines_of.ts";
import { Unreadable } from "./open_files.ts";
import { createPauses } from "../../lib/pauses.ts";
import { EACH_ROW, indexOf, NO_DAY, type Source } from "./sources.ts";
import { isBlank, jsonIn, type Row, type Table } from "./tables.ts";

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
export interface Outcome extends Counters {
  /** All ids, with their views in this import. */
  readonly views: Map<string, number>;
  /** The first and the last day. Empty texts if there are none. */
  firstDay: string;
  lastDay: string;
  rows: number;
  readonly rowsOf: Map<Table, number>;
  readonly leftOut: Map<string, LeftOut>;
}

/** Counts the rows of tables. Throws the reason of a signal that is aborted. */
export async function count(
  tables: readonly Table[],
  options: CountOptions,
  signal?: AbortSignal,
): Promise<Outcome> {
  const { outcome, begin } = createTally(options, namesOf(tables));
  const pause = createPauses(signal);
  for (const table of tables) {
    if (table.source?.role === "names") continue;
    const { take, end } = begin(table);
    try {
      for (const row of table.rows()) {
        if (take(row) % 1000 === 0) await pause();
      }
      end();
    } catch (error) {
      if (error instanceof Unreadable) error.file = table.name;
      throw error;
    }
  }
  return outcome;
}

/** Returns what a row would become, or the reason why it is left out. */
export function previewRow(table: Table, row: Row, options: CountOptions) {
  const { outcome: { leftOut, views }, begin } = createTally(options);
  const { take, end } = begin({ ...table, hasHeads: false });
  take(row);
  end();
  const [reason] = leftOut.keys();
  const [[id, number] = ["", 0]] = views;
  return reason ?? { id, views: number };
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

/** Creates an outcome to which tables are added. */
function createTally(options: CountOptions, names?: Names) {
  const { prefix, timeZone, lastDay } = options;
  const outcome: Outcome = {
    entries: new Map(),
    lines: [],
    views: new Map(),
    firstDay: "",
    lastDay: "",
    rows: 0,
    rowsOf: new Map(),
    leftOut: new Map(),
  };
  const { entries, lines, views, leftOut } = outcome;

  function note(day: string) {
    if (outcome.firstDay === "" || day < outcome.firstDay) outcome.firstDay = day;
    if (day > outcome.lastDay) outcome.lastDay = day;
  }

  function add(id: string, day: string, hits: number) {
    let entry = entries.get(id);
    if (!entry) entries.set(id, entry = {});
    views.set(id, (views.get(id) ?? 0) + hits);
    if (day === "") return void (entry.rest = (entry.rest ?? 0) + hits);
    entry.days ??= new Map();
    entry.days.set(day, (entry.days.get(day) ?? 0) + hits);
    note(day);
  }

  /** Returns a function that finds the counter of a cell. It creates each id once. */
  function pagesOf({ source, archive }: Table) {
    const pages = new Map<string, Page>();
    const find = (cell: string): Page => {
      const { name = "", reason } = source?.role === "paths"
        ? names?.get(`${archive}/${cell}`) ?? { reason: NAMELESS }
        : { name: cell.trim() };
      if (reason || name === "") return { reason: reason ?? "No page" };
      const id = parseCounterId(idOf(name, options));
      return id ? { id, isTotal: isTotal(name) } : { reason: "No valid id" };
    };
    return (cell: string) => {
      let page = pages.get(cell);
      if (!page) pages.set(cell, page = find(cell));
      return page;
    };
  }

  /** Begins a table. `take` takes a row, and `end` ends the table. */
  function begin(table: Table) {
    const { source, heads, columns: { page, number, day, order } } = table;
    const dayOf = createDays(timeZone, order);
    const exclusion = exclusionOf(heads, source);
    const pageOf = pagesOf(table);
    const totals: { row: Row; at: number; hits: number; add: () => void }[] = [];
    let isHead = table.hasHeads;
    let at = table.before;
    let rows = 0;
    let counters = 0;
    let sum = 0;

    function leaveOut(reason: string, row: Row, at: number) {
      const known = leftOut.get(reason);
      if (known) return known.rows++;
      const text = row.filter((cell) => cell !== "").join(" · ").slice(0, 200);
      leftOut.set(reason, { rows: 1, table, row: at, text });
    }

    /** Adds a row of views. Returns the reason if it is left out. */
    function addRow(row: Row) {
      const reason = exclusion(row);
      if (reason) return reason;
      const { id, reason: why, isTotal } = pageOf(row[page] ?? "");
      if (id === undefined) return why;
      const cell = row[number] ?? "";
      if (cell.trim() === "" && number !== EACH_ROW) return "No views";
      const hits = number === EACH_ROW ? 1 : wholeNumber(cell);
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
      if (on > lastDay) return "A day in the future";
      sum += hits;
      if (isTotal) totals.push({ row, at, hits, add: () => add(id, on, hits) });
      else add(id, on, hits);
    }

    /** Adds a line of an export. Returns the reason if it is left out, null for the last line. */
    function addLine([text = ""]: Row) {
      const line: ExportLine = jsonIn(text) ?? {};
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
      for (const [day] of days) note(day);
      const sum = days.reduce((sum, [, hits]) => sum + (numberIn(hits) ?? 0), 0);
      const found = numberIn(line.hits) ?? numberIn(line.seen) ?? sum;
      // The larger of several states stays.
      views.set(id, Math.max(views.get(id) ?? 0, found));
    }

    /** Adds a row. Returns the reason if it is left out, or null if it is none. */
    function read(row: Row) {
      if (isBlank(row)) return null;
      if (!isHead) return heads.length > 0 ? addRow(row) : addLine(row);
      isHead = false;
      return table.isAsked ? "Taken as the header" : null;
    }

    return {
      /** Returns the number of rows that were taken. */
      take(row: Row) {
        at++;
        const reason = read(row);
        if (reason !== null) rows++;
        if (reason) leaveOut(reason, row, at);
        return at;
      },
      end() {
        for (const { row, at, hits, add } of totals) {
          if (hits === sum - hits) leaveOut("The sum of all other rows", row, at);
          else add();
        }
        outcome.rows += rows;
        outcome.rowsOf.set(table, rows);
      },
    };
  }

  return { outcome, begin };
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

/** The members of a line that are looked at. The service checks all of them. */
interface ExportLine {
  readonly id?: unknown;
  readonly hits?: unknown;
  readonly seen?: unknown;
  readonly days?: object | null;
  readonly counters?: unknown;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
