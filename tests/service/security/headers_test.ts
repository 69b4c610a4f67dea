import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { needsRedis } from "../../support/redis_server.ts";
import { type RawAnswer, sendRaw } from "../../support/raw_http.ts";
import { UNCACHED_IMAGE } from "../../support/app.ts";
import { startService } from "../../support/service.ts";
import { startTarget } from "./target.ts";
import { SECRET, SECRET_LINE } from "../../support/secret.ts";
import { startProxiedRedis } from "../../support/proxied_redis.ts";

const JSON_TYPE = "application/json";
const PROBLEM = "application/problem+json";
const TEXT = "text/plain; charset=utf-8";
const SVG = "image/svg+xml; charset=utf-8";
const TYPES: Record<string, string> = {
  "/hit": PROBLEM,
  "/hit.svg": SVG,
  "/count": PROBLEM,
  "/count?format=txt": TEXT,
  "/count.txt": TEXT,
  "/badge": SVG,
  "/badge.json": PROBLEM,
  "/key": PROBLEM,
};
const READS = ["/count", "/count?format=txt", "/count.txt", "/badge", "/badge.json"];

/** The name of the problem that a request meets. */
function problemOf(status: number, request: string): string {
  const names: Record<number, string> = {
    400: request.includes("Host: a b")
      ? "bad-host"
      : request.includes("id=%00")
      ? "bad-id"
      : "bad-query",
    401: "unauthorized",
    404: "not-found",
    405: "method-not-allowed",
    409: request.includes("id=full") ? "counter-full" : "not-a-counter",
    503: "store-unavailable",
    504: "outcome-unknown",
  };
  return names[status] ?? "";
}

interface Expected {
  route: string;
  status: number;
  publicReads: boolean;
  problem: string;
}

/** Every header of an error, as the contract has it. */
function errorHeaders({ route, status, publicReads, problem }: Expected): Map<string, string> {
  const type = TYPES[route] ?? PROBLEM;
  const open = publicReads && READS.includes(route);
  const headers: Record<string, string> = {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-tallymark": problem,
  };
  if (open) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = "x-tallymark";
  }
  if (open || route === "/hit.svg") headers["cross-origin-resource-policy"] = "cross-origin";
  if (type === SVG) {
    headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    headers["cache-control"] = UNCACHED_IMAGE;
    headers.vary = "Accept";
  }
  if (status === 401) headers["www-authenticate"] = 'Bearer realm="Tallymark"';
  if (status === 503) headers["retry-after"] = "1";
  if (status === 405) {
    headers.allow = READS.includes(route) ? "GET, HEAD, OPTIONS" : ALLOW[route] ?? "";
  }
  return new Map(Object.entries(headers));
}

const ALLOW: Record<string, string> = {
  "/hit": "GET, POST, OPTIONS",
  "/hit.svg": "GET, HEAD, OPTIONS",
  "/key": "GET, HEAD",
};

/** The answer without what the server adds to every one. */
async function send(url: string, line: string, more = ""): Promise<RawAnswer> {
  const host = more.includes("Host:") ? "" : "Host: localhost\r\n";
  const [answer] = await sendRaw({ url }, `${line} HTTP/1.1\r\n${host}${more}\r\n`);
  ok(answer !== undefined, line);
  answer.headers.delete("date");
  return answer;
}

async function check(
  url: string,
  route: string,
  status: number,
  publicReads: boolean,
  line: string,
  more = "",
) {
  const { headers, ...answer } = await send(url, line, more);
  strictEqual(answer.status, status, `${line}: ${answer.body}`);
  const length = headers.get("content-length");
  ok(
    line.startsWith("HEAD ") || Number(length) === new TextEncoder().encode(answer.body).length,
    line,
  );
  headers.delete("content-length");
  const expected = { route, status, publicReads, problem: problemOf(status, line + more) };
  deepStrictEqual(headers, errorHeaders(expected), `${line} answered ${status}`);
  if (headers.get("content-type") === PROBLEM && answer.body !== "") {
    const { type, title, detail, ...rest } = JSON.parse(answer.body);
    deepStrictEqual(rest, { status }, line);
    ok(type && title && detail, line);
  }
}

const withId = (route: string, id: string) => `${route}${route.includes("?") ? "&" : "?"}id=${id}`;

for (const publicReads of [true, false]) {
  const env = { PUBLIC_READS: publicReads ? "1" : "0" };
  const mode = publicReads ? "public" : "protected";

  Deno.test(`every error of the caller on every route has the headers of the contract, reads ${mode}`, async () => {
    await using target = await startTarget("kv", env);
    const { url } = target;
    for (const route of Object.keys(TYPES)) {
      const to = (status: number, line: string, more = SECRET_LINE) =>
        check(url, route, status, publicReads, line, more);
      await to(400, `GET ${route}`, `Host: a b\r\n${SECRET_LINE}`);
      await to(400, `GET ${withId(route, "%ff")}`);
      await to(400, `GET ${withId(route, "a&id=a")}`);
      await to(400, `GET ${withId(route, "%00")}`);
      await to(405, `PUT ${route}`);
      await to(405, `${route === "/hit" ? "HEAD" : "POST"} ${route}`);
      await to(405, `TRACE ${route}`);
      if (READS.includes(route) && publicReads) continue;
      await to(401, `GET ${route}`, "");
      await to(401, `GET ${route}`, "X-Auth-Token: wrong\r\n");
    }
    for (const path of ["/nothing", "/hit/", "/%ff", "//"]) {
      await check(url, path, 404, publicReads, `GET ${path}`);
      await check(url, path, 404, publicReads, `HEAD ${path}`);
    }
  });
}

