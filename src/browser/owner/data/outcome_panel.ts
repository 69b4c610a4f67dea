import { fill, grouped, make, plural, tableOf } from "../../lib/elements.ts";
import { dayNumber, fullDay } from "../../lib/figures.ts";
import type { Page } from "../data_loader.ts";
import type { Outcome } from "./count_rows.ts";
import { partsOf } from "./lines_of.ts";

/** A change of a counter that a dry run found. */
interface Change {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** Number of counters that are shown before an import. */
const SHOWN = 10;

/** Sends an import in parts. `took` gets the changes of each, and how many counters are sent. */
export async function send(
  { callForJson }: Page,
  outcome: Outcome,
  query: string,
  signal: AbortSignal,
  took: (counters: number, changes: Change[]) => void,
) {
  let counters = 0;
  for (const { body, counters: more } of partsOf(outcome)) {
    const init = { method: "POST", body, signal };
    const { changes } = await callForJson(`counters?mode=max${query}`, init);
    took(counters += more, changes);
  }
}

/**
 * Shows what would come of an import, also compared with the counters. Resolves with the number of
 * counters that would change.
 */
export async function showOutcome(
  page: Page,
  place: Element,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<number> {
  const { views } = outcome;
  const counted = make("dd.small", "comparing…");
  const changes = make("");
  fill(place, figures(outcome, counted), reasons(outcome), changes);
  const after = new Map<string, number>();
  let known = views.size;
  await send(page, outcome, "&dry=1", signal, (counters, changes) => {
    for (const change of changes) {
      if (change.before === 0 && !after.has(change.id)) known--;
      after.set(change.id, change.after);
    }
    fill(counted, `comparing ${grouped(counters)}…`);
  });
  fill(counted, views.size > 0 && `${grouped(views.size - known)} new, ${grouped(known)} known`);
  if (views.size === 0) return 0;
  const largest = [...views].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
    .map(([id]) => id);
  const query = new URLSearchParams(largest.map((id) => ["id", id]));
  const { counts } = await page.callForJson(`counts?${query}`, { signal });
  const rows = largest.map((id) => {
    const [now, then] = [counts[id], after.get(id) ?? counts[id]];
    return [
      make("bdi", id),
      now > 0 ? grouped(now) : make("span.up", "new"),
      then > now ? make("b", grouped(then)) : make("span.small", now > 0 ? "stays" : "0"),
    ];
  });
  const table = tableOf(
    "table.log",
    [["Counter", "td"], ["Now", "td.num"], ["After", "td.num"]],
    rows,
  );
  const words = `${grouped(after.size)} of ${plural(views.size, "counter")}, the largest first`;
  fill(changes, details("What would change", words, table));
  return after.size;
}

function figures({ rows, views, leftOut, firstDay, lastDay }: Outcome, counted: HTMLElement) {
  const small = (text: string) => make("dd.small", text);
  const out = sumOf(leftOut.values().map(({ rows }) => rows));
  const [first, last] = [dayNumber(firstDay), dayNumber(lastDay)];
  const days = firstDay ? grouped(last - first + 1) : "–";
  const span = firstDay ? `${fullDay(first)} – ${fullDay(last)}` : "totals only";
  const all: [name: string, value: string, why: HTMLElement][] = [
    ["Counters", grouped(views.size), counted],
    ["Views", grouped(sumOf(views.values())), small(`in ${plural(rows - out, "row")}`)],
    ["Days", days, small(span)],
    ["Rows left out", grouped(out), small(`of ${grouped(rows)}`)],
  ];
  return make(
    "dl.figures",
    ...all.map(([name, value, why]) => make("", make("dt", name), make("dd.n", value), why)),
  );
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
