import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { once, visitor } from "../../../src/hits/hit_policy.ts";
import { lastDays, mode } from "../../../src/routes/manage_counters.ts";
import { checkValues, type Parameter, parseQuery, type Query } from "../../../src/http/query.ts";
import { Problem } from "../../../src/problem.ts";
import { times } from "../../support/times.ts";
import { codePoint } from "../../support/code_point.ts";

const documented = new Set(["id", "label", "__proto__"]);

const read: { query: string; values: [string, string][] }[] = [
  { query: "", values: [] },
  { query: "?", values: [] },
  { query: "?&&=&", values: [] },
  { query: "?id", values: [["id", ""]] },
  { query: "?id=", values: [["id", ""]] },
  { query: "?id=a", values: [["id", "a"]] },
  { query: "?id=a=b", values: [["id", "a=b"]] },
  { query: "?id=a?b", values: [["id", "a?b"]] },
  { query: "?id=a;label=b", values: [["id", "a;label=b"]] },
  { query: "?id=a+b%20c%2Bd", values: [["id", "a b c+d"]] },
  { query: "?id=%2525", values: [["id", "%25"]] },
  { query: "?id=%e6%97%A5", values: [["id", "日"]] },
  { query: "?id=%00", values: [["id", "\0"]] },
  { query: "?id=%EF%BB%BFa", values: [["id", "\ufeffa"]] },
  { query: "?id=%EF%BF%BD", values: [["id", "\ufffd"]] },
  { query: "?i%64=a", values: [["id", "a"]] },
  { query: "?label=b&id=a", values: [["label", "b"], ["id", "a"]] },
  { query: "?x=1&id=a&x=2", values: [["id", "a"]] },
  { query: "?ID=a&Id=b", values: [] },
  { query: "?+id=a&id+=b", values: [] },
  { query: "?__proto__=a", values: [["__proto__", "a"]] },
  { query: "?constructor=a&toString=b", values: [] },
  { query: "?id=a#b&label=c", values: [["id", "a"]] },
  // HTML that was escaped twice.
  { query: "?id=a&amp;label=b", values: [["id", "a"], ["label", "b"]] },
  { query: "?amp;id=a&amp%3Bamp%3blabel=b", values: [["id", "a"], ["label", "b"]] },
  { query: "?id=amp;a&amp;=b&amp;amp;&Amp;label=c&xamp;label=d", values: [["id", "amp;a"]] },
];

Deno.test("getAll() returns every value of a repeatable parameter, whatever is in it, and others may not repeat", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (values) => {
    const text = values.map((value) => `id=${encodeURIComponent(value)}`).join("&");
    const { query, error } = parseQuery(`http://localhost/?${text}`, documented, new Set(["id"]));
    strictEqual(error, undefined);
    deepStrictEqual([query.get("id"), query.getAll("id")], [values[0], values]);
    deepStrictEqual(query.getAll("label"), []);
  }));
  const twice = parseQuery("http://localhost/?id=a&label=b&label=c", documented, new Set(["id"]));
  strictEqual(twice.error?.kind, "bad-query");
});

for (const { query, values } of read) {
  Deno.test(`parseQuery() reads ${JSON.stringify(query)} as ${JSON.stringify(values)}`, () => {
    const parsed = parseQuery(`http://localhost/${query}`, documented);
    deepStrictEqual([valuesIn(parsed.query), parsed.error], [values, undefined]);
  });
}

const refused =
  "?id=% ?id=%1 ?id=%g0 ?id=%u0041 ?id=%ff ?id=%C3 ?id=%C3%28 ?id=%C0%AF ?id=%E0%80%80 ?id=%ED%A0%80 ?id=%F4%90%80%80 ?id=%80 ?%ff=a ?x=%ff ?id=a&x=% ?id&id ?id=a&id=a ?id=a&i%64=b ?label=&id=a&label="
    .split(" ");

for (const query of refused) {
  Deno.test(`parseQuery() refuses ${query} as "bad-query"`, () => {
    const { error } = parseQuery(`http://localhost/${query}`, documented);
    deepStrictEqual([error?.kind, error?.status], ["bad-query", 400]);
  });
}

const badValues: [parameter: Parameter, text: string, detail: string][] = [
  [once, "week", "The query has a bad once: it must be day."],
  [mode, "sum", "The query has a bad mode: it must be replace or max or add."],
  ...["-1", "007", "00", "1.5", "1e2", "100000", ""].map((text): [Parameter, string, string] => [
    lastDays,
    text,
    "The query has a bad days: it must be a whole number from 0 to 99999.",
  ]),
  [visitor, "", "The query has a bad visitor: it must be 1 to 1000 characters."],
];

for (const [parameter, text, detail] of badValues) {
  Deno.test(`checkValues() says what ${parameter.name} must be, which is not ${JSON.stringify(text)}`, () => {
    const { query } = parseQuery(`/?${parameter.name}=${text}`, new Set([parameter.name]));
    throws(
      () => checkValues(query, [parameter]),
      (error) => error instanceof Problem && error.detail === detail,
    );
  });
}

Deno.test("parseQuery() names the parameter that is given twice", () => {
  const { error } = parseQuery("http://localhost/?label=secret&label=secret", documented);
  strictEqual(error?.detail, "The query has label more than once.");
});

const wellFormed = fc.string({ unit: codePoint, maxLength: 20 }).filter((text) =>
  text.isWellFormed()
);

Deno.test("parseQuery() gives back every text that a form has encoded", () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, (id, other) => {
      const query = new URLSearchParams({ id, "x y": other, label: other });
      const parsed = parseQuery(`http://localhost/?${query}`, documented);
      deepStrictEqual(valuesIn(parsed.query), [["id", id], ["label", other]]);
    }),
    { numRuns: times(1500, 3000) },
  );
});

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.string({ unit: codePoint, maxLength: 6 }).map((text) => new TextEncoder().encode(text)),
);

Deno.test("parseQuery() takes bytes where they are UTF-8 and for nothing else than they are", () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const url = `http://localhost/?id=${percentEncoded(value)}`;
      const text = strictText(value);
      const { query, error } = parseQuery(url, documented);
      if (text === undefined) strictEqual(error?.kind, "bad-query");
      else deepStrictEqual([query.get("id"), error], [text, undefined]);
    }),
    { numRuns: times(2000, 5000) },
  );
});

const rawQuery = fc.string({
  unit: fc.constantFrom(..."idlabel=&+%#?;0123456789abcdefABCDEF \0é\u202e"),
  maxLength: 40,
});

Deno.test("parseQuery() reads what it does not refuse as URLSearchParams does", () => {
  fc.assert(
    fc.property(rawQuery, (query) => {
      const { href, searchParams } = new URL(`http://localhost/?${query}`);
      const values = valuesOf(href);
      if (values === undefined) return;
      for (const name of documented) {
        deepStrictEqual(searchParams.getAll(name), values.has(name) ? [values.get(name)] : []);
      }
    }),
    { numRuns: times(2000, 5000) },
  );
});

/** All that a query holds, in its order. */
function valuesIn(query: Query<string>): [string, string][] {
  const values: [string, string][] = [];
  query.forEach((value, name) => values.push([name, value]));
  return values;
}

function valuesOf(url: string): ReadonlyMap<string, string> | undefined {
  const { query, error } = parseQuery(url, documented);
  if (error === undefined) return new Map(valuesIn(query));
  strictEqual(error.kind, "bad-query");
  return undefined;
}

function percentEncoded(value: Uint8Array): string {
  return Array.from(value, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function strictText(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return undefined;
  }
}
