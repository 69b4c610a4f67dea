import { dayFormat, isPath } from "./cell_text.ts";
import { count, type CountOptions, type Outcome, previewRow } from "./count_rows.ts";
import { type FileRow, fileRow } from "./file_row.ts";
import * as kit from "./kit.ts";
import { callForJson, errorMessage, fill, grouped, isOver, make, plural } from "./kit.ts";
import { openFile, Unreadable } from "./open_files.ts";
import { send, showOutcome } from "./outcome_panel.ts";
import { type Table, tablesOf } from "./tables.ts";

const PASTED = "Pasted text";
const KNOWN =
  "GA4, Plausible, Umami, Matomo, GoatCounter, Waline, Jetpack, exports of Tallymark, " +
  "and any CSV, TSV or JSON with pages and numbers; also as ZIP or gzip.";
const MERGED = "Files of several months belong together: choose all of them at once.";
const DAY_MS = 86_400_000;

/** Creates the card that imports files and pasted text. */
export function importCard() {
  const rows = new Set<FileRow>();
  let options: CountOptions = { prefix: "", timeZone: "UTC", lastDay: "" };
  /** The work whose result is shown. It is aborted when the result is not wanted any more. */
  let work = new AbortController();
  /** Aborted when the files are forgotten, also those that are being read. */
  let choice = new AbortController();

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
    input: kit.debounced(readPasted),
  });
  const status = make("p.small", { role: "status" });
  const errors = make("");
  const files = make(".panel");
  const hint = make("small");
  const chooseFiles = make("button", { click: () => input.click() }, "Choose files");
  const pasteText = make("button", { click: paste }, "Paste text");
  const drop = make(".line.drop", chooseFiles, pasteText, hint, input);
  const prefix = make("input", {
    type: "text",
    spellcheck: false,
    autocapitalize: "off",
    input: kit.debounced(update),
  });
  const example = make("small");
  const key = kit.keyButton(
    "Show a key that imports below this prefix",
    () => ({ job: "import", prefix: prefix.value }),
  );
  const before = make("label", "Put before each id ", prefix);
  const ids = make(".line", before, example, key.element);
  const preview = make("");
  const act = make(".line");
  const panel = make(".panel.outcome", { hidden: true }, preview, act);
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
    ...[status, errors, files, drop, pasted, ids, panel],
  );
  layOut();

  /** Opens files, and adds their tables to the others. */
  async function open(chosen: File[]) {
    input.value = "";
    const { signal } = choice;
    const failed: Node[] = [];
    for (const file of chosen) {
      fill(status, `Reading ${file.name}…`);
      const some = await read(file, signal).catch((error) => [explanation(file.name, error)]);
      if (signal.aborted) return;
      failed.push(...some);
    }
    fill(status);
    const updated = update();
    errors.append(...failed);
    await updated;
  }

  /** Adds the tables of a file. Returns why texts of an archive are not among them. */
  async function read(file: File, signal: AbortSignal) {
    const tables: Table[] = [];
    const failed: Node[] = [];
    for await (const opened of openFile(file)) {
      try {
        tables.push(...tablesOf(opened));
      } catch (error) {
        failed.push(explanation(opened.name, error));
      }
    }
    signal.throwIfAborted();
    if (tables.length + failed.length === 0) throw new Unreadable("it is empty.");
    if (file.name === PASTED) removePasted();
    const isKnown = tables.some(({ source }) => source);
    for (const table of tables) {
      add(table, isKnown && table.isAsked ? "it does not list pages" : undefined);
    }
    return failed;
  }

  function add(table: Table, why: string | undefined) {
    const row = fileRow(table, why, {
      changed: update,
      remove() {
        remove(row);
        if (table.name === PASTED) pasted.value = "";
        update();
        chooseFiles.focus();
      },
    });
    rows.add(row);
    files.append(row.element);
  }

  function remove(row: FileRow) {
    rows.delete(row);
    row.element.remove();
  }

  function removePasted() {
    for (const row of rows) if (row.table.name === PASTED) remove(row);
  }

  function readPasted() {
    removePasted();
    return open(pasted.value.trim() === "" ? [] : [new File([pasted.value], PASTED)]);
  }

  function paste() {
    pasted.hidden = false;
    pasted.focus();
  }

  function explanation(name: string, error: unknown) {
    return make("p.bad", { role: "alert" }, make("b", `${name}: `), errorMessage(error));
  }

  /** Begins work in place of the earlier one. */
  function begin() {
    work.abort();
    work = new AbortController();
    return work.signal;
  }

  /** Counts all rows again, and shows what would come of them. */
  async function update() {
    const signal = begin();
    layOut();
    if (rows.size === 0) return;
    try {
      const { timeZone } = await callForJson("status", { signal });
      const lastDay = dayFormat(timeZone)(Date.now() + DAY_MS);
      options = { prefix: prefix.value, timeZone, lastDay };
      showRows();
      const tables = [...rows].filter((row) => row.isCounted());
      if (tables.length === 0) return;
      const outcome = await count(tables.map(({ table }) => table), options, signal);
      showRows(outcome);
      fill(act);
      panel.hidden = false;
      await showOutcome(preview, outcome, signal);
      if (outcome.views.size > 0) offer(outcome);
      else fill(act, make("span.small", "There is nothing to import."));
    } catch (error) {
      if (signal.aborted || isOver(error)) return;
      errors.append(explanation(error instanceof Unreadable ? error.file : "Import", error));
    }
  }

  function showRows(outcome?: Outcome) {
    for (const row of rows) row.show(options, outcome?.rowsOf.get(row.table));
    fill(example, ...exampleOf([...rows]));
  }

  /** Shows what the first path becomes. */
  function exampleOf(all: FileRow[]) {
    for (const { table, isCounted } of all) {
      const row = table.sample.find((row) => isPath(row[table.columns.page] ?? ""));
      const result = row && isCounted() && previewRow(table, row, options);
      if (!row || typeof result !== "object") continue;
      const { prefix } = options;
      return [
        `${row[table.columns.page]} becomes `,
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
    panel.hidden = true;
    fill(errors);
    files.hidden = ids.hidden = isEmpty;
    // Only groups have keys.
    key.element.hidden = !prefix.value.endsWith("/");
    key.forget();
    drop.classList.toggle("big", isEmpty);
    chooseFiles.classList.toggle("primary", isEmpty);
    fill(hint, isEmpty ? `or drop them here. ${KNOWN}` : `or drop more files here. ${MERGED}`);
  }

  /** Shows the button that imports. */
  function offer(outcome: Outcome, failed?: string) {
    const words = `Import ${plural(outcome.views.size, "counter")}`;
    const rule = "Days are added below what is counted here already; of totals without days, the " +
      "larger one stays.";
    fill(
      act,
      make("button.primary", { click: () => store(outcome) }, words),
      failed ? make("span.bad", { role: "alert" }, failed) : make("span.small", rule),
    );
  }

  /** Sends an import. A stop waits for the current part, so that the number is exact. */
  async function store(outcome: Outcome) {
    const signal = begin();
    const max = outcome.views.size;
    const all = plural(max, "counter");
    const words = make("span.small", { role: "status" }, "Importing…");
    const bar = make("progress", { max, value: 0, "aria-label": "Counters imported" });
    const stop = make("button", { click: () => stop.disabled = true }, "Stop");
    fill(act, words, bar, stop);
    stop.focus({ preventScroll: true });
    try {
      await send(outcome, "", signal, (counters) => {
        bar.value = counters;
        words.textContent = `${grouped(counters)} of ${all}`;
        if (stop.disabled && counters < max) throw new Error("Stopped.");
      });
      clear();
      const link = make("a", { href: "#counters" }, "See them");
      fill(status, make("b", `Imported ${all}.`), " ", link);
      await kit.load();
    } catch (error) {
      if (signal.aborted || isOver(error)) return;
      const known = `${grouped(bar.value)} of ${all} are imported.`;
      offer(outcome, `${errorMessage(error)} ${known} Importing all of them again is safe.`);
    }
  }

  /** Forgets the files and texts. */
  function clear() {
    begin();
    choice.abort();
    choice = new AbortController();
    rows.clear();
    pasted.value = prefix.value = "";
    pasted.hidden = true;
    for (const part of [status, files, example]) fill(part);
    layOut();
  }

  return {
    element,
    forget(keepsTyped: boolean) {
      begin();
      fill(preview);
      layOut();
      if (!keepsTyped) clear();
    },
    resume() {
      if (rows.size > 0 && panel.hidden) update();
    },
  };
}
