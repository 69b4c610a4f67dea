import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sendRaw } from "../../support/raw_http.ts";
import { eventsOf } from "../../support/service.ts";
import { startTarget } from "./target.ts";
import { SECRET_LINE } from "../../support/secret.ts";

const HEADERS = `Host: localhost\r\n${SECRET_LINE}`;
/**
 * Methods that `new Request()` could not send as they are. hit_test and app_test have all others,
 * and prefetches and reads.
 */
const METHODS = [
  ...["get", "post", "Get", "pOST", "TRACE", "CONNECT", "M-SEARCH", "!#$%&'*+-.^_`|~"],
  ...["__proto__", "X".repeat(1000)],
];

Deno.test("no method counts that only looks like GET or POST, and none writes anything", async () => {
  await using target = await startTarget("kv");
  const { url } = target;
  const statusOf = async (line: string) => {
    const [answer] = await sendRaw({ url }, `${line} HTTP/1.1\r\n${HEADERS}\r\n`);
    return answer?.status ?? 0;
  };
  strictEqual(await statusOf("GET /hit?id=hit"), 200);
  for (const path of ["/hit", "/hit.svg", "/count", "/badge", "/key", "/"]) {
    for (const method of METHODS) {
      for (const id of ["hit", "unknown"]) {
        const status = await statusOf(`${method} ${path}?id=${id}`);
        // A CONNECT to what is no host never reaches the service.
        ok(
          status === 405 || method === "CONNECT" && status === 400,
          `${method} ${path}: ${status}`,
        );
      }
    }
  }
  ok([400, 404, 405].includes(await statusOf("CONNECT localhost:80")));
  deepStrictEqual(await target.end(), { counters: new Map([["hit", 1]]), others: [] });
});

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
  deepStrictEqual((await target.end()).counters, new Map());
  deepStrictEqual(eventsOf(target.service.stderr()), ["start", "stop"]);
});
