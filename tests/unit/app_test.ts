import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp } from "../support/app.ts";
import { routes as allRoutes } from "../support/surface.ts";
import { ScriptedStore } from "../support/scripted_store.ts";
import { authorized, SECRET } from "../support/secret.ts";

/** Every endpoint but the PNGs, which answer as their SVG images do: see png/png_and_svg_test. */
const routes = allRoutes.filter(({ path }) => !path.endsWith(".png"));

/** Every path of the service with all of its methods. */
const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => ({
  // Replaces `*` by an address of another service that accepts every method.
  path: path.replace("*", "countapi/hit/space/key"),
  methods: group.flatMap(({ methods }) => methods),
}));

// new Request() refuses TRACE and CONNECT: those are sent over a socket elsewhere.
const methods = "GET HEAD POST PUT PATCH DELETE OPTIONS patch HIT ALL constructor __proto__".split(
  " ",
);

/** Returns the status of a request without a query and a body. */
function expectedStatus(path: string, method: string): number {
  if (method === "OPTIONS") return 204;
  // The subject is in headers there.
  if (path.startsWith("/as/leancloud/")) return 400;
  // No counter, or group, is meant where none is named.
  const isNamed = path === "/counters" ? !["PUT", "DELETE"].includes(method) : !NAMING.has(path);
  return isNamed ? 200 : 400;
}

/** The paths that take no default for what they are about. */
const NAMING: ReadonlySet<string> = new Set([
  "/counts",
  "/top",
  "/p",
  "/p.json",
  "/counters/move",
  "/go",
]);

/** A request line about an id, as it is about something of the kind on a path. */
function about(path: string, line: string): string {
  // Several ids are no fault there.
  if (path === "/counts") return line.replace("id=%00&id=a", "id=%00&period=7d&period=7d");
  return ["/top", "/p", "/p.json"].includes(path)
    ? line.replaceAll(/\bid=(%00|a)/g, "prefix=$1/")
    : line;
}

for (const { path, methods: taken } of paths) {
  Deno.test(`createApp() answers ${taken.join(", ")} on ${path}, and 405 to the rest before it looks at query, id and secret`, async () => {
    await using app = openApp({ store: new ScriptedStore(), openReads: false });
    for (const method of methods) {
      const { status, headers, body } = await app.send(`${method} ${path}`, authorized);
      if (taken.includes(method)) {
        strictEqual(status, expectedStatus(path, method), method);
      } else {
        strictEqual(status, 405, method);
        strictEqual(headers.allow, taken.join(", "));
        strictEqual(body === "", method === "HEAD", method);
      }
    }
    for (const query of ["", "?id=%ff", "?id=a&id=b", "?id=%00", "?token=wrong"]) {
      strictEqual((await app.send(`PATCH ${path}${query}`)).status, 405, query);
    }
  });
}

for (const { path, methods: [method = ""] } of paths) {
  Deno.test(`createApp() answers 414 where the query of ${method} ${path} has more than 8 kB, before it reads any of it`, async () => {
    await using app = openApp({ store: new ScriptedStore(), openReads: false });
    const limit = `x=${"a".repeat(8189)}`;
    const expected = path === "/healthz" ? 200 : 414;
    const long = await app.send(`${method} ${path}?${limit}a%ff`, authorized);
    strictEqual(long.status, expected);
    strictEqual(long.headers["x-tallymark"], path === "/healthz" ? undefined : "query-too-long");
    const image = await app.send(`${method} ${path}?${limit}a%ff`, { accept: "image/*" });
    strictEqual(image.status, image.headers["content-type"]?.startsWith("image/") ? 200 : expected);
    const { status } = await app.send(`${method} ${path}?${limit}`, authorized);
    strictEqual(status, expectedStatus(path, method));
  });
}

const unknownPaths =
  "/nothing /hit/ /HIT /hits /hit.gif /as /count/ /count.json /badge/home /badge.svg /key/home //hit /api/hit /favicon.ico /%00 /%ff /hit%2f /* /__proto__ /constructor"
    .split(" ");

Deno.test("createApp() answers 404 on every other path, whatever the method", async () => {
  await using app = openApp({ store: new ScriptedStore(), openReads: false });
  for (const path of unknownPaths) {
    for (const method of methods) {
      strictEqual((await app.send(`${method} ${path}?id=%ff`)).status, 404, `${method} ${path}`);
    }
  }
});

const goodHosts = [
  "localhost",
  "localhost:8000",
  "example.com:",
  "127.0.0.1:",
  "[::1]:",
  "example.com",
  "example.com.",
  "EXAMPLE.com:65535",
  "my_service:80",
  "_sip.example.com",
  "xn--bcher-kva.example",
  "127.0.0.1",
  "127.0.0.1:0",
  "[::1]",
  "[::1]:8000",
  "[2001:db8::ff00:42:8329]:443",
  "[::ffff:192.0.2.1]",
  `${"a".repeat(63)}.example`,
];

const badHosts = [
  "",
  "a b",
  "a/hit?id=x#",
  "a/hit",
  "a?id=x",
  "a#",
  "a\\b",
  "user@example.com",
  "user:password@example.com",
  "example.com:65536",
  "example.com:99999",
  "example.com:000080",
  "example.com:http",
  "example.com:-1",
  "example.com:80:80",
  "::1",
  "[::1",
  "::1]",
  "[]",
  "[:::]",
  "[::g]",
  "[1.2.3.4]",
  "[::1]a",
  "[::1]:65536",
  "-a",
  "a-",
  ".a",
  "a%2fb",
  "a,b",
  "a, b",
  "a;b",
  "a'b",
  'a"b',
  "<a>",
  "a*",
  "bücher.example",
  `${"a".repeat(256)}`,
];

