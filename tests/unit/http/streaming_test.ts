import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { NumberedLine } from "../../../src/domain/line.ts";
import { bodyLines, linesResponse } from "../../../src/http/streaming.ts";
import { createBodyReader } from "../../../src/http/reading.ts";
import { memoryApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

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

Deno.test("the bodies of a network and of all are limited, and more are refused at once", async () => {
  const read = createBodyReader({ hasBegun: false });
  const end = Promise.withResolvers<Uint8Array>();
  /** Begins a request whose body ends with the promise. */
  function begin(network: string): Promise<string> {
    const stream = ReadableStream.from((async function* () {
      yield await end.promise;
    })());
    const request = new Request("http://localhost/", {
      ...{ method: "POST", body: stream, headers: { "content-length": "1" } },
    });
    return read(request, 10, network);
  }
  const overloaded = { kind: "overloaded", status: 503 };
  const ofOne = Array.from({ length: 1000 }, () => begin("one"));
  await rejects(begin("one"), overloaded);
  const others = Array.from({ length: 3000 }, (_, index) => begin(`other ${index % 25}`));
  await rejects(begin("another"), overloaded);
  end.resolve(new TextEncoder().encode("!"));
  const all = await Promise.all([...ofOne, ...others]);
  deepStrictEqual(new Set(all), new Set(["!"]));
  strictEqual(await begin("one"), "!");
});

/** Values that fail where they are used as a text or as a number. Each is 18 kB at most. */
const HOSTILE = [
  '{"toString":1}',
  '{"toString":1,"valueOf":2}',
  '{"toJSON":1}',
  '{"length":1e99}',
  `${"[".repeat(9000)}${"]".repeat(9000)}`,
  `${'{"a":'.repeat(2500)}1${"}".repeat(2500)}`,
  "[[null]]",
  '"\\ud800"',
  "1e999",
];

const APPLAUSE = "POST /as/applause/get-multiple";
const COUNTER = "/as/leancloud/1.1/classes/Counter";

/** Requests whose body is JSON. Each value in it is replaced in turn. */
const REQUESTS: readonly (readonly [line: string, body: unknown])[] = [
  [`POST ${COUNTER}`, { url: "/a/", time: 1 }],
  [`POST ${COUNTER}`, { target: "/a/", time: 1 }],
  [`PUT ${COUNTER}/bGVhbmNsb3VkL2Jsb2cvYQ`, { time: { __op: "Increment", amount: 1 } }],
  [`POST /as/leancloud/1.1/batch`, {
    requests: [{ method: "POST", path: "/1.1/classes/Counter", body: { url: "/a/", time: 1 } }],
  }],
  [APPLAUSE, ["https://blog.example/a/"]],
  ["PUT /counters?id=a", { id: "a", hits: 1, days: { "2026-11-20": 1 } }],
  ["POST /counters", { id: "a", hits: 1, seen: 1, at: "2026-11-20T00:00:00Z" }],
];

Deno.test("a JSON body with a hostile value in any place is 400 and logs nothing", async () => {
  await using app = await memoryApp({ serveAs: "applause/blog.example/" });
  const { json } = await app.send("GET /key?prefix=leancloud/blog/", authorized);
  const theme = { "x-lc-id": "blog", "x-lc-key": String(Object(json).key) };
  for (const [line, body] of REQUESTS) {
    const headers = line.includes("/as/") ? theme : authorized;
    for (const value of HOSTILE) {
      for (const hostile of replaced(body, value)) {
        const { status } = await app.sendBody(line, hostile, headers);
        strictEqual(status, 400, `${line} ${hostile.slice(0, 200)}`);
      }
    }
  }
  deepStrictEqual(app.log, []);
});

/** Returns the JSON of a value once for each value in it, with that one replaced by a text. */
function replaced(value: unknown, text: string): string[] {
  if (typeof value !== "object" || value === null) return [text];
  return [
    text,
    ...Object.entries(value).flatMap(([name, member]) =>
      replaced(member, text).map((inner) => {
        const copy = Object.assign(structuredClone(value), { [name]: PLACE });
        return JSON.stringify(copy).replace(`"${PLACE}"`, () => inner);
      })
    ),
  ];
}

/** The text that is replaced by the hostile value. */
const PLACE = "place";
