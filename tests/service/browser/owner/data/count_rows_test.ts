import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type DateOrder,
  dayFormat,
  dayOf,
  ORDERS,
  wholeNumber,
} from "../../../../../src/browser/owner/data/cell_text.ts";
import { csvLines } from "../../../../../src/browser/owner/data/csv.ts";
import { Unreadable } from "../../../../../src/browser/owner/data/open_files.ts";
import { type Entry, partsOf } from "../../../../../src/browser/owner/data/requests.ts";
import { importOf } from "../../../../support/data_files.ts";

Deno.test("each row is counted or left out for a reason", async () => {
  const page = fc.constantFrom("/a", "/b/", "", "Total", "x", "\u0007", "https://e.com/c");
  const number = fc.constantFrom("1", "0", "", "–", "1,889", "12k", "7");
  const day = fc.constantFrom("2026-01-01", "20260102", "", "2027-05-01", "2026-01-01T23:30:00Z");
  const rows = fc.array(fc.tuple(page, number, day), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (rows, hasDays) => {
      const lines = rows.map((row) => row.map((cell) => `"${cell}"`).join(","));
      const choice = { page: "page", number: "views", ...hasDays && { day: "day" } };
      const { outcome } = await importOf(
        { "x.csv": `page,views,day\n${lines.join("\n")}\n` },
        { choice },
      );
      const sumOf = (numbers: IteratorObject<number>) =>
        numbers.reduce((sum, number) => sum + number, 0);
      const out = sumOf(outcome.leftOut.values().map(({ rows }) => rows));
      const read = sumOf(outcome.rows.values());
      strictEqual(read, rows.length);
      const sum = sumOf(outcome.entries.values().map(({ views }) => views));
      ok(sum >= read - out);
      const stored = sumOf(outcome.entries.values().flatMap(({ days }) => days.values()));
      strictEqual(stored, sum);
    }),
    { numRuns: 300 },
  );
});

Deno.test("a column with a fraction has no views, also far below the sample", async () => {
  const rows = Array.from({ length: 1000 }, (_, index) => `/p/${index},1.889\n`).join("");
  await rejects(
    importOf({ "x.csv": `page,rate\n${rows}/q,6.72\n` }, {
      choice: { page: "page", number: "rate" },
    }),
    /the column “rate” has 6\.72 in row 1002/,
  );
});

Deno.test("an export that was cut short is noticed, and one with a prefix moves below it", async () => {
  const { tables: [cut] } = await importOf({ "x.ndjson": '{"id":"a","hits":1}\n{"counters":2}\n' });
  ok(cut?.isCut);
  const { lines, leftOut } = await importOf(
    { "x.ndjson": '{"id":"a","hits":1,"seen":4}\n{"hits":1}\n' },
    { prefix: "old/" },
  );
  deepStrictEqual(lines, ['{"id":"old/a","hits":1,"seen":4}']);
  deepStrictEqual(leftOut, { "No line of an export": { rows: 1, row: 2 } });
});

Deno.test("a total without days and days of one page are two lines, the total first", async () => {
  const { lines } = await importOf({
    "old.csv": "Page path,Views\n/a,100\n",
    "new.csv": "Page path,Date,Views\n/a,20260201,5\n",
  });
  deepStrictEqual(lines, ['{"id":"a","hits":100}', '{"id":"a","days":{"2026-02-01":5}}']);
});

Deno.test("a request has at most 1,000 lines or 300,000 characters, and all lines of a counter", () => {
  const countersOf = (lineCounts: number[], line: string) => {
    const entries = lineCounts.map((count, index): [string, Entry] => {
      return [`${index}`, { views: 1, days: new Map(), lines: Array(count).fill(line) }];
    });
    return [...partsOf(new Map(entries))].map(({ counters }) => counters);
  };
  deepStrictEqual(countersOf(Array(2500).fill(1), "{}"), [1000, 1000, 500]);
  deepStrictEqual(countersOf([600, 600, 300], "{}"), [1, 2]);
  deepStrictEqual(countersOf([1, 1, 1, 3, 1], "x".repeat(140_000)), [2, 1, 1, 1]);
});

