import { wholeNumber } from "./cell_text.ts";
import { csvRows, csvStart } from "./csv_rows.ts";
import { type Opened, Unreadable } from "./open_files.ts";
import {
  type Columns,
  columnsOf,
  NONE,
  proposedColumns,
  type Source,
  sourceOf,
} from "./sources.ts";

/** A table of pages and numbers, or lines of an export of Tallymark. */
export interface Table {
  readonly name: string;
  readonly archive: string;
  /** The format in words, such as "CSV with semicolons". */
  readonly format: string;
  /** The names of the columns. Empty for lines of an export. */
  readonly heads: readonly string[];
  /** The first rows. */
  readonly sample: readonly Row[];
  /** Undefined if the table is from an unknown place. */
  readonly source: Source | undefined;
  readonly columns: Columns;
  /** True if the columns are to be chosen. */
  readonly isAsked: boolean;
  /** The number of lines before the rows. */
  readonly before: number;
  /** True if the first row is the names of the columns. */
  readonly hasHeads: boolean;
  /** Yields all rows, in pieces. Throws {@linkcode Unreadable}. */
  pieces(): Iterable<readonly Row[]>;
}

export type Row = readonly string[];

/** Number of rows from which columns are recognized. */
const SAMPLE = 200;
/** Maximum number of columns, of which the page shows a choice. */
const MAX_COLUMNS = 1000;

