import {
  type DateOrder,
  dayColumns,
  hasFraction,
  isPath,
  ORDERS,
  type Row,
  wholeNumber,
} from "./cell_text.ts";

/** The columns of a table, by their indexes. */
export interface Columns {
  page: number;
  number: number;
  day: number;
  /** The order of the dates in the column of days. */
  order: DateOrder;
}

/** Takes the place of a column that is not chosen. */
export const NONE = -1;
/** Takes the place of the column of numbers if each row is one view. */
export const EACH_ROW = -2;
/** Takes the place of the column of days if the numbers are totals. */
export const NO_DAY = -3;

/** A column whose cells decide that a row is left out. */
type Exclusion = readonly [column: RegExp, isExcluded: (cell: string) => boolean, reason: string];

/** A place whose exports are recognized by their columns. */
export interface Source {
  readonly name: string;
  readonly page: RegExp;
  /** Undefined if each row is one view, and has its day. */
  readonly number?: RegExp;
  readonly day?: RegExp;
  /** The column of the query of a page. */
  readonly query?: RegExp;
  /** Further columns that its tables have. */
  readonly has?: readonly RegExp[];
  /** The name and the first row of its table, each on a line, if others have the same columns. */
  readonly form?: RegExp;
  readonly excludes?: readonly Exclusion[];
  /** `paths` if its pages are numbers of another table, `names` for that table. */
  readonly role?: "paths" | "names";
}

const EVENT = "Events, not views";
const CRAWLER = "Crawlers";
const isSet = (cell: string) => !/^(?:0|false|)$/i.test(cell);

const SOURCES: readonly Source[] = [
  {
    name: "GA4",
    page: /^page (?:path.*|location)$/i,
    number: /^views$/i,
    // Days are asked if they are not dates.
    day: /^(?:date|nth|day|week|month|year|hour)(?![a-z])/i,
  },
  {
    name: "Plausible",
    page: /^(?:name|page)$/,
    number: /^pageviews$/,
    day: /^date$/,
    has: [/^(?:unique_)?visitors$/],
  },
  { name: "Fathom", page: /^pathname$/i, number: /^(?:page)?views$/i, day: /^(?:date|timestamp)/i },
  {
    name: "Simple Analytics",
    page: /^path$/,
    day: /^added_(?:iso|unix)$/,
    excludes: [
      [/^datapoint$/, (cell) => !/^(?:pageview)?$/.test(cell), EVENT],
      [/^is_robot$/, isSet, CRAWLER],
    ],
  },
  {
    name: "Umami",
    page: /^url_path$/,
    query: /^url_query$/,
    day: /^created_at$/,
    has: [/^event_type$/],
    excludes: [[/^event_type$/, (cell) => cell !== "1", EVENT]],
  },
  {
    name: "Matomo",
    page: /^(?:metadata: )?url$/i,
    number: /^(?:nb_hits|pageviews)$/i,
    day: /^date$/i,
    has: [/^label$/i],
  },
  { name: "GoAccess", page: /^data$/, number: /^hits\.count$/, form: /: requests: data\n/ },
  {
    name: "GoatCounter",
    page: /^\d?path$/i,
    day: /^date$/i,
    has: [/^event$/i, /^bot$/i],
    excludes: [[/^event$/i, isSet, EVENT], [/^bot$/i, isSet, CRAWLER]],
  },
  { name: "GoatCounter", page: /^path_id$/, number: /^count$/, day: /^hour$/, role: "paths" },
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
  {
    name: "Jetpack",
    page: /^Column 3$/,
    number: /^Column 2$/,
    form: /\n[^\t]*\t[\d,.]+\thttps?:[^\t]*$/,
  },
];

/** The names of the places whose exports are recognized. */
export const PLACES = [...new Set(SOURCES.map(({ name }) => name))];

/** Returns the place that a table is from. Returns undefined if it is unknown. */
export function sourceOf(heads: Row, [first = []]: readonly Row[], name = "") {
  return SOURCES.find(({ page, day = page, number = day, has = [], form }) =>
    [page, number, ...has].every((column) => indexOf(heads, column) !== NONE) &&
    (form?.test(`${name}\n${first.join("\t")}`) ?? true)
  );
}

/**
 * Returns the columns that are beyond doubt. Those of a known place are, except the order of its
 * dates. Of several columns with numbers or dates none is proposed.
 */
export function columnsOf(heads: Row, sample: readonly Row[], source?: Source): Columns {
  const dates = dayColumns(heads, sample);
  if (source) {
    const index = source.day ? indexOf(heads, source.day) : NONE;
    const own = dates.filter(({ day }) => day === index);
    return {
      page: indexOf(heads, source.page),
      number: source.number ? indexOf(heads, source.number) : EACH_ROW,
      day: index === NONE ? NO_DAY : only(own)?.day ?? NONE,
      order: own[0]?.order ?? ORDERS.ymd,
    };
  }
  const all = [...heads.keys()];
  const isDate = (index: number) => dates.some(({ day }) => day === index);
  const numeric = numericColumns(heads, sample);
  const texts = all.filter((index) => !numeric.includes(index) && !isDate(index));
  const paths = texts.filter((index) => sample.some((row) => isPath(row[index] ?? "")));
  const page = only(paths.length > 0 ? paths : texts) ?? NONE;
  // Ten digits are a time, such as 2026112010, or an id.
  const isLong = (index: number) => sample.some((row) => /^\d{10}/.test(row[index] ?? ""));
  const counts = numeric.filter((index) =>
    !isDate(index) && !isLong(index) && !NO_VIEWS.test(heads[index] ?? "")
  );
  const isLog = counts.length === 0 && all.length > 1;
  const number = isLog ? EACH_ROW : only(counts) ?? NONE;
  const date = only(dates.filter(({ isSure }) => isSure));
  // Each other column may have days.
  const isWithout = all.every((index) => index === page || index === number);
  return {
    page,
    number,
    day: date ? date.day : isWithout ? NO_DAY : NONE,
    order: date?.order ?? ORDERS.ymd,
  };
}

/** Returns the item of a list of one. */
function only<Item>([item, ...others]: readonly Item[]): Item | undefined {
  return others.length === 0 ? item : undefined;
}

/** Reports whether the columns of a table are chosen. */
export function isChosen({ page, number, day }: Columns): boolean {
  return page !== NONE && number !== NONE && day !== NONE;
}

/** Names of columns that number rows, name them, or have times or durations. */
const NO_VIEWS =
  /id$|^(?:#|no|nr|pos|position|rank|index|)\.?$|(?<![a-z])(?:date|day|time|timestamp|hours?|week|month|year|minutes|seconds|duration)(?![a-z])/i;

/** Returns the columns of which most cells are whole numbers, and none has a fraction. */
export function numericColumns(heads: Row, sample: readonly Row[]): number[] {
  return [...heads.keys()].filter((index) => {
    const cells = sample.map((row) => row[index] ?? "").filter((cell) => cell !== "");
    const whole = cells.filter((cell) => wholeNumber(cell) !== undefined);
    return whole.length * 2 > cells.length && !cells.some(hasFraction);
  });
}

/** Returns the index of a column. Returns `NONE` if there is none. */
export function indexOf(heads: Row, column: RegExp): number {
  return heads.findIndex((head) => column.test(head));
}
