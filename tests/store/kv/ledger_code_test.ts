import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Ledger } from "../../../src/counter/days.ts";
import {
  decodeLedger,
  decodeYear,
  encodeLedger,
  encodeYear,
} from "../../../src/store/kv/ledger_code.ts";

const number = fc.oneof(fc.nat(300), fc.maxSafeNat());
const day = fc.integer({ min: 0, max: 40_000 });

Deno.test("encodeLedger: every ledger is read as it was written", () => {
  const ledgers = fc.record({
    openDay: day,
    opening: fc.oneof(fc.integer({ min: -300, max: 300 }), fc.maxSafeInteger()),
    firstYear: fc.option(fc.integer({ min: 1970, max: 2080 }), { nil: undefined }),
    before: fc.array(number, { maxLength: 366 }),
  });
  fc.assert(fc.property(ledgers, (ledger: Ledger) => {
    // An opening of -0 is none.
    deepStrictEqual(decodeLedger(encodeLedger(ledger)), { ...ledger, opening: ledger.opening + 0 });
  }));
});

Deno.test("encodeYear: the days of every year are read as they were written", () => {
  const years = fc.record({ last: day, hits: fc.array(number, { maxLength: 366 }) });
  fc.assert(fc.property(years, ({ last, hits }) => {
    const entry = { year: 2026, last, hits };
    deepStrictEqual(decodeYear(encodeYear(entry), 2026), entry);
  }));
});

Deno.test("encodeLedger: a year of small numbers takes a byte a day", () => {
  const ledger = { openDay: 20_777, opening: 1, firstYear: undefined, before: Array(365).fill(9) };
  strictEqual(encodeLedger(ledger).length, 365 + 5);
});

for (const value of [undefined, null, "20735 100", 7n, new Uint8Array(), new Uint8Array([1, 2])]) {
  Deno.test(`decodeLedger: ${Deno.inspect(value)} is none`, () => {
    strictEqual(decodeLedger(value), undefined);
  });
}
