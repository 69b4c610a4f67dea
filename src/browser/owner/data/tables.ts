import { ORDERS, type Row, wholeNumber } from "./cell_text.ts";
import { csvRows, csvStart, isBlank } from "./csv.ts";
import { type Opened, Unreadable } from "./open_files.ts";
import {
  type Columns,
  columnsOf,
  indexOf,
  isChosen,
  NO_DAY,
  type Source,
  sourceOf,
} from "./sources.ts";

/** A table of pages and numbers, or lines of an export of Tallymark. */
export interface Table {
  readonly name: string;
  readonly archive: string;
  /** The format in words, such as "CSV". */
  readonly format: string;
  /** The names of the columns. Empty for lines of an export. */
  readonly heads: Row;
  /** The first rows. */
  readonly sample: readonly Row[];
  /** Undefined if the table is from an unknown place. */
  readonly source: Source | undefined;
  readonly columns: Columns;
  /** True if the columns are to be chosen. */
  readonly isAsked: boolean;
  /** True for lines of an export without the last one, or of which some are missing. */
  readonly isCut?: boolean;
  /** Yields all rows. Those that are not counted are blank. Throws {@linkcode Unreadable}. */
  rows(): Iterable<Row>;
}

/** Number of rows from which columns and lists are recognized. */
const SAMPLE = 1000;
/** Maximum number of columns, of which the page shows a choice. */
const MAX_COLUMNS = 1000;

