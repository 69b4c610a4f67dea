import { fill, make, tableOf } from "../../lib/make.ts";
import { plural } from "../../lib/words.ts";
import { dayColumns } from "./cell_text.ts";
import { type CountOptions, previewRow } from "./count_rows.ts";
import { type Columns, EACH_ROW, isChosen, NO_DAY, NONE, numericColumns } from "./sources.ts";
import type { Table } from "./tables.ts";

/** A table that was chosen or pasted, and its row in the list of files. */
export type FileRow = ReturnType<typeof fileRow>;

const EACH = "No column is taken as the number of views, so each row counts as one view. ";
const DAY = "Choose the day, or that there is none. Dates are read as 2026-11-20, 20.11.2026, " +
  "11/20/2026 and Unix times.";
const KEYS = ["page", "number", "day"] as const;
/** A choice in words, and the columns that it sets. */
type Option = [words: string, sets: Partial<Columns>];
/** Number of rows that are shown. */
const SHOWN = 5;

/** Creates the row of a table. */
export function fileRow(found: Table, changed: () => void, removed: () => void) {
  // The columns are those that are chosen.
  const table = { ...found, columns: { ...found.columns } };
  const { name, format, heads, source, columns, isAsked, sample } = table;
  const facts = make("span.small");
  const words = make("p.small");
  const scroll = { role: "region", tabindex: 0, "aria-label": `The first rows of ${name}` };
  const place = make(".scroll", scroll);
  const tag = isAsked
    ? make("span.tag.note", "which columns?")
    : make("span.tag", make("span", { "aria-hidden": true }, "✓"), source?.name ?? format);
  const remove = { click: removed, "aria-label": `Remove ${name}` };
  const end = make("span.end", make("button.quiet", remove, "Remove"));
  const element = make(
    ".file",
    make(".line", make("b", name), tag, facts, end),
    isAsked && make("", words, picker(), place),
  );

  /** Creates the controls that choose columns. */
  function picker() {
    const named = (key: "page" | "number", indexes: Iterable<number>) =>
      [...indexes].map((index): Option => [heads[index] ?? "", { [key]: index }]);
    const days = dayColumns(heads, sample).map(({ day, order }): Option => [
      `${heads[day]}, ${order.words}`,
      { day, order },
    ]);
    return make(
      ".line.pick",
      select("Page", [["Choose…", { page: NONE }], ...named("page", heads.keys())]),
      select("Number of views", [
        ["Choose…", { number: NONE }],
        ...named("number", numericColumns(heads, sample)),
        ["Each row is one view", { number: EACH_ROW }],
      ]),
      select("Day", [
        ["Choose…", { day: NONE }],
        ...days,
        ["None: totals without days", { day: NO_DAY }],
      ]),
    );
  }

  /** Creates a choice, of which each option sets some columns. */
  function select(label: string, options: Option[]) {
    const choices = options.map(([words, sets], value) => {
      const isSet = ([key, set]: [string, unknown]) => columns[key as keyof Columns] === set;
      return make("option", { value, selected: Object.entries(sets).every(isSet) }, words);
    });
    const change = () => {
      Object.assign(columns, options[Number(field.value)]?.[1]);
      changed();
    };
    const field = make("select", { change }, ...choices);
    return make("label", label, field);
  }

  /** Returns the first rows with what they become. */
  function firstRows(options: CountOptions) {
    const columnOf = (head: string, index: number) => {
      const mark = KEYS.find((key) => columns[key] === index);
      const named = make("span", head || "(no name)", mark && make("small", mark));
      return [named, mark ? "td.used" : "td"] as const;
    };
    const rows = sample.slice(0, SHOWN).map((row) => [
      ...heads.map((_, index) => (row[index] ?? "").slice(0, 80)),
      isChosen(columns) ? previewRow(table, row, options) : "–",
    ]);
    return tableOf("table.log.rows", [...heads.map(columnOf), ["Becomes", "td.become"]], rows);
  }

  /** Names the columns of a known table. */
  function columnsInWords() {
    if (source?.role === "names") return "names of pages";
    const names = KEYS.map((key) =>
      columns[key] === EACH_ROW
        ? "each row is one view"
        : heads[columns[key]] && `${key} ${heads[columns[key]]}`
    );
    return names.filter(Boolean).join(", ");
  }

  return {
    table,
    element,
    /** Shows the number of rows that are counted, and what the first become. */
    show(options: CountOptions, rows?: number) {
      const count = rows !== undefined && plural(rows, "row");
      const detail = isAsked ? format : columnsInWords();
      facts.textContent = [count, detail].filter(Boolean).join(" · ");
      const check = columns.day === NONE ? DAY : "Check which column is what.";
      words.textContent = (columns.number === EACH_ROW ? EACH : "") + check;
      if (isAsked) fill(place, firstRows(options));
    },
  };
}
