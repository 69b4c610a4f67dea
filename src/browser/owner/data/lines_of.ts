import { csvCell } from "./cell_text.ts";

/** The views of a counter in an import. */
export interface Entry {
  /** Views that no day is known of. Undefined if there are none. */
  rest?: number;
  days?: Map<string, number>;
}

/** The counters of an import. */
export interface Counters {
  /** The counters of tables that list views. They are added up over all tables. */
  readonly entries: Map<string, Entry>;
  /** The lines of exports of Tallymark. */
  readonly lines: string[];
}

/** A request of an import: lines, and the number of counters that are in it. */
export interface Part {
  readonly body: string;
  readonly counters: number;
}

/** Maximum size of a request, in bytes, which proxies accept. */
const MAX_BYTES = 500_000;
/** Maximum number of lines in a request. A dry run lists the changes of so many. */
const MAX_LINES = 1000;

const encoder = new TextEncoder();

/**
 * Yields the requests of an import. The lines of one counter are in one request. `isOlder` tells
 * whether totals are from before the first day that is counted.
 */
export function* partsOf(all: Counters, isOlder = false): Generator<Part> {
  let body: string[] = [];
  let bytes = 0;
  let counters = 0;
  for (const some of groupsOf(all, isOlder)) {
    const size = some.reduce((sum, line) => sum + encoder.encode(line).length + 1, 0);
    if (counters > 0 && (body.length + some.length > MAX_LINES || bytes + size > MAX_BYTES)) {
      yield { body: body.join("\n"), counters };
      [body, bytes, counters] = [[], 0, 0];
    }
    body.push(...some);
    bytes += size;
    counters++;
  }
  if (counters > 0) yield { body: body.join("\n"), counters };
}

/** Yields the lines of one counter after another. */
function* groupsOf({ entries, lines }: Counters, isOlder: boolean): Generator<string[]> {
  for (const entry of entries) yield linesOf(entry, isOlder);
  for (const line of lines) yield [line];
}

/**
 * Returns the lines of a counter for the mode `max`. Days raise the total below what was counted
 * since. A total without days comes first, so that the days are added to it.
 */
function linesOf([id, { rest, days }]: [string, Entry], isOlder: boolean): string[] {
  const all = [
    rest !== undefined && { id, [isOlder ? "older" : "hits"]: rest },
    days && { id, days: Object.fromEntries(days) },
  ];
  return all.filter(Boolean).map((line) => JSON.stringify(line));
}

/** A line of an export of the service. */
interface ExportedLine {
  readonly id: string;
  readonly hits: number;
  readonly days?: Readonly<Record<string, number>>;
}

/** The names of the columns of an export as CSV. */
export const CSV_HEADS = "id,day,hits\n";

/** Returns the rows of a counter in CSV. The row without a day has what is older than the days. */
export function csvLines({ id, hits, days = {} }: ExportedLine): string {
  const all = Object.entries(days);
  const rest = all.reduce((rest, [, views]) => rest - views, hits);
  const rows = rest === 0 && all.length > 0 ? all : [["", rest], ...all];
  return rows.map(([day, views]) => `${csvCell(id)},${day},${views}\n`).join("");
}
