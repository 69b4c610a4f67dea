import { Unreadable } from "./open_files.ts";

const QUOTE = '"';
const DELIMITERS = [",", ";", "\t"];
/** Number of rows from which the delimiter is guessed. */
const GUESSED = 10;

/**
 * Yields the rows of CSV. `before` is the number of lines before them. An empty line is a row with
 * one empty cell. Throws {@linkcode Unreadable} if a quote is not closed, or if text follows the
 * quote that closes it.
 */
export function* csvRows(
  lines: Iterable<string>,
  delimiter: string,
  before = 0,
): Generator<string[]> {
  let count = before;
  let row: string[] = [];
  /** The lines of a cell in quotes that are read so far. */
  let open: string[] | undefined;

  const notClosed = () =>
    new Unreadable(
      `the quote in row ${count + 1} is not closed, so the rows after it cannot be told apart. ` +
        "Correct that row, or export the file again.",
    );

  /** Reads a cell from an index on. Returns the index of its end, or -1 if it is open. */
  function readCell(line: string, at: number) {
    if (!open && line[at] !== QUOTE) {
      const end = line.indexOf(delimiter, at) >>> 0;
      row.push(line.slice(at, end));
      return Math.min(end, line.length);
    }
    const start = open ? at : at + 1;
    let close = start - 1;
    do {
      close = line.indexOf(QUOTE, close + 1);
      // Two quotes are one in the cell.
    } while (close >= 0 && line[close + 1] === QUOTE && ++close);
    const cell = open ?? [];
    cell.push(line.slice(start, close < 0 ? undefined : close));
    open = close < 0 ? cell : undefined;
    if (open) return -1;
    row.push(cell.join("\n").replaceAll('""', QUOTE));
    let end = close + 1;
    while (line[end] === " ") end++;
    if (end < line.length && line[end] !== delimiter) throw notClosed();
    return end;
  }

  for (const line of lines) {
    if (!open && !line.includes(QUOTE)) row = line.split(delimiter);
    else {
      let end = readCell(line, 0);
      while (end >= 0 && end < line.length) end = readCell(line, end + 1);
      if (open) continue;
    }
    count++;
    yield row;
    row = [];
  }
  if (open) throw notClosed();
}

/** Returns the first row of CSV, and the delimiter that most of the first rows have alike. */
export function csvStart(lines: readonly string[]): { first: string[]; delimiter: string } {
  const [best] = DELIMITERS.map((delimiter) => {
    const rows = firstRows(lines.slice(0, 10 * GUESSED), delimiter);
    const [first = []] = rows;
    const even = rows.filter((row) => row.length === first.length && row.length > 1).length;
    return { first, delimiter, even };
  }).sort((one, other) => other.even - one.even || other.first.length - one.first.length);
  return best ?? { first: [], delimiter: "," };
}

function firstRows(lines: readonly string[], delimiter: string): string[][] {
  const rows: string[][] = [];
  try {
    for (const row of csvRows(lines, delimiter)) {
      if ((row.length > 1 || row[0]) && rows.push(row) === GUESSED) break;
    }
    return rows;
  } catch {
    return [];
  }
}
