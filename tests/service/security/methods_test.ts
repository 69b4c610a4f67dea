import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sendRaw } from "../../support/raw_http.ts";
import { startTarget, STORES } from "./target.ts";
import { SECRET_LINE } from "../../support/secret.ts";

const HEADERS = `Host: localhost\r\n${SECRET_LINE}`;
const IDS = ["hit", "read", "unknown"];

/**
 * Methods that no endpoint may count, as they come over a socket; `new Request()` could not say all
 * of them.
 */
const METHODS = [
  ...["HEAD", "OPTIONS", "TRACE", "CONNECT", "PUT", "PATCH", "DELETE", "QUERY", "PROPFIND"],
  ...["get", "post", "Get", "pOST", "GETS", "HIT", "GET2", "__proto__", "constructor", "toString"],
  ...["M-SEARCH", "!#$%&'*+-.^_`|~", "X".repeat(1000)],
];

const PATHS = ["/hit", "/hit.svg", "/count", "/count.txt", "/badge", "/badge.json", "/key", "/"];

const PREFETCHES = [
  "Sec-Purpose: prefetch",
  "Sec-Purpose: prefetch;prerender",
  "Sec-Purpose: prefetch;anonymous-client-ip",
  "Purpose: prefetch",
  "purpose: PREFETCH",
];

for (const { store, options } of STORES) {
  Deno.test(
    `no method but GET and POST, no prefetch and no read moves a count on ${store}, or writes anything`,
    options,
    async () => {
      await using target = await startTarget(store);
      const { url } = target;
      const send = async (line: string, more = "") => {
        const [answer] = await sendRaw({ url }, `${line} HTTP/1.1\r\n${HEADERS}${more}\r\n`);
        return answer ?? { status: 0, headers: new Map<string, string>(), body: "" };
      };

      strictEqual((await send("GET /hit?id=hit")).status, 200);
      for (const path of PATHS) {
        for (const method of METHODS) {
          for (const id of IDS) {
            const { status } = await send(`${method} ${path}?id=${id}`);
            const fine = (status === 200 && method === "HEAD") ||
              (status === 204 && method === "OPTIONS");
            // A CONNECT to what is no host never reaches the service.
            ok(
              fine || status === 405 || (method === "CONNECT" && status === 400),
              `${method} ${path}: ${status}`,
            );
          }
        }
      }
      ok([400, 404, 405].includes((await send("CONNECT localhost:80")).status));
      for (const prefetch of PREFETCHES) {
        for (const path of ["GET /hit", "POST /hit", "GET /hit.svg"]) {
          for (const id of IDS) {
            const { status, headers } = await send(`${path}?id=${id}`, `${prefetch}\r\n`);
            strictEqual(status, 200, `${path} with ${prefetch}`);
            strictEqual(headers.get("x-tallymark"), "prefetch");
          }
        }
      }
      for (const path of ["/count", "/count.txt", "/badge", "/badge.json", "/key"]) {
        for (let number = 0; number < 50; number++) {
          strictEqual((await send(`GET ${path}?id=unknown-${number}`)).status, 200);
        }
      }
      deepStrictEqual(await target.end(), { counters: new Map([["hit", 1]]), others: [] });
    },
  );
}

Deno.test("a request line without a path is answered like any other, one without a host is 400, and neither is logged", async () => {
  await using target = await startTarget("kv");
  const ask = async (line: string) => {
    const [answer] = await sendRaw(target, `${line} HTTP/1.1\r\n${HEADERS}\r\n`);
    return answer?.status;
  };
  for (
    const line of ["GET http://localhost", "GET http://localhost?id=a", "GET http://localhost#?a"]
  ) {
    strictEqual(await ask(line), 200, line);
  }
  for (const line of ["CONNECT ?x", "CONNECT #"]) strictEqual(await ask(line), 400, line);
  for (const host of ["1.2.3.999", "xn--a", "foo.09", "256.1"]) {
    for (const path of ["/as/dwyl/a/b.svg", "/as/leancloud/1.1/batch", "/p?prefix=a/", "/hit"]) {
      const lines = [
        `GET ${path} HTTP/1.1\r\nHost: ${host}`,
        `GET http://${host}${path} HTTP/1.1\r\nHost: a`,
      ];
      for (const line of lines) {
        const [answer] = await sendRaw(target, `${line}\r\nConnection: close\r\n\r\n`);
        strictEqual(answer?.status, 400, line);
      }
    }
  }
  const events = target.service.stderr().trim().split("\n").map((line) => JSON.parse(line).event);
  deepStrictEqual(events, ["start"]);
  deepStrictEqual((await target.end()).counters, new Map());
});
