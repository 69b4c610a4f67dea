import { save } from "../../lib/browser.ts";
import { ask } from "../../lib/choice.ts";
import { make } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage, grouped, plural } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { call, callForJson, callForLines, type Line } from "../sign_in/session.ts";
import { queryOf } from "../../lib/snippets.ts";
import { shown } from "./shown.ts";

/** A counter, or all counters whose ids begin with a prefix. */
type Subject = readonly [what: "id" | "prefix", name: string];

/** Number of lines in the request of an undo, so that a proxy takes it. */
const LINES_PER_REQUEST = 50;

/** Asks for the total of a counter, and sets it. */
export function askTotal({ id, total }: Figures) {
  const field = make("input", {
    type: "number",
    "aria-label": "Total",
    min: 0,
    max: 2 ** 52,
    required: true,
    value: total,
  });
  ask({
    words: ["Total of ", nameOf(id), ". Past days stay as they are."],
    parts: [field],
    button: make("button.primary", "Save"),
    act() {
      const hits = Number(field.value);
      const views = plural(hits, "view");
      return change(
        ["id", id],
        { method: "PUT", body: JSON.stringify({ hits }) },
        ([had]) => ["Set ", nameOf(id), ` to ${views}. It had ${grouped(had?.hits ?? 0)}.`],
        (before) => [before.map((line) => ({ id, hits: line.hits - hits }))],
      );
    },
  });
  field.select();
}

/** Asks about a counter or a group with these lines, and deletes it. */
export function askDelete(subject: Subject, lines: readonly Line[]) {
  const held = heldIn(subject, lines, " and ");
  ask({
    words: ["Delete ", nameOf(subject[1]), `, its ${held}? Badges that use it start again at 1.`],
    button: make("button.danger", "Delete"),
    act: () =>
      change(
        subject,
        { method: "DELETE" },
        (before) => ["Deleted ", nameOf(subject[1]), `: ${heldIn(subject, before)}.`],
        (before) => [before],
      ),
  });
}

/** Asks for the new id of a counter, or the new prefix of a group, and moves it there. */
export function askMove(subject: Subject, rows: readonly Figures[]) {
  const [what, from] = subject;
  const totals = new Map(shown.rows.map(({ id, total }) => [id, total]));
  const field = make("input", { "aria-label": `New ${what}`, required: true, value: from, input });
  const effect = make("p", { role: "status" });
  const button = make("button.primary", "Rename");
  const target = () => field.value.trim().normalize();
  const idBelow = (to: string, id: string) => to + id.slice(from.length);
  ask({
    words: ["Rename ", nameOf(from), ". Badges with the old id need the new one and its key."],
    parts: [field, effect],
    button,
    act() {
      const to = target();
      return change(
        subject,
        { method: "POST" },
        (before) => ["Moved ", nameOf(from), " to ", nameOf(to), `: ${heldIn(subject, before)}.`],
        // The additions that may be refused are first, so that no view is at both ids.
        (before) => [
          before.map(({ id, hits, days = {} }) => ({
            id: idBelow(to, id),
            hits: -hits,
            days: Object.fromEntries(Object.entries(days).map(([day, hits]) => [day, -hits])),
          })),
          before,
        ],
        `counters/move?${queryOf([["from", from], ["to", to]])}`,
      );
    },
  });
  field.select();

  /** Says what would happen. The service refuses what cannot be. */
  function input() {
    const to = target();
    const known = to === from ? [] : rows.flatMap(({ id }) => totals.get(idBelow(to, id)) ?? []);
    const [there] = known;
    const total = rows[0]?.total ?? 0;
    const views = plural(total, "view");
    const sum = grouped(total + (there ?? 0));
    button.textContent = there === undefined ? "Rename" : "Merge";
    effect.textContent = what === "prefix"
      ? `${plural(rows.length, "counter")} move to ${to}` +
        (there === undefined
          ? "."
          : `, ${grouped(known.length)} of which exist${known.length === 1 ? "s" : ""} already.`)
      : there === undefined
      ? `${from} (${views}) becomes ${to}.`
      : `${views} of ${from} are added to the ${grouped(there)} of ${to}: ${sum}.`;
  }
}

export function saveLines(name: string, lines: readonly Line[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  save(new Blob([text]), `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.ndjson`);
}

/** Returns what lines hold, such as "10 views, 2 days". */
function heldIn([what]: Subject, lines: readonly Line[], and = ", ") {
  const views = plural(lines.reduce((sum, { hits }) => sum + hits, 0), "view");
  const days = Object.keys(lines[0]?.days ?? {}).length;
  return what === "prefix"
    ? plural(lines.length, "counter") + and + views
    : views + (days > 0 ? and + plural(days, "day") : "");
}

/**
 * Changes a counter or a group by a request. `words` says what was done to the counters with these
 * lines, and `additions` are the requests that undo it. Returns a function that says so and offers
 * to undo it.
 */
async function change(
  subject: Subject,
  init: RequestInit,
  words: (before: readonly Line[]) => (Node | string)[],
  additions: (before: readonly Line[]) => (readonly Line[])[],
  path = `counters?${queryOf([subject])}`,
) {
  const name = nameOf(subject[1]);
  const before: Line[] = [];
  if (subject[0] === "id") before.push(await callForJson(path, init));
  else {
    await callForLines(path, init, (line) => before.push(line)).catch((error) => {
      // The counters that arrived are changed, also if the connection is lost after them.
      if (before.length === 0) throw error;
    });
  }
  return () => {
    toast(words(before), [["Undo", () => restore(crypto.randomUUID())]]);
    shown.reload();
  };

  async function redo() {
    try {
      (await change(subject, init, words, additions, path))();
    } catch (error) {
      toast([errorMessage(error)], [["Try again", redo]]);
    }
  }

  /**
   * Undoes the change by additions, which keep what was counted since. `attempt` is their name, so
   * that trying again adds them once. If this fails, the last copy of the counters is in this page.
   */
  async function restore(attempt: string) {
    try {
      for (let at = 0; at < before.length; at += LINES_PER_REQUEST) {
        const requests = additions(before.slice(at, at + LINES_PER_REQUEST));
        for (const [index, some] of requests.entries()) {
          const body = some.map((line) => JSON.stringify(line)).join("\n");
          const headers = { "idempotency-key": `${attempt}-${at}-${index}` };
          await call("counters?mode=add", { method: "POST", headers, body });
        }
      }
      toast(["Restored ", name, "."], [["Redo", redo]]);
      await shown.reload();
    } catch (error) {
      toast([name, ` was not restored. ${errorMessage(error)}`], [
        ["Save it as a file", () => saveLines(subject[1], before)],
        ["Try again", () => restore(attempt)],
      ]);
    }
  }
}

function nameOf(name: string) {
  return make("b", { dir: "auto" }, name);
}
