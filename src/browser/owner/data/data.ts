/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { debounced } from "../../lib/browser.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import { errorMessage, grouped, plural } from "../../lib/words.ts";
import type { Page } from "../data_loader.ts";
import { backupCard } from "./backup_card.ts";
import { dayFormat, isPath } from "./cell_text.ts";
import { count, type CountOptions, hasQuery, idOf } from "./count_rows.ts";
import { type FileRow, fileRow } from "./file_row.ts";
import { jobsCard } from "./jobs_card.ts";
import { openFile } from "./open_files.ts";
import { showOutcome } from "./outcome_panel.ts";
import { type Entries, send, undo } from "./requests.ts";
import { isChosen, PLACES } from "./sources.ts";
import { type Table, tablesOf } from "./tables.ts";

const PASTED = "Pasted text";
const KNOWN = `${PLACES.join(", ")}, lines of Tallymark, and any CSV, TSV or JSON; also as ZIP ` +
  "or gzip.";
const MORE = "or drop more files here. Choose files of several months at once.";
const CUT = 'it does not end with {"counters":N} for its N lines. If it is an export, it was cut ' +
  "off. Import what it has?";
const UNCHANGED = "Unchanged: all of it is here already.";
const BY_DAYS = "A day that is here keeps the larger number. The others are added to the total.";
/** A way to import: the words of its button, why, and whether totals are from before. */
type Way = [words: string, why: string, isOlder: boolean];
/** The prefix of the guides for sites. */
const GUIDES = "blog/";

/** Creates the Data view in an element. */
export function createDataView(place: Element, page: Page) {
  place.append(backupCard(page), importCard(page), jobsCard(page));
}

