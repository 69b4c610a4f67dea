import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { checkAnswer } from "../../support/openapi_check.ts";
import { openapi, routes } from "../../support/surface.ts";

Deno.test("openapi passes the recommended rules of a linter without errors or warnings", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({ source: JSON.stringify(openapi), config });
  deepStrictEqual(
    // A link is always a redirect.
    findings.filter(({ location }) => !location[0]?.pointer?.includes("/~1go/"))
      .map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`),
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
    methods.filter((method) => !["HEAD", "OPTIONS"].includes(method)).map((method) => ({
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
  ...json,
  "Content-Type": "application/problem+json",
  "X-Tallymark": "internal",
};
const counter = { id: "home", hits: 42, source: "redis" };

Deno.test("the check of responses, which nearly every test uses, allows what openapi describes", async () => {
  const response = new Response(JSON.stringify(counter), { headers: json });
  await checkAnswer("GET", "/count?id=a", response);
  deepStrictEqual(await response.json(), counter);
});

const REFUSED: [request: string, ResponseInit, body: unknown, because: RegExp][] = [
  ["GET /count", { status: 418, headers: problem }, {}, /status is not described/],
  ["GET /nothing", { headers: json }, {}, /status is not described/],
  ["GET /count", { headers: { ...json, "Content-Type": "image/svg+xml" } }, {}, /not described/],
  ["GET /count", { headers: json }, { ...counter, more: 1 }, /additional/],
  ["GET /count", { headers: json }, { ...counter, hits: 2 ** 53 }, /<= 4503/],
  ["GET /count", { headers: json }, { id: "a", hits: 1 }, /source/],
  ["GET /count", { headers: { "Content-Type": "application/json" } }, counter, /is missing/],
  ["HEAD /count", { headers: json }, counter, /not empty/],
  ["HEAD /hit", { status: 405, headers: { ...problem, Allow: "GET, HEAD, POST" } }, {}, /Allow/],
];

for (const [request, init, body, because] of REFUSED) {
  Deno.test(`the check of responses refuses ${request} for ${because.source}`, async () => {
    const [method = "", url = ""] = request.split(" ");
    const { status = 200 } = init;
    const problem = { type: "/problems/x", title: "Bad", status, detail: "Something is bad." };
    const text = JSON.stringify(status === 200 ? body : problem);
    await rejects(checkAnswer(method, url, new Response(text, init)), because);
  });
}