Deno.test(
  "every error of the store on every route has the headers of the contract",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { redis, proxy } = proxied;
    const env = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", STORE_URL: proxied.url };
    await using service = await startService({ env });
    const { url } = service;
    await service.storeReady();
    await redis.command("SET", "hits:text", "no number");
    await redis.command("SET", "hits:full", String(2 ** 53 - 1));
    const stored = Object.keys(TYPES).filter((route) => route !== "/key");
    for (const route of stored) {
      await check(url, route, 409, true, `GET ${withId(route, "text")}`, SECRET_LINE);
      if (route.startsWith("/hit")) {
        await check(
          url,
          route,
          409,
          true,
          `GET ${withId(route, "full")}`,
          SECRET_LINE,
        );
      }
    }
    for (const route of stored) {
      const [status, command, id] = route.startsWith("/hit")
        ? [504, "INCRBY", "hung"]
        : [503, "GET", "unseen"];
      await service.storeReady();
      // On a day that is known to be open a hit is one plain command.
      strictEqual((await send(url, "POST /hit?id=hung", SECRET_LINE)).status, 200);
      const cut = proxy.cutAfterNextRequest(command);
      await check(url, route, status, true, `GET ${withId(route, id)}`, SECRET_LINE);
      await cut;
    }
    await proxy.refuse();
    proxy.cut();
    for (const route of stored) {
      await check(url, route, 503, true, `GET ${withId(route, "away")}`, SECRET_LINE);
    }
    await check(url, "/readyz", 503, true, "GET /readyz");
  },
);

const NOISE_HEADERS = [
  "Accept-Encoding: gzip, br, deflate",
  "Accept-Encoding: identity;q=0",
  "Accept: image/webp,text/html",
  "Accept-Language: ar",
  "User-Agent: github-camo (876de43e)",
  "Cookie: a=b",
  "Origin: https://example.com",
  "Referer: https://example.com/",
  "Range: bytes=0-1",
  "Cache-Control: no-cache",
  "X-Forwarded-Host: example.com",
  "X-Forwarded-Proto: https",
  "X-HTTP-Method-Override: DELETE",
  "Sec-Purpose: prefetch",
  'If-Range: "x"',
  'If-None-Match: "other"',
  "Upgrade: websocket",
];
const NOISE = ["utm_source=x", "cb=1&cb=2", "ID=b", "%00=%00", "&&", "=", "__proto__=x"];

Deno.test("requests that differ only in what nobody asked for get the same bytes, headers and ETag", async () => {
  await using target = await startTarget("kv");
  const { url } = target;
  strictEqual((await send(url, "POST /hit?id=a", SECRET_LINE)).status, 200);
  const label = "l".repeat(90);
  const lines = [
    ...READS.map((route) => withId(route, "a")),
    `/badge?id=a&label=${label}`,
    `/badge.json?id=a&label=${label}`,
    "/badge?id=%00",
    "/count?id=%00",
    "/nothing?x=y",
    "/openapi.json?x=y",
    "/healthz?x=y",
    "/?x=y",
  ];
  for (const line of lines) {
    const expected = await send(url, `GET ${line}`);
    const head = await send(url, `HEAD ${line}`);
    strictEqual(head.status, expected.status, line);
    deepStrictEqual(
      new Map([...head.headers].sort()),
      new Map([...expected.headers].sort()),
      `HEAD ${line}`,
    );
    if (line.startsWith("/badge?id=a")) {
      strictEqual(expected.headers.get("content-type"), SVG);
      ok(expected.headers.get("etag"), line);
    }
    // Callers that accept HTML get a page from / and from an unknown path. Those that accept gzip
    // get a smaller description.
    const asked = /^\/(?:nothing)?\?/.test(line)
      ? "Accept:"
      : line.startsWith("/openapi.json")
      ? "Accept-Encoding:"
      : undefined;
    const noise = NOISE_HEADERS.filter((header) =>
      asked === undefined || !header.startsWith(asked)
    );
    for (const header of noise) {
      deepStrictEqual(
        await send(url, `GET ${line}`, `${header}\r\n`),
        expected,
        `${line} with ${header}`,
      );
    }
    for (const query of NOISE) {
      const [path, rest] = line.split("?");
      deepStrictEqual(
        await send(url, `GET ${path}?${query}&${rest}`),
        expected,
        `${query} before ${line}`,
      );
      deepStrictEqual(await send(url, `GET ${line}&${query}`), expected, `${query} behind ${line}`);
    }
  }
});

Deno.test("an answer that no cache may keep says so, and the others say how long", async () => {
  await using target = await startTarget("kv");
  const cacheControl = async (line: string) => {
    const { headers } = await send(target.url, line, SECRET_LINE);
    strictEqual(
      headers.get("content-type")?.startsWith(JSON_TYPE) ?? true,
      !/svg|badge\?|txt|\/$/.test(line),
      line,
    );
    return headers.get("cache-control");
  };
  const table: [string, string][] = [
    ["POST /hit", "no-store"],
    ["GET /hit", "no-store"],
    ["GET /hit.svg?x", UNCACHED_IMAGE],
    ["GET /count", "no-store"],
    ["GET /count?format=txt", "no-store"],
    ["GET /count.txt", "no-store"],
    ["GET /key", "no-store"],
    ["GET /badge?x", "no-cache, max-age=0, must-revalidate"],
    ["GET /badge.json", "max-age=60"],
    ["GET /badge.json?cacheSeconds=1", "max-age=30"],
    ["GET /badge.json?cacheSeconds=99999", "max-age=3600"],
    ["GET /healthz", "no-store"],
    ["GET /readyz", "no-store"],
  ];
  for (const [line, expected] of table) strictEqual(await cacheControl(line), expected, line);
});
