import { save } from "../../lib/browser.ts";
import { ask } from "../../lib/choice.ts";
import { make } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage, grouped, plural } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { callForJson, callForLines, type Line, Refused } from "../sign_in/session.ts";
import { queryOf } from "../../lib/snippets.ts";
import { shown } from "./shown.ts";

type Words = (Node | string)[];

/** A change of counters, one by one. */
interface Change {
  readonly ids: readonly string[];
  /** Returns the request that changes a counter. The response is the line that it had. */
  request(id: string): [path: string, init: RequestInit];
  /** Says what was done to the named counters, which had these lines. */
  words(name: Node | string, before: readonly Line[]): Words;
  /** Returns the lines whose addition undoes the change of a counter. */
  undo(before: Line): readonly Line[];
}

/** Maximum number of requests at a time. Browsers open as many connections. */
const REQUESTS = 6;
/** Number of counters from which on the progress is shown, and after how many of them. */
const PROGRESS = 100;

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
    words: ["Total of ", nameOf([id]), ". Past days stay as they are."],
    parts: [field],
    button: make("button.primary", "Save"),
    act() {
      const hits = Number(field.value);
      return change({
        ids: [id],
        request: () => [pathOf(id), { method: "PUT", body: JSON.stringify({ hits }) }],
        words: (name, [had]) => [
          ...["Set ", name, ` to ${plural(hits, "view")}. It had ${grouped(had?.hits ?? 0)}.`],
        ],
        undo: (before) => [{ id, hits: before.hits - hits }],
      });
    },
  });
  field.select();
}

/** Asks about counters, and deletes them. */
export function askDelete(rows: readonly Figures[]) {
  const ids = idsOf(rows);
  const views = plural(sumOf(rows), "view");
  ask({
    words: ["Delete ", nameOf(ids), ` with ${views}? Badges start again at 1.`],
    button: make("button.danger", "Delete"),
    act: () =>
      change({
        ids,
        request: (id) => [pathOf(id), { method: "DELETE" }],
        words: (name, before) => ["Deleted ", name, `: ${viewsIn(before)}.`],
        undo: (before) => [before],
      }),
  });
}

/**
 * Asks for the new id of a counter or the new beginning of several ids, or for the one id to merge
 * counters into, and moves them there.
 */
export function askMove(rows: readonly Figures[], isMerge: boolean) {
  const ids = idsOf(rows);
  const from = isMerge ? "" : commonOf(ids);
  const [most] = rows.toSorted((one, other) => other.total - one.total);
  const field = make("input", {
    "aria-label": isMerge || ids.length === 1 ? "New id" : "New prefix",
    required: true,
    value: isMerge ? most?.id : from,
    input,
  });
  const effect = make("p", { role: "status" });
  const button = make("button.primary");
  const target = () => field.value.trim().normalize();
  /** The new id of each counter that moves. */
  let moves = new Map<string, string>();
  ask({
    words: [
      ...[isMerge ? "Merge " : "Rename ", nameOf(ids)],
      ". Badges with an old id need the new one and its key.",
    ],
    parts: [field, effect],
    button,
    act() {
      // The field can be changed while counters move.
      const [to, targets] = [target(), moves];
      return change({
        ids: [...targets.keys()],
        request: (id) => [
          `counters/move?${queryOf([["id", id], ["to", targets.get(id) ?? ""]])}`,
          { method: "POST" },
        ],
        words: (name, before) => ["Moved ", name, " to ", nameOf([to]), `: ${viewsIn(before)}.`],
        // The addition that may be refused is first, so that no view is at both ids.
        undo: (before) => [{ ...negative(before), id: targets.get(before.id) ?? "" }, before],
      });
    },
  });
  input();
  field.select();

  /** Says what would happen. The service refuses other ids that cannot be. */
  function input() {
    const to = target();
    const all = ids.map((id) => [id, isMerge ? to : to + id.slice(from.length)] as const);
    moves = new Map(all.filter(([id, target]) => id !== target));
    const reached = new Set(moves.values());
    const there = shown.rows.filter(({ id }) => reached.has(id));
    const both = there.find(({ id }) => moves.has(id));
    const wrong = both && `${both.id} is itself renamed. Rename it first.`;
    field.setCustomValidity(wrong ?? (moves.size > 0 ? "" : "Enter another id."));
    const views = sumOf(rows.filter(({ id }) => moves.has(id)));
    const more = sumOf(there);
    button.textContent = isMerge || there.length > 0 ? "Merge" : "Rename";
    const end = there.length > 0
      ? `, with the ${grouped(more)} there: ${grouped(views + more)}`
      : "";
    effect.textContent = moves.size > 0 ? `${plural(views, "view")} will be at ${to}${end}.` : "";
  }
}

