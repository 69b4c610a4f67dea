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
    field,
    button: make("button.primary", "Save"),
    act: () => change(["id", id], Number(field.value)),
  });
  field.select();
}

/** Asks about a counter or a group with these lines, and deletes it. */
export function askDelete(subject: Subject, lines: readonly Line[]) {
  const held = heldIn(subject, lines);
  ask({
    words: ["Delete ", nameOf(subject[1]), `, its ${held}? Badges that use it start again at 1.`],
    button: make("button.danger", "Delete"),
    act: () => change(subject),
  });
}

export function saveLines(name: string, lines: readonly Line[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  save(new Blob([text]), `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.ndjson`);
}

/** Returns what lines hold, such as "10 views and 2 days". */
function heldIn([what]: Subject, lines: readonly Line[], and = " and ") {
  const views = plural(lines.reduce((sum, { hits }) => sum + hits, 0), "view");
  const days = Object.keys(lines[0]?.days ?? {}).length;
  return what === "prefix"
    ? plural(lines.length, "counter") + and + views
    : views + (days > 0 ? and + plural(days, "day") : "");
}

/**
 * Sets the total of a counter, or deletes a counter or a group. Returns a function that says so and
 * offers to undo it.
 */
async function change(subject: Subject, total?: number) {
  const name = nameOf(subject[1]);
  const init = total === undefined
    ? { method: "DELETE" }
    : { method: "PUT", body: JSON.stringify({ hits: total }) };
  const path = `counters?${queryOf([subject])}`;
  const before: Line[] = [];
  if (subject[0] === "id") before.push(await callForJson(path, init));
  else {
    await callForLines(path, init, (line) => before.push(line)).catch((error) => {
      // The counters that arrived are deleted, also if the connection is lost after them.
      if (before.length === 0) throw error;
    });
  }
  return () => {
    const had = grouped(before[0]?.hits ?? 0);
    toast(
      total === undefined
        ? ["Deleted ", name, `: ${heldIn(subject, before, ", ")}.`]
        : ["Set ", name, ` to ${plural(total, "view")}. It had ${had}.`],
      [["Undo", () => restore(crypto.randomUUID())]],
    );
    shown.reload();
  };

  async function redo() {
    try {
      (await change(subject, total))();
    } catch (error) {
      toast([errorMessage(error)], [["Try again", redo]]);
    }
  }

  /**
   * Undoes the change by additions, which keep what was counted since. `attempt` is their name, so
   * that trying again adds them once. If this fails, the last copy of the counters is in this page.
   */
  async function restore(attempt: string) {
    const additions = total === undefined
      ? before
      : before.map(({ id, hits }) => ({ id, hits: hits - total }));
    try {
      for (let at = 0; at < additions.length; at += LINES_PER_REQUEST) {
        const some = additions.slice(at, at + LINES_PER_REQUEST);
        const body = some.map((line) => JSON.stringify(line)).join("\n");
        const headers = { "idempotency-key": `${attempt}-${at}` };
        await call("counters?mode=add", { method: "POST", headers, body });
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
