import { wholeNumber } from "./cell_text.ts";
import { csvRows, guessDelimiter, PIECE, TableError } from "./csv_rows.ts";
import type { OpenedText } from "./open_files.ts";
import { type Columns, columnsOf, proposedColumns, type Source, sourceOf } from "./sources.ts";

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
  /** The number of the first row in the text, counted from 1. */
  readonly firstRow: number;
  /** The row that was taken as the names of the columns without being known, or undefined. */
  readonly guessedHeads: Row | undefined;
  /** Yields all rows, in pieces. Throws a {@linkcode TableError}. */
  pieces(): Iterable<readonly Row[]>;
}

export type Row = readonly string[];

/** Number of rows from which columns are recognized. */
const SAMPLE = 200;

/** Returns the tables of a text. A document in JSON may have several, other texts have one. */
export function tablesOf(opened: OpenedText): Table[] {
  const text = opened.text.trimStart();
  if (text === "") throw new TableError("it is empty.");
  if (/^#filetype:JSON/i.test(text)) return [jsonLines(opened, text.slice(text.indexOf("\n") + 1))];
  if (!/^[[{]/.test(text)) return [isList(text) ? list(opened) : csv(opened)];
  const first = objectOf(text.slice(0, text.indexOf("\n") >>> 0));
  // One line may also be a document that maps ids to numbers, or has lists.
  const isDocument = first && !text.trimEnd().includes("\n") && tablesIn(first, "").length > 0;
  return first && !isDocument ? [jsonLines(opened, text)] : jsonTables(opened, text);
}

/** Returns a table without rows, in place of a text that is none. */
export function noTable({ name, archive }: OpenedText): Table {
  return create({ name, archive, text: "" }, "", [], () => []);
}

/** Reports whether a row is an empty line. */
export function isBlank(row: Row): boolean {
  return row.length < 2 && !row[0];
}

/** Creates a table of rows, and recognizes its columns. */
function create(
  { name, archive }: OpenedText,
  format: string,
  heads: readonly string[],
  pieces: Table["pieces"],
  { firstRow = 1, guessedHeads }: { firstRow?: number; guessedHeads?: Row } = {},
): Table {
  const sample: Row[] = [];
  for (const rows of pieces()) {
    sample.push(...rows.filter((row) => !isBlank(row)).slice(0, SAMPLE - sample.length));
    if (sample.length >= SAMPLE) break;
  }
  const source = sourceOf(heads, sample);
  const columns = source ? columnsOf(source, heads) : proposedColumns(heads, sample);
  const isAsked = source === undefined && heads.length > 0;
  const guessed = isAsked ? guessedHeads : undefined;
  const rest = { firstRow, guessedHeads: guessed, pieces };
  return { name, archive, format, heads, sample, source, columns, isAsked, ...rest };
}

// --- CSV -----------------------------------------------------------------------------------------

const FORMATS: Readonly<Record<string, string>> = {
  ",": "CSV",
  ";": "CSV with semicolons",
  "\t": "TSV",
};

function csv(opened: OpenedText): Table {
  const { start, before, text } = partOf(opened.text);
  const delimiter = guessDelimiter(text.slice(start, start + PIECE));
  const read = () => csvRows(text, { start, before, delimiter });
  const format = FORMATS[delimiter] ?? "text";
  const [[first = []] = []] = read();
  // A row with a number is a row, and its columns have no names.
  if (first.some((cell) => wholeNumber(cell) !== undefined)) {
    const heads = first.map((_, index) => `Column ${index + 1}`);
    return create(opened, format, heads, read, { firstRow: before + 1 });
  }
  const heads = first.map((cell) => cell.trim());
  const rest = { firstRow: before + 2, guessedHeads: first };
  return create(opened, format, heads, () => withoutFirst(read()), rest);
}

/**
 * Returns where a table begins and ends, and the number of lines before it. Exports of GA4 begin
 * with comments, and may have the table of a chart before that of the pages.
 */
function partOf(text: string) {
  const starts: { start: number; before: number }[] = [];
  let at = 0;
  let isBetween = true;
  for (const [before, line] of text.slice(0, PIECE).split("\n").entries()) {
    const isPart = line.trim() !== "" && !line.startsWith("#");
    if (isPart && isBetween) starts.push({ start: at, before });
    isBetween = !isPart;
    at += line.length + 1;
    if (!text.startsWith("#") && starts.length > 0) break;
  }
  const known = starts.find(({ start }) => {
    const line = text.slice(start, text.indexOf("\n", start) >>> 0);
    const [[heads = []] = []] = csvRows(line, { delimiter: guessDelimiter(line) });
    return sourceOf(heads, []) !== undefined;
  });
  const { start, before } = known ?? starts[0] ?? { start: 0, before: 0 };
  const end = text.startsWith("#") ? text.indexOf("\n\n#", start) : -1;
  return { start, before, text: end < 0 ? text : text.slice(0, end) };
}

function* withoutFirst(pieces: Iterable<readonly Row[]>): Generator<readonly Row[]> {
  let isFirst = true;
  for (const rows of pieces) {
    yield isFirst ? rows.slice(1) : rows;
    isFirst = false;
  }
}

// --- Lists ---------------------------------------------------------------------------------------

const NUMBER = /\d{1,3}(?:[.,]\d{3})+|\d+/.source;
const NUMBER_FIRST = new RegExp(`^\\s*(${NUMBER})\\s+(\\S.*?)\\s*$`);
const NUMBER_LAST = new RegExp(`^\\s*(\\S.*?)\\s+(${NUMBER})\\s*$`);

/** Reports whether most lines are a number and an id, in any order, with blanks between them. */
function isList(text: string): boolean {
  const lines = text.slice(0, PIECE).split("\n", SAMPLE).filter((line) => line.trim());
  const matching = lines.filter((line) => rowOf(line)[1] && !line.includes("\t"));
  if (matching.length * 2 < lines.length || matching.length === 0) return false;
  // Each line of a table has the same marks, such as in "Chapter 1,234".
  const isTable = [",", ";"].some((mark) => {
    const counts = lines.map((line) => line.split(mark).length);
    return counts.every((count) => count > 1 && count === counts[0]);
  });
  return !isTable || matching.every((line) => NUMBER_FIRST.test(line));
}

function rowOf(line: string): Row {
  if (line.trim() === "") return [""];
  const [isFirst, number = "", id = ""] = NUMBER_FIRST.exec(line) ?? [];
  if (isFirst) return [id, number];
  const [isLast, name = "", last = ""] = NUMBER_LAST.exec(line) ?? [];
  return isLast ? [name, last] : [line, ""];
}

function list(opened: OpenedText): Table {
  const table = create(opened, "list", ["id", "number"], function* () {
    for (const lines of linesOf(opened.text)) yield lines.map(rowOf);
  });
  return withKnownColumns(table);
}

/** Returns a table whose first column has ids and whose second one has numbers. */
function withKnownColumns(table: Table): Table {
  return { ...table, columns: { page: 0, number: 1, day: undefined }, isAsked: false };
}

/** Yields the lines of a text, in pieces. */
function* linesOf(text: string): Generator<string[]> {
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at + PIECE);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(at, end).split("\n");
    at = end + 1;
  }
}

// --- JSON ----------------------------------------------------------------------------------------

type JsonObject = Record<string, unknown>;

function jsonLines(opened: OpenedText, text: string): Table {
  if (isOwnLine(objectOf(text.slice(0, text.indexOf("\n") >>> 0)))) {
    return create(opened, "lines", [], function* () {
      for (const lines of linesOf(text)) yield lines.map((line) => [line.trim()]);
    });
  }
  let count = 0;
  return objects(opened, "JSON lines", function* () {
    count = 0;
    for (const lines of linesOf(text)) {
      yield lines.map((line) => {
        count++;
        if (line.trim() === "") return {};
        return objectOf(line) ?? fail(`row ${count} is not an object in JSON.`);
      });
    }
  });
}

function jsonTables(opened: OpenedText, text: string): Table[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail("it is not JSON.");
  }
  const found = tablesIn(value, opened.name);
  if (found.length === 0) fail("it has neither a list of objects nor numbers by their ids.");
  return found.map(([name, list]) => {
    if (list.every(isOwnLine)) {
      const lines = list.map((one) => [JSON.stringify(one)]);
      return create({ ...opened, name }, "lines", [], () => [lines]);
    }
    const table = objects({ ...opened, name }, "JSON", () => [list]);
    return list.every((one) => MAPPED in one) ? withKnownColumns(table) : table;
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
  opened: OpenedText,
  format: string,
  read: () => Iterable<readonly JsonObject[]>,
): Table {
  const heads = new Set<string>();
  for (const some of read()) {
    for (const object of some.slice(0, SAMPLE)) {
      Object.keys(object).forEach((key) => heads.add(key));
    }
    break;
  }
  const names = [...heads];
  const cell = (value: unknown) => value === undefined || value === null ? "" : String(value);
  return create(opened, format, names, function* () {
    for (const some of read()) {
      yield some.map((object) => isEmpty(object) ? [""] : names.map((name) => cell(object[name])));
    }
  });
}

/** Reports whether an object is a counter as Tallymark exports it, or the end of an export. */
function isOwnLine(object: JsonObject | undefined): boolean {
  if (typeof object?.counters === "number") return true;
  if (typeof object?.id !== "string") return false;
  return [object.hits, object.seen].some((number) => typeof number === "number") ||
    isObject(object.days);
}

function isEmpty(object: JsonObject) {
  return Object.keys(object).length === 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fail(reason: string): never {
  throw new TableError(reason);
}
