import { wholeNumber } from "./cell_text.ts";
import { csvRows, csvStart } from "./csv_rows.ts";
import { type Opened, Unreadable } from "./open_files.ts";
import { type Columns, columnsOf, isChosen, NO_DAY, type Source, sourceOf } from "./sources.ts";

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
  /** True for lines of an export without the last one. */
  readonly isCut: boolean;
  /** The number of lines before the rows. */
  readonly before: number;
  /** True if the first row is the names of the columns. */
  readonly hasHeads: boolean;
  /** Yields all rows. Throws {@linkcode Unreadable}. */
  rows(): Iterable<Row>;
}

export type Row = readonly string[];

/** Number of rows from which columns are recognized. */
const SAMPLE = 1000;
/** Number of lines from which a list is recognized. */
const LIST_SAMPLE = 200;
/** Maximum number of columns, of which the page shows a choice. */
const MAX_COLUMNS = 1000;

/** Returns the tables of a text. An empty text has none, JSON may have several. */
export function tablesOf(opened: Opened): Table[] {
  const { lines } = opened;
  const first = lines.findIndex((line) => line.trim());
  if (first < 0) return [];
  const begin = /^#filetype:JSON/i.test(lines[first] ?? "") ? first + 1 : first;
  const rest = lines.slice(begin);
  if (begin > first || /^\s*[[{]/.test(rest[0] ?? "")) return jsonTables(opened, rest);
  return [isList(rest) ? list(opened, begin) : csv(opened)];
}

/** Reports whether a row is an empty line. */
export function isBlank(row: Row): boolean {
  return row.length < 2 && !row[0];
}

type Given = "heads" | "columns" | "isCut" | "before" | "hasHeads";

/** Creates a table of rows. Recognizes its columns unless they are given. */
function create(
  { name, archive, encoding }: Opened,
  { heads = [], before = 0, hasHeads = false, isCut = false, format, columns, rows }:
    & Pick<Table, "format" | "rows">
    & Partial<Pick<Table, Given>>,
): Table {
  if (heads.length > MAX_COLUMNS) {
    throw new Unreadable(`it has more than ${MAX_COLUMNS} columns.`);
  }
  const sample: Row[] = [];
  let isHead = hasHeads;
  for (const row of rows()) {
    if (isBlank(row)) continue;
    if (!isHead && sample.push(row) === SAMPLE) break;
    isHead = false;
  }
  const source = columns ? undefined : sourceOf(heads, sample, name);
  const found = columns ?? columnsOf(heads, sample, source);
  return {
    ...{ name, archive, heads, sample, source, isCut, before, hasHeads, rows },
    format: encoding ? `${format} in ${encoding}` : format,
    columns: found,
    isAsked: !columns && heads.length > 0 && !(source && isChosen(found)),
  };
}

/** The columns of pairs of ids and numbers. */
const PAIR: Columns = { page: 0, number: 1, day: NO_DAY, order: "ymd" };

// --- CSV -----------------------------------------------------------------------------------------

const FORMATS: Readonly<Record<string, string>> = { ";": "CSV with semicolons", "\t": "TSV" };

function csv(opened: Opened): Table {
  const { lines } = opened;
  // Exports of GA4 begin with comments, and may have the table of a chart before that of the pages.
  const hasComments = lines[0]?.startsWith("#") ?? false;
  const isRow = (line = "") => line.trim() !== "" && !line.startsWith("#");
  const begin = lines.findIndex(isRow);
  const known = hasComments
    ? lines.findIndex((line, at) =>
      isRow(line) && !isRow(lines[at - 1]) && sourceOf(csvStart([line]).first, [])
    )
    : -1;
  const before = known < 0 ? begin : known;
  const end = hasComments
    ? lines.findIndex((line, at) => at > before && line.startsWith("#") && !lines[at - 1]?.trim())
    : -1;
  const all = lines.slice(before, end < 0 ? undefined : end);
  const { first, delimiter } = csvStart(all);
  // A row with a number is a row, and its columns have no names.
  const hasHeads = first.every((cell) => wholeNumber(cell) === undefined);
  return create(opened, {
    format: FORMATS[delimiter] ?? "CSV",
    heads: first.map((cell, index) => hasHeads ? cell.trim() : `Column ${index + 1}`),
    before,
    hasHeads,
    rows: () => csvRows(all, delimiter, before),
  });
}

// --- Lists ---------------------------------------------------------------------------------------

/** Takes the place of the number of a line that has none. */
const NO_NUMBER = "–";
/** A number of a list. */
const PLAIN = /^(?:\d{1,3}(?:[.,]\d{3})+|\d+)$/;

/** Reports whether most lines are a number and an id, in any order, with blanks between them. */
function isList(all: readonly string[]): boolean {
  const lines = all.slice(0, LIST_SAMPLE).filter((line) => line.trim());
  const matching = lines.filter((line) => rowOf(line)[1] !== NO_NUMBER && !line.includes("\t"));
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
  return PLAIN.test(last) ? [text.slice(0, -last.length).trim(), last] : [line, NO_NUMBER];
}

function list(opened: Opened, before: number): Table {
  return create(opened, {
    format: "list",
    heads: ["id", "number"],
    columns: PAIR,
    before,
    rows: () => opened.lines.slice(before).values().map(rowOf),
  });
}

// --- JSON ----------------------------------------------------------------------------------------

type JsonObject = Record<string, unknown>;

function jsonTables(opened: Opened, lines: readonly string[]): Table[] {
  const first = jsonIn(lines[0]);
  if (isObject(first) && lines.some((line, at) => at > 0 && line.trim())) {
    if (isOwn(first)) return [ownLines(opened, lines)];
    const read = (line: string, at: number) => {
      const value = line.trim() === "" ? {} : jsonIn(line);
      if (!isObject(value)) throw new Unreadable(`row ${at + 1} is not an object in JSON.`);
      return value;
    };
    return [objects(opened, "JSON lines", () => lines.values().map(read))];
  }
  const value = jsonIn(lines.join("\n"));
  const found = isOwn(value) ? [] : tablesIn(value, opened.name);
  if (found.length === 0 && isObject(value)) found.push([opened.name, [value]]);
  if (found.length === 0) {
    throw new Unreadable("it is not JSON with a list of objects, or with numbers by their ids.");
  }
  return found.map(([name, list]) => {
    if (list.every(isOwn)) {
      return ownLines({ ...opened, name }, list.map((line) => JSON.stringify(line)));
    }
    const columns = list.every((one) => MAPPED in one) ? PAIR : undefined;
    return objects({ ...opened, name }, "JSON", () => list, columns);
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

/** Creates a table of objects, whose columns are the names of their members (`hits.count`). */
function objects(
  opened: Opened,
  format: string,
  read: () => Iterable<JsonObject>,
  columns?: Columns,
): Table {
  const heads = new Set<string>();
  let left = SAMPLE;
  for (const object of read()) {
    for (const [name] of membersOf(object)) heads.add(name);
    if (--left === 0) break;
  }
  const names = [...heads];
  return create(opened, {
    format,
    heads: names,
    ...columns && { columns },
    *rows() {
      for (const object of read()) {
        const cells = new Map(membersOf(object));
        yield cells.size > 0 ? names.map((name) => cells.get(name) ?? "") : [""];
      }
    },
  });
}

/** Yields the texts of an object's members, also of those in objects at most two levels below. */
function* membersOf(object: JsonObject, before = "", depth = 2): Generator<[string, string]> {
  for (const [key, value] of Object.entries(object)) {
    if (isObject(value) && depth > 0) yield* membersOf(value, `${before}${key}.`, depth - 1);
    else yield [before + key, typeof value === "object" ? "" : String(value)];
  }
}

/** Creates the table of an export of Tallymark, whose rows are its lines. */
function ownLines(opened: Opened, lines: readonly string[]): Table {
  const last: JsonObject = jsonIn(lines.findLast((line) => line.trim())) ?? {};
  return create(opened, {
    format: "lines",
    isCut: typeof last.counters !== "number",
    rows: () => lines.values().map((line) => [line.trim()]),
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
