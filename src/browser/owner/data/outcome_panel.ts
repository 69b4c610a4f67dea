import { fill, make, tableOf } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import type { Page } from "../data_loader.ts";
import type { Outcome } from "./count_rows.ts";
import { type Change, send } from "./requests.ts";

/** Number of counters that are shown before an import. */
const SHOWN = 10;

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
  const { views, entries } = outcome;
  const counted = make("span", "comparing…");
  const table = make("");
  fill(place, figures(outcome, counted), reasons(outcome), table);

  async function compare(isOlder: boolean) {
    const found = new Map<string, Change>();
    await send(page, outcome, { isDry: true, isOlder }, signal, (counters, { changes }) => {
      for (const change of changes) found.set(change.id, change);
      fill(counted, `comparing ${grouped(counters)}…`);
    });
    return found;
  }

  const changes = await compare(false);
  const created = new Set(changes.keys().filter((id) => changes.get(id)?.before === 0));
  const isOpen = entries.entries().some(([id, { rest }]) => rest !== undefined && !created.has(id));
  const older = isOpen ? await compare(true) : changes;
  const hasChoice = older.entries().some(([id, { after }]) => changes.get(id)?.after !== after);
  const known = grouped(views.size - created.size);
  fill(counted, views.size > 0 && `${grouped(created.size)} new, ${known} known`);
  const rows = [...older.values()].sort((one, other) => other.after - one.after).slice(0, SHOWN)
    .map(({ id, before, after }) => [
      make("bdi", id),
      before > 0 ? grouped(before) : make("span.up", "new"),
      make("b", grouped(changes.get(id)?.after ?? before)),
      hasChoice && make("b", grouped(after)),
    ]);
  const heads = ["Counter", "Now", ...hasChoice ? ["Larger of both", "Added before"] : ["After"]];
  const columns = heads.map((head, index) => [head, index > 0 ? "td.num" : "td"] as const);
  const words = `${grouped(older.size)} of ${plural(views.size, "counter")}, the largest first`;
  const content = tableOf("table.log", columns, rows);
  if (older.size > 0) fill(table, details("What would change", words, content));
  return { changed: older.size, hasChoice };
}

/** Tells what an import has in one line. */
function figures({ rows, views, leftOut, firstDay, lastDay }: Outcome, counted: HTMLElement) {
  const out = leftOut.values().reduce((sum, { rows }) => sum + rows, 0);
  const sum = views.values().reduce((sum, number) => sum + number, 0);
  const words = make(
    "span",
    make("b", plural(views.size, "counter")),
    ...[" (", counted, "), ", make("b", plural(sum, "view"))],
    ` in ${grouped(rows - out)} of ${plural(rows, "row")}, `,
    firstDay ? `by days from ${firstDay} to ${lastDay}` : "without days",
  );
  return make("p.told", words);
}

/** Shows which rows are left out, and why. */
function reasons({ leftOut, rowsOf }: Outcome) {
  if (leftOut.size === 0) return undefined;
  const rows = [...leftOut].map(([reason, { rows, row, text, table }]) => [
    reason,
    grouped(rows),
    grouped(row),
    make("code", rowsOf.size > 1 ? `${table.name}: ${text}` : text),
  ]);
  const table = tableOf(
    "table.log.reasons",
    [["Reason", "td"], ["Rows", "td.num"], ["First in row", "td.num"], ["That row", "td"]],
    rows,
  );
  return details("Rows left out", "and why", table);
}

function details(title: string, words: string, content: HTMLElement) {
  return make("details", { open: true }, make("summary", title, make("small", words)), content);
}
