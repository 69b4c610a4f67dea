import { parseCounterId } from "../../../counter/counter_id.ts";
import { pageId } from "../../page_id.ts";
import { createDays, hasFraction, isPath, isTotal, plainText, wholeNumber } from "./cell_text.ts";
import { TableError } from "./csv_rows.ts";
import { type Columns, EACH_ROW, type Source } from "./sources.ts";
import { isBlank, type Row, type Table } from "./tables.ts";

export interface CountOptions {
  /** Put before each id. */
  readonly prefix: string;
  /** Times are UTC and go into the days of this time zone. */
  readonly timeZone: string;
  /** The last day that the service accepts. */
  readonly lastDay: string;
}

/** The views of a counter in an import. */
export interface Entry {
  /** Views that no day is known of. Undefined if there are none. */
  rest: number | undefined;
  days: Map<string, number> | undefined;
}

/** Rows that are left out for one reason, and the first of them. */
export interface LeftOut {
  rows: number;
  readonly table: Table;
  readonly row: number;
  readonly text: string;
}

/** The result of an import before it is sent. */
export interface Outcome {
  /** The counters of tables that list views. They are added up over all tables. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** The counters of exports of Tallymark as CSV. They are states, so each table has its own. */
  readonly states: readonly ReadonlyMap<string, Entry>[];
  /** Lines of exports of Tallymark. */
  readonly lines: readonly { readonly id: string; readonly text: string }[];
  /** All ids, with their views in this import. */
  readonly views: ReadonlyMap<string, number>;
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
  readonly rows: number;
  readonly rowsOf: ReadonlyMap<Table, number>;
  readonly leftOut: ReadonlyMap<string, LeftOut>;
}

/** Time after which counting pauses, so that the page can draw, in milliseconds. */
const SLICE_MS = 40;

/** Counts the rows of tables. Calls `pause` now and then, which may throw to end it. */
export async function count(
  tables: readonly Table[],
  options: CountOptions,
  pause: () => Promise<void>,
): Promise<Outcome> {
  const tally = new Tally(options);
  const names = namesOf(tables);
  let next = performance.now() + SLICE_MS;
  for (const table of tables.filter(({ source }) => source?.role !== "names")) {
    const isNumbered = table.source?.role === "paths";
    const { take, end } = tally.begin(table, isNumbered ? names.get(table.archive) : undefined);
    try {
      for (const rows of table.pieces()) {
        rows.forEach(take);
        if (performance.now() < next) continue;
        await pause();
        next = performance.now() + SLICE_MS;
      }
    } catch (error) {
      if (error instanceof TableError) error.table = table.name;
      throw error;
    }
    end();
  }
  return tally;
}

/** The reason why a page has no counter. */
class Excluded {
  constructor(readonly reason: string) {}
}

/** The pages of a table by their numbers in another one. */
type Names = ReadonlyMap<string, string | Excluded>;

/** Returns the pages of GoatCounter by their numbers, for each archive. */
function namesOf(tables: readonly Table[]) {
  const names = new Map<string, Map<string, string | Excluded>>();
  for (const { source, heads, columns, archive, pieces } of tables) {
    if (source?.role !== "names") continue;
    const all = names.get(archive) ?? new Map<string, string | Excluded>();
    names.set(archive, all);
    const exclusion = exclusionOf(source, heads);
    for (const row of [...pieces()].flat()) {
      const reason = exclusion(row);
      const name = reason ? new Excluded(reason) : row[columns.page ?? 0] ?? "";
      all.set(row[columns.number ?? 0] ?? "", name);
    }
  }
  return names;
}

/** Returns a function that finds the reason why a row of a known place is left out. */
function exclusionOf({ excludes = [] }: Partial<Source> = {}, heads: readonly string[]) {
  const all = excludes.map(([column, isExcluded, reason]) => {
    const index = heads.findIndex((head) => column.test(head));
    return (row: Row) => isExcluded(row[index] ?? "") ? reason : undefined;
  });
  return (row: Row) => {
    for (const exclusion of all) {
      const reason = exclusion(row);
      if (reason) return reason;
    }
  };
}

