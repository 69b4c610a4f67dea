import { Unreadable } from "./open_files.ts";

const QUOTE = '"';
/** The first one that fits is taken, because numbers may contain those after it. */
const DELIMITERS = ["\t", ";", ","];
/** Number of rows from which the delimiter is guessed. */
const GUESSED = 200;

/**
 * Yields the rows of CSV. An empty line is a row with one empty cell. Throws
 * {@linkcode Unreadable} if a quote is not closed, or if text follows the quote that closes it.
 */
export function* csvRows(text: string, delimiter: string): Generator<string[]> {
  const plain = new RegExp(`[^${delimiter}\n]*`, "y");
  let count = 1;
  let row: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === QUOTE) {
      let close = at;
      do {
        close = text.indexOf(QUOTE, close + 1);
        // Two quotes are one in the cell.
      } while (close >= 0 && text[close + 1] === QUOTE && ++close);
      row.push(text.slice(at + 1, close).replaceAll(QUOTE + QUOTE, QUOTE));
      at = close + 1;
      while (text[at] === " ") at++;
      if (close < 0 || ![delimiter, "\n", undefined].includes(text[at])) {
        throw new Unreadable(
          `the quote in row ${count} is not closed, so the rows after it cannot be told apart. ` +
            "Correct that row, or export the file again.",
        );
      }
    } else {
      plain.lastIndex = at;
      plain.test(text);
      row.push(text.slice(at, at = plain.lastIndex));
    }
    if (text[at] === delimiter) continue;
    count++;
    yield row;
    row = [];
  }
}

/**
 * Returns the first row of CSV, the delimiter that most of the first rows have alike, and if all of
 * them have.
 */
export function csvStart(text: string, delimiters = DELIMITERS) {
  const starts = delimiters.map((delimiter) => {
    const rows = firstRows(text, delimiter);
    const [first = []] = rows;
    const even = rows.filter((row) => row.length === first.length && row.length > 1).length;
    return { first, delimiter, even, isEven: even > 0 && even === rows.length };
  });
  return starts.reduce((best, other) =>
    (other.even - best.even || other.first.length - best.first.length) > 0 ? other : best
  );
}

function firstRows(text: string, delimiter: string): string[][] {
  try {
    return csvRows(text, delimiter).filter((row) => row.length > 1 || row[0]).take(GUESSED)
      .toArray();
  } catch {
    return [];
  }
}

/** Returns the rows of a counter in CSV. The row without a day has what is older than the days. */
export function csvLines(
  { id, hits, days = {} }: { id: string; hits: number; days?: Record<string, number> },
): string {
  const all = Object.entries(days);
  const rest = all.reduce((rest, [, views]) => rest - views, hits);
  const rows = rest === 0 && all.length > 0 ? all : [["", rest], ...all];
  return rows.map(([day, views]) => `${csvCell(id)},${day},${views}\n`).join("");
}

/** Writes a cell of CSV. Quotes it if a reader would otherwise take it for something else. */
export function csvCell(text: string): string {
  // A spreadsheet would run such a text as a formula.
  const safe = /^'*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",;\t\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
