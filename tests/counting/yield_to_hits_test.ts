import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { yieldingToHits } from "../../src/counting/yield_to_hits.ts";

Deno.test("yieldingToHits: hands on every part in order, and others have their turn before the next is begun", async () => {
  const happened: string[] = [];
  async function* parts() {
    for (const part of ["a", "b", "c"]) {
      happened.push(`begin ${part}`);
      yield await Promise.resolve(part);
    }
  }
  for await (const part of yieldingToHits(parts(), () => true)) {
    happened.push(`take ${part}`);
    setTimeout(() => happened.push("others"), 0);
  }
  const turn = (part: string) => [`begin ${part}`, `take ${part}`, "others"];
  deepStrictEqual(happened, [...turn("a"), ...turn("b"), ...turn("c")]);
});

Deno.test("yieldingToHits: who takes no more ends the source", async () => {
  let ended = false;
  async function* parts() {
    try {
      while (true) yield await Promise.resolve(1);
    } finally {
      ended = true;
    }
  }
  for await (const _ of yieldingToHits(parts(), () => false)) break;
  strictEqual(ended, true);
});
