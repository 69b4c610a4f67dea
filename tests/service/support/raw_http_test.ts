import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sendRaw } from "../../support/raw_http.ts";

Deno.test("sendRaw: reads bodies of every form, answers in order, and HEAD", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  const [plain] = await sendRaw({ url }, get("/é".normalize()));
  strictEqual(plain?.body, "fixed /%C3%A9");
  strictEqual(plain?.headers.get("content-type"), "text/plain;charset=UTF-8");
  const two = await sendRaw({ url, answers: 2 }, get("/stream") + get("/b"));
  deepStrictEqual(two.map(({ body }) => body), ["one two", "fixed /b"]);
  const [head] = await sendRaw({ url }, "HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n");
  strictEqual(head?.headers.get("content-length"), "8");
  strictEqual(head?.body, "");
  const closed = "GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  strictEqual((await sendRaw({ url, answers: Infinity }, closed)).length, 1);
});

Deno.test("sendRaw: a server that says nothing gives no answer at the time limit", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}`;
  const accepted = listener.accept();
  deepStrictEqual(await sendRaw({ url, timeout: 50 }, "GET / HTTP/1.1\r\n"), []);
  (await accepted).close();
});

function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  if (pathname !== "/stream") return new Response(`fixed ${pathname}`);
  return new Response(ReadableStream.from(["one ", "two"]).pipeThrough(new TextEncoderStream()));
}
