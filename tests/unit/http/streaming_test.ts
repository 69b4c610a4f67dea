import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { NumberedLine } from "../../../src/domain/line.ts";
import { bodyLines, linesResponse } from "../../../src/http/streaming.ts";

const encoder = new TextEncoder();

async function read(chunks: Uint8Array[], limit = 100): Promise<NumberedLine[]> {
  const lines: NumberedLine[] = [];
  for await (const some of bodyLines(ReadableStream.from(chunks), limit)) lines.push(...some);
  return lines;
}

Deno.test("bodyLines gives the same lines however the body is cut into chunks", async () => {
  const text = "a\nüöä\r\n\n  \n日本\nlast";
  const bytes = encoder.encode(text);
  const expected = [
    { number: 1, text: "a" },
    { number: 2, text: "üöä" },
    { number: 5, text: "日本" },
    { number: 6, text: "last" },
  ];
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
    const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    const chunks = edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
    deepStrictEqual(await read(chunks), expected);
  }));
});

Deno.test("a line that is too long ends it, before it was read whole", async () => {
  let chunks = 0;
  const endless = ReadableStream.from((function* () {
    yield encoder.encode("a\n");
    while (true) {
      chunks++;
      yield encoder.encode("x".repeat(60));
    }
  })());
  const lines: NumberedLine[] = [];
  for await (const some of bodyLines(endless, 100)) lines.push(...some);
  deepStrictEqual(lines, [
    { number: 1, text: "a" },
    { number: 2, text: "", error: "it is longer than 100 bytes" },
  ]);
  ok(chunks < 10);
});

Deno.test("a line that is not UTF-8 ends it, with those before it", async () => {
  const lines = await read([
    encoder.encode("a\n"),
    new Uint8Array([0xff, 10]),
    encoder.encode("b"),
  ]);
  deepStrictEqual(lines.map(({ number, error }) => [number, error]), [
    [1, undefined],
    [2, "it is not UTF-8"],
  ]);
});

Deno.test("blank lines are counted and left out", async () => {
  const lines = await read([encoder.encode("\n".repeat(100_000)), encoder.encode("a")]);
  deepStrictEqual(lines, [{ number: 100_001, text: "a" }]);
});

Deno.test("bodyLines: an empty body has no lines", async () => {
  strictEqual((await read([])).length, 0);
});

Deno.test("linesResponse makes no more than is taken, and ends its source when the reader goes away", async () => {
  const made: number[] = [];
  let ended = false;
  const { body } = await linesResponse((async function* () {
    try {
      for (let number = 1;; number++) {
        made.push(number);
        yield String(number);
      }
    } finally {
      ended = true;
    }
  })());
  ok(body !== null);
  const reader = body.getReader();
  await reader.read();
  await reader.read();
  deepStrictEqual(made.slice(3), []);
  await reader.cancel();
  strictEqual(ended, true);
});

Deno.test("linesResponse fails where its source fails, after what came before", async () => {
  const { body } = await linesResponse((async function* () {
    yield "first";
    throw new Error("away");
  })());
  ok(body !== null);
  const reader = body.getReader();
  strictEqual(new TextDecoder().decode((await reader.read()).value), "first");
  await rejects(reader.read(), /away/);
});
