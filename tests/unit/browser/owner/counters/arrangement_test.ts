import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  type Choices,
  type Column,
  isFound,
  isGrouped,
  isUnfolded,
  linesOf,
  nameOf,
  orderBy,
} from "../../../../../src/browser/owner/counters/arrangement.ts";
import { type Figures, figuresOf } from "../../../../../src/browser/lib/figures.ts";

/** Returns counters, of which each has one more view than the one before it. */
function rowsOf(ids: readonly string[]): Figures[] {
  return ids.map((id, index) => figuresOf({ id, hits: index }, 20_000));
}

/** Returns choices that sort by the total, from the largest. */
function choicesOf(grouping?: boolean): Choices {
  return { column: "total", ascending: false, wanted: "", grouping, unfolded: new Map() };
}

const idsIn = (rows: readonly Figures[], choices: Choices) =>
  linesOf(rows, choices).map(({ row }) => row.id);

Deno.test("counters are sorted by numbers from the largest, by names from the first, and the other way round", () => {
  const rows = rowsOf(["b", "c", "a"]);
  let choices = choicesOf();
  const sortedBy = (column: Column) => {
    choices = { ...choices, ...orderBy(column, choices) };
    return idsIn(rows, choices);
  };
  deepStrictEqual(idsIn(rows, choices), ["a", "c", "b"]);
  deepStrictEqual(sortedBy("total"), ["b", "c", "a"]);
  deepStrictEqual(sortedBy("id"), ["a", "b", "c"]);
  deepStrictEqual(sortedBy("id"), ["c", "b", "a"]);
});

Deno.test("from eight counters on they are grouped, unless the owner chose otherwise", () => {
  const ids = ["x/1", "x/2", "y/1", "a", "b", "c", "d"];
  const rows = rowsOf(ids);
  ok(!isGrouped(rows, choicesOf()));
  const choices = choicesOf(true);
  deepStrictEqual(idsIn(rows, choices), ["d", "c", "b", "a", "y/1", "x/", "x/2", "x/1"]);
  choices.unfolded.set("x/", false);
  deepStrictEqual(idsIn(rows, choices).slice(-2), ["y/1", "x/"]);
  ok(isGrouped(rowsOf([...ids, "e"]), choicesOf()));
});

Deno.test("a search unfolds the groups that it finds, which keep their sum", () => {
  const rows = rowsOf(["x/one", "x/two", "y"]);
  const choices = { ...choicesOf(true), unfolded: new Map([["x/", false]]), wanted: "ONE" };
  const [group, member] = linesOf(rows, choices);
  deepStrictEqual([group?.row.id, group?.row.total, group?.group?.found.length], ["x/", 1, 1]);
  strictEqual(member?.row.id, "x/one");
  deepStrictEqual(rows.map((row) => isFound(row, choices)), [true, false, false]);
});

Deno.test("a large group starts folded", () => {
  const rows = rowsOf(Array.from({ length: 60 }, (_, index) => `x/${index}`));
  const choices = choicesOf();
  deepStrictEqual(idsIn(rows, choices), ["x/"]);
  ok(!isUnfolded("x/", rows, choices));
  choices.unfolded.set("x/", true);
  strictEqual(idsIn(rows, choices).length, 61);
});

Deno.test("a counter with the name of its group has its whole name in it", () => {
  const lines = linesOf(rowsOf(["blog/", "blog/one"]), choicesOf(true));
  deepStrictEqual(lines.map(nameOf), ["blog/", "one", "blog/"]);
});