/** Returns the tables of a text, of which JSON may have several. Throws {@linkcode Unreadable}. */
export function tablesOf(opened: Opened): Table[] {
  const { text } = opened;
  const json = text.replace(/^\s*#filetype:JSON.*/i, "");
  if (json !== text || /^\s*[[{]/.test(text)) return jsonTables({ ...opened, text: json });
  return [isList(text) ? list(opened) : csv(opened)];
}

/** A table before its columns are recognized. */
type Found = Pick<Table, "format" | "heads" | "rows" | "isCut"> & { readonly columns?: Columns };

/** Creates a table of rows. Recognizes its columns unless they are given. */
function create({ name, archive }: Opened, found: Found): Table {
  const { heads, columns, rows } = found;
  if (heads.length > MAX_COLUMNS) {
    throw new Unreadable(`it has more than ${MAX_COLUMNS} columns.`);
  }
  const sample = Iterator.from(rows()).filter((row) => !isBlank(row)).take(SAMPLE).toArray();
  const source = columns ? undefined : sourceOf(heads, sample, name);
  const chosen = columns ?? columnsOf(heads, sample, source);
  const isAsked = !columns && !(source && isChosen(chosen));
  const table = { ...found, name, archive, sample, source, columns: chosen, isAsked };
  if (!source?.query) return table;
  const query = indexOf(heads, source.query);
  const whole = (row: Row) =>
    row[query] ? row.with(chosen.page, `${row[chosen.page]}?${row[query]}`) : row;
  return { ...table, sample: sample.map(whole), rows: () => Iterator.from(rows()).map(whole) };
}

/** The columns of pairs of ids and numbers. */
const PAIR: Columns = { page: 0, number: 1, day: NO_DAY, order: ORDERS.ymd };

// --- CSV and lists ------------------------------------------------------------------------------

/** Matches the comments before the last table. In GA4, that of a chart is before that of pages. */
const COMMENTS = /^#(?:[^]*\n\n#)?.*\n(?:#.*\n|\n)*(?![#\n]|$)/;

function csv(opened: Opened): Table {
  if (/^"\d+",,"(?:general|visitors)"/.test(opened.text)) return goAccess(opened);
  // Rows keep their numbers.
  const text = opened.text.replace(COMMENTS, (lines) => lines.replaceAll(/[^\n]+/g, ""));
  if (text.trim() === "") throw new Unreadable("it is empty.");
  const { first, delimiter, start } = csvStart(text);
  // A row with a number is a row, and its columns have no names.
  const hasHeads = first.every((cell) => wholeNumber(cell) === undefined);
  return create(opened, {
    format: "CSV",
    heads: first.map((cell, index) => hasHeads ? cell.trim() : `Column ${index + 1}`),
    rows: () =>
      csvRows(text, delimiter).map((row, index) => hasHeads && index === start ? [] : row),
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

/** Returns the id and the number of a line such as "1,889 user/repo", but not "10 tips,532". */
function itemIn(line: string): Row | undefined {
  const [, number = "", id = ""] = /^(\S+) +([^\t]+)(?<![,;]\d+)$/.exec(line.trim()) ?? [];
  return wholeNumber(number) === undefined ? undefined : [id, number];
}

/** Reports whether most lines are a number and an id, with blanks between them. */
function isList(text: string): boolean {
  const lines = text.split("\n", SAMPLE).filter((line) => line.trim());
  return lines.filter(itemIn).length * 2 > lines.length;
}

function list(opened: Opened): Table {
  const rowOf = (line: string) => itemIn(line) ?? (line.trim() ? [line, "–"] : [""]);
  return pairs(opened, "list", () => opened.text.split("\n").values().map(rowOf));
}

/** Creates a table of ids and numbers. */
function pairs(opened: Opened, format: string, rows: () => Iterable<Row>): Table {
  return create(opened, { format, heads: ["id", "number"], columns: PAIR, rows });
}

// --- JSON ----------------------------------------------------------------------------------------

export type JsonObject = Record<string, unknown>;

const NO_LIST =
  "it is not JSON with a list of objects, or with numbers by their ids, or it was cut off. Days are " +
  "read from a list of objects, each with a page, a day and a number.";

function jsonTables(opened: Opened): Table[] {
  const value = jsonIn(opened.text);
  const parts = Object.entries(isObject(value) ? value : {});
  const isMap = parts.every(([id, hits]) => typeof hits === "number" && !isDay(id));
  if (parts.length > 0 && isMap && !isOwn(value)) {
    return [pairs(opened, "JSON", () => parts.map(([id, hits]) => [id, String(hits)]))];
  }
  const lists = listsIn(value, opened);
  return lists.length > 0 ? lists : [jsonLines(opened)];
}

/** Returns the tables of the lists of objects in a value, at most two levels below. */
function listsIn(value: unknown, opened: Opened, depth = 2): Table[] {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every(isObject) ? [objects(opened, value)] : [];
  }
  if (!isObject(value) || depth === 0) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    listsIn(part, { ...opened, name: `${opened.name}: ${key}` }, depth - 1)
  );
}

function jsonLines(opened: Opened): Table {
  const lines = opened.text.split("\n").filter((line) => line.trim());
  if (isOwn(jsonIn(lines[0]))) return ownLines(opened, lines);
  const list = lines.map(jsonIn);
  if (!list.every(isObject)) throw new Unreadable(NO_LIST);
  return objects(opened, list);
}

/** Creates a table of objects, whose columns are the names of their members (`hits.count`). */
function objects(opened: Opened, list: readonly JsonObject[]): Table {
  const names = list.slice(0, SAMPLE).flatMap((object) => [...membersOf(object).keys()]);
  const heads = [...new Set(names)];
  if (heads.some((head) => head.split(".").some(isDay))) throw new Unreadable(NO_LIST);
  return create(opened, {
    format: "JSON",
    heads,
    *rows() {
      for (const object of list) {
        const cells = membersOf(object);
        yield cells.size > 0 ? heads.map((name) => cells.get(name) ?? "") : [];
      }
    },
  });
}

/** Returns the texts of an object's members, also of those in objects at most two levels below. */
function membersOf(object: JsonObject, depth = 2): Map<string, string> {
  const members = Object.entries(object).flatMap(([key, value]): [string, string][] =>
    isObject(value) && depth > 0
      ? [...membersOf(value, depth - 1)].map(([name, text]) => [`${key}.${name}`, text])
      : [[key, typeof value === "object" ? "" : String(value)]]
  );
  return new Map(members);
}

/** Creates the table of an export of Tallymark, whose rows are its lines except the last one. */
function ownLines(opened: Opened, lines: readonly string[]): Table {
  const { counters }: JsonObject = jsonIn(lines.at(-1)) ?? {};
  const own = typeof counters === "number" ? lines.slice(0, -1) : lines;
  return create(opened, {
    ...{ format: "Tallymark", heads: [], columns: PAIR, isCut: counters !== own.length },
    rows: () => own.values().map((line) => [line.trim()]),
  });
}

/** Reports whether a value is a counter as Tallymark exports it, or the end of an export. */
function isOwn(value: unknown): boolean {
  const { id, hits, seen, days, counters }: JsonObject = isObject(value) ? value : {};
  return typeof counters === "number" ||
    typeof id === "string" && (hits ?? seen ?? days) !== undefined;
}

/** Reports whether the name of a member is a day. */
function isDay(name: string): boolean {
  return ORDERS.ymd.pattern.test(name);
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
