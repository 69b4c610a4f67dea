import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { parseDay } from "../../src/counter/days.ts";
import { ImportError, importLines, type NumberedLine } from "../../src/counter/import_lines.ts";
import type { Line } from "../../src/counter/line.ts";
import { Problem } from "../../src/problem.ts";

const today = parseDay("2026-11-20") ?? NaN;

/** Takes what it is given, but for the counters named. */
function taker(...refused: string[]) {
  const portions: Line[][] = [];
  return {
    portions,
    today,
    portion: 60_000,
    othersWait: () => false,
    take(lines: readonly Line[]) {
      portions.push([...lines]);
      const problems = lines.flatMap(({ id }, place): [number, Problem][] =>
        refused.includes(id) ? [[place, new Problem("not-a-counter")]] : []
      );
      return Promise.resolve(new Map(problems));
    },
  };
}

async function* source(...texts: string[]): AsyncGenerator<NumberedLine[]> {
  for (const [index, text] of texts.entries()) yield [{ number: index + 1, text }];
}

function line(id: string): string {
  return JSON.stringify({ id, hits: 1 });
}

Deno.test("importLines: takes all lines and tells how many there were", async () => {
  const options = taker();
  strictEqual(await importLines(source(line("a"), line("b")), options), 2);
  deepStrictEqual(options.portions.flat().map(({ id }) => id), ["a", "b"]);
});

Deno.test("importLines: an export's last line is right where it tells how many came before it", async () => {
  strictEqual(await importLines(source(line("a"), '{"counters":1,"foreign":3}'), taker()), 1);
  strictEqual(await importLines(source('{"counters":0}'), taker()), 0);
});

for (
  const [what, texts, at, taken] of [
    ["a bad line", [line("a"), "{", line("b")], 2, 1],
    ["an export that lacks a line", [line("a"), '{"counters":2}'], 2, 1],
    ["a line after an export's last", [line("a"), '{"counters":1}', line("b")], 3, 1],
    ["a counter that cannot be set", [line("a"), line("list"), line("b")], 2, 2],
  ] as const
) {
  Deno.test(`importLines: ${what} ends it, and is told with its number and what was taken`, async () => {
    const options = taker("list");
    await rejects(importLines(source(...texts), options), (error: Error) => {
      return error instanceof ImportError && error.line === at && error.taken === taken;
    });
    strictEqual(options.portions.flat()[0]?.id, "a");
  });
}

Deno.test("importLines: what came before a broken connection is taken", async () => {
  const options = taker();
  const broken = async function* () {
    yield* source(line("a"));
    throw new TypeError("broken");
  };
  await rejects(importLines(broken(), options), TypeError);
  deepStrictEqual(options.portions.flat().map(({ id }) => id), ["a"]);
});

Deno.test("importLines: takes lines together, but never so many that memory would not hold", async () => {
  const options = taker();
  strictEqual(await importLines(thousands(100), options), 100_000);
  deepStrictEqual(options.portions.map(({ length }) => length), [20_000, 60_000, 20_000]);
  const wide = taker();
  const text = '{"id":"a","hits":1,"days":{"1970-01-01":1,"2026-11-20":1}}';
  await importLines(source(...new Array<string>(60).fill(text)), wide);
  deepStrictEqual(wide.portions.map(({ length }) => length), [10, 29, 21]);
});

Deno.test("importLines: where 20,000 lines take 40 s, no more than 5,000 come next: who sends them waits no longer than 10 s", async () => {
  const options = taker();
  const clock = performance.now;
  let elapsedMs = 0;
  const take = (lines: readonly Line[]) => {
    elapsedMs += lines.length * 2;
    return options.take(lines);
  };
  performance.now = () => elapsedMs;
  try {
    await importLines(thousands(30), { ...options, take });
  } finally {
    performance.now = clock;
  }
  deepStrictEqual(options.portions.map(({ length }) => length), [20_000, 5000, 5000]);
});

async function* thousands(count: number): AsyncGenerator<NumberedLine[]> {
  for (let part = 0; part < count; part++) {
    yield Array.from({ length: 1000 }, (_, index) => ({ number: index, text: line("a") }));
  }
}
