import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { checkAnswer } from "../../support/openapi_check.ts";
import { UNCACHED_IMAGE } from "../../support/app.ts";
import { openapi, routes } from "../../support/surface.ts";

Deno.test("openapi passes the recommended rules of a linter without errors or warnings", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({ source: JSON.stringify(openapi), config });
  deepStrictEqual(
    findings.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`),
    [],
  );
});

Deno.test("openapi has the version of the interface, in plain data", () => {
  strictEqual(openapi.info.title, "Tallymark");
  strictEqual(openapi.info.version, "1.0.0");
  deepStrictEqual(JSON.parse(JSON.stringify(openapi)), openapi);
});

Deno.test("openapi describes every endpoint and no other, with its parameters in each operation", () => {
  const described = Object.entries(openapi.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters }]) => ({
      operation: `${method.toUpperCase()} ${path}`,
      query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    }))
  );
  // The addresses of other counters are described by these.
  const own = routes.filter(({ path }) => !path.startsWith("/as/"));
  const expected = own.flatMap(({ path, methods, parameters }) =>
    methods.filter((method) => method !== "OPTIONS").map((method) => ({
      operation: `${method} ${path}`,
      query: parameters.map(({ name }) => name),
    }))
  );
  deepStrictEqual(described, expected);
});

Deno.test("openapi gives the choices of a badge as enums", () => {
  const parameters = openapi.paths["/badge"]?.get?.parameters ?? [];
  for (const name of ["style", "numbers", "theme"]) {
    const choices = parameters.find((parameter) => parameter.name === name)?.schema.enum;
    ok(Array.isArray(choices) && choices.length >= 3, name);
  }
});

Deno.test("openapi has no parameter and no scheme that puts the secret into a URL, and tells of it in words", () => {
  const inQuery = Object.values(openapi.components.securitySchemes)
    .filter((scheme) => "in" in scheme && scheme.in === "query")
    .map((scheme) => "name" in scheme ? scheme.name : undefined);
  deepStrictEqual(inQuery, ["key", "key"]);
  for (const operations of Object.values(openapi.paths)) {
    for (const { operationId, parameters } of Object.values(operations)) {
      ok(parameters.every(({ name }) => name !== "token"), operationId);
    }
  }
  match(openapi.components.securitySchemes.tokenHeader.description, /`token=`/);
});

Deno.test("openapi names the server behind whatever prefix the document lies", () => {
  const [server] = openapi.servers;
  for (const base of ["https://a.example/", "https://a.example/under/a/prefix/"]) {
    strictEqual(new URL(server?.url ?? "", `${base}openapi.json`).href, base);
  }
});

const secret = ["bearer", "tokenHeader"];
const access = [
  { paths: ["/hit", "/hit.svg"], schemes: [...secret, "counterKey"] },
  { paths: ["/key"], schemes: secret },
  {
    paths: ["/count", "/count.txt", "/badge", "/badge.json"],
    schemes: [...secret, "readKey", "nothing"],
  },
  { paths: ["/top"], schemes: [...secret, "counterKey", "readKey"] },
  { paths: ["/p", "/p.json"], schemes: [...secret, "readKey"] },
  { paths: ["/openapi.json", "/healthz", "/readyz", "/"], schemes: ["nothing"] },
];

Deno.test("openapi says which secrets open which endpoint", () => {
  for (const { paths, schemes } of access) {
    for (const path of paths) {
      const security = openapi.paths[path]?.get?.security ?? [];
      const given = security.map((scheme) => Object.keys(scheme)[0] ?? "nothing");
      deepStrictEqual(given.sort(), schemes.toSorted(), path);
    }
  }
});

Deno.test("openapi says what a session opens", () => {
  const { bearer, tokenHeader } = openapi.components.securitySchemes;
  match(bearer.description, /token of a session .* except for hits and `\/session`/);
  doesNotMatch(tokenHeader.description, /session/);
});

const json = { "Content-Type": "application/json", "Cache-Control": "no-store" };
const problem = {
  "Content-Type": "application/problem+json",
  "Cache-Control": "no-store",
  "X-Tallymark": "internal",
};
const text = { "Content-Type": "text/plain; charset=UTF-8", "Cache-Control": "no-store" };
const image = { "Content-Type": "image/svg+xml", "Cache-Control": UNCACHED_IMAGE };
const noStoreImage = { ...image, "Cache-Control": "no-store" };
const imageProblem = { ...image, "X-Tallymark": "internal", "Vary": "Accept" };
const revalidate = { "Cache-Control": "no-cache, max-age=0, must-revalidate", "ETag": '"a"' };
const counter = { id: "home", hits: 42, source: "redis" };
const shieldsBadge = {
  schemaVersion: 1,
  label: "views",
  message: "42",
  color: "blue",
  cacheSeconds: 60,
};

interface Row {
  request: string;
  status?: number;
  headers: HeadersInit;
  body?: unknown;
}

const allowed: Row[] = [
  { request: "GET /count?id=a", headers: json, body: counter },
  { request: "GET /count?id=a&format=txt", headers: text, body: "42" },
  { request: "GET http://example.com/count", headers: json, body: counter },
  { request: "GET /count", headers: json, body: { ...counter, hits: 2 ** 52 } },
  { request: "POST /hit", headers: { ...json, "X-Tallymark": "prefetch" }, body: counter },
  { request: "POST /hit", status: 400, headers: problem, body: problemOf(400) },
  {
    request: "GET /hit",
    status: 401,
    headers: { ...problem, "WWW-Authenticate": "Bearer" },
    body: problemOf(401),
  },
  {
    request: "GET /count",
    status: 503,
    headers: { ...problem, "Retry-After": "1" },
    body: problemOf(503),
  },
  {
    request: "GET /count.txt",
    status: 409,
    headers: { ...text, "X-Tallymark": "not-a-counter" },
    body: "Not a counter",
  },
  {
    request: "GET /badge",
    headers: { ...image, ...revalidate },
    body: "<svg></svg>",
  },
  { request: "GET /badge", headers: { ...image, "X-Tallymark": "stale" }, body: "<svg></svg>" },
  { request: "GET /badge", status: 304, headers: revalidate },
  { request: "GET /hit.svg", status: 504, headers: imageProblem, body: "<svg></svg>" },
  {
    request: "GET /hit.svg",
    headers: { ...imageProblem, "X-Tallymark": "outcome-unknown" },
    body: "<svg></svg>",
  },
  {
    request: "GET /badge.json",
    headers: { ...json, "Cache-Control": "max-age=60" },
    body: shieldsBadge,
  },
  { request: "GET /key", headers: json, body: { id: "home", key: "A-_4567890123456789012" } },
  {
    request: "GET /openapi.json",
    headers: { ...json, "Cache-Control": "no-cache", "ETag": 'W/"a"' },
    body: openapi,
  },
  { request: "GET /healthz", headers: json, body: { status: "ok" } },
  { request: "GET /", headers: text, body: "Tallymark" },
  { request: "HEAD /count", headers: json },
  { request: "HEAD /hit", status: 405, headers: { ...problem, "Allow": "GET, POST" } },
  { request: "OPTIONS /count", status: 204, headers: {} },
  {
    request: "POST /badge",
    status: 405,
    headers: { ...imageProblem, "Allow": "GET, HEAD, OPTIONS" },
    body: "<svg></svg>",
  },
  { request: "GET /nothing", status: 404, headers: problem, body: problemOf(404) },
];

const refused: (Row & { because: RegExp })[] = [
  {
    request: "GET /count",
    status: 418,
    headers: problem,
    body: problemOf(418),
    because: /status is not described/,
  },
  {
    request: "GET /count",
    headers: noStoreImage,
    body: "<svg></svg>",
    because: /image.* not described/,
  },
  { request: "GET /count", headers: { "Cache-Control": "no-store" }, because: /not described/ },
  { request: "GET /count", headers: json, body: { ...counter, more: 1 }, because: /additional/ },
  { request: "GET /count", headers: json, body: { ...counter, hits: 1.5 }, because: /integer/ },
  { request: "GET /count", headers: json, body: { ...counter, hits: -1 }, because: />= 0/ },
  { request: "GET /count", headers: json, body: { ...counter, hits: 2 ** 53 }, because: /<= 4503/ },
  { request: "GET /count", headers: json, body: { ...counter, source: "kv" }, because: /allowed/ },
  { request: "GET /count", headers: json, body: { id: "a", hits: 1 }, because: /source/ },
  { request: "GET /count", headers: json, body: "{", because: /JSON/ },
  { request: "GET /count.txt", headers: text, body: "1,000", because: /pattern/ },
  {
    request: "GET /count",
    headers: { "Content-Type": "application/json" },
    body: counter,
    because: /Cache-Control is missing/,
  },
  {
    request: "GET /count",
    headers: { ...json, "Cache-Control": "max-age=60" },
    body: counter,
    because: /Cache-Control: data must be equal/,
  },
  {
    request: "GET /hit",
    status: 401,
    headers: problem,
    body: problemOf(401),
    because: /WWW-Authenticate is missing/,
  },
  {
    request: "GET /readyz",
    status: 503,
    headers: problem,
    body: problemOf(503),
    because: /Retry-After is missing/,
  },
  {
    request: "GET /readyz",
    status: 503,
    headers: { ...problem, "Retry-After": "soon" },
    body: problemOf(503),
    because: /Retry-After: data must be integer/,
  },
  { request: "GET /hit", status: 400, headers: problem, body: problemOf(409), because: /another/ },
  {
    request: "GET /hit",
    status: 400,
    headers: { ...problem, "X-Tallymark": "bad-luck" },
    body: problemOf(400),
    because: /X-Tallymark: data must be equal/,
  },
  {
    request: "GET /badge",
    status: 400,
    headers: { ...image, "X-Tallymark": "bad-id" },
    body: "<svg></svg>",
    because: /Vary is missing/,
  },
  {
    request: "GET /hit.svg",
    headers: { ...image, "X-Tallymark": "stale" },
    because: /X-Tallymark/,
  },
  { request: "GET /hit", status: 400, headers: problem, body: {}, because: /type/ },
  {
    request: "GET /badge",
    status: 400,
    headers: { ...imageProblem, "Content-Type": "application/problem+json" },
    body: problemOf(400),
    because: /problem.* not described/,
  },
  { request: "GET /badge", headers: image, body: "<html></html>", because: /pattern/ },
  { request: "GET /badge", status: 304, headers: {}, because: /Cache-Control is missing/ },
  {
    request: "GET /badge",
    status: 304,
    headers: { "Cache-Control": revalidate["Cache-Control"] },
    because: /ETag is missing/,
  },
  {
    request: "GET /badge.json",
    headers: { ...json, "Cache-Control": "max-age=60" },
    body: { ...shieldsBadge, cacheSeconds: 29 },
    because: />= 30/,
  },
  { request: "HEAD /count", headers: json, body: counter, because: /not empty/ },
  { request: "HEAD /count", headers: noStoreImage, because: /not described/ },
  { request: "HEAD /hit", headers: json, because: /status is not described/ },
  {
    request: "PUT /hit",
    status: 405,
    headers: problem,
    body: problemOf(405),
    because: /lacks GET/,
  },
  {
    request: "HEAD /hit",
    status: 405,
    headers: { ...problem, "Allow": "GET, HEAD, POST" },
    because: /Allow has HEAD/,
  },
  { request: "GET /nothing", headers: text, body: "", because: /status is not described/ },
  {
    request: "GET /nothing",
    status: 404,
    headers: { ...text, "X-Tallymark": "not-found" },
    body: "no",
    because: /not described/,
  },
];

for (const row of allowed) {
  Deno.test(`checkAnswer allows ${row.request} ${nameOf(row)} and leaves the body readable`, async () => {
    const response = responseOf(row);
    await check(row, response);
    strictEqual(response.bodyUsed, false);
    strictEqual(await response.text(), bodyOf(row) ?? "");
  });
}

for (const row of refused) {
  Deno.test(`checkAnswer refuses ${row.request} ${nameOf(row)}: it says ${row.because.source}`, async () => {
    await rejects(check(row, responseOf(row)), row.because);
  });
}

async function check(row: Row, response: Response): Promise<void> {
  const [method = "", url = ""] = row.request.split(" ");
  await checkAnswer(method, url, response);
}

function nameOf(row: Row): string {
  return `${row.status ?? 200} ${new Headers(row.headers).get("Content-Type") ?? "without a type"}`;
}

function responseOf(row: Row): Response {
  const response = new Response(bodyOf(row), { status: row.status ?? 200, headers: row.headers });
  // A body of text makes the runtime add a type, which the row would have given.
  if (!new Headers(row.headers).has("Content-Type")) response.headers.delete("Content-Type");
  return response;
}

function bodyOf({ body }: Row): string | null {
  if (body === undefined) return null;
  return typeof body === "string" ? body : JSON.stringify(body);
}

function problemOf(status: number): Record<string, unknown> {
  return { type: "/problems/x", title: "Bad", status, detail: "Something is bad." };
}
