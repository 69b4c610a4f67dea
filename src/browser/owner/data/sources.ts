import { hasFraction, isPath, wholeNumber } from "./cell_text.ts";

/** The columns of a table, by their indexes. */
export interface Columns {
  page: number;
  number: number;
  day: number;
}

/** Takes the place of a column that is not chosen. */
export const NONE = -1;
/** Takes the place of the column of numbers if each row is one view. */
export const EACH_ROW = -2;

/** A column whose cells decide that a row is left out. */
type Exclusion = readonly [column: RegExp, isExcluded: (cell: string) => boolean, reason: string];

/** A place whose exports are recognized by their columns. */
export interface Source {
  readonly name: string;
  readonly page: RegExp;
  /** Undefined if each row is one view. */
  readonly number?: RegExp;
  readonly day?: RegExp;
  /** Further columns that its tables have. */
  readonly has?: readonly RegExp[];
  readonly excludes?: readonly Exclusion[];
  /** `paths` if its pages are numbers of another table, `names` for that table. */
  readonly role?: "paths" | "names";
  /** True for states of counters, of which the parts older than the daily history have no day. */
  readonly isOwn?: true;
}

const EVENT = "Events, not views";
const isSet = (cell: string) => !/^(?:0|false|)$/i.test(cell);

const SOURCES: readonly Source[] = [
  { name: "Tallymark", page: /^id$/, number: /^hits$/, day: /^day$/, has: [/^day$/], isOwn: true },
  {
    name: "GA4",
    page: /^page (?:path.*|location)$/i,
    number: /^views$/i,
    day: /^date$/i,
    excludes: [[/^page (?:path.*|location)$/i, (cell) => cell.startsWith("("), "No page"]],
  },
  {
    name: "Plausible",
    page: /^(?:name|page)$/,
    number: /^pageviews$/,
    day: /^date$/,
    has: [/^(?:unique_)?visitors$/],
  },
  {
    name: "Umami",
    page: /^url_path$/,
    day: /^created_at$/,
    has: [/^event_type$/],
    excludes: [[/^event_type$/, (cell) => cell !== "1", EVENT]],
  },
  {
    name: "Matomo",
    page: /^(?:metadata: )?url$/i,
    number: /^(?:nb_hits|pageviews)$/i,
    has: [/^label$/i],
  },
  {
    name: "GoatCounter",
    page: /^\d?path$/i,
    day: /^date$/i,
    has: [/^event$/i, /^bot$/i],
    excludes: [[/^event$/i, isSet, EVENT], [/^bot$/i, isSet, "Crawlers"]],
  },
  {
    name: "GoatCounter",
    page: /^path_id$/,
    number: /^count$/,
    day: /^hour$/,
    has: [/^hour$/],
    role: "paths",
  },
  {
    name: "GoatCounter",
    page: /^path$/,
    number: /^id$/,
    has: [/^event$/],
    excludes: [[/^event$/, isSet, EVENT]],
    role: "names",
  },
  { name: "LeanCloud", page: /^(?:url|target)$/, number: /^time$/, has: [/^(?:ACL|title)$/] },
  { name: "Waline", page: /^url$/, number: /^time$/, has: [/^(?:object)?id$/i] },
];

/** Jetpack exports three columns without heads. */
const JETPACK: Source = { name: "Jetpack", page: /^Column 3$/, number: /^Column 2$/ };

/** Returns the place that a table is from. Returns undefined if it is unknown. */
export function sourceOf(heads: readonly string[], [first]: readonly (readonly string[])[]) {
  const has = (column: RegExp) => indexOf(heads, column) !== NONE;
  if (has(/^Column 1$/)) {
    const [, number = "", url = "", more] = first ?? [];
    const isIt = more === undefined && wholeNumber(number) !== undefined && /^https?:/.test(url);
    return isIt ? JETPACK : undefined;
  }
  return SOURCES.find(({ page, number = page, has: others = [] }) =>
    [page, number, ...others].every(has)
  );
}

/** Returns the columns of a table from a known place. */
export function columnsOf({ page, number, day }: Source, heads: readonly string[]): Columns {
  return {
    page: indexOf(heads, page),
    number: number ? indexOf(heads, number) : EACH_ROW,
    day: day ? indexOf(heads, day) : NONE,
  };
}

/**
 * Returns the columns of another table that are beyond doubt. Of several columns with numbers none
 * is proposed, and a day never is.
 */
export function proposedColumns(
  heads: readonly string[],
  sample: readonly (readonly string[])[],
): Columns {
  const only = ([index = NONE, ...others]: number[]) => others.length === 0 ? index : NONE;
  const numeric = numericColumns(heads, sample);
  const texts = [...heads.keys()].filter((index) => !numeric.includes(index));
  const paths = texts.filter((index) => sample.some((row) => isPath(row[index] ?? "")));
  return { page: only(paths.length > 0 ? paths : texts), number: only(numeric), day: NONE };
}

/** Reports whether the columns of a table are chosen. */
export function isChosen({ page, number }: Columns): boolean {
  return page !== NONE && number !== NONE;
}

/** Returns the columns of which most cells are whole numbers, and none has a fraction. */
export function numericColumns(
  heads: readonly string[],
  sample: readonly (readonly string[])[],
): number[] {
  return [...heads.keys()].filter((index) => {
    const cells = sample.map((row) => row[index] ?? "").filter((cell) => cell !== "");
    const whole = cells.filter((cell) => wholeNumber(cell) !== undefined);
    return whole.length * 2 > cells.length && !cells.some(hasFraction);
  });
}

/** Returns the index of a column. Returns `NONE` if there is none. */
export function indexOf(heads: readonly string[], column: RegExp): number {
  return heads.findIndex((head) => column.test(head));
}
