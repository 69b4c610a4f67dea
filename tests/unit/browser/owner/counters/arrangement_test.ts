import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Arrangement, nameOf } from "../../../../../src/browser/owner/counters/arrangement.ts";
import { figuresOf } from "../../../../../src/browser/lib/figures.ts";

function arranged(ids: readonly string[]): Arrangement {
  const all = new Arrangement();
  // Each has one more view than the one before it.
  all.rows = ids.map((id, index) => figuresOf({ id, hits: index }, 20_000));
  all.sortBy("total");
  return all;
}

const idsIn = (all: Arrangement) =>
  all.lines().map(({ row, more }) => more === undefined ? row.id : `${more} more`);

Deno.test("counters are sorted by numbers from the largest, by names from the first, and the other way round", () => {
  const all = arranged(["b", "c", "a"]);
  deepStrictEqual(idsIn(all), ["a", "c", "b"]);
  all.sortBy("total");
  deepStrictEqual(idsIn(all), ["b", "c", "a"]);
  all.sortBy("id");
  deepStrictEqual(idsIn(all), ["a", "b", "c"]);
  all.sortBy("id");
  deepStrictEqual(idsIn(all), ["c", "b", "a"]);
});

Deno.test("from eight counters on they are grouped, unless the owner chose otherwise", () => {
  const ids = ["x/1", "x/2", "y/1", "a", "b", "c", "d"];
  const all = arranged(ids);
  ok(!all.isGrouped);
  all.group(true);
  deepStrictEqual(idsIn(all), ["d", "c", "b", "a", "y/1", "x/", "x/2", "x/1"]);
  all.fold("x/");
  deepStrictEqual(idsIn(all).slice(-2), ["y/1", "x/"]);
  all.group(undefined);
  all.rows = [...all.rows, figuresOf({ id: "e", hits: 0 }, 20_000)];
  ok(all.isGrouped);
});

Deno.test("a search unfolds the groups that it finds, which keep their sum", () => {
  const all = arranged(["x/one", "x/two", "y"]);
  all.group(true);
  all.fold("x/");
  all.search(" ONE ");
  const [group, member] = all.lines();
  deepStrictEqual([group?.row.id, group?.row.total, group?.group?.found.length], ["x/", 1, 1]);
  strictEqual(member?.row.id, "x/one");
  deepStrictEqual(all.found.map(({ id }) => id), ["x/one"]);
});

Deno.test("a large group starts folded, then shows twenty rows, then all of them", () => {
  const all = arranged(Array.from({ length: 60 }, (_, index) => `x/${index}`));
  deepStrictEqual(idsIn(all), ["x/"]);
  all.fold("x/");
  strictEqual(idsIn(all).length, 22);
  strictEqual(idsIn(all).at(-1), "40 more");
  all.showWhole("x/");
  strictEqual(idsIn(all).length, 61);
});

Deno.test("a counter with the name of its group has its whole name in it", () => {
  const all = arranged(["blog/", "blog/one"]);
  all.group(true);
  deepStrictEqual(all.lines().map(nameOf), ["blog/", "one", "blog/"]);
});
