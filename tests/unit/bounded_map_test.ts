import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { BoundedMap } from "../../src/bounded_map.ts";

Deno.test("a bounded map keeps what was set last, and forgets what was set long ago", () => {
  const recent = new BoundedMap<string, number>(2);
  for (const [index, key] of [..."abacde"].entries()) recent.set(key, index);
  strictEqual(recent.get("e"), 5);
  strictEqual(recent.get("d"), 4);
  strictEqual(recent.get("a"), undefined);
  strictEqual(recent.get("b"), undefined);
});

Deno.test("an entry that is set again has its new value alone", () => {
  const recent = new BoundedMap<string, number>(1);
  for (const [index, key] of [..."aba"].entries()) recent.set(key, index);
  strictEqual(recent.get("a"), 2);
  recent.delete("a");
  strictEqual(recent.get("a"), undefined);
});

const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ set: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ forget: fc.nat(20) }) },
);

Deno.test("a bounded map holds the last keys set with their last values and no deleted one, in bounds", () => {
  fc.assert(fc.property(fc.array(step), fc.integer({ min: 1, max: 8 }), (steps, capacity) => {
    const recent = new BoundedMap<number, number>(capacity);
    let last: [key: number, value: number][] = [];
    const everything = new Map<number, number>();
    steps.forEach((next, index) => {
      if ("set" in next) {
        recent.set(next.set, index);
        everything.set(next.set, index);
        last = [...last.filter(([key]) => key !== next.set), [next.set, index]];
        last = last.slice(-capacity);
      } else {
        recent.delete(next.forget);
        everything.delete(next.forget);
        last = last.filter(([key]) => key !== next.forget);
      }
      for (const [key, value] of last) strictEqual(recent.get(key), value);
      let size = 0;
      for (let key = 0; key <= 20; key++) {
        const held = recent.get(key);
        ok(held === undefined || held === everything.get(key), `${key} is ${held}`);
        if (held !== undefined) size++;
      }
      ok(size <= 2 * capacity);
    });
  }));
});
