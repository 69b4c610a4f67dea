import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { checkGrowth, residentMemory } from "../../faults/recovery.ts";
import { memoryApp } from "../../support/app.ts";
import { countOf } from "../../support/import_lines.ts";
import { connectTo } from "../../support/raw_http.ts";
import { authorized, SECRET_LINE } from "../../support/secret.ts";
import type { Service } from "../../support/service.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { waitFor } from "../../support/wait_for.ts";
import { startTarget } from "./target.ts";

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
