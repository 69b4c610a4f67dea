import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { assert, nat, property, string, uniqueArray } from "fast-check";
import { createLog } from "../../src/log.ts";
import { codePoint } from "../support/code_point.ts";

Deno.test("an event is one JSON line with time, level, event and fields", () => {
  const { log, lines } = collect([]);
  log.info("start", { source: "redis", port: 8000, open: true, ids: ["a", "b"], none: undefined });
  log.warn("a\nb");
  log.error("store unavailable");
  deepStrictEqual(lines.map((line) => ({ ...JSON.parse(line), time: 0 })), [
    {
      time: 0,
      level: "info",
      event: "start",
      source: "redis",
      port: 8000,
      open: true,
      ids: ["a", "b"],
    },
    { time: 0, level: "warn", event: "a\nb" },
    { time: 0, level: "error", event: "store unavailable" },
  ]);
  for (const line of lines) {
    ok(!line.includes("\n"));
    strictEqual(new Date(JSON.parse(line).time).toISOString(), JSON.parse(line).time);
  }
});

Deno.test("an error is told with its causes, outermost first", () => {
  const { log, lines } = collect([]);
  const cause = new TypeError("inner", { cause: new RangeError("innermost") });
  log.error("unexpected error", { cause: new Error("outer", { cause }) });
  strictEqual(
    JSON.parse(lines[0] ?? "").cause,
    "Error: outer <- TypeError: inner <- RangeError: innermost",
  );
});

const thrown: [cause: unknown, told: string][] = [
  ["words", "words"],
  [new RangeError("words"), "RangeError: words"],
  [null, "null"],
  [{ token: "s3cret" }, "[object Object]"],
  [Symbol("s3cret"), "Symbol([redacted])"],
];

for (const [cause, told] of thrown) {
  Deno.test(`the log takes ${String(cause)} as a cause, whatever it is`, () => {
    const { log, lines } = collect(["s3cret"]);
    log.error("x", { cause });
    strictEqual(JSON.parse(lines[0] ?? "").cause, told);
  });
}

Deno.test("createLog: errors that cause each other end", () => {
  const { log, lines } = collect([]);
  const error = new Error("round");
  error.cause = error;
  log.error("x", { cause: error });
  ok((lines[0] ?? "").length < 300);
});

const redacted: [secret: string, field: unknown, expected: string | string[]][] = [
  ["s3cret", "before s3cret, s3cret after", "before [redacted], [redacted] after"],
  [
    "s3cret",
    new Error("no", { cause: new Error("at s3cret") }),
    "Error: no <- Error: at [redacted]",
  ],
  ["p@ss/wörd", "redis://:p%40ss%2Fw%C3%B6rd@h", "redis://:[redacted]@h"],
  ["$&", "a $& b", "a [redacted] b"],
  ["", "a b", "a b"],
  ["a.c", "abc a.c", "abc [redacted]"],
  ["s3cret", ["x", "s3cret"], ["x", "[redacted]"]],
];

for (const [secret, field, expected] of redacted) {
  Deno.test(`the log hides ${secret || "no empty secret"} in ${field}`, () => {
    const { log, lines } = collect([secret]);
    log.info("x", { field });
    deepStrictEqual(JSON.parse(lines[0] ?? "").field, expected);
  });
}

Deno.test("the log hides the whole of a secret that begins with another", () => {
  const { log, lines } = collect(["abc", "abcdef"]);
  log.info("x", { text: "abcdef, abc" });
  strictEqual(JSON.parse(lines[0] ?? "").text, "[redacted], [redacted]");
});

Deno.test("the log hides a secret that is too long for a pattern", () => {
  const long = "s".repeat(100_000);
  const { log, lines } = collect([long]);
  log.info("x", { text: `a ${long} b` });
  strictEqual(JSON.parse(lines[0] ?? "").text, "a [redacted] b");
});

Deno.test("no secret leaves in a field, whatever it is and wherever it stands", () => {
  const secret = string({ unit: codePoint, minLength: 4 }).filter((text) => !frame.includes(text));
  assert(property(uniqueArray(secret, { minLength: 1, maxLength: 3 }), nat(9), (secrets, gap) => {
    const { log, lines } = collect(secrets);
    const text = secrets.join("-".repeat(gap));
    log.info("x", { text, list: secrets, cause: new Error(text) });
    const { text: told, list, cause } = JSON.parse(lines[0] ?? "");
    for (const value of [told, ...list, cause]) {
      for (const one of secrets) ok(!value.includes(one), `${JSON.stringify(one)} in ${value}`);
    }
  }));
});

/** The text around the secrets in a line. */
const frame = `Error: [redacted]${"-".repeat(9)}[redacted]`;

function collect(secrets: string[]) {
  const lines: string[] = [];
  return { log: createLog({ secrets, write: (line) => lines.push(line) }), lines };
}
