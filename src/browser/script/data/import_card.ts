import { isPath } from "./cell_text.ts";
import { count, type CountOptions, type Outcome, previewRow } from "./count_rows.ts";
import { TableError } from "./csv_rows.ts";
import { type FileRow, fileRow } from "./file_row.ts";
import { keyButton, type Kit, pause } from "./kit.ts";
import { openFile, Unreadable } from "./open_files.ts";
import { outcomePanel } from "./outcome_panel.ts";
import { noTable, type Table, tablesOf } from "./tables.ts";

const PASTED = "Pasted text";
const KNOWN =
  "GA4, Plausible, Umami, Matomo, GoatCounter, Waline, Jetpack, exports of Tallymark, " +
  "and any CSV, TSV or JSON with pages and numbers; also as ZIP or gzip.";

/** Returns the card that imports files and pasted text. */
export function importCard(kit: Kit) {
  const { make, fill, debounced, callForJson, errorMessage, isOver, load } = kit;
  const rows = new Set<FileRow>();
  let options: CountOptions = { prefix: "", timeZone: "UTC", lastDay: "9999-12-31" };
  /** Ends the work whose result is not wanted any more. */
  let work = {};

  const input = make("input", {
    type: "file",
    hidden: true,
    multiple: true,
    "aria-label": "Files to import",
    change: () => open([...input.files ?? []]),
  });
  const pasted = make("textarea", {
    rows: 5,
    hidden: true,
    spellcheck: false,
    "aria-label": "Text to import",
    placeholder: "12345 user/repo\nuser/other 678\nor rows of a table, or lines of an export",
    input: debounced(readPasted),
  });
  const status = make("p.small", { role: "status" });
  const errors = make("");
  const files = make(".files", { hidden: true });
  const hint = make("small");
  const chooseFiles = make("button", { click: () => input.click() }, "Choose files");
  const drop = make(
    ".drop",
    chooseFiles,
    make("button", { click: paste }, "Paste text"),
    hint,
    input,
  );
  const prefix = make("input", {
    type: "text",
    spellcheck: false,
    autocapitalize: "off",
    input: debounced(update),
  });
  const example = make("small");
  const key = keyButton(
    kit,
    "Show a key that imports below this prefix",
    () => ({ job: "import", prefix: prefix.value }),
  );
  const ids = make(
    ".ids",
    { hidden: true },
    make("label", "Put before each id", prefix),
    example,
    key.element,
  );
  const panel = outcomePanel(kit, imported);
  const element = make(
    "section.panel.card",
    {
      dragover: (event: DragEvent) => event.preventDefault(),
      drop(event: DragEvent) {
        event.preventDefault();
        open([...event.dataTransfer?.files ?? []]);
      },
    },
    make("h2", "Import"),
    make(
      "p.small",
      "Nothing is stored before you have seen what would come of it. Importing the same file " +
        "again changes nothing.",
    ),
    status,
    errors,
    files,
    drop,
    pasted,
    ids,
    panel.element,
  );
  layOut();

  /** Opens files, and adds their tables to the others. */
  async function open(chosen: File[]) {
    input.value = "";
    fill(errors);
    for (const file of chosen) {
      fill(status, `Reading ${file.name}…`);
      await read(file.name, () => tablesIn(file));
    }
    fill(status);
    await update();
  }

  async function readPasted() {
    fill(errors);
    for (const row of rows) if (row.table.name === PASTED) rows.delete(row);
    const text = pasted.value.replace(/\r\n?/g, "\n");
    const opened = { name: PASTED, archive: "", text };
    if (text.trim()) {
      await read(PASTED, () => Promise.resolve(tablesOf(opened).map((table) => ({ table }))));
    }
    await update();
  }

  /** Adds the tables of a file, or shows why it cannot be read. */
  async function read(name: string, tables: () => Promise<Found[]>) {
    try {
      const all = await tables();
      const isKnown = all.some(({ table }) => table.source);
      for (const { table, why } of all) {
        add(table, isKnown && table.isAsked ? "it does not list pages" : why);
      }
    } catch (error) {
      if (!(error instanceof TableError || error instanceof Unreadable)) throw error;
      explain(name, error.message);
    }
  }

  function add(table: Table, why: string | undefined) {
    const row: FileRow = fileRow(kit, table, { why, remove, changed: update });
    rows.add(row);

    function remove() {
      rows.delete(row);
      if (table.name === PASTED) pasted.value = "";
      fill(errors);
      update();
      chooseFiles.focus();
    }
  }

  function explain(name: string, reason: string) {
    errors.append(make("p.bad-note", { role: "alert" }, make("b", `${name}: `), reason));
  }

  function paste() {
    pasted.hidden = false;
    pasted.focus();
  }

  /** Counts all rows again, and shows what would come of them. */
  async function update() {
    const mine = work = {};
    const isWanted = () => work === mine;
    panel.clear();
    layOut();
    if (rows.size === 0) return;
    try {
      options = await currentOptions();
      if (!isWanted()) return;
      showRows();
      const tables = [...rows]
        .filter((row) => row.isCounted() && !missingFor(row))
        .map((row) => row.chosen());
      if (tables.length === 0) return;
      const outcome = await count(tables, options, async () => {
        await pause();
        if (!isWanted()) throw new Superseded();
      });
      if (!isWanted()) return;
      showRows(outcome);
      await panel.show(outcome);
    } catch (error) {
      if (error instanceof Superseded || !isWanted() || isOver(error)) return;
      const name = error instanceof TableError ? error.table : "Import";
      fill(errors);
      explain(name, errorMessage(error));
    }
  }

  /** Returns the options, with the time zone of the service and its tomorrow. */
  async function currentOptions(): Promise<CountOptions> {
    const { timeZone } = await callForJson("status");
    const tomorrow = Date.now() + 86_400_000;
    const lastDay = new Intl.DateTimeFormat("en-CA", { timeZone }).format(tomorrow);
    return { prefix: prefix.value, timeZone, lastDay };
  }

  /** Returns the reason why a table cannot be counted without another one. */
  function missingFor({ table: { source, archive } }: FileRow) {
    const isThere = source?.role !== "paths" ||
      [...rows].some(({ table }) => table.source?.role === "names" && table.archive === archive);
    return isThere ? undefined : "choose paths.jsonl of the same export with it";
  }

  function showRows(outcome?: Outcome) {
    const counted = [...outcome?.rowsOf ?? []];
    for (const row of rows) {
      const found = counted.find(([{ name, archive }]) =>
        name === row.table.name && archive === row.table.archive
      );
      row.show(found?.[1], options, missingFor(row));
    }
    fill(example, ...exampleOf([...rows]));
  }

  /** Shows what the first path becomes. */
  function exampleOf(all: FileRow[]) {
    for (const { table, chosen, isCounted } of all) {
      const { page } = chosen().columns;
      const row = table.sample.find((row) => isPath(row[page ?? -1] ?? ""));
      const result = row && isCounted() && previewRow(chosen(), row, options);
      if (!row || typeof result !== "object") continue;
      const { prefix } = options;
      return [
        `${row[page ?? -1]} becomes `,
        make("b", result.id),
        ", the id that ",
        make("code", 'counter="auto"'),
        ...prefix ? [" with ", make("code", `prefix="${prefix}"`)] : [],
        " asks for.",
      ];
    }
    return [];
  }

  /** Shows the parts that belong to the files that are chosen. */
  function layOut() {
    const isEmpty = rows.size === 0;
    const wanted = [...rows].map(({ element }) => element);
    // Elements that stay are not moved, because one of them may have the focus.
    for (const old of [...files.children]) {
      if (!wanted.some((element) => element === old)) old.remove();
    }
    files.append(...wanted.filter((element) => element.parentNode !== files));
    files.hidden = ids.hidden = isEmpty;
    // Only groups have keys.
    key.element.hidden = !prefix.value.endsWith("/");
    key.forget();
    drop.classList.toggle("big", isEmpty);
    chooseFiles.classList.toggle("primary", isEmpty);
    hint.textContent = isEmpty
      ? `or drop them here. ${KNOWN}`
      : "or drop more files here. Files of several months belong together: choose all of them at once.";
  }

  async function imported(counters: number) {
    clear();
    const link = make("a", { href: "#counters" }, "See them");
    fill(status, make("b", `Imported ${kit.plural(counters, "counter")}.`), " ", link);
    await load();
  }

  /** Forgets the files and texts. */
  function clear() {
    work = {};
    rows.clear();
    pasted.value = prefix.value = "";
    pasted.hidden = true;
    for (const part of [status, errors, example]) fill(part);
    panel.clear();
    layOut();
  }

  return {
    element,
    /** Removes the owner's data. What was chosen stays if the session only ended. */
    forget(keepsTyped: boolean) {
      work = {};
      panel.clear();
      key.forget();
      if (!keepsTyped) clear();
    },
    /** Shows again what would come of the files that are still chosen. */
    resume() {
      if (rows.size > 0 && panel.element.hidden) update();
    },
  };
}

/** A table, and the reason why it is left out. */
interface Found {
  readonly table: Table;
  readonly why?: string;
}

/** Reads the tables of a file. Of an archive, what cannot be read is left out. */
async function tablesIn(file: File): Promise<Found[]> {
  const tables: Found[] = [];
  for await (const opened of openFile(file)) {
    try {
      tables.push(...tablesOf(opened).map((table) => ({ table })));
    } catch (error) {
      if (!(error instanceof TableError && opened.archive)) throw error;
      tables.push({ table: noTable(opened), why: error.message });
    }
  }
  return tables;
}

/** Ends a count whose result is not wanted any more. */
class Superseded extends Error {}
