import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { connect } from "node:http2";
import { sendRaw } from "../../support/raw_http.ts";
import { FAR_AWAY_MS } from "../../support/time_limit.ts";
import { startTarget } from "./target.ts";
import { bytesOf, Wire } from "./wire.ts";
import { SECRET, SECRET_LINE } from "../../support/secret.ts";

const HEADERS = `Host: localhost\r\n${SECRET_LINE}`;
const HIDDEN = `GET /hit?id=hidden HTTP/1.1\r\n${HEADERS}\r\n`;
const SIZE = HIDDEN.length;

/** Each hides a request where a proxy in front may have seen a body, or the other way round. */
const SMUGGLERS = [
  `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n${
    SIZE.toString(16)
  }\r\n${HIDDEN}\r\n0\r\n\r\n`,
  `Content-Length: ${SIZE}\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  `Content-Length: 0\r\nContent-Length: ${SIZE}\r\n\r\n${HIDDEN}`,
  `Content-Length: 0, ${SIZE}\r\n\r\n${HIDDEN}`,
  `Content-Length: +0\r\n\r\n${HIDDEN}`,
  `Content-Length: -1\r\n\r\n${HIDDEN}`,
  `Content-Length : 0\r\n\r\n${HIDDEN}`,
  `Content-Length:\r\n 0\r\n\r\n${HIDDEN}`,
  `Content-Length: 18446744073709551616\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `X-Auth-Token:\r\n ${SECRET}\r\n\r\n${HIDDEN}`,
  `Host: other\r\n\r\n${HIDDEN}`,
];

Deno.test("a request of two meanings is refused, its connection closed, and nothing behind it counted", async () => {
  await using target = await startTarget("kv");
  for (const smuggler of SMUGGLERS) {
    using wire = await Wire.open(target.url);
    const { received } = await wire.talk(bytesOf(`POST /hit HTTP/1.1\r\n${HEADERS}${smuggler}`), {
      limit: FAR_AWAY_MS,
    });
    const answers = new TextDecoder().decode(received).match(/HTTP\/1\.1 \d{3}.*/g);
    deepStrictEqual(answers, ["HTTP/1.1 400 Bad Request"], smuggler);
  }
  deepStrictEqual(await target.end(), { counters: new Map(), others: [] });
});

Deno.test("a body is never taken for a request", async () => {
  await using target = await startTarget("kv");
  const after = `GET /hit?id=after HTTP/1.1\r\n${HEADERS}Connection: close\r\n\r\n`;
  const bodies = [
    `Content-Length: ${SIZE}\r\n\r\n${HIDDEN}`,
    `Transfer-Encoding: chunked\r\n\r\n${SIZE.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n1;GET/hit\r\na\r\n0\r\n\r\n`,
  ];
  let answered = 0;
  for (const method of ["GET", "POST"]) {
    for (const body of bodies) {
      using wire = await Wire.open(target.url);
      const request = `${method} /hit?id=before HTTP/1.1\r\n${HEADERS}${body}${after}`;
      const { received } = await wire.talk(bytesOf(request), { limit: FAR_AWAY_MS });
      // The server may close the connection instead of reading an unexpected body.
      const [first = "", second] =
        new TextDecoder().decode(received).match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];
      strictEqual(first, method === "GET" ? "200" : "400", request);
      ok(second === undefined || second === "200", request);
      if (second === "200") answered++;
    }
  }
  const { counters, others } = await target.end();
  deepStrictEqual(others, []);
  strictEqual(counters.get("before"), 3);
  strictEqual(counters.get("after") ?? 0, answered);
  strictEqual(counters.get("hidden"), undefined);
});

/** Each would put a path of its own between the host and the path that was asked for. */
const PATHS_IN_HOSTS = [
  "badges.example/",
  "badges.example//",
  "badges.example/hit",
  "badges.example/hit?id=hidden",
  "badges.example/hit?id=hidden&token=",
  "badges.example/hit?id=hidden#",
  "badges.example?id=hidden",
  "badges.example#",
  "badges.example:80/hit?id=hidden&token=",
  "other.example/hit?id=hidden#",
];

Deno.test("a path in a Host header is refused however often its host was right, and counts nothing", async () => {
  await using target = await startTarget("kv");
  const ask = async (line: string, host: string) => {
    const [answer] = await sendRaw(
      target,
      `${line} HTTP/1.1\r\nHost: ${host}\r\n${SECRET_LINE}\r\n`,
    );
    return answer?.status;
  };
  for (const line of ["GET /", "GET /hit?id=seen", "GET /count?id=seen", "OPTIONS *"]) {
    for (const host of PATHS_IN_HOSTS) {
      strictEqual(await ask("GET /healthz", "badges.example"), 200);
      strictEqual(await ask(line, host), 400, `${line} of ${host}`);
    }
  }
  strictEqual(await ask("GET /hit?id=seen&more=a/b*", "badges.example"), 200);
  // Without a Host header, or with an invalid one, Deno uses the address of the listener.
  strictEqual(await ask("GET /healthz", `localhost:${new URL(target.url).port}`), 200);
  for (const host of ["", "\xff"]) strictEqual(await ask("GET /hit?id=seen", host), 400, host);
  deepStrictEqual((await target.end()).counters, new Map([["seen", 1]]));
});

Deno.test("a path in the Host header of HTTP/2 is refused, whose own path may begin with an asterisk", async () => {
  await using target = await startTarget("kv");
  const session = connect(target.url);
  const ask = (path: string, host: string) =>
    new Promise((resolve, reject) => {
      const headers = { ":path": path, host, "x-auth-token": SECRET };
      const stream = session.request(headers);
      stream.on("response", (answered) => resolve(answered[":status"]));
      stream.on("error", reject);
      stream.resume();
      stream.end();
    });
  strictEqual(await ask("/hit?id=seen", "badges.example"), 200);
  for (const path of ["*", "*x", "*?x", "**", "/", "/count"]) {
    strictEqual(await ask("/healthz", "badges.example"), 200);
    strictEqual(await ask(path, "badges.example/hit?id=hidden#"), 400, path);
  }
  await new Promise<void>((resolve) => session.close(resolve));
  deepStrictEqual((await target.end()).counters, new Map([["seen", 1]]));
});