/** Saves counters with all their days, as an export does. */
export async function download(rows: readonly Figures[]) {
  const ids = idsOf(rows);
  const wanted = new Set(ids);
  const lines: Line[] = [];
  await callForLines(`counters?${queryOf([["prefix", commonOf(ids)]])}`, {}, (line) => {
    if (wanted.has(line.id)) lines.push(line);
  });
  saveLines(lines);
}

function saveLines(lines: readonly Line[]) {
  const text = [...lines, { counters: lines.length }].map((line) => `${JSON.stringify(line)}\n`);
  const name = lines.length === 1 ? lines[0]?.id : undefined;
  save(new Blob(text), `${(name ?? "counters").replace(/[^\p{L}\p{N}._-]+/gu, "-")}.ndjson`);
}

/**
 * Carries out a change. Returns a function that says what was done, and offers to undo it. Throws
 * if nothing was. Counters that were changed are no longer selected.
 */
async function change(it: Change) {
  const before: Line[] = [];
  const { error } = await forEach(it.ids, async (id) => {
    before.push(await callForJson(...it.request(id)));
    shown.picked.delete(id);
  });
  if (before.length === 0) throw error;
  const ids = idsOf(before);
  const redo = (): Promise<void> =>
    change({ ...it, ids }).then(
      (tell) => tell(),
      (error) => toast([errorMessage(error)], [["Try again", redo]]),
    );
  const undo = undoing(it, before, redo);
  return () => {
    const why = error ? ` ${errorMessage(error)}` : "";
    toast([...it.words(nameOf(ids, it.ids.length), before), why], [["Undo", undo]]);
    shown.reload();
  };
}

/**
 * Returns an action that undoes a change by additions, which keep what was counted since. They have
 * names, so that trying again adds them once.
 */
function undoing({ undo }: Change, before: readonly Line[], redo: () => void) {
  const name = crypto.randomUUID();
  let lines = [...before.entries()];
  return async function act() {
    const count = lines.length;
    const { left, error } = await forEach(lines, async ([at, line]) => {
      const headers = { "idempotency-key": `${name}-${at}` };
      for (const { id, ...body } of undo(line)) {
        const init = { method: "PUT", headers, body: JSON.stringify(body) };
        await callForJson(`${pathOf(id)}&mode=add`, init);
      }
    });
    const done = lines.filter((line) => !left.includes(line)).map(([, { id }]) => id);
    const said = ["Restored ", nameOf(done, count), "."];
    lines = left;
    const rest = left.map(([, line]) => line);
    if (left.length === 0) toast(said, [["Redo", redo]]);
    else {
      // The rest is only in this page.
      const save = ["Save the rest as a file", () => saveLines(rest)] as const;
      toast([...said, ` ${errorMessage(error)}`], [save, ["Try again", act]]);
    }
    await shown.reload();
  };
}

/**
 * Does something for each item, several at a time. Returns the items that are left, and the first
 * error. A conflict concerns one item alone, and any other error ends all.
 */
async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<void>) {
  const waiting = [...items];
  const left = new Set(items);
  let error: unknown;
  async function work() {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await act(item);
        left.delete(item);
      } catch (caught) {
        error ??= caught;
        if (!(caught instanceof Refused && caught.status === 409)) waiting.length = 0;
      }
      const done = items.length - left.size;
      if (items.length > PROGRESS && done % PROGRESS === 0) {
        toast([`${grouped(done)} of ${plural(items.length, "counter")}…`], []);
      }
    }
  }
  await Promise.all(Array.from({ length: REQUESTS }, work));
  return { left: [...left], error };
}

/** Returns the text that all ids begin with, up to a slash. One id is returned whole. */
function commonOf([first = "", ...others]: readonly string[]) {
  if (others.length === 0) return first;
  let common = first.replace(/[^/]*$/, "");
  while (!others.every((id) => id.startsWith(common))) common = common.replace(/[^/]*\/$/, "");
  return common;
}

function pathOf(id: string) {
  return `counters?${queryOf([["id", id]])}`;
}

/** Returns the line whose addition takes a line away again. */
function negative({ id, hits, days = {} }: Line): Line {
  const taken = Object.entries(days).map(([day, hits]) => [day, -hits]);
  return { id, hits: -hits, days: Object.fromEntries(taken) };
}

function idsOf(rows: readonly { id: string }[]) {
  return rows.map(({ id }) => id);
}

export function sumOf(rows: readonly Figures[]) {
  return rows.reduce((sum, { total }) => sum + total, 0);
}

function viewsIn(lines: readonly Line[]) {
  return plural(lines.reduce((sum, { hits }) => sum + hits, 0), "view");
}

/** Returns the id of a counter, or the number of several, of which there may be more. */
export function nameOf(ids: readonly string[], all = ids.length) {
  if (ids.length < all) return `${grouped(ids.length)} of ${plural(all, "counter")}`;
  return all === 1 ? make("b", { dir: "auto" }, ids[0]) : plural(all, "counter");
}
