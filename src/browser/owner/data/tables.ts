import { ORDERS, type Row, wholeNumber } from "./cell_text.ts";
import { csvRows, csvStart } from "./csv.ts";
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
  /** True for lines of an export without the last one. */
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
  if (text.trim() === "") throw new Unreadable("it is empty.");
  if (!isList(text)) return [csv(opened)];
  return [list(opened)];
}

/** Reports whether a row is an empty line. */
export function isBlank(row: Row): boolean {
  return row.length < 2 && !row[0];
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

// --- CSV -----------------------------------------------------------------------------------------

function csv(opened: Opened): Table {
  if (/^"\d+",,"(?:general|visitors)"/.test(opened.text)) return goAccess(opened);
  // Excel names the delimiter in a line of its own.
  const [line = "", named] = /^"?sep=(.)"?(?=\n)/i.exec(opened.text) ?? [];
  const all = opened.text.slice(line.length);
  const text = all.startsWith("#") ? tableAmongComments(all) : all;
  const { first, delimiter } = csvStart(text, named ? [named] : undefined);
  // A row with a number is a row, and its columns have no names.
  const hasHeads = first.every((cell) => wholeNumber(cell) === undefined);
  return create(opened, {
    format: "CSV",
    heads: first.map((cell, index) => hasHeads ? cell.trim() : `Column ${index + 1}`),
    *rows() {
      let isHead = hasHeads;
      for (const row of csvRows(text, delimiter)) {
        yield isHead ? [] : row;
        isHead &&= isBlank(row);
      }
    },
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

/** Matches a table up to the comments after it, which an empty line precedes. */
const TABLE = /^(?![#\n])[^]*?(?=\n\n#|(?![^]))/gm;

/**
 * Returns one table, after as many empty lines as precede it. Exports of GA4 begin with comments.
 * They may have the table of a chart before that of the pages.
 */
function tableAmongComments(text: string): string {
  const all = [...text.matchAll(TABLE)];
  const found = all.find(([table]) => sourceOf(csvStart(table).first, [])) ?? all[0];
  return found ? text.slice(0, found.index).replaceAll(/[^\n]+/g, "") + found[0] : text;
}

// --- Lists ---------------------------------------------------------------------------------------

const NUMBER = String.raw`([1-9]\d{0,2}(?:[.,]\d{3})+|\d+)`;
const NUMBER_FIRST = new RegExp(`^${NUMBER}\\s+(.+)$`, "s");
const NUMBER_LAST = new RegExp(`^(.*\\S)\\s+${NUMBER}$`, "s");
/** The beginning of a line of a log. */
const LOGGED = /^\d{4}-\d\d-\d\d[ T]/;

/** Returns the id and the number of a line, if the number is first and if it is last. */
function readingsOf(line: string) {
  const [, number, id] = NUMBER_FIRST.exec(line.trim()) ?? [];
  const last = NUMBER_LAST.exec(line.trim())?.slice(1);
  return { first: id && number ? [id, number] : undefined, last };
}

/** Reports whether most lines are a number and an id, in any order, with blanks between them. */
function isList(text: string): boolean {
  const lines = text.split("\n", SAMPLE).filter((line) => line.trim());
  const matching = lines.filter((line) => !line.includes("\t") && !LOGGED.test(line))
    .map(readingsOf).filter(({ first, last }) => first ?? last);
  if (matching.length * 2 < lines.length || matching.length === 0) return false;
  // Each line of a table has the same marks, such as in "Chapter 1,234".
  return !csvStart(text).isEven || matching.every(({ first }) => first);
}

/** Creates the table of a list. A line that may be read in two ways is read as all others are. */
function list(opened: Opened): Table {
  const lines = opened.text.split("\n");
  const sure = lines.map(readingsOf).filter(({ first, last }) => !first !== !last);
  const isFirst = sure.length > 0 && sure.every(({ first }) => first);
  const isLast = sure.length > 0 && sure.every(({ last }) => last);
  const rowOf = (line: string): Row => {
    const { first, last } = readingsOf(line);
    if (first && last) return isFirst ? first : isLast ? last : [line, "–"];
    return first ?? last ?? (line.trim() ? [line, line.trim().replace(/^.*\s/, "")] : [""]);
  };
  return pairs(opened, "list", () => lines.values().map(rowOf));
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
  const all = isOwn(value) ? [] : tablesIn(value, opened);
  // A map of numbers next to lists has facts about them.
  const lists = all.filter(({ columns }) => columns !== PAIR);
  const found = lists.length > 0 ? lists : all;
  return found.length > 0 ? found : [jsonLines(opened)];
}

function jsonLines(opened: Opened): Table {
  const lines = opened.text.split("\n");
  if (isOwn(jsonIn(lines.find((line) => line.trim())))) return ownLines(opened, lines);
  const list = lines.map((line) => line.trim() === "" ? {} : jsonIn(line));
  if (!list.every(isObject)) throw new Unreadable(NO_LIST);
  return objects(opened, list);
}

/** Returns the lists of objects and the maps of numbers in a value, at most two levels below. */
function tablesIn(value: unknown, opened: Opened, depth = 2): Table[] {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every(isObject) ? [objects(opened, value)] : [];
  }
  const parts = isObject(value) ? Object.entries(value) : [];
  if (parts.every(([name]) => isDay(name))) return [];
  if (parts.length > 0 && parts.every(([, number]) => typeof number === "number")) {
    return [pairs(opened, "JSON", () => parts.map(([id, number]) => [id, String(number)]))];
  }
  if (depth === 0) return [];
  return parts.flatMap(([key, part]) =>
    tablesIn(part, { ...opened, name: `${opened.name}: ${key}` }, depth - 1)
  );
}

/** Creates a table of objects, whose columns are the names of their members (`hits.count`). */
function objects(opened: Opened, list: readonly JsonObject[]): Table {
  const parts = list.slice(0, SAMPLE).flatMap((object) => [object, ...Object.values(object)]);
  if (parts.some((part) => isObject(part) && Object.keys(part).some(isDay))) {
    throw new Unreadable(NO_LIST);
  }
  const names = list.slice(0, SAMPLE).flatMap((object) =>
    [...membersOf(object)].map(([name]) => name)
  );
  const heads = [...new Set(names)];
  return create(opened, {
    format: "JSON",
    heads,
    *rows() {
      for (const object of list) {
        const cells = new Map(membersOf(object));
        yield cells.size > 0 ? heads.map((name) => cells.get(name) ?? "") : [];
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

/** Creates the table of an export of Tallymark, whose rows are its lines except the last one. */
function ownLines(opened: Opened, lines: readonly string[]): Table {
  const last = lines.findLastIndex((line) => line.trim());
  const { counters }: JsonObject = jsonIn(lines[last]) ?? {};
  const isCut = typeof counters !== "number";
  const own = isCut ? lines : lines.slice(0, last);
  const found = own.filter((line) => line.trim()).length;
  if (!isCut && found !== counters) {
    throw new Unreadable(`it has ${found} counters, but should have ${counters}. Export it again.`);
  }
  return create(opened, {
    ...{ format: "Tallymark", heads: [], columns: PAIR, isCut },
    rows: () => own.values().map((line) => [line.trim()]),
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
