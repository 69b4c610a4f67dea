import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

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