/** Texts that would keep the page busy for minutes, or end its script. */
const HOSTILE: Readonly<Record<string, string>> = {
  "a list with blanks": `1 x${" ".repeat(200_000)}x\n`,
  "a line with blanks": `x${" ".repeat(200_000)}x\n`,
  "a million columns": `${"a,".repeat(1e6)}\n${"1,".repeat(1e6)}\n`,
  "a million members": JSON.stringify([
    Object.fromEntries(Array(1e5).keys().map((key) => [key, 1])),
  ]),
  "an object that has no text": '[{"page":{"toString":1},"views":3}]',
  "lines with such an object": '{"page":"a","views":3}\n{"page":"b","views":{"toString":1}}\n',
  "many brackets": `[{"page":${"[".repeat(20_000)}${"]".repeat(20_000)},"views":3}]`,
  "exported lines with other values":
    '{"id":"a","hits":1}\n{"id":"b","hits":{"toString":1}}\n{"id":"c","days":{"x":{"toString":1}}}\n',
};

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`count: ${name} takes no longer than other texts, and throws what the page explains`, async () => {
    const start = performance.now();
    const choice = { page: "page", number: "views" };
    const error = await importOf({ "x.txt": text }, { choice }).catch((error) => error);
    ok(!(error instanceof Error) || error instanceof Unreadable, String(error));
    ok(performance.now() - start < 10_000);
  });
}

Deno.test("whole numbers with groups, and nothing else", () => {
  const whole = ["1889", "1,889", "1.889", "1 889", "1\u202f889\u202f012", "1’889", " 7 ", "0"];
  deepStrictEqual(whole.map(wholeNumber), [1889, 1889, 1889, 1889, 1889012, 1889, 7, 0]);
  const zeros = ["57.0", "57,00", "1,889.0", "1,889,0"];
  deepStrictEqual(zeros.map(wholeNumber), [57, 57, 1889, undefined]);
  for (const text of ["", "–", "12k", "6.72", "1,88", "1,889.5", "1.889,012", "-3", "1e3", "٣"]) {
    strictEqual(wholeNumber(text), undefined, text);
  }
});

Deno.test("times are UTC and belong to the day of the time zone", () => {
  const dayIn = (text: string, order: DateOrder = ORDERS.ymd) =>
    dayOf(text, order, dayFormat("Asia/Kathmandu"));
  strictEqual(dayIn("2026-03-05 18:14:59"), "2026-03-05");
  strictEqual(dayIn("2026-03-05T18:15:00Z"), "2026-03-06");
  strictEqual(dayIn("2026-03-05 18:14:59.5-0100"), "2026-03-06");
  strictEqual(dayIn("2026-03-05T20:15:00.000+02:00"), "2026-03-06");
  strictEqual(dayIn("20260305"), "2026-03-05");
  strictEqual(dayIn("1.2.2026", ORDERS.dmy), "2026-02-01");
  strictEqual(dayIn("1/2/2026", ORDERS.mdy), "2026-01-02");
  strictEqual(dayIn("1772734500", ORDERS.seconds), "2026-03-06");
  strictEqual(dayIn("1772734499999", ORDERS.milliseconds), "2026-03-05");
  for (const text of ["2026-02-30", "1969-12-31", "2026-13-01 10:00:00", "03/05/2026", "12", ""]) {
    strictEqual(dayIn(text), undefined, text);
  }
});

Deno.test("CSV has a row for each day, and one for what is older", () => {
  const line = { id: 'blog/"a", b', hits: 100, days: { "2026-02-01": 1, "2026-02-03": 7 } };
  strictEqual(
    csvLines(line),
    '"blog/""a"", b",,92\n"blog/""a"", b",2026-02-01,1\n"blog/""a"", b",2026-02-03,7\n',
  );
  strictEqual(csvLines({ id: "=1", hits: 2 }), "'=1,,2\n");
});
