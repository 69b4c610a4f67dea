import { deepStrictEqual } from "node:assert/strict";
import { counterId } from "../../src/counter/counter_id.ts";
import type { Line } from "../../src/counter/line.ts";
import { Places } from "../../src/counter/places.ts";

Deno.test("Places.byId: tells all places by their ids, of one id in their order, however many there are", async () => {
  for (const count of [0, 1, 5000, 12_345]) {
    // 7,919 is prime, so that ids come in no order; each comes three times, in different runs.
    const numbers = Array.from({ length: count }, (_, at) => at * 7919 % Math.ceil(count / 3));
    const sorted = await Places.byId(numbers.map((number) => line(`n${number}`)));
    const expected = [...numbers.keys()].sort((a, b) => {
      const [one, other] = [`n${numbers[a]}`, `n${numbers[b]}`];
      return one === other ? a - b : one < other ? -1 : 1;
    });
    const taken: number[] = [];
    for (let some; (some = sorted.take(1000)).length > 0;) taken.push(...some);
    deepStrictEqual(taken, expected);
  }
});

function line(id: string): Line {
  return { id: counterId(id), hits: 0, days: undefined };
}
