import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { counterId } from "../../src/counter/counter_id.ts";
import { parseDay } from "../../src/counter/days.ts";
import { formatHeld, formatLine, LineError, parseLine } from "../../src/counter/line.ts";

const today = parseDay("2026-11-20") ?? NaN;
const home = counterId("home");
const MOST = Number.MAX_SAFE_INTEGER;

Deno.test("formatLine: days in their order, those without hits left out", () => {
  strictEqual(
    formatLine({ id: home, hits: 41, days: { newest: today, hits: [7, 12, 0, 1] } }),
    '{"id":"home","hits":41,"days":{"2026-11-17":1,"2026-11-19":12,"2026-11-20":7}}',
  );
});

Deno.test("formatLine: no days where none are known; formatHeld says so", () => {
  for (const days of [undefined, { newest: today, hits: [0, 0] }]) {
    strictEqual(formatLine({ id: home, hits: 41, days }), '{"id":"home","hits":41}');
    strictEqual(formatHeld({ id: home, hits: 41, days }), '{"id":"home","hits":41,"days":{}}');
  }
});

Deno.test("parseLine: reads what formatLine writes, whatever the id", () => {
  for (
    const id of ["home", "__proto__", 'a"b\\c', "日本", "user/repo", "</script>"].map(counterId)
  ) {
    const line = { id, hits: 41, days: { newest: today, hits: [7, 0, 12] } };
    deepStrictEqual(parseLine(formatLine(line), { today }), line);
  }
});

Deno.test("parseLine: a zero has no sign, as numbers are written for people with it", () => {
  const line = parseLine('{"id":"a","hits":-0,"days":{"2026-11-20":-0.0}}', { today });
  deepStrictEqual(line, { id: counterId("a"), hits: 0, days: { newest: today, hits: [0] } });
});

Deno.test("parseLine: an id is normalized as everywhere", () => {
  strictEqual(parseLine('{"id":" e\\u0301 ","hits":1}', { today }).id, counterId("é"));
});

Deno.test("parseLine: the line may leave out the id that the query gives, and give the same", () => {
  for (const text of ['{"hits":1}', '{"id":"home","hits":1}']) {
    deepStrictEqual(parseLine(text, { id: home, today }), { id: home, hits: 1, days: undefined });
  }
  throws(() => parseLine('{"id":"away","hits":1}', { id: home, today }), LineError);
});

Deno.test("parseLine: days alone are a line where the larger number counts, and nowhere else", () => {
  const text = '{"id":"a","days":{"2026-11-20":3}}';
  deepStrictEqual(parseLine(text, { today, mode: "max" }), {
    id: counterId("a"),
    hits: undefined,
    days: { newest: today, hits: [3] },
  });
  for (const mode of ["replace", undefined] as const) {
    throws(() => parseLine(text, { today, ...mode && { mode } }), /only with mode=max/);
  }
  throws(() => parseLine('{"id":"a"}', { today, mode: "max" }), /"hits" must be a whole number/);
  const tooMuch = `{"id":"a","days":{"2026-11-20":${2 ** 52},"2026-11-19":1}}`;
  throws(() => parseLine(tooMuch, { today, mode: "max" }), /"days" must add up to at most/);
});

Deno.test("parseLine: no days, unlike none given, are days without any", () => {
  deepStrictEqual(parseLine('{"id":"a","hits":1,"days":{}}', { today }).days, {
    newest: today,
    hits: [],
  });
});

Deno.test("parseLine: days may be as many as the total, however large that is", () => {
  const hits = [1, MOST - 1];
  const line = formatLine({ id: home, hits: MOST, days: { newest: today, hits } });
  deepStrictEqual(parseLine(line, { today }).days?.hits, hits);
});

Deno.test("parseLine: a day may be tomorrow, where it is that already", () => {
  deepStrictEqual(parseLine('{"id":"a","hits":1,"days":{"2026-11-21":3}}', { today }).days, {
    newest: today + 1,
    hits: [3],
  });
});

for (
  const [text, reason] of [
    [
      `{"id":"a","hits":1,"days":{"2026-11-20":${2 ** 52},"2026-11-19":1}}`,
      /at most 2\^52 where that is more than "hits"/,
    ],
    [
      `{"id":"a","hits":${MOST},"days":{"2026-11-20":${MOST},"2026-11-19":1}}`,
      /"days" must add up to at most 2\^53-1/,
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
    ['{"id":"a","hits":1,"days":{"2026-11-22":1}}', /is in the future/],
    ['{"id":"a","hits":1,"days":{"2026-11-20":-1}}', /"2026-11-20" must be a whole number/],
    [
      '{"id":"a","hits":1,"days":{"2026-11-19":9007199254740991,"2026-11-20":1}}',
      /"days" must add up to at most 2\^53-1/,
    ],
    ['{"id":"a","hits":1,"day":{}}', /not "day"/],
    [`{"id":"a","hits":1,"${"x".repeat(100)}":1}`, /not "x{40}…"/],
  ] as const
) {
  Deno.test(`parseLine: ${text.slice(0, 50)} is told as ${reason.source}`, () => {
    throws(() => parseLine(text, { today }), (error: Error) => {
      return error instanceof LineError && reason.test(error.message);
    });
  });
}
