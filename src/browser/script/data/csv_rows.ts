/** The reason why a table cannot be counted, as a sentence for its owner. */
export class TableError extends Error {
  /** The name of the table. */
  table = "";
}

/** Size of a piece of a text, in UTF-16 code units. One takes less than 30 ms. */
export const PIECE = 1 << 18;
const QUOTE = '"';
const DELIMITERS = [",", ";", "\t"];
/** Number of rows from which the delimiter is guessed. */
const GUESSED = 10;

export interface CsvOptions {
  readonly delimiter: string;
  /** The index of the first row. */
  readonly start?: number;
  /** The number of lines before it. */
  readonly before?: number;
}

/**
 * Yields the rows of CSV in pieces. An empty line is a row with one empty cell. Throws a
 * {@linkcode TableError} if a quote is not closed, or if text follows the quote that closes it.
 */
export function* csvRows(
  text: string,
  { delimiter, start = 0, before = 0 }: CsvOptions,
): Generator<string[][]> {
  let at = start;
  let count = before;
  // Neither is searched for again before it is passed, so that the time is linear.
  let nextDelimiter = -1;
  let nextNewline = -1;
  const nextEnd = () => {
    if (nextDelimiter < at) nextDelimiter = text.indexOf(delimiter, at) >>> 0;
    if (nextNewline < at) nextNewline = text.indexOf("\n", at) >>> 0;
    return Math.min(nextDelimiter, nextNewline, text.length);
  };

  /** Reads a cell that begins with a quote. */
  function quotedCell(): string {
    const first = at + 1;
    let close = at;
    do {
      close = text.indexOf(QUOTE, close + 1);
      // Two quotes are one in the cell.
    } while (close >= 0 && text[close + 1] === QUOTE && ++close);
    at = close + 1;
    while (text[at] === " ") at++;
    if (close < 0 || nextEnd() !== at) {
      throw new TableError(
        `the quote in row ${count + 1} is not closed, so the rows after it cannot be told ` +
          "apart. Correct that row, or export the file again.",
      );
    }
    return text.slice(first, close).replaceAll('""', QUOTE);
  }

  function nextRow(): string[] {
    const row: string[] = [];
    for (;;) {
      if (text[at] === QUOTE) row.push(quotedCell());
      else row.push(text.slice(at, at = nextEnd()));
      if (text[at++] !== delimiter) break;
    }
    count++;
    return row;
  }

  while (at < text.length) {
    const rows: string[][] = [];
    for (const end = at + PIECE; at < end && at < text.length;) rows.push(nextRow());
    yield rows;
  }
}

/** Returns the delimiter with which the most of the first rows have the same number of cells. */
export function guessDelimiter(text: string): string {
  const sample = text.slice(0, PIECE);
  const [best] = DELIMITERS.map((delimiter) => ({ delimiter, ...evennessOf(sample, delimiter) }))
    .sort((one, other) => other.even - one.even || other.cells - one.cells);
  return best?.even ? best.delimiter : ",";
}

/** Returns how many of the first rows have as many cells as the first, if those are several. */
function evennessOf(text: string, delimiter: string) {
  try {
    const [first = []] = csvRows(text, { delimiter });
    const rows = first.filter((row) => row.length > 1 || row[0]).slice(0, GUESSED);
    const cells = rows[0]?.length ?? 0;
    return { cells, even: cells > 1 ? rows.filter((row) => row.length === cells).length : 0 };
  } catch {
    return { cells: 0, even: 0 };
  }
}
