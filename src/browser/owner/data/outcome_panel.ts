import { fill, make, tableOf } from "../../lib/make.ts";
import { grouped, plural } from "../../lib/words.ts";
import type { Page } from "../data_loader.ts";
import type { Outcome } from "./count_rows.ts";
import { send } from "./requests.ts";

/** Number of counters that are shown before an import. */
const SHOWN = 10;

/**
 * Shows what would come of an import, also compared with the counters. Resolves with the number of
 * counters that would change, and with that of views from before the first day that is counted,
 * unless this makes no difference.
 */
export async function showOutcome(
  page: Page,
  place: Element,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<{ changed: number; changedIfOlder?: number }> {
  const { views, entries } = outcome;
  const counted = make("span", "comparing…");
  const changes = make("");
  fill(place, figures(outcome, counted), reasons(outcome), changes);
  const isNew = new Set<string>();

  async function compare(isOlder: boolean) {
    const after = new Map<string, number>();
    await send(page.callForJson, outcome, { isDry: true, isOlder }, signal, (counters, changes) => {
      for (const change of changes) {
        if (change.before === 0) isNew.add(change.id);
        after.set(change.id, change.after);
      }
      fill(counted, `comparing ${grouped(counters)}…`);
    });
    return after;
  }

  const after = await compare(false);
  const known = views.size - isNew.size;
  const hasChoice = entries.entries().some(([id, { rest }]) =>
    rest !== undefined && !isNew.has(id)
  );
  const ifOlder = hasChoice ? await compare(true) : after;
  const differs = ([id, then]: [string, number]) => after.get(id) !== then;
  const older = [...ifOlder].some(differs) && ifOlder;
  fill(counted, views.size > 0 && `${grouped(isNew.size)} new, ${grouped(known)} known`);
  if (views.size === 0) return { changed: 0 };
  const largest = [...views].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
    .map(([id]) => id);
  const query = new URLSearchParams(largest.map((id) => ["id", id]));
  const { counts } = await page.callForJson(`counts?${query}`, { signal });
  const result = (now: number, then = now) =>
    then > now ? make("b", grouped(then)) : make("span.small", now > 0 ? "stays" : "0");
  const rows = largest.map((id) => [
    make("bdi", id),
    counts[id] > 0 ? grouped(counts[id]) : make("span.up", "new"),
    result(counts[id], after.get(id)),
    older && result(counts[id], older.get(id)),
  ]);
  const heads = ["Now", ...older ? ["Larger of both", "Added before"] : ["After"]];
  const table = tableOf(
    "table.log",
    [["Counter", "td"], ...heads.map((head) => [head, "td.num"] as const)],
    rows,
  );
  const words = `${grouped(after.size)} of ${plural(views.size, "counter")}, the largest first`;
  fill(changes, details("What would change", words, table));
  return { changed: after.size, ...older && { changedIfOlder: older.size } };
}

/** Tells what an import has in one line. */
function figures({ rows, views, leftOut, firstDay, lastDay }: Outcome, counted: HTMLElement) {
  const out = sumOf(leftOut.values().map(({ rows }) => rows));
  const words = make(
    "span",
    make("b", plural(views.size, "counter")),
    ...[" (", counted, "), ", make("b", plural(sumOf(views.values()), "view"))],
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

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