/** Returns what a row would become, or the reason why it is left out. */
export function previewRow(table: Table, row: Row, options: CountOptions) {
  const tally = new Tally(options);
  const { take, end } = tally.begin({ ...table, guessedHeads: undefined });
  try {
    take(row);
  } catch (error) {
    if (error instanceof TableError) return "No whole number";
    throw error;
  }
  end();
  const [[id, views] = ["", 0]] = tally.views;
  const [reason] = tally.leftOut.keys();
  return reason ?? { id, views };
}

/** Takes a row. Returns the reason if it is left out, or null if it is no row. */
type Reader = (row: Row) => string | null | undefined;

/** Adds up rows. */
class Tally implements Outcome {
  readonly entries = new Map<string, Entry>();
  readonly states: Map<string, Entry>[] = [];
  readonly lines: { id: string; text: string }[] = [];
  readonly views = new Map<string, number>();
  readonly leftOut = new Map<string, LeftOut>();
  readonly rowsOf = new Map<Table, number>();
  firstDay: string | undefined;
  lastDay: string | undefined;
  rows = 0;
  /** The number of the current row. */
  #at = 0;
  /** The views in the current table. */
  #sum = 0;
  /** Rows that a word calls the total. They are if their number is the sum of the others. */
  #totals: { row: Row; at: number; views: number; add: () => void }[] = [];
  readonly #options: CountOptions;
  readonly #dayOf: (text: string) => string | undefined;

  constructor(options: CountOptions) {
    this.#options = options;
    this.#dayOf = createDays(options.timeZone);
  }

  /** Begins a table. `take` takes a row, and `end` ends the table. */
  begin(table: Table, names?: Names) {
    const read = table.heads.length > 0 ? this.#rowReader(table, names) : this.#lineReader();
    const leaveOut = (reason: string, row: Row, at = this.#at) => {
      const known = this.leftOut.get(reason);
      if (known) return void known.rows++;
      const text = row.filter((cell) => cell !== "").join(" · ").slice(0, 200);
      this.leftOut.set(reason, { rows: 1, table, row: at, text });
    };
    let rows = 0;
    this.#at = table.firstRow - 1;
    if (table.guessedHeads) {
      rows++;
      leaveOut("Taken as the header", table.guessedHeads);
    }
    return {
      take: (row: Row) => {
        this.#at++;
        if (isBlank(row)) return;
        const reason = read(row);
        if (reason !== null) rows++;
        if (reason) leaveOut(reason, row);
      },
      end: () => {
        for (const { row, at, views, add } of this.#totals) {
          if (views === this.#sum - views) leaveOut("The sum of all other rows", row, at);
          else add();
        }
        this.#totals = [];
        this.#sum = 0;
        this.rows += rows;
        this.rowsOf.set(table, rows);
      },
    };
  }

  #rowReader({ source, heads, columns }: Table, names: Names | undefined): Reader {
    const { page = 0, number = EACH_ROW, day } = columns;
    const isOwn = source?.isOwn === true;
    const target = isOwn ? new Map<string, Entry>() : this.entries;
    if (target !== this.entries) this.states.push(target);
    const exclusion = exclusionOf(source, heads);
    const idOf = this.#idsOf(isOwn, names);
    return (row) => {
      const reason = exclusion(row);
      if (reason) return reason;
      const cell = row[page] ?? "";
      const id = idOf(cell);
      if (typeof id !== "string") return id.reason;
      const views = number === EACH_ROW ? 1 : this.#numberIn(row[number] ?? "", isOwn);
      if (views === undefined) return "No whole number";
      if (Number.isNaN(views)) {
        throw new TableError(
          `the column “${heads[number]}” has ${row[number]} in row ${this.#at}, so it does not ` +
            "count views. Choose another one.",
        );
      }
      if (views === 0 && !isOwn) return "No views";
      const date = day === undefined ? "" : row[day] ?? "";
      const isDated = day !== undefined && !(isOwn && date === "");
      const on = isDated ? this.#dayOf(date) : undefined;
      if (isDated && on === undefined) return "No day";
      if (on !== undefined && on > this.#options.lastDay) return "A day in the future";
      this.#sum += views;
      const add = () => this.#add(target, id, on, views);
      if (isOwn || !isTotal(cell)) add();
      else this.#totals.push({ row, at: this.#at, views, add });
    };
  }

  /** Parses the number of a row. Returns NaN if it has a fraction. */
  #numberIn(cell: string, isOwn: boolean): number | undefined {
    // A total that its owner set may be less than the sum of the days.
    if (isOwn && /^-\d+$/.test(cell)) return Number(cell);
    return wholeNumber(cell) ?? (hasFraction(cell) ? NaN : undefined);
  }