/** Returns the tables of a text. An empty text has none, JSON may have several. */
export function tablesOf({ parts: [start = "", ...rest], ...file }: Opened): Table[] {
  const text = start.trimStart();
  if (text === "" && rest.length === 0) return [];
  const [isStream = ""] = /^#filetype:JSON.*\n/i.exec(text) ?? [];
  const isJson = isStream !== "" || /^[[{]/.test(text);
  const opened = { ...file, parts: [isJson ? text.slice(isStream.length) : start, ...rest] };
  return isJson ? jsonTables(opened) : [isList(text) ? list(opened) : csv(opened)];
}

/** Reports whether a row is an empty line. */
export function isBlank(row: Row): boolean {
  return row.length < 2 && !row[0];
}

type Given = "heads" | "columns" | "before" | "hasHeads";

/** Creates a table of rows. Recognizes its columns unless they are given. */
function create(
  { name, archive }: Opened,
  { heads = [], before = 0, hasHeads = false, ...given }:
    & Pick<Table, "format" | "pieces">
    & Partial<Pick<Table, Given>>,
): Table {
  if (heads.length > MAX_COLUMNS) {
    throw new Unreadable(`it has more than ${MAX_COLUMNS} columns.`);
  }
  const [first = []] = given.pieces();
  const sample = first.filter((row) => !isBlank(row)).slice(Number(hasHeads), SAMPLE);
  const source = given.columns ? undefined : sourceOf(heads, sample);
  const columns = source ? columnsOf(source, heads) : proposedColumns(heads, sample);
  const isAsked = !source && !given.columns && heads.length > 0;
  return { name, archive, heads, sample, source, columns, isAsked, before, hasHeads, ...given };
}

/** The columns of pairs of ids and numbers. */
const PAIR: Columns = { page: 0, number: 1, day: NONE };

// --- CSV -----------------------------------------------------------------------------------------

const FORMATS: Readonly<Record<string, string>> = { ";": "CSV with semicolons", "\t": "TSV" };

function csv(opened: Opened): Table {
  const [text = "", ...others] = opened.parts;
  // Exports of GA4 begin with comments, and may have the table of a chart before that of the pages.
  const hasComments = text.startsWith("#");
  const lines = text.split("\n");
  const isRow = (line = "") => line.trim() !== "" && !line.startsWith("#");
  const starts = [...lines.keys()].filter((at) => isRow(lines[at]) && !isRow(lines[at - 1]));
  const [begin = 0] = starts;
  const known = starts.find((at) => sourceOf(csvStart(lines[at] ?? "").first, []));
  const before = hasComments ? known ?? begin : begin;
  const rest = lines.slice(before).join("\n");
  const { first, delimiter } = csvStart(rest);
  // A row with a number is a row, and its columns have no names.
  const hasHeads = first.every((cell) => wholeNumber(cell) === undefined);
  return create(opened, {
    format: FORMATS[delimiter] ?? "CSV",
    heads: first.map((cell, index) => hasHeads ? cell.trim() : `Column ${index + 1}`),
    before,
    hasHeads,
    *pieces() {
      for (const rows of csvRows([rest, ...others], delimiter, before)) {
        const end = rows.findIndex(([cell], index) =>
          hasComments && cell?.startsWith("#") && isBlank(rows[index - 1] ?? [])
        );
        yield end < 0 ? rows : rows.slice(0, end);
        if (end >= 0) return;
      }
    },
  });
}

// --- Lists ---------------------------------------------------------------------------------------

/** A number of a list. */
const PLAIN = /^(?:\d{1,3}(?:[.,]\d{3})+|\d+)$/;

/** Reports whether most lines are a number and an id, in any order, with blanks between them. */
function isList(text: string): boolean {
  const lines = text.split("\n", SAMPLE).filter((line) => line.trim());
  const matching = lines.filter((line) => rowOf(line)[1] && !line.includes("\t"));
  if (matching.length * 2 < lines.length || matching.length === 0) return false;
  // Each line of a table has the same marks, such as in "Chapter 1,234".
  const isTable = [",", ";"].some((mark) => {
    const counts = lines.map((line) => line.split(mark).length);
    return counts.every((count) => count > 1 && count === counts[0]);
  });
  return !isTable || matching.every((line) => line.trim().startsWith(rowOf(line)[1] ?? ""));
}

/** Returns the id of a line and its number, which is its first or its last word. */
function rowOf(line: string): Row {
  const text = line.trim();
  const [first = "", ...words] = text.split(/\s+/);
  const last = words.at(-1) ?? "";
  if (text === "") return [""];
  if (words.length > 0 && PLAIN.test(first)) return [text.slice(first.length).trim(), first];
  return PLAIN.test(last) ? [text.slice(0, -last.length).trim(), last] : [line, ""];
}

function list(opened: Opened): Table {
  return create(opened, {
    format: "list",
    heads: ["id", "number"],
    columns: PAIR,
    pieces: () => opened.parts.values().map((part) => part.split("\n").map(rowOf)),
  });
}

// --- JSON ----------------------------------------------------------------------------------------

type JsonObject = Record<string, unknown>;

function jsonTables(opened: Opened): Table[] {
  const { name, parts } = opened;
  const [start = ""] = parts;
  const first = jsonIn(start.split("\n", 1)[0]);
  if (isObject(first) && (parts.length > 1 || start.trim().includes("\n"))) {
    return [
      isOwn(first) ? ownLines(opened) : objects(opened, "JSON lines", function* () {
        let row = 0;
        for (const part of parts) {
          yield part.split("\n").map((line) => {
            row++;
            const value = line.trim() === "" ? {} : jsonIn(line);
            if (!isObject(value)) throw new Unreadable(`row ${row} is not an object in JSON.`);
            return value;
          });
        }
      }),
    ];
  }
  const value = jsonIn(parts.join("\n"));
  const found = isOwn(value) ? [] : tablesIn(value, name);
  if (found.length === 0 && isObject(value)) found.push([name, [value]]);
  if (found.length === 0) {
    throw new Unreadable("it is not JSON with a list of objects, or with numbers by their ids.");
  }
  return found.map(([name, list]) => {
    if (list.every(isOwn)) {
      const lines = list.map((line) => JSON.stringify(line)).join("\n");
      return ownLines({ ...opened, name, parts: [lines] });
    }
    const columns = list.every((one) => MAPPED in one) ? PAIR : undefined;
    return objects({ ...opened, name }, "JSON", () => [list], columns);
  });
}

/** The name of the column that a map of numbers becomes. */
const MAPPED = "number of views";

/** Returns the lists of objects in a value, at most two levels below it, and a map of numbers. */
function tablesIn(value: unknown, name: string, depth = 2): [name: string, JsonObject[]][] {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? [[name, value]] : [];
  if (!isObject(value)) return [];
  const parts = Object.entries(value);
  if (parts.length > 0 && parts.every(([, number]) => typeof number === "number")) {
    return [[name, parts.map(([id, number]) => ({ id, [MAPPED]: number }))]];
  }
  if (depth === 0) return [];
  return parts.flatMap(([key, part]) => tablesIn(part, `${name}: ${key}`, depth - 1));
}

/** Creates a table of objects, whose columns are the names of their members. */
function objects(
  opened: Opened,
  format: string,
  read: () => Iterable<readonly JsonObject[]>,
  columns?: Columns,
): Table {
  const [some = []] = read();
  const heads = [...new Set(some.slice(0, SAMPLE).flatMap((object) => Object.keys(object)))];
  return create(opened, {
    format,
    heads,
    ...columns && { columns },
    *pieces() {
      for (const some of read()) {
        yield some.map((object) =>
          Object.keys(object).length > 0 ? heads.map((head) => cellOf(object[head])) : [""]
        );
      }
    },
  });
}

/** Returns the text of a cell. An object, which may have none, is neither a page nor a number. */
function cellOf(value: unknown) {
  return typeof value === "object" ? "" : String(value ?? "");
}

/** Creates the table of an export of Tallymark, whose rows are its lines. */
function ownLines(opened: Opened): Table {
  return create(opened, {
    format: "lines",
    pieces: () =>
      opened.parts.values().map((part) => part.split("\n").map((line) => [line.trim()])),
  });
}

/** Reports whether a value is a counter as Tallymark exports it, or the end of an export. */
function isOwn(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, hits, seen, days, counters } = value;
  if (typeof counters === "number") return true;
  return typeof id === "string" &&
    (typeof hits === "number" || typeof seen === "number" || isObject(days));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns undefined if a text is none. */
export function jsonIn(text = "") {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