/** Creates the card that imports files and pasted text. */
function importCard(page: Page) {
  const rows = new Set<FileRow>();
  /** True once the owner has said what is put before each id. */
  let isNamed = false;
  /** The work whose result is shown. It is aborted when the result is not wanted any more. */
  let work = new AbortController();

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
    placeholder: "12345 user/repo",
    input: debounced(() => open([new File([pasted.value], PASTED)])),
  });
  const status = make("p.small", { role: "status" });
  /** A line for each import that was sent, the latest first. */
  const results = make("", { role: "status" });
  /** The reasons why files cannot be imported. */
  const errors = make("");
  const files = make(".panel");
  const hint = make("small");
  const chooseFiles = make("button", { click: () => input.click() }, "Choose files");
  const paste = () => {
    pasted.hidden = false;
    pasted.focus();
  };
  const pasteText = make("button", { click: paste }, "Paste text");
  const drop = make(".line.drop", chooseFiles, pasteText, hint, input);
  const text = { type: "text", spellcheck: false, autocapitalize: "off" };
  const prefix = make("input", text, { input: debounced(() => name(prefix.value)) });
  const query = make("input", text, { input: debounced(update), placeholder: "p,page_id" });
  const queries = make("label", "Parameters of the address that name a page ", query);
  const example = make("small");
  const question = make(".note", { hidden: true });
  const ids = make(".line", make("label", "Put before each id ", prefix), queries, example);
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
    make("p.small", "Nothing is stored before you have seen what would come of it."),
    ...[results, status, errors, files, drop, pasted, ids, question, panel],
  );
  layOut();

  /** Opens files, and adds their tables to the others. */
  async function open(chosen: File[]) {
    input.value = "";
    fill(errors);
    for (const file of chosen) {
      fill(status, `Reading ${file.name}…`);
      await read(file).catch((error) => explain(file.name, error));
    }
    await update();
  }

  /** Adds the tables of a file. */
  async function read(file: File) {
    const tables: Table[] = [];
    for await (const opened of openFile(file)) {
      try {
        tables.push(...tablesOf(opened));
      } catch (error) {
        // A field without text is no file.
        if (file.name !== PASTED || pasted.value.trim() !== "") explain(opened.name, error);
      }
    }
    for (const row of rows) {
      if (file.name === PASTED && row.table.name.startsWith(PASTED)) remove(row);
    }
    const known = tables.filter(({ source }) => source);
    const shown = known.length > 0 ? known : tables;
    const others = tables.filter((table) => !shown.includes(table)).map(({ name }) => name);
    if (others.length > 0) {
      const words = `Left out, because they do not list pages: ${others.join(", ")}`;
      errors.append(make("p.small", words));
    }
    for (const table of shown) {
      if (table.isCut && !confirm(`${table.name}: ${CUT}`)) continue;
      const row: FileRow = fileRow(table, update, () => {
        remove(row);
        if (file.name === PASTED) pasted.value = "";
        update();
        chooseFiles.focus();
      });
      rows.add(row);
      files.append(row.element);
    }
  }

  function remove(row: FileRow) {
    rows.delete(row);
    row.element.remove();
  }

  function explain(name: string, error: unknown) {
    errors.append(make("p.bad", { role: "alert" }, make("b", `${name}: `), errorMessage(error)));
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
      const { timeZone } = await page.callForJson("status", { signal });
      const dayAt = dayFormat(timeZone);
      const lastDay = dayAt(Date.now() + 86_400_000);
      const options = { prefix: prefix.value, query: query.value, dayAt, lastDay };
      const all = [...rows];
      const tables = all.map(({ table }) => table).filter(({ columns }) => isChosen(columns));
      for (const row of all) row.show(options);
      showIds(tables, options);
      if (tables.length === 0 || !question.hidden) return;
      const outcome = await count(tables, options, signal);
      for (const row of all) row.show(options, outcome.rows.get(row.table));
      fill(act);
      panel.hidden = false;
      const { changed, hasChoice } = await showOutcome(page, preview, outcome, signal);
      const { entries } = outcome;
      const words = plural(entries.size, "counter");
      const ways: Way[] = hasChoice
        // It is unknown whether totals include what is counted here.
        ? [
          [`Add ${words} before`, "They are from before the first day here.", true],
          [`Keep the larger of ${words}`, "They include what is counted here.", false],
        ]
        : [[
          `Import ${words}`,
          outcome.days.size > 0 ? BY_DAYS : "The larger of both stays.",
          false,
        ]];
      const why = entries.size > 0 ? UNCHANGED : "There is nothing to import.";
      if (changed > 0) offer(entries, ways);
      else fill(act, make("button", { disabled: true }, "Import"), make("span.small", why));
    } catch (error) {
      if (!signal.aborted) fill(status, make("b.bad", { role: "alert" }, errorMessage(error)));
    }
  }

  /** Shows what the first path becomes, and asks for the prefix that the pages use. */
  function showIds(tables: Table[], options: CountOptions) {
    const paths = tables.flatMap(({ sample, columns }) =>
      sample.map((row) => row[columns.page] ?? "").filter(isPath)
    );
    const [path] = paths;
    queries.hidden = !paths.some(hasQuery);
    question.hidden = isNamed || path === undefined;
    fill(example);
    if (path === undefined) return;
    const auto = 'counter="auto" asks for with the same prefix and parameters.';
    if (isNamed) {
      fill(example, `${path} becomes `, make("b", idOf(path, options)), `, which ${auto}`);
    }
    const answer = (prefix: string) =>
      make("button", { click: () => name(prefix) }, idOf(path, { ...options, prefix }));
    const hint = make("b", `The guides for sites use the prefix ${GUIDES}.`);
    const words = make("span", `Which id does the page ${path} ask for? `, hint);
    fill(question, words, answer(GUIDES), answer(""));
  }

  function name(before: string) {
    isNamed = true;
    if (prefix.value !== before) prefix.value = before;
    return update();
  }

  /** Shows the parts that belong to the files that are chosen. */
  function layOut() {
    const isEmpty = rows.size === 0;
    panel.hidden = true;
    fill(status);
    files.hidden = ids.hidden = isEmpty;
    question.hidden = true;
    drop.classList.toggle("big", isEmpty);
    chooseFiles.classList.toggle("primary", isEmpty);
    fill(hint, isEmpty ? `or drop them here. ${KNOWN}` : MORE);
  }

  /** Shows a button for each way to import, after a failure with the reason. */
  function offer(entries: Entries, ways: Way[], failed?: Node) {
    const buttons = ways.map((way) => {
      const click = () => store(entries, way, !failed);
      return make("", make("button.primary", { click }, way[0]), make("small", ` ${way[1]}`));
    });
    fill(act, ...buttons, failed);
  }

  /** Sends an import. One that is sent again cannot be undone: the first may have been stored. */
  async function store(entries: Entries, way: Way, isFirst: boolean) {
    const signal = begin();
    /** The lines that undo it, by the names of their additions. */
    const additions = new Map<string, string>();
    const max = entries.size;
    const all = plural(max, "counter");
    const words = make("span.small", { role: "status" }, "Importing…");
    const bar = make("progress", { max, value: 0, "aria-label": "Counters imported" });
    fill(act, words, bar);
    try {
      for await (const { sent, undo } of send(page, entries, "undo", way[2], signal)) {
        bar.value = sent;
        words.textContent = `${grouped(sent)} of ${all}`;
        if (undo) additions.set(crypto.randomUUID(), undo);
      }
    } catch (error) {
      if (signal.aborted) return;
      const again = "Importing all of them again is safe, but cannot be undone.";
      const said = `${errorMessage(error)} ${grouped(bar.value)} of ${all} are imported. ${again}`;
      return offer(entries, [way], make("span.bad", { role: "alert" }, said));
    }
    rows.clear();
    pasted.value = "";
    pasted.hidden = true;
    fill(errors);
    fill(files);
    layOut();
    const link = make("a", { href: "#counters" }, "See them");
    const done = () => fill(result, make("b", `Undone: ${all}.`), "Views since are kept.");
    const end = isFirst && undoButton(additions, done);
    const result = make(".line", make("b", `Imported ${all}.`), link, end);
    results.prepend(result);
    await page.load();
  }

  /** Creates a button that undoes an import for as long as the page is open. */
  function undoButton(additions: ReadonlyMap<string, string>, done: () => void) {
    const failed = make("span.bad", { role: "alert" });
    const click = async () => {
      button.disabled = true;
      await orExplain(failed, async () => {
        await undo(page, additions);
        done();
        await page.load();
      });
      button.disabled = false;
    };
    const button = make("button", { click }, "Undo");
    return make("span", button, " ", failed);
  }

  return element;
}
