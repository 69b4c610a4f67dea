import { createDays } from "./cell_text.ts";
import { type CountOptions, isChosen, previewRow } from "./count_rows.ts";
import type { Kit } from "./kit.ts";
import { type Columns, EACH_ROW, numericColumns } from "./sources.ts";
import type { Table } from "./tables.ts";

/** A table that was chosen or pasted, and its row in the list of files. */
export interface FileRow {
  readonly table: Table;
  readonly element: HTMLElement;
  /** Reports whether its rows are counted. */
  isCounted(): boolean;
  /** Returns the table with the columns that are chosen. */
  chosen(): Table;
  /** Shows the number of rows, and what the first of them become, or what is missing. */
  show(rows: number | undefined, options: CountOptions, missing?: string): void;
}

/** Number of rows that are shown. */
const SHOWN = 5;

/** Creates the row of a table. `why` is the reason why the table is left out. */
export function fileRow(
  kit: Kit,
  table: Table,
  { why, remove, changed }: { why: string | undefined; remove: () => void; changed: () => void },
): FileRow {
  const { make, fill, icon, plural } = kit;
  const { name, format, heads, source, columns } = table;
  const choice: Columns = { ...columns };
  let leftOut = why;
  const tag = make("span");
  const facts = make("span.small");
  const pick = make("");
  const sample = make("");
  const preview = make("", pick, sample);
  const choose = make("button.quiet", { click: use }, "Choose columns");
  const element = make(
    ".file",
    make(
      ".line",
      make("b", name),
      tag,
      facts,
      make(
        "span.end",
        choose,
        make("button.quiet", { click: remove, "aria-label": `Remove ${name}` }, "Remove"),
      ),
    ),
    preview,
  );

  /** Asks for the columns of a table that was left out. */
  function use() {
    leftOut = undefined;
    changed();
  }

  function select(label: string, key: keyof Columns, options: [value: number, text: string][]) {
    const field = make(
      "select",
      { change },
      ...[[-2, key === "day" ? "None" : "Choose…"] as const, ...options].map(([value, text]) =>
        make("option", { value, selected: value === (choice[key] ?? -2) }, text)
      ),
    );
    function change() {
      const value = Number(field.value);
      choice[key] = value === -2 ? undefined : value;
      changed();
    }
    return make("label", label, field);
  }

  /** Creates the controls that choose columns, once. */
  function fillPick() {
    const dayOf = createDays("UTC");
    const dates = [...heads.keys()].filter((index) =>
      table.sample.some((row) => dayOf(row[index] ?? "") !== undefined)
    );
    const named = (indexes: Iterable<number>) =>
      [...indexes].map((index): [number, string] => [index, heads[index] ?? ""]);
    fill(
      pick,
      make(
        "p.small",
        "This table is not known. Say which column is what; nothing is counted before.",
      ),
      make(
        ".pick",
        select("Page", "page", named(heads.keys())),
        select("Number of views", "number", [
          ...named(numericColumns(heads, table.sample)),
          [EACH_ROW, "Each row is one view"],
        ]),
        select("Day", "day", named(dates)),
      ),
    );
  }

  /** Shows the first rows with what they become. */
  function fillSample(options: CountOptions) {
    const markOf = (index: number) =>
      (["page", "number", "day"] as const).find((key) => choice[key] === index);
    const cells = (row: readonly string[]) =>
      heads.map((_, index) =>
        make(markOf(index) ? "td.used" : "td", (row[index] ?? "").slice(0, 80))
      );
    const become = (row: readonly string[]) => {
      if (!isChosen(choice)) return [make("td.become.gone", { colspan: 2 }, "–")];
      const result = previewRow(chosen(), row, options);
      if (typeof result === "string") {
        return [make("td.become.gone", { colspan: 2 }, `left out: ${lowerCase(result)}`)];
      }
      return [make("td.become", result.id), make("td.num", kit.grouped(result.views))];
    };
    fill(
      sample,
      make(
        ".scroll",
        { role: "region", tabindex: 0, "aria-label": `The first rows of ${name}` },
        make(
          "table.rows",
          make(
            "thead",
            make(
              "tr",
              make("th.over", { colspan: heads.length, scope: "colgroup" }, "The first five rows"),
              make("th.over.become", { colspan: 2, scope: "colgroup" }, "become"),
            ),
            make(
              "tr",
              ...heads.map((head, index) => {
                const mark = markOf(index);
                return make(
                  mark ? "th.used" : "th",
                  { scope: "col" },
                  head || "(no name)",
                  mark !== undefined && make("small", mark),
                );
              }),
              make("th.become", { scope: "col" }, "Counter"),
              make("th.num", { scope: "col" }, "Views"),
            ),
          ),
          make(
            "tbody",
            ...table.sample.slice(0, SHOWN).map((row) => make("tr", ...cells(row), ...become(row))),
          ),
        ),
      ),
    );
  }

  function chosen(): Table {
    return { ...table, columns: choice };
  }

  /** Names the columns of a known table. */
  function columnsInWords() {
    const { page, number, day } = columns;
    const named = (index: number | undefined) => heads[index ?? -1] ?? "";
    return [
      page !== undefined && `page ${named(page)}`,
      number === EACH_ROW
        ? "each row is one view"
        : number !== undefined && `number ${named(number)}`,
      day !== undefined && `day ${named(day)}`,
    ].filter(Boolean).join(", ");
  }

  return {
    table,
    element,
    chosen,
    isCounted: () => leftOut === undefined && (heads.length === 0 || isChosen(choice)),
    show(rows, options, missing) {
      const isAsked = leftOut === undefined && table.isAsked;
      const known = source?.name ?? (heads.length === 0 ? "Tallymark" : format);
      const reason = leftOut ?? missing;
      tag.className = reason !== undefined ? "tag out" : isAsked ? "tag asked" : "tag";
      if (reason !== undefined) fill(tag, "left out");
      else if (isAsked) fill(tag, "which columns?");
      else fill(tag, icon("M2.5 7.5l3 3L11.5 4"), known);
      const count = rows === undefined ? "" : plural(rows, "row");
      const detail = isAsked
        ? format
        : source?.role === "names"
        ? "names of pages"
        : columnsInWords();
      facts.textContent = reason ?? [count, detail].filter(Boolean).join(" · ");
      choose.hidden = leftOut === undefined || !table.isAsked;
      preview.hidden = !isAsked;
      if (!isAsked) return;
      if (!pick.firstChild) fillPick();
      fillSample(options);
    },
  };
}

function lowerCase(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