  #add(target: Map<string, Entry>, id: string, day: string | undefined, views: number) {
    let entry = target.get(id);
    if (!entry) target.set(id, entry = { rest: undefined, days: undefined });
    if (day === undefined) entry.rest = (entry.rest ?? 0) + views;
    else {
      entry.days ??= new Map();
      entry.days.set(day, (entry.days.get(day) ?? 0) + views);
      this.#note(day);
    }
    this.views.set(id, (this.views.get(id) ?? 0) + views);
  }

  #note(day: string) {
    if (this.firstDay === undefined || day < this.firstDay) this.firstDay = day;
    if (this.lastDay === undefined || day > this.lastDay) this.lastDay = day;
  }

  /** Returns a function that finds the id of a cell. It computes each id once. */
  #idsOf(isOwn: boolean, names: Names | undefined) {
    const { prefix } = this.#options;
    const ids = new Map<string, string | Excluded>();
    const find = (cell: string) => {
      const named = names ? names.get(cell) ?? "" : isOwn ? plainText(cell) : cell;
      if (typeof named !== "string") return named;
      const page = named.trim();
      if (page === "") return new Excluded("No page");
      const id = isOwn ? prefix + page : idOf(page, prefix);
      return parseCounterId(id) ?? new Excluded("No valid id");
    };
    return (cell: string) => {
      let id = ids.get(cell);
      if (id === undefined) ids.set(cell, id = find(cell));
      return id;
    };
  }

  /** Returns a function that takes the lines of an export. */
  #lineReader(): Reader {
    const { prefix } = this.#options;
    let count = 0;
    return ([text = ""]) => {
      const line = lineIn(text);
      if (typeof line?.counters === "number") {
        if (line.counters === count) return null;
        throw new TableError(
          `it has ${count} counters, but should have ${line.counters}. Export it again.`,
        );
      }
      const id = typeof line?.id === "string" ? parseCounterId(prefix + line.id) : undefined;
      if (!line || !id) return "No line of an export";
      count++;
      this.lines.push({ id, text: prefix ? JSON.stringify({ ...line, id }) : text });
      let sum = 0;
      for (const [day, hits] of Object.entries(line.days ?? {})) {
        this.#note(day);
        sum += hits;
      }
      // The larger of several states stays.
      this.views.set(id, Math.max(this.views.get(id) ?? 0, line.hits ?? line.seen ?? sum));
    };
  }
}

/** Returns the id of a page or of a counter, with a prefix before it. */
function idOf(page: string, prefix: string): string {
  if (!isPath(page)) return prefix + page;
  // Browsers encode the path of a page in the same way.
  const path = new URL(`http://host${page.replace(/^https?:\/\/[^/?#]*/i, "")}`).pathname;
  // The home page has this name at the addresses that take the place of LeanCloud.
  if (prefix.startsWith("leancloud/") && pageId(path) === "home") return `${prefix}*home`;
  return pageId(path, prefix);
}

/** The members of a line that are looked at. The service checks all of them. */
interface ExportLine {
  readonly id?: unknown;
  readonly hits?: number;
  readonly seen?: number;
  readonly days?: Readonly<Record<string, number>>;
  readonly counters?: number;
}

function lineIn(text: string): ExportLine | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether the columns of a table are chosen. */
export function isChosen({ page, number }: Columns): boolean {
  return page !== undefined && number !== undefined;
}
