import { deepStrictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import Papa from "papaparse";
import { csvCell, csvRows, csvStart } from "../../../../../src/browser/owner/data/csv.ts";
import { times } from "../../../../support/times.ts";

const rowsOf = (text: string, delimiter = ",") => [...csvRows(text, delimiter)];

Deno.test("any table that a CSV writer wrote reads back", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", " ", '"', ",", ";", "\t", "\n", "é") });
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(table, fc.constantFrom(",", ";", "\t"), (rows, delimiter) => {
      const text: string = Papa.unparse(rows, { delimiter, newline: "\n" });
      deepStrictEqual(rowsOf(text, delimiter), rows);
    }),
    { numRuns: times(500) },
  );
});

Deno.test("what is no CSV reads as papaparse reads it, or names the row of a quote", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", '"', ",", "\n") });
  fc.assert(
    fc.property(text, (text) => {
      // A line of nothing at the end is no row.
      const given = `${text}x`;
      const { data, errors } = Papa.parse(given, { delimiter: ",", newline: "\n" });
      if (errors.length > 0) {
        throws(() => rowsOf(given), /^Error: the quote in row \d+ is not closed/);
      } else deepStrictEqual(rowsOf(given), data);
    }),
    { numRuns: times(2000) },
  );
});

Deno.test("long cells, many rows, and a quote that is never closed", () => {
  const long = "x\n".repeat(300_000);
  deepStrictEqual(rowsOf(`a,"${long}",b\nc,d`), [["a", long, "b"], ["c", "d"]]);
  const rows = Array.from({ length: 70_000 }, (_, index) => `/page/${index},${index}`);
  deepStrictEqual(rowsOf(rows.join("\n")).length, rows.length);
  throws(() => rowsOf(`page,views\n${rows.join("\n")}\n"/b,2\n/c,3`), /the quote in row 70002 /);
});

const delimiterOf = (text: string) => csvStart(text).delimiter;

Deno.test("the delimiter is that of most rows, whatever the cells hold", () => {
  deepStrictEqual(delimiterOf("a;b\n1,5;2,5\n3,5;4,5\n"), ";");
  deepStrictEqual(delimiterOf("\n\na,b\n\n1;2,3\n"), ",");
  deepStrictEqual(delimiterOf('"a;b;c"\tb\n"d;e;f"\te\n'), "\t");
  deepStrictEqual(delimiterOf("one column\n"), ",");
});

Deno.test("no cell of an export is a formula, and each reads back with at most a mark before it", () => {
  const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "a", ",", '"') });
  fc.assert(
    fc.property(text, (text) => {
      const written = csvCell(text);
      deepStrictEqual(/^"?[=+\-@]/.test(written), false);
      const [[cell = ""] = []] = rowsOf(`${written},`);
      deepStrictEqual(cell === text || cell === `'${text}`, true);
    }),
    { numRuns: times(500) },
  );
});
