import { Unreadable } from "./open_files.ts";

/** The first one that the first row has is taken, because numbers may contain those after it. */
const DELIMITERS = ["\t", ";", ","];

/** Returns the delimiter of CSV, its first row, and the number of empty lines before it. */
export function csvStart(text: string) {
  const unquoted = text.slice(0, 10_000).replaceAll(/"[^"]*"/g, "");
  const [line = ""] = /[^\n]+/.exec(unquoted) ?? [];
  const delimiter = DELIMITERS.find((delimiter) => line.includes(delimiter)) ?? ",";
  const start = text.search(/[^\n]/);
  const [first = []] = csvRows(text.slice(start), delimiter);
  return { delimiter, first, start };
}

/** Reports whether a row is an empty line. */
export function isBlank(row: readonly string[]): boolean {
  return row.length < 2 && !row[0];
}

/**
 * Yields the rows of CSV. An empty line is a row with one empty cell. Throws
 * {@linkcode Unreadable} if a quote is not closed, or if text follows the quote that closes it.
 */
export function* csvRows(text: string, delimiter: string): Generator<string[]> {
  // Two quotes are one in the cell.
  const quoted = '"([^"]*(?:""[^"]*)*)" *';
  const cell = new RegExp(`(?:${quoted}|(?!")([^${delimiter}\n]*))(${delimiter}|\n|$)`, "y");
  let count = 1;
  let row: string[] = [];
  for (;;) {
    const found = cell.exec(text);
    if (!found) {
      throw new Unreadable(
        `the quote in row ${count} is not closed, so the rows after it cannot be told apart. ` +
          "Correct that row, or export the file again.",
      );
    }
    const [, quoted, plain = "", end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === delimiter) continue;
    yield row;
    if (end === "") return;
    count++;
    row = [];
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