for (const { path } of [...paths, { path: "/nothing" }]) {
  Deno.test(`createApp() refuses a Host header that is no host on ${path}, before anything else`, async () => {
    await using app = openApp({ store: new ScriptedStore(), openReads: false });
    for (const host of path === "/hit" ? badHosts : badHosts.slice(0, 3)) {
      for (const method of ["GET", "PATCH"]) {
        const { status } = await app.send(`${method} ${path}?id=%ff`, { host });
        strictEqual(status, 400, `${method} ${path} of ${host}`);
      }
    }
    const found = path === "/nothing" ? 404 : 405;
    for (const host of path === "/hit" ? goodHosts : goodHosts.slice(0, 2)) {
      strictEqual((await app.send(`PATCH ${path}`, { host })).status, found, host);
    }
  });
}

/**
 * The paths that need the secret, a key, or the secret where reads are closed, and then the store.
 */
const protectedEndpoints = routes
  .filter(({ access, path }) =>
    access !== "anyone" &&
    !["/key", "/session", "/decisions", "/status", "/metrics", "/p"].includes(path)
  )
  // leancloud_test holds this of the addresses whose subject is in headers.
  .filter(({ path }) => path !== "/as/leancloud/*")
  // Endpoints with a body read it before they call the store.
  .filter(({ methods }) => methods[0] === "GET" || methods[0] === "DELETE");

/** Each row has one fault less than the one before it. */
const faults = [
  { line: "PATCH PATH?id=%00&id=%ff", host: "a b", status: 400, name: "bad-host" },
  { line: "PATCH PATH?id=%00&id=%ff", host: "a", status: 405, name: "method-not-allowed" },
  { line: "METHOD PATH?id=%00&id=%ff", host: "a", status: 400, name: "bad-query" },
  { line: "METHOD PATH?id=%00&id=a", host: "a", status: 400, name: "bad-query" },
  { line: "METHOD PATH?id=%00", host: "a", status: 400, name: "bad-id" },
  { line: "METHOD PATH?id=a", host: "a", status: 401, name: "unauthorized" },
  { line: `METHOD PATH?id=a&token=TOKEN`, host: "a", status: 503, name: "store-unavailable" },
];

function requestOf(line: string, { method, path }: { method: string; path: string }): string {
  return line.replace("METHOD", method).replace(" PATH", ` ${path}`).replace("TOKEN", SECRET);
}

for (const { path, methods: [method = ""] } of protectedEndpoints) {
  Deno.test(`createApp() looks at host, method, query, id, secret and store in this order on ${method} ${path}`, async () => {
    const store = new ScriptedStore();
    store.failure = "store-unavailable";
    await using app = openApp({ store, openReads: false });
    for (const { line, host, status, name } of faults) {
      strictEqual(store.touched, 0, "the store is asked last");
      const target = requestOf(about(path, line), { method, path });
      const answer = await app.send(target, { host });
      strictEqual(answer.status, status, target);
      if (answer.headers["content-type"] === "application/problem+json") {
        strictEqual(field(answer.json, "type"), `urn:problem-type:tallymark:${name}`);
      }
    }
    ok(store.touched > 0);
  });
}

const reads = ["/count?", "/count?format=txt&", "/count.txt?", "/badge?", "/badge.json?"];
const noise = [
  "utm_source=x",
  "cb=1&cb=2",
  "ID=other",
  "%00=%00",
  "=",
  "&&",
  "once=day&once=day",
  "fromat=txt",
];

Deno.test("createApp() gives the same bytes and headers whatever unknown parameters and headers say", async () => {
  await using app = await memoryApp();
  await app.hit("a", 3);
  for (const read of reads) {
    const expected = await app.send(`GET ${read}id=a`);
    for (const query of noise) {
      const { status, headers, body } = await app.send(`GET ${read}${query}&id=a&${query}`, {
        "accept": "image/webp, text/html",
        "accept-language": "ar",
        "cookie": "a=b",
        "origin": "https://example.com",
        "range": "bytes=0-1",
        "referer": "https://example.com/",
        "sec-purpose": "prefetch",
        "x-forwarded-host": "example.com",
        "x-http-method-override": "DELETE",
      });
      strictEqual(status, 200, query);
      strictEqual(body, expected.body, query);
      deepStrictEqual(headers, expected.headers, query);
    }
  }
});

for (
  const { path, methods: [method = ""] } of [
    ...protectedEndpoints,
    { path: "/readyz", methods: ["GET"] },
  ]
) {
  Deno.test(`createApp() answers 500 where ${method} ${path} fails unexpectedly, and tells the log alone why`, async () => {
    const store = new ScriptedStore();
    store.failure = new Error("the disk of oz");
    await using app = openApp({ store });
    const answer = await app.send(about(path, `${method} ${path}?id=a`), authorized);
    strictEqual(answer.status, path === "/readyz" ? 503 : 500);
    ok(!JSON.stringify(answer).includes("the disk of oz"));
    if (path === "/readyz") return;
    strictEqual(app.log.length, 1);
    const line: unknown = JSON.parse(app.log[0] ?? "");
    strictEqual(field(line, "event"), "unexpected error");
    match(String(field(line, "cause")), /the disk of oz/);
  });
}

Deno.test("createApp() logs nothing of problems that are the caller's or the store's", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store, openReads: false });
  for (const failure of ["store-unavailable", "outcome-unknown"] as const) {
    store.failure = failure;
    for (const { line, host } of faults) {
      await app.send(requestOf(line, { method: "GET", path: "/count" }), { host });
    }
    await app.send("GET /hit", authorized);
  }
  ok(store.touched >= 4);
  deepStrictEqual(app.log, []);
});
