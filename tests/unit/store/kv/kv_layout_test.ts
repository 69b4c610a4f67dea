import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { firstDayOf, type OpenYear, yearOf } from "../../../../src/domain/history.ts";
import {
  decodeLedger,
  decodeReport,
  decodeYear,
  encodeLedger,
  encodeYear,
} from "../../../../src/store/kv/kv_layout.ts";

const number = fc.oneof(fc.nat(300), fc.maxSafeNat());
const day = fc.integer({ min: 0, max: 40_000 });

Deno.test("every ledger is read as it was written, with its report", () => {
  const ledgers = day.chain((openDay) =>
    fc.record({
      openDay: fc.constant(openDay),
      totalAtDayStart: fc.oneof(fc.integer({ min: -300, max: 300 }), fc.maxSafeInteger()),
      firstYear: yearOf(openDay) === 1970
        ? fc.constant(undefined)
        : fc.option(fc.integer({ min: 1970, max: yearOf(openDay) - 1 }), { nil: undefined }),
      before: fc.array(number, { maxLength: openDay - firstDayOf(yearOf(openDay)) }),
    })
  );
  const reports = fc.option(fc.record({ seen: number, at: number }), { nil: undefined });
  fc.assert(fc.property(ledgers, reports, (ledger: OpenYear, report) => {
    const bytes = encodeLedger(ledger, report);
    // An totalAtDayStart of -0 is none.
    deepStrictEqual(decodeLedger(bytes), {
      ...ledger,
      totalAtDayStart: ledger.totalAtDayStart + 0,
    });
    deepStrictEqual(decodeReport(bytes), report && { ...report });
  }));
});

Deno.test("the days of every year are read as they were written", () => {
  const years = day.chain((last) =>
    fc.record({
      year: fc.constant(yearOf(last)),
      last: fc.constant(last),
      hits: fc.array(number, { maxLength: last - firstDayOf(yearOf(last)) + 1 }),
    })
  );
  fc.assert(fc.property(years, (entry) => {
    deepStrictEqual(decodeYear(encodeYear(entry), entry.year), { ...entry });
  }));
});

Deno.test("a year of small numbers takes a byte a day", () => {
  const ledger = {
    openDay: 20_777,
    totalAtDayStart: 1,
    firstYear: undefined,
    before: Array(365).fill(9),
  };
  strictEqual(encodeLedger(ledger).length, 365 + 5);
});

const BEFORE = Array(323).fill(1);
for (
  const [what, ledger] of [
    ["a day after 2099", { openDay: 47_482 }],
    ["a day that no number can name", { openDay: 2 ** 63 }],
    ["an totalAtDayStart past 2^53", { totalAtDayStart: 2 ** 60 }],
    ["a first year before 1970", { firstYear: 12 }],
    ["a first year that is not over", { firstYear: 2026 }],
    ["more days than its year had", { before: [...BEFORE, 1] }],
    ["more hits on a day than a counter can hold", { before: [2 ** 54] }],
    ["numbers without end", { before: [Infinity] }],
  ] as const
) {
  Deno.test(`decodeLedger: one with ${what} is none`, () => {
    const sound: OpenYear = {
      openDay: 20_777,
      totalAtDayStart: 9,
      firstYear: 2025,
      before: BEFORE,
    };
    deepStrictEqual(decodeLedger(encodeLedger(sound)), sound);
    const numbers = { ...sound, ...ledger };
    strictEqual(decodeLedger(encoded(numbers)), undefined);
  });
}

for (
  const [what, last, hits] of [
    ["of another year", 20_088, [1]],
    ["with more days than it had", 20_453, Array(366).fill(1)],
    ["with more hits on a day than a counter can hold", 20_453, [2 ** 54]],
  ] as const
) {
  Deno.test(`decodeYear: a year ${what} is none`, () => {
    deepStrictEqual(
      decodeYear(encodeYear({ year: 2025, last: 20_453, hits: [1] }), 2025)?.last,
      20_453,
    );
    strictEqual(decodeYear(encodeYear({ year: 2025, last, hits }), 2025), undefined);
  });
}

/** Bytes that never end a number. */
function encoded(ledger: OpenYear): Uint8Array {
  if (ledger.before[0] !== Infinity) return encodeLedger(ledger);
  return new Uint8Array([...encodeLedger({ ...ledger, before: [] }), ...Array(400).fill(255), 1]);
}

for (const value of [undefined, null, "20735 100", 7n, new Uint8Array(), new Uint8Array([1, 2])]) {
  Deno.test(`decodeLedger: ${Deno.inspect(value)} is none`, () => {
    strictEqual(decodeLedger(value), undefined);
  });
}
