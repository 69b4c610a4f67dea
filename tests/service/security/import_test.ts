import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { checkGrowth, residentMemory } from "../../faults/recovery.ts";
import { memoryApp } from "../../support/app.ts";
import { countOf, importLines } from "../../support/import_lines.ts";
import { connectTo } from "../../support/raw_http.ts";
import { authorized, SECRET_LINE } from "../../support/secret.ts";
import type { Service } from "../../support/service.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { waitFor } from "../../support/wait_for.ts";
import { startTarget, STORES } from "./target.ts";

/** Invalid lines and the response to each. */
const BAD_LINES: [line: string | Uint8Array<ArrayBuffer>, told: RegExp][] = [
  ["{", /not JSON/],
  ["null", /object/],
  ["[]", /object/],
  ['"a"', /object/],
  ['{"id":"a"}', /"hits"/],
  ['{"id":"a","hits":"1"}', /"hits"/],
  ['{"id":"a","hits":1.5}', /"hits"/],
  ['{"id":"a","hits":-1}', /"hits"/],
  ['{"id":"a","hits":1e400}', /"hits"/],
  ['{"id":"a","hits":9007199254740992}', /"hits"/],
  ['{"id":"a","hits":null}', /"hits"/],
  ['{"hits":1}', /"id"/],
  ['{"id":7,"hits":1}', /"id"/],
  ['{"id":"","hits":1}', /"id"/],
  ['{"id":"a\\u0000b","hits":1}', /"id"/],
  ['{"id":"\\ud800","hits":1}', /"id"/],
  [`{"id":"${"x".repeat(201)}","hits":1}`, /"id"/],
  ['{"id":"a","hits":1,"day":{}}', /"day"/],
  ['{"id":"a","hits":1,"__proto__":{}}', /__proto__/],
  ['{"id":"a","hits":1,"days":[]}', /"days"/],
  ['{"id":"a","hits":1,"days":{"2026-02-30":1}}', /2026-02-30/],
  ['{"id":"a","hits":1,"days":{"1969-12-31":1}}', /1969-12-31/],
  ['{"id":"a","hits":1,"days":{"__proto__":1}}', /__proto__/],
  ['{"id":"a","hits":1,"days":{"2026-11-20":-1}}', /2026-11-20/],
  ['{"id":"a","hits":1} {"id":"b","hits":1}', /not JSON/],
  ['{"counters":7}', /7 counters/],
  ["x".repeat(2 ** 21), /longer/],
  [new Uint8Array([0x22, 0xff, 0x22]), /UTF-8/],
];

/** The total to which all counters are set after that. */
const LAST = BAD_LINES.length + 1;

for (const { store, options } of STORES) {
  Deno.test(
    `import into ${store}: a bad line is told by its number, and what is wrong with it, and the lines before it are stored`,
    options,
    async () => {
      await using target = await startTarget(store);
      const { url } = target;
      for (const [index, [line, told]] of BAD_LINES.entries()) {
        const last = index + 1;
        // Among hundreds of lines, and once at the end of the first that are sorted together.
        const number = last === BAD_LINES.length ? 5000 : 500;
        const before = lines(0, number - 1, last);
        const after = lines(number - 1, 2 * number, last);
        const { status, json } = await importLines(url, [before, line, "\n", after]);
        const what = typeof line === "string" ? line.slice(0, 80) : "bytes";
        const detail = String(json.detail);
        strictEqual(status, 400, `${what}: ${detail}`);
        const begin = `^Line ${number} cannot be used: .*\\. Lines stored so far: ${number - 1}\\.`;
        match(detail, new RegExp(begin), what);
        match(detail, told, what);
        ok(detail.length < 500, what);
        for (const id of ["n0", `n${number - 2}`]) strictEqual(await countOf(url, id), last, what);
        for (const id of [`n${number - 1}`, `n${2 * number - 1}`, "a"]) {
          strictEqual(await countOf(url, id), 0, what);
        }
      }
      // After mending, all of it may be sent again.
      const answer = await importLines(url, [lines(0, 10_000, LAST)]);
      deepStrictEqual(answer, { status: 200, json: { counters: 10_000 } });
      const { counters } = await target.end();
      strictEqual(counters.size, 10_000);
      ok([...counters.values()].every((hits) => hits === LAST));
    },
  );
}

Deno.test("line breaks without end are read without growing", async () => {
  await using target = await startTarget("kv");
  const { service, url } = target;
  strictEqual(await countOf(url, "n0"), 0);
  const before = await residentMemory(service.pid);
  const total = fullNumbers ? 2 ** 30 : 2 ** 23;
  const chunk = new Uint8Array(2 ** 16).fill(10);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= total) return controller.close();
      sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
  deepStrictEqual([answer.status, await answer.json()], [200, { counters: 0 }]);
  checkGrowth(before, await residentMemory(service.pid), 100);
});

Deno.test("while line breaks without end are read, the event loop turns for other requests", async () => {
  await using app = await memoryApp();
  const chunk = new Uint8Array(2 ** 19).fill(10);
  const chunks = 32;
  let sent = 0;
  // All chunks are there at once, so that nothing else turns the event loop.
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => sent++ < chunks ? controller.enqueue(chunk) : controller.close(),
  });
  let ended = false;
  const importing = app.sendBody("POST /counters", body).finally(() => ended = true);
  let turns = 0;
  for (; !ended; turns++) await new Promise((resolve) => setTimeout(resolve));
  deepStrictEqual((await importing).json, { counters: 0 });
  ok(turns > chunks / 2, `${turns} turns during ${chunks} chunks`);
});

Deno.test("a body that stops leaves the lines before it stored, and holds up neither hits nor the end", async () => {
  await using target = await startTarget("kv");
  const { service, url } = target;
  // Lines in flight may be lost with their connection, so they are sent until they arrive.
  await waitFor("the lines before", async () => {
    if (await countOf(url, "n2999") === 1) return true;
    using connection = await connectTo(url);
    await write(connection, post(brokenOff(1)));
  }, { interval: 500 });
  strictEqual(await countOf(url, "n3000"), 0);
  await hit(service);

  using connection = await connectTo(url);
  await write(connection, post(brokenOff(2)));
  strictEqual(await countOf(url, "n3000"), 0);
  await hit(service);
  const { counters } = await target.end();
  strictEqual(counters.get("home"), 2);
  // All that were read, or none of them, as the service ended before the body did.
  ok([1, 2].includes(counters.get("n0") ?? 0));
  strictEqual(counters.has("n3000"), false);
});

function lines(first: number, end: number, hits: number): string {
  return Array.from({ length: end - first }, (_, index) => {
    return `${JSON.stringify({ id: `n${first + index}`, hits })}\n`;
  }).join("");
}

/** Lines, and the beginning of one more. */
function brokenOff(hits: number): string {
  return lines(0, 3000, hits) + '{"id":"n3000","hi';
}

/** A request of which this is the beginning of the body. */
function post(body: string): string {
  const head = `POST /counters HTTP/1.1\r\nHost: a\r\n${SECRET_LINE}`;
  return `${head}Content-Length: ${body.length + 99}\r\n\r\n${body}`;
}

async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function hit({ url }: Service): Promise<void> {
  const answer = await fetch(`${url}/hit`, { method: "POST", headers: authorized });
  strictEqual(answer.status, 200, await answer.text());
}
