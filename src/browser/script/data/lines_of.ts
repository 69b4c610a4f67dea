import { csvCell } from "./cell_text.ts";
import type { Entry, Outcome } from "./count_rows.ts";

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

/** Yields the requests of an import. All lines of one counter that follow each other are in one. */
export function* partsOf(outcome: Outcome): Generator<Part> {
  let lines: string[] = [];
  let bytes = 0;
  let counters = 0;
  for (const some of linesOf(outcome)) {
    const size = some.reduce((sum, line) => sum + encoder.encode(line).length + 1, 0);
    if (lines.length + some.length > MAX_LINES || bytes + size > MAX_BYTES) {
      if (lines.length > 0) yield { body: lines.join("\n"), counters };
      [lines, bytes, counters] = [[], 0, 0];
    }
    lines.push(...some);
    bytes += size;
    counters++;
  }
  if (lines.length > 0) yield { body: lines.join("\n"), counters };
}

/**
 * Yields the lines of one counter after another, for the mode `max`. Days raise the total below
 * what was counted since. A total without days comes first, so that the days are added to it.
 */
function* linesOf({ entries, states, lines }: Outcome): Generator<string[]> {
  for (const [id, { rest, days }] of entries) {
    const total = rest === undefined ? [] : [JSON.stringify({ id, hits: rest })];
    yield days ? [...total, JSON.stringify({ id, days: Object.fromEntries(days) })] : total;
  }
  for (const [id, entry] of states.flatMap((state) => [...state])) yield [stateLine(id, entry)];
  for (const { text } of lines) yield [text];
}

/** Returns the line of a counter whose total is known with its days. */
function stateLine(id: string, { rest = 0, days = new Map() }: Entry): string {
  const sum = days.values().reduce((sum, hits) => sum + hits, 0);
  const known = days.size > 0 && { days: Object.fromEntries(days) };
  return JSON.stringify({ id, hits: Math.max(0, rest + sum), ...known });
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
  const cell = csvCell(id);
  const all = Object.entries(days);
  const rest = all.reduce((rest, [, views]) => rest - views, hits);
  const total = rest === 0 && all.length > 0 ? "" : `${cell},,${rest}\n`;
  return total + all.map(([day, views]) => `${cell},${day},${views}\n`).join("");
}
