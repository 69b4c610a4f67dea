import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { textStream } from "../../src/http/text_stream.ts";

Deno.test("textStream: makes no more than is taken, and ends its source when the reader goes away", async () => {
  const made: number[] = [];
  let ended = false;
  const reader = textStream((async function* () {
    try {
      for (let number = 1;; number++) {
        made.push(number);
        yield String(number);
      }
    } finally {
      ended = true;
    }
  })()).getReader();
  await reader.read();
  await reader.read();
  deepStrictEqual(made.slice(3), []);
  await reader.cancel();
  strictEqual(ended, true);
});

Deno.test("textStream: fails where its source fails, after what came before", async () => {
  const reader = textStream((async function* () {
    yield "first";
    throw new Error("away");
  })()).getReader();
  strictEqual(new TextDecoder().decode((await reader.read()).value), "first");
  await rejects(reader.read(), /away/);
});
