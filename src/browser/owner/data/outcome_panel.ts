import { fill, make, tableOf } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import type { Page } from "../data_loader.ts";
import type { Outcome } from "./count_rows.ts";
import { send } from "./requests.ts";

/** Number of counters that are shown before an import. */
const SHOWN = 10;
const add = (one: number, other: number) => one + other;

/**
 * Shows what would come of an import, also compared with the counters. Resolves with the number of
 * counters that would change, and if it makes a difference whether totals are from before the first
 * counted day.
 */
export async function showOutcome(
  page: Page,
  place: Element,
  outcome: Outcome,
  signal: AbortSignal,
) {
  const { entries } = outcome;
  const counted = make("span", "comparing…");
  const table = make("");
  fill(place, figures(outcome, counted), reasons(outcome), table);

  async function compare(isOlder: boolean) {
    const found = new Map<string, { id: string; before: number; after: number }>();
    for await (const { changes, sent } of send(page, entries, "dry", isOlder, signal)) {
      for (const change of changes) {
        // A counter with several lines has the number from before the first one now.
        const { before } = found.get(change.id) ?? change;
        found.set(change.id, { ...change, before });
      }
      fill(counted, `comparing ${grouped(sent)}…`);
    }
    return found;
  }

  const changes = await compare(false);
  const created = new Set(changes.keys().filter((id) => changes.get(id)?.before === 0));
  const isOpen = entries.entries().some(([id, { days }]) => days.has("") && !created.has(id));
  const older = isOpen ? await compare(true) : changes;
  const hasChoice = older.entries().some(([id, { after }]) => changes.get(id)?.after !== after);
  const known = grouped(entries.size - created.size);
  fill(counted, entries.size > 0 && `${grouped(created.size)} new, ${known} known`);
  const rows = [...older.values()].sort((one, other) => other.after - one.after).slice(0, SHOWN)
    .map(({ id, before, after }) => [
      make("bdi", id),
      before > 0 ? grouped(before) : make("span.up", "new"),
      make("b", grouped(changes.get(id)?.after ?? before)),
      hasChoice && make("b", grouped(after)),
    ]);
  const heads = ["Counter", "Now", ...hasChoice ? ["Larger of both", "Added before"] : ["After"]];
  const columns = heads.map((head, index) => [head, index > 0 ? "td.num" : "td"] as const);
  const words = `${grouped(older.size)} of ${plural(entries.size, "counter")}, the largest first`;
  const content = tableOf("table.log", columns, rows);
  if (older.size > 0) fill(table, details("What would change", words, content));
  return { changed: older.size, hasChoice };
}

/** Tells what an import has in one line. */
function figures({ rows, entries, leftOut, days, hosts }: Outcome, counted: HTMLElement) {
  const all = rows.values().reduce(add, 0);
  const out = leftOut.values().map(({ rows }) => rows).reduce(add, 0);
  const views = entries.values().map(({ views }) => views).reduce(add, 0);
  const sorted = [...days].sort();
  const words = make(
    "span",
    make("b", plural(entries.size, "counter")),
    ...[" (", counted, "), ", make("b", plural(views, "view"))],
    ` in ${grouped(all - out)} of ${plural(all, "row")}, `,
    days.size > 0 ? `by days from ${sorted[0]} to ${sorted.at(-1)}` : "without days",
    hosts.size > 1 && `. Pages of ${[...hosts].slice(0, 5).join(", ")} are added up by their paths`,
  );
  return make("p.told", words);
}

/** Shows which rows are left out, and why. */
function reasons({ leftOut, rows }: Outcome) {
  if (leftOut.size === 0) return undefined;
  const lines = [...leftOut].map(([reason, { rows: out, row, text, table }]) => [
    reason,
    grouped(out),
    grouped(row),
    make("code", rows.size > 1 ? `${table.name}: ${text}` : text),
  ]);
  const table = tableOf(
    "table.log.reasons",
    [["Reason", "td"], ["Rows", "td.num"], ["First in row", "td.num"], ["That row", "td"]],
    lines,
  );
  return details("Rows left out", "and why", table);
}

function details(title: string, words: string, content: HTMLElement) {
  return make("details", { open: true }, make("summary", title, make("small", words)), content);
}
