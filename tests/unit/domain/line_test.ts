import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { type Calendar, createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import { parseDay } from "../../../src/domain/history.ts";
import { formatLine, formatState, LineError, parseLine } from "../../../src/domain/line.ts";

const today = parseDay("2026-11-20") ?? NaN;
const calendar = createCalendar("UTC", () => Date.parse("2026-11-20T12:00:00Z"));
const late = createCalendar("UTC", () => Date.parse("2026-11-20T23:50:00Z"));
const home = counterId("home");

Deno.test("days in their order, those without hits left out", () => {
  strictEqual(
    formatLine({ id: home, hits: 41, days: { newest: today, hits: [7, 12, 0, 1] } }),
    '{"id":"home","hits":41,"days":{"2026-11-17":1,"2026-11-19":12,"2026-11-20":7}}',
  );
});

Deno.test("no days where none are known; formatState says so", () => {
  for (const days of [undefined, { newest: today, hits: [0, 0] }]) {
    strictEqual(formatLine({ id: home, hits: 41, days }), '{"id":"home","hits":41}');
    strictEqual(formatState({ id: home, hits: 41, days }), '{"id":"home","hits":41,"days":{}}');
  }
});

Deno.test("parseLine reads what formatLine writes, whatever the id", () => {
  for (
    const id of ["home", "__proto__", 'a"b\\c', "日本", "user/repo", "</script>"].map(counterId)
  ) {
    const line = { id, hits: 41, days: { newest: today, hits: [7, 0, 12] } };
    deepStrictEqual(parseLine(formatLine(line), { calendar }), line);
  }
});

Deno.test("a zero has no sign, as numbers are written for people with it", () => {
  const text = '{"id":"a","hits":-0,"days":{"2026-11-20":1,"2026-11-19":-0.0,"2026-11-18":1}}';
  const line = parseLine(text, { calendar });
  deepStrictEqual(line, { id: counterId("a"), hits: 0, days: { newest: today, hits: [1, 0, 1] } });
});

Deno.test("parseLine: an id is normalized as everywhere", () => {
  strictEqual(parseLine('{"id":" e\\u0301 ","hits":1}', { calendar }).id, counterId("é"));
});

Deno.test("the line may leave out the id that the query gives, and give the same", () => {
  for (const text of ['{"hits":1}', '{"id":"home","hits":1}']) {
    deepStrictEqual(parseLine(text, { id: home, calendar }), {
      id: home,
      hits: 1,
      days: undefined,
    });
  }
  throws(() => parseLine('{"id":"away","hits":1}', { id: home, calendar }), LineError);
});

Deno.test("days alone are a line where the larger number counts, and nowhere else", () => {
  const text = '{"id":"a","days":{"2026-11-20":3}}';
  deepStrictEqual(parseLine(text, { calendar, mode: "max" }), {
    id: counterId("a"),
    hits: undefined,
    days: { newest: today, hits: [3] },
  });
  for (const mode of ["replace", undefined] as const) {
    throws(() => parseLine(text, { calendar, ...mode && { mode } }), /only with mode=max/);
  }
  throws(() => parseLine('{"id":"a"}', { calendar, mode: "max" }), /"hits" must be a whole number/);
  const tooMuch = `{"id":"a","days":{"2026-11-20":${2 ** 52},"2026-11-19":1}}`;
  throws(() => parseLine(tooMuch, { calendar, mode: "max" }), /"days" must add up to at most/);
});

Deno.test("no days, unlike none given, are days without any", () => {
  deepStrictEqual(parseLine('{"id":"a","hits":1,"days":{}}', { calendar }).days, {
    newest: today,
    hits: [],
  });
});

Deno.test("tomorrow is a day 15 minutes before it begins, and left out before that", () => {
  for (const text of ['"hits":1,"days":{"2026-11-21":3}', '"days":{"2026-11-21":3}']) {
    const parse = (calendar: Calendar) =>
      parseLine(`{"id":"a",${text}}`, { calendar, mode: "max" });
    deepStrictEqual(parse(late).days, { newest: today + 1, hits: [3] });
    deepStrictEqual(parse(calendar).days, { newest: today, hits: [] });
    strictEqual(parse(calendar).leftOut, 1);
  }
});

Deno.test("days after tomorrow are left out of a line with hits, and refused where they would raise the total", () => {
  const days = '"days":{"2026-11-22":3,"2027-11-27":1,"2026-11-19":5}';
  const line = parseLine(`{"id":"a","hits":9,${days}}`, { calendar });
  deepStrictEqual(line, {
    id: "a",
    hits: 9,
    days: { newest: today - 1, hits: [5] },
    leftOut: 2,
  });
  const none = parseLine('{"id":"a","hits":9,"days":{"2027-11-27":1}}', { calendar });
  deepStrictEqual([none.days, none.leftOut], [{ newest: today, hits: [] }, 1]);
  throws(() => parseLine(`{"id":"a",${days}}`, { calendar, mode: "max" }), /is in the future/);
});

Deno.test("a report whose clock is past midnight belongs to today", () => {
  const now = () => Date.parse("2026-11-20T23:57:00Z");
  const late = { ...calendar, now };
  const line = parseLine('{"id":"a","seen":7,"at":"2026-11-21T00:01:00Z"}', {
    calendar: late,
    mode: "max",
  });
  strictEqual(line.report?.day, today);
});

Deno.test("a future day without hits is no day, or the next hits would belong to it", () => {
  const line = '{"id":"a","hits":1,"days":{"2026-11-21":0,"2026-11-19":3}}';
  deepStrictEqual(parseLine(line, { calendar }).days, { newest: today - 1, hits: [3] });
  const none = '{"id":"a","hits":1,"days":{"2026-11-21":0}}';
  deepStrictEqual(parseLine(none, { calendar }).days, { newest: today, hits: [] });
});

for (
  const [text, reason] of [
    [
      `{"id":"a","hits":1,"days":{"2026-11-20":${2 ** 52},"2026-11-19":1}}`,
      /"days" must add up to at most 2\^52/,
    ],
    ...["0070-01-01", "0099-12-31", "1969-12-31", "0000-01-01"].map((day) =>
      [
        `{"id":"a","hits":3,"days":{"${day}":3}}`,
        /is not a day such as "2026-11-20", in 1970 or later/,
      ] as const
    ),
    ["{", /not JSON/],
    ["", /not JSON/],
    ["[]", /must be an object/],
    ["null", /must be an object/],
    ["41", /must be an object/],
    ['{"hits":1}', /"id" must be a string/],
    ['{"id":"","hits":1}', /"id" must be a string/],
    ['{"id":"  ","hits":1}', /"id" must be a string/],
    ['{"id":7,"hits":1}', /"id" must be a string/],
    ['{"id":"a\\u0007","hits":1}', /"id" must be 1 to 200 bytes/],
    [`{"id":"${"a".repeat(201)}","hits":1}`, /"id" must be 1 to 200 bytes/],
    ['{"id":"a"}', /"hits" must be a whole number/],
    ['{"id":"a","hits":"1"}', /"hits" must be a whole number/],
    ['{"id":"a","hits":-1}', /"hits" must be a whole number/],
    ['{"id":"a","hits":1.5}', /"hits" must be a whole number/],
    ['{"id":"a","hits":9007199254740992}', /"hits" must be a whole number/],
    ['{"id":"a","hits":1,"days":[]}', /"days" must be an object/],
    ['{"id":"a","hits":1,"days":null}', /"days" must be an object/],
    ['{"id":"a","hits":1,"days":{"2026-02-30":1}}', /"2026-02-30" is not a day/],
    ['{"id":"a","hits":1,"days":{"1969-12-31":1}}', /is not a day/],
    ['{"id":"a","hits":1,"days":{"2026-13-22":1}}', /is not a day/],
    ['{"id":"a","hits":1,"days":{"2026-11-20":-1}}', /"2026-11-20" must be a whole number/],
    [
      '{"id":"a","hits":1,"days":{"2026-11-19":9007199254740991,"2026-11-20":1}}',
      /must be a whole number from 0 to 2\^52/,
    ],
    ['{"id":"a","hits":1,"day":{}}', /not "day"/],
    [`{"id":"a","hits":1,"${"x".repeat(100)}":1}`, /not "x{40}…"/],
  ] as const
) {
  Deno.test(`parseLine: ${text.slice(0, 50)} is told as ${reason.source}`, () => {
    throws(() => parseLine(text, { calendar }), (error: Error) => {
      return error instanceof LineError && reason.test(error.message);
    });
  });
}

const reports: { text: string; seen?: number; at?: string; error?: RegExp }[] = [
  { text: '"seen":7', seen: 7, at: "2026-11-20T12:00:00.000Z" },
  { text: '"seen":0,"at":"2026-11-20T02:00:00Z"', seen: 0, at: "2026-11-20T02:00:00.000Z" },
  { text: '"seen":7,"at":"2026-11-20t02:00:00.25+01:30"', seen: 7, at: "2026-11-20T00:30:00.250Z" },
  { text: '"seen":7,"at":"2026-11-20T12:05:00Z"', seen: 7, at: "2026-11-20T12:05:00.000Z" },
  { text: '"seen":7,"at":"2026-11-20T12:05:01Z"', error: /"at" is in the future/ },
  { text: '"seen":7,"at":"1970-01-01T00:00:00+01:00"', error: /1970 or later/ },
  { text: '"seen":7,"at":"2026-02-30T00:00:00Z"', error: /"at" must be a time/ },
  { text: '"seen":7,"at":"2026-11-20"', error: /"at" must be a time/ },
  { text: '"seen":7,"at":"2026-11-20T02:00:00"', error: /"at" must be a time/ },
  { text: '"seen":7,"at":1795132800000', error: /"at" must be a time/ },
  { text: '"seen":7,"at":null', error: /"at" must be a time/ },
  { text: '"seen":-1', error: /"seen" must be a whole number/ },
  { text: '"seen":9007199254740992', error: /"seen" must be a whole number/ },
  { text: '"seen":"7"', error: /"hits" must be a whole number|"seen" must be a whole number/ },
  { text: '"seen":null', error: /"hits" must be a whole number/ },
  { text: '"at":"2026-11-20T02:00:00Z"', error: /"at" is the time of "seen"/ },
  { text: '"seen":7,"days":{}', error: /need "hits"/ },
];

for (const { text, seen, at, error } of reports) {
  Deno.test(`parseLine: ${text} ${error ? "is no report" : "is a report"}`, () => {
    const parse = () => parseLine(`{"id":"a",${text}}`, { calendar, mode: "max" });
    if (error) return throws(parse, error);
    const { hits, days, report } = parse();
    strictEqual(hits, undefined);
    strictEqual(days, undefined);
    strictEqual(report?.seen, seen);
    strictEqual(report && new Date(report.at).toISOString(), at);
  });
}

Deno.test("the day of a report is that of the time zone", () => {
  const tokyo = createCalendar("Asia/Tokyo", () => Date.parse("2026-11-20T12:00:00Z"));
  const text = '{"id":"a","seen":7,"at":"2026-11-19T16:00:00Z"}';
  const { report } = parseLine(text, { calendar: tokyo, mode: "max" });
  strictEqual(report?.day, parseDay("2026-11-20"));
});

Deno.test("a report is allowed in the mode max only, and a state with one in both", () => {
  throws(() => parseLine('{"id":"a","seen":7}', { calendar }), /only with mode=max/);
  for (const mode of ["replace", "max"] as const) {
    const { hits, report } = parseLine('{"id":"a","hits":1,"seen":7}', { calendar, mode });
    deepStrictEqual([hits, report?.seen], [1, 7]);
    strictEqual(parseLine('{"id":"a","hits":1,"seen":null}', { calendar, mode }).report, null);
  }
});
