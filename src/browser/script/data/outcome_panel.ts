import type { Outcome } from "./count_rows.ts";
import type { Kit } from "./kit.ts";
import { partsOf } from "./lines_of.ts";

/** A change of a counter that a dry run found. */
interface Change {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** Number of counters that are shown before an import. */
const SHOWN = 10;

/** Returns the panel that shows what would come of an import, and sends it. */
export function outcomePanel(kit: Kit, imported: (counters: number) => void) {
  const { make, fill, grouped, plural, call, callForJson, errorMessage, isOver } = kit;
  const element = make(".outcome", { hidden: true });
  let sending: AbortController | undefined;

  /** Sends an import in parts. `took` gets the answer to each of them. */
  async function send(
    outcome: Outcome,
    query: string,
    signal: AbortSignal,
    took: (answer: { changed: number; changes: Change[] }, counters: number) => void,
  ) {
    let counters = 0;
    for (const { body, counters: more } of partsOf(outcome)) {
      const answer = await callForJson(`counters?${query}`, { method: "POST", body, signal });
      counters += more;
      took(answer, counters);
    }
  }

  /** Compares an import with the counters, and shows both. */
  async function show(outcome: Outcome) {
    sending?.abort();
    const { signal } = sending = new AbortController();
    const total = outcome.views.size;
    const counted = make("dd.small", "comparing…");
    const changes = make("");
    const act = make(".act");
    fill(element, figures(outcome, counted), leftOut(outcome), changes, act);
    element.hidden = false;
    if (total === 0) {
      fill(counted, " ");
      return fill(act, make("span.small", "There is nothing to import."));
    }
    const largest = largestOf(outcome.views);
    const found = new Map<string, Change>();
    const fresh = new Set<string>();
    const changed = new Set<string>();
    try {
      await send(outcome, "mode=max&dry=1", signal, (answer, counters) => {
        for (const change of answer.changes) {
          changed.add(change.id);
          const first = found.get(change.id);
          if (!first && change.before === 0) fresh.add(change.id);
          if (first || largest.includes(change.id)) {
            found.set(change.id, { ...change, before: first?.before ?? change.before });
          }
        }
        fill(counted, `comparing ${grouped(counters)}…`);
      });
      const same = largest.filter((id) => !found.has(id));
      const query = new URLSearchParams(same.map((id) => ["id", id]));
      const { counts } = same.length > 0
        ? await (await call(`counts?${query}`, { signal })).json()
        : { counts: {} };
      for (const id of same) found.set(id, { id, before: counts[id], after: counts[id] });
    } catch (error) {
      if (!signal.aborted && !isOver(error)) {
        fill(counted, " ");
        fill(act, make("span.bad", errorMessage(error)));
      }
      return;
    }
    fill(counted, `${grouped(fresh.size)} new, ${grouped(total - fresh.size)} known`);
    const rows = largest.flatMap((id) => found.get(id) ?? []);
    const words = `${grouped(changed.size)} of ${plural(total, "counter")}, the largest first`;
    fill(changes, details("What would change", words, changesTable(rows)));
    offer(outcome, act);
  }

  /** Shows the button that imports. */
  function offer(outcome: Outcome, act: HTMLElement, words?: Node) {
    const total = plural(outcome.views.size, "counter");
    const start = () => store(outcome, act);
    const rule = "Days are added below what is counted here already; of totals without days, the " +
      "larger one stays.";
    fill(
      act,
      make("button.primary", { click: start }, `Import ${total}`),
      words ?? make("span.small", rule),
    );
  }

  async function store(outcome: Outcome, act: HTMLElement) {
    sending?.abort();
    const controller = sending = new AbortController();
    const total = outcome.views.size;
    const status = make("span.small", { role: "status" }, "Importing…");
    const bar = make("progress", { max: total, value: 0, "aria-label": "Counters imported" });
    const stop = make("button", { click: () => controller.abort() }, "Stop");
    let done = 0;
    fill(act, status, bar, stop);
    stop.focus({ preventScroll: true });
    try {
      await send(outcome, "mode=max", controller.signal, (_, counters) => {
        done = counters;
        bar.value = counters;
        status.textContent = `${grouped(counters)} of ${plural(total, "counter")}`;
      });
      imported(total);
    } catch (error) {
      // Ended by another import, or by the end of the session.
      if (sending !== controller || isOver(error)) return;
      const known = `${grouped(done)} of ${plural(total, "counter")} are imported.`;
      const again = "Importing all of them again is safe.";
      const why = controller.signal.aborted ? "Stopped." : errorMessage(error);
      offer(outcome, act, make("span.bad", { role: "alert" }, `${why} ${known} ${again}`));
    }
  }

  function figures({ rows, views, leftOut, firstDay, lastDay }: Outcome, counted: HTMLElement) {
    const figure = (name: string, value: string, why: HTMLElement) =>
      make("", make("dt", name), make("dd.n", value), why);
    const small = (text: string) => make("dd.small", text);
    const out = leftOut.values().reduce((sum, { rows }) => sum + rows, 0);
    const sum = views.values().reduce((sum, hits) => sum + hits, 0);
    return make(
      "dl.figures",
      figure("Counters", grouped(views.size), counted),
      figure("Views", grouped(sum), small(`in ${plural(rows - out, "row")}`)),
      figure(
        "Days",
        firstDay && lastDay ? grouped(daysBetween(firstDay, lastDay)) : "–",
        small(firstDay && lastDay ? span(firstDay, lastDay) : "totals only"),
      ),
      figure("Rows left out", grouped(out), small(`of ${grouped(rows)}`)),
    );
  }

  function details(title: string, words: string, content: HTMLElement) {
    const summary = make("summary", title, make("small", words));
    return make("details", { open: true }, summary, content);
  }

  function leftOut({ leftOut, rowsOf }: Outcome) {
    if (leftOut.size === 0) return undefined;
    const out = leftOut.values().reduce((sum, { rows }) => sum + rows, 0);
    const several = rowsOf.size > 1;
    const heads = ["Reason", "Rows", "First in row", "Which reads"].map((name, index) =>
      make(index === 1 || index === 2 ? "th.num" : "th", { scope: "col" }, name)
    );
    const rows = [...leftOut].map(([reason, { rows, row, text, table }]) =>
      make(
        "tr",
        make("th", { scope: "row" }, reason),
        make("td.num", grouped(rows)),
        make("td.num", grouped(row)),
        make("td", make("code", several ? `${table.name}: ${text}` : text)),
      )
    );
    return details(
      "Rows left out",
      `${grouped(out)} for ${plural(leftOut.size, "reason")}`,
      make("table.reasons", make("thead", make("tr", ...heads)), make("tbody", ...rows)),
    );
  }

  function changesTable(changes: Change[]) {
    const heads = ["Counter", "Now", "After"].map((name, index) =>
      make(index > 0 ? "th.num" : "th", { scope: "col" }, name)
    );
    const rows = changes.map(({ id, before, after }) =>
      make(
        "tr",
        make("th", { scope: "row" }, make("bdi", id)),
        make("td.num", before > 0 ? grouped(before) : make("span.up", "new")),
        make(
          "td.num",
          after > before
            ? make("b", grouped(after))
            : make("span.small", before > 0 ? "stays, it has more already" : "0"),
        ),
      )
    );
    return make("table", make("thead", make("tr", ...heads)), make("tbody", ...rows));
  }

  /** Ends requests, and removes the panel. */
  function clear() {
    sending?.abort();
    sending = undefined;
    element.hidden = true;
    fill(element);
  }

  return { element, show, clear };
}

/** Returns the ids with the most views, in order. */
function largestOf(views: ReadonlyMap<string, number>): string[] {
  let largest: [id: string, hits: number][] = [];
  for (const entry of views) {
    if (largest.length === SHOWN && entry[1] <= (largest.at(-1)?.[1] ?? 0)) continue;
    largest = [...largest, entry].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
  }
  return largest.map(([id]) => id);
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
}

function span(first: string, last: string): string {
  const format = new Intl.DateTimeFormat([], { dateStyle: "medium", timeZone: "UTC" });
  return format.formatRange(new Date(first), new Date(last));
}
