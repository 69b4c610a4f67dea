import { strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Recent } from "../src/recent.ts";

Deno.test("Recent: keeps the entries that were set last and never more than its capacity", () => {
  const recent = new Recent<string, number>(3);
  for (const [index, key] of [..."abcad"].entries()) recent.set(key, index);
  strictEqual(recent.size, 3);
  strictEqual(recent.get("a"), 3);
  strictEqual(recent.get("b"), undefined);
  strictEqual(recent.get("c"), 2);
  strictEqual(recent.get("d"), 4);
});

Deno.test("Recent: a capacity of 0 keeps nothing", () => {
  const recent = new Recent<string, number>(0);
  recent.set("a", 1);
  strictEqual(recent.size, 0);
  strictEqual(recent.get("a"), undefined);
});

Deno.test("Recent: delete forgets one entry and makes room for another", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.delete("a");
  recent.delete("never");
  recent.set("c", 3);
  strictEqual(recent.get("a"), undefined);
  strictEqual(recent.get("b"), 2);
  strictEqual(recent.get("c"), 3);
});

Deno.test("Recent: holds exactly the last keys set, whatever the order", () => {
  fc.assert(fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 8 }), (keys, capacity) => {
    const recent = new Recent<number, number>(capacity);
    keys.forEach((key, index) => recent.set(key, index));
    const expected = [...new Set(keys.toReversed())].slice(0, capacity);
    strictEqual(recent.size, expected.length);
    for (const key of expected) strictEqual(recent.get(key), keys.lastIndexOf(key));
  }));
});
