import { deepStrictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { ListedCounter, ListPage } from "../../../src/domain/store.ts";
import { field, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

/** A store whose list gives these counters in this order, as Redis gives them in any order. */
class ListedStore extends ScriptedStore {
  constructor(readonly counters: readonly ListedCounter[]) {
    super();
  }

  override async *list(): AsyncGenerator<ListPage> {
    for (let start = 0; start < this.counters.length; start += 500) {
      yield { counters: this.counters.slice(start, start + 500), foreign: 0 };
    }
  }
}

function listed(number: number, hits: number): ListedCounter {
  return { id: counterId(`blog/${String(number).padStart(4, "0")}`), hits, days: undefined };
}

const orders: [name: string, sort: (numbers: number[]) => number[]][] = [
  ["by id", (numbers) => numbers],
  ["by id, the last first", (numbers) => numbers.toReversed()],
  // 1,009 is prime, so that ids come in no order.
  ["in no order", (numbers) => numbers.map((_, index) => index * 1009 % numbers.length)],
];

for (const [name, sort] of orders) {
  Deno.test(`GET /top?limit=100 ranks ties at rank 100 by id, of 5,000 counters listed ${name}`, async () => {
    const numbers = sort(Array.from({ length: 5000 }, (_, index) => index));
    // 30 counters are ahead of all others, which share their number of hits.
    const hitsOf = (number: number) => number % 100 === 7 && number < 3000 ? 9 : 4;
    await using app = openApp({
      store: new ListedStore(numbers.map((number) => listed(number, hitsOf(number)))),
    });
    const { json } = await app.send("GET /top?prefix=blog/&limit=100", authorized);
    const all = numbers.toSorted((a, b) => hitsOf(b) - hitsOf(a) || a - b);
    deepStrictEqual(
      field(json, "counters"),
      all.slice(0, 100).map((number) => ({ id: listed(number, 0).id, hits: hitsOf(number) })),
    );
  });
}
