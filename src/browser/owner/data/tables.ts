import { wholeNumber } from "./cell_text.ts";
import { csvRows, csvStart } from "./csv.ts";
import { type Opened, Unreadable } from "./open_files.ts";
import { type Columns, columnsOf, isChosen, NO_DAY, type Source, sourceOf } from "./sources.ts";

/** A table of pages and numbers, or lines of an export of Tallymark. */
export interface Table {
  readonly name: string;
  readonly archive: string;
  /** The format in words, such as "CSV in GBK". */
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

/** Returns the tables of a text, of which JSON may have several. Throws {@linkcode Unreadable}. */
export function tablesOf(opened: Opened): Table[] {
  const { text } = opened;
  const json = text.replace(/^\s*#filetype:JSON.*/i, "");
  if (json !== text || /^\s*[[{]/.test(text)) return jsonTables({ ...opened, text: json });
  if (text.trim() === "") throw new Unreadable("it is empty.");
  return [isList(text) ? list(opened) : csv(opened)];
}

/** Reports whether a row is an empty line. */
export function isBlank(row: Row): boolean {
  return row.length < 2 && !row[0];
}

/** A table before its columns are recognized. */
type Found = Pick<Table, "format" | "rows"> & Partial<Table>;

/** Creates a table of rows. Recognizes its columns unless they are given. */
function create({ name, archive, encoding }: Opened, found: Found): Table {
  const { heads = [], hasHeads = false, isCut = false, format, columns, rows } = found;
  if (heads.length > MAX_COLUMNS) {
    throw new Unreadable(`it has more than ${MAX_COLUMNS} columns.`);
  }
  const all = Iterator.from(rows()).filter((row) => !isBlank(row));
  const sample = all.drop(hasHeads ? 1 : 0).take(SAMPLE).toArray();
  const source = columns ? undefined : sourceOf(heads, sample, name);
  const chosen = columns ?? columnsOf(heads, sample, source);
  return {
    ...{ name, archive, heads, sample, source, isCut, hasHeads, rows },
    format: encoding ? `${format} in ${encoding}` : format,
    columns: chosen,
    isAsked: !columns && heads.length > 0 && !(source && isChosen(chosen)),
  };
}

/** The columns of pairs of ids and numbers. */
const PAIR: Columns = { page: 0, number: 1, day: NO_DAY, order: "ymd" };

// --- CSV -----------------------------------------------------------------------------------------

function csv(opened: Opened): Table {
  if (/^"\d+",,"(?:general|visitors)"/.test(opened.text)) return goAccess(opened);
  const text = opened.text.startsWith("#") ? tableAmongComments(opened.text) : opened.text;
  const { first, delimiter } = csvStart(text);
  // A row with a number is a row, and its columns have no names.
  const hasHeads = first.every((cell) => wholeNumber(cell) === undefined);
  return create(opened, {
    format: "CSV",
    heads: first.map((cell, index) => hasHeads ? cell.trim() : `Column ${index + 1}`),
    hasHeads,
    rows: () => csvRows(text, delimiter),
  });
}

/** Creates the table of pages in a report of GoAccess, with the columns of its JSON. */
function goAccess(opened: Opened): Table {
  const isPage = ([, , panel]: Row) => panel === "requests";
  return create({ ...opened, name: `${opened.name}: requests: data` }, {
    format: "CSV",
    heads: ["data", "hits.count"],
    rows: () =>
      csvRows(opened.text, ",").filter(isPage).map((row) => [row.at(-1) ?? "", row[3] ?? ""]),
  });
}

/**
 * Empties all lines but those of one table. Exports of GA4 begin with comments, and may have the
 * table of a chart before that of the pages.
 */
function tableAmongComments(text: string): string {
  const lines = text.split("\n");
  const isRow = (line = "") => line.trim() !== "" && !line.startsWith("#");
  const begins = [...lines.keys()].filter((at) => isRow(lines[at]) && !isRow(lines[at - 1]));
  const begin = begins.find((at) => sourceOf(csvStart(lines[at] ?? "").first, [])) ?? begins[0] ??
    0;
  const isEnd = (line: string, at: number) =>
    at > begin && line.startsWith("#") && !lines[at - 1]?.trim();
  const end = lines.findIndex(isEnd) >>> 0;
  return lines.map((line, at) => at >= begin && at < end ? line : "").join("\n");
}

// --- Lists ---------------------------------------------------------------------------------------

/** Takes the place of the number of a line that has none. */
const NO_NUMBER = "–";
/** A number of a list. */
const PLAIN = /^(?:\d{1,3}(?:[.,]\d{3})+|\d+)$/;

/** The beginning of a line of a log. */
const LOGGED = /^\d{4}-\d\d-\d\d[ T]/;

/** Reports whether most lines are a number and an id, in any order, with blanks between them. */
function isList(text: string): boolean {
  const lines = text.split("\n", LIST_SAMPLE).filter((line) => line.trim());
  const matching = lines.filter((line) =>
    rowOf(line)[1] !== NO_NUMBER && !line.includes("\t") && !LOGGED.test(line)
  );
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

function list(opened: Opened): Table {
  return create(opened, {
    format: "list",
    heads: ["id", "number"],
    columns: PAIR,
    rows: () => opened.text.split("\n").values().map(rowOf),
  });
}

// --- JSON ----------------------------------------------------------------------------------------

export type JsonObject = Record<string, unknown>;

const NO_LIST =
  "it is not JSON with a list of objects, or with numbers by their ids, or it was cut off.";

function jsonTables(opened: Opened): Table[] {
  const value = jsonIn(opened.text);
  if (value === undefined) return [jsonLines(opened)];
  const all = isOwn(value) ? [] : tablesIn(value, opened.name);
  // A map of numbers next to lists has facts about them.
  const lists = all.filter(([, list]) => !list.some((one) => MAPPED in one));
  const found = lists.length > 0 ? lists : all;
  if (found.length === 0 && isObject(value)) found.push([opened.name, [value]]);
  if (found.length === 0) throw new Unreadable(NO_LIST);
  return found.map(([name, list]) => {
    if (list.every(isOwn)) {
      return ownLines({ ...opened, name }, list.map((line) => JSON.stringify(line)));
    }
    const pair = list.every((one) => MAPPED in one) ? PAIR : undefined;
    return objects({ ...opened, name }, "JSON", list, pair);
  });
}

function jsonLines(opened: Opened): Table {
  const lines = opened.text.split("\n");
  if (isOwn(jsonIn(lines.find((line) => line.trim())))) return ownLines(opened, lines);
  const list = lines.map((line) => line.trim() === "" ? {} : jsonIn(line));
  if (!list.every(isObject)) throw new Unreadable(NO_LIST);
  return objects(opened, "JSON lines", list);
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
  list: readonly JsonObject[],
  pair?: Columns,
): Table {
  const some = list.slice(0, SAMPLE);
  const heads = [
    ...new Set(some.flatMap((object) => [...membersOf(object)].map(([name]) => name))),
  ];
  return create(opened, {
    format,
    heads,
    ...pair && { columns: pair },
    *rows() {
      for (const object of list) {
        const cells = new Map(membersOf(object));
        yield cells.size > 0 ? heads.map((name) => cells.get(name) ?? "") : [""];
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
