import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { errorBadge } from "../../../src/badge/drawings.ts";
import { tagOf } from "../../../src/http/conditional.ts";
import { allowPages } from "../../../src/http/cors.ts";
import { acceptsGzip } from "../../../src/http/negotiation.ts";
import { problemImageResponse, problemResponse } from "../../../src/http/problem_page.ts";
import { createResponse, headersFor } from "../../../src/http/response.ts";
import type { FailureKind } from "../../../src/domain/errors.ts";
import { Problem, type ProblemName } from "../../../src/problem.ts";
import { codePoint } from "../../support/code_point.ts";
import { parseSvg, texts } from "../../support/parse_svg.ts";
import { projectFolder } from "../../support/programs.ts";
import { memoryApp, memoryStore, openApp, UNCACHED_IMAGE } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { times } from "../../support/times.ts";
import { authorized, SECRET } from "../../support/secret.ts";

type Headers = Record<string, string>;

const nosniff = { "x-content-type-options": "nosniff" };
const noStore = { "cache-control": "no-store", ...nosniff };
const uncached = { "cache-control": UNCACHED_IMAGE, ...nosniff };
const json = { "content-type": "application/json" };
const text = { "content-type": "text/plain; charset=utf-8" };
const svg = {
  "content-type": "image/svg+xml; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};
const problem = { "content-type": "application/problem+json" };
const embeddable = { "cross-origin-resource-policy": "cross-origin" };
const shared = { "access-control-allow-origin": "*", ...embeddable };
const exposed = { "access-control-expose-headers": "x-tallymark" };
const revalidated = { "cache-control": "no-cache, max-age=0, must-revalidate", ...nosniff };
const challenge = { "www-authenticate": 'Bearer realm="Tallymark"' };
const later = { "retry-after": "1" };
const prefetch = { "x-tallymark": "prefetch" };
const preflight = {
  ...nosniff,
  "allow": "GET, HEAD, OPTIONS",
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-max-age": "86400",
};

/** The name of a request header, if one is sent. Its value is always "prefetch". */
interface Row {
  line: string;
  status?: number;
  purpose?: boolean;
  headers: Headers;
}

/** The headers of every error: its name, which scripts see too that may read the answer. */
function errorOf(name: string, kind: Headers): Headers {
  return {
    ...kind,
    ...(kind["content-type"] === svg["content-type"] ? { ...uncached, vary: "Accept" } : noStore),
    "x-tallymark": name,
    ...("access-control-allow-origin" in kind && exposed),
  };
}

const answers: Row[] = [
  { line: "GET /hit", headers: { ...json, ...noStore } },
  { line: "POST /hit", headers: { ...json, ...noStore } },
  { line: "GET /hit", purpose: true, headers: { ...json, ...noStore, ...prefetch } },
  { line: "GET /hit.svg", headers: { ...svg, ...uncached, ...embeddable } },
  { line: "HEAD /hit.svg", headers: { ...svg, ...uncached, ...embeddable } },
  {
    line: "GET /hit.svg",
    purpose: true,
    headers: { ...svg, ...uncached, ...embeddable, ...prefetch },
  },
  { line: "GET /count", headers: { ...json, ...noStore, ...shared } },
  { line: "GET /count?format=txt", headers: { ...text, ...noStore, ...shared } },
  { line: "GET /count.txt", headers: { ...text, ...noStore, ...shared } },
  { line: "GET /badge", headers: { ...svg, ...revalidated, ...shared, etag: "TAG" } },
  {
    line: "GET /badge.json",
    headers: { ...json, ...nosniff, ...shared, "cache-control": "max-age=60" },
  },
  { line: "GET /key", headers: { ...json, ...noStore } },
  {
    line: "GET /openapi.json",
    headers: {
      ...json,
      ...nosniff,
      ...shared,
      "cache-control": "no-cache",
      "vary": "Accept-Encoding",
      "etag": "TAG",
    },
  },
  { line: "GET /healthz", headers: { ...json, ...noStore } },
  { line: "GET /readyz", headers: { ...json, ...noStore } },
  {
    line: "GET /",
    headers: {
      ...text,
      ...nosniff,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "vary": "Accept, Accept-Encoding",
      "etag": "TAG",
    },
  },
  // cors_test has the preflights of all routes.
  { line: "OPTIONS /count", status: 204, headers: preflight },
  { line: "GET /nothing", status: 404, headers: errorOf("not-found", problem) },
  {
    line: "HEAD /hit",
    status: 405,
    headers: { ...errorOf("method-not-allowed", problem), allow: "GET, POST, OPTIONS" },
  },
  {
    line: "POST /hit.svg",
    status: 405,
    headers: {
      ...errorOf("method-not-allowed", { ...svg, ...embeddable }),
      allow: "GET, HEAD, OPTIONS",
    },
  },
  { line: "OPTIONS /hit", status: 204, headers: { ...nosniff, allow: "GET, POST, OPTIONS" } },
  {
    line: "GET /tally.js",
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      ...nosniff,
      ...shared,
      "cache-control": "max-age=86400",
      vary: "Accept-Encoding",
      etag: "",
    },
  },
  {
    line: "POST /count",
    status: 405,
    headers: {
      ...errorOf("method-not-allowed", { ...problem, ...shared }),
      allow: "GET, HEAD, OPTIONS",
    },
  },
  {
    line: "POST /",
    status: 405,
    headers: { ...errorOf("method-not-allowed", problem), allow: "GET, HEAD" },
  },
  { line: "GET /?%ff", status: 400, headers: errorOf("bad-query", problem) },
  { line: "GET /readyz?%ff", status: 400, headers: errorOf("bad-query", problem) },
  {
    line: "GET /openapi.json?%ff",
    status: 400,
    headers: errorOf("bad-query", { ...problem, ...shared }),
  },
];

for (const { line, status = 200, purpose = false, headers } of answers) {
  const what = purpose ? `${line} as a prefetch` : line;
  Deno.test(`${what} has exactly the headers that the contract asks for`, async () => {
    await using app = await memoryApp();
    const sent = { ...authorized, ...(purpose && { "sec-purpose": "prefetch" }) };
    const got = await app.send(line, sent);
    strictEqual(got.status, status);
    const { etag } = got.headers;
    if (headers.etag !== undefined) match(etag ?? "", /^(W\/)?"[!-~]+"$/);
    deepStrictEqual(got.headers, headers.etag === undefined ? headers : { ...headers, etag });
  });
}

/** The kinds of errors by endpoint: the type, and who may see them where reads are open. */
const kinds: { path: string; headers: Headers; image?: true }[] = [
  { path: "/hit", headers: problem },
  { path: "/hit.svg", headers: { ...svg, ...embeddable }, image: true },
  { path: "/count", headers: { ...problem, ...shared } },
  { path: "/count?format=txt", headers: { ...text, ...shared } },
  { path: "/count?format=text", headers: { ...text, ...shared } },
  { path: "/count.txt", headers: { ...text, ...shared } },
  { path: "/badge", headers: { ...svg, ...shared }, image: true },
  { path: "/badge.json", headers: { ...problem, ...shared } },
];

for (const { path, headers } of kinds) {
  const and = path.includes("?") ? "&" : "?";
  Deno.test(`every error of ${path} has its type, no-store and what its status asks for`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    const failing = async (failure: FailureKind | Error, status: number, more: Headers = {}) => {
      store.failure = failure;
      const got = await app.send(`GET ${path}`, authorized);
      const name = failure instanceof Error ? "internal" : failure;
      deepStrictEqual([got.status, got.headers], [status, { ...errorOf(name, headers), ...more }]);
    };
    const refused = async (name: ProblemName, query: string, sent: Headers = {}) => {
      const got = await app.send(`GET ${path}${and}${query}`, { ...authorized, ...sent });
      deepStrictEqual([got.status, got.headers], [400, errorOf(name, headers)]);
    };
    await refused("bad-id", "id=%00");
    await refused("bad-query", "id=%ff");
    await refused("bad-host", "id=a", { host: "a b" });
    await failing("not-a-counter", 409);
    await failing("counter-full", 409);
    await failing(new Error("unexpected"), 500);
    await failing("store-unavailable", 503, later);
    await failing("overloaded", 503, later);
    await failing("outcome-unknown", 504);
    if (!path.startsWith("/hit")) return;
    const got = await app.send(`GET ${path}`);
    deepStrictEqual([got.status, got.headers], [401, {
      ...errorOf("unauthorized", headers),
      ...challenge,
    }]);
  });
}

const privately = { "cache-control": "private, no-store", ...nosniff };

const protectedAnswers: Row[] = [
  { line: "GET /count", headers: { ...json, ...privately } },
  { line: "GET /count?format=txt", headers: { ...text, ...privately } },
  { line: "GET /count.txt", headers: { ...text, ...privately } },
  { line: "GET /badge", headers: { ...svg, ...privately } },
  { line: "GET /badge.json", headers: { ...json, ...privately } },
  { line: "HEAD /badge.json", headers: { ...json, ...privately } },
  { line: "OPTIONS /count", status: 204, headers: { ...nosniff, allow: "GET, HEAD, OPTIONS" } },
  { line: "GET /count?id=%00", status: 400, headers: errorOf("bad-id", problem) },
  { line: "GET /badge?id=%00", status: 400, headers: errorOf("bad-id", svg) },
];

for (const { line, status = 200, headers } of protectedAnswers) {
  Deno.test(`${line} has no CORS and no cache where reads are protected`, async () => {
    const { store } = await memoryStore();
    await using app = openApp({ store, openReads: false });
    const got = await app.send(line, { "x-auth-token": SECRET, "if-none-match": "*" });
    deepStrictEqual([got.status, got.headers], [status, headers]);
  });
}

for (const { path, headers } of kinds.filter(({ path }) => !path.startsWith("/hit"))) {
  Deno.test(`the 401 of ${path} has no CORS where reads are protected`, async () => {
    await using app = await memoryApp({ openReads: false });
    const got = await app.send(`GET ${path}`);
    const own = Object.entries(headers).filter(([name]) => !Object.hasOwn(shared, name));
    strictEqual(got.status, 401);
    deepStrictEqual(got.headers, {
      ...errorOf("unauthorized", Object.fromEntries(own)),
      ...challenge,
    });
  });
}

const statuses: Record<ProblemName, { status: number; title: string; badge: string }> = {
  "bad-host": { status: 400, title: "Bad Host header", badge: "bad host" },
  "bad-query": { status: 400, title: "Bad query", badge: "bad query" },
  "query-too-long": { status: 414, title: "Query too long", badge: "query too long" },
  "bad-body": { status: 400, title: "Bad body", badge: "bad body" },
  "bad-line": { status: 400, title: "Bad line", badge: "bad line" },
  "bad-id": { status: 400, title: "Bad counter id", badge: "bad id" },
  "hit-needs-id": { status: 400, title: "Hit needs an id", badge: "id missing" },
  "bad-idempotency-key": { status: 400, title: "Bad Idempotency-Key", badge: "bad key" },
  "unauthorized": { status: 401, title: "Unauthorized", badge: "unauthorized" },
  "group-full": { status: 403, title: "Group full", badge: "group full" },
  "outside-prefix": { status: 403, title: "Outside prefix", badge: "outside prefix" },
  "not-found": { status: 404, title: "Not found", badge: "not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed", badge: "bad method" },
  "not-a-counter": { status: 409, title: "Not a counter", badge: "not a counter" },
  "counter-full": { status: 409, title: "Counter full", badge: "full" },
  "below-zero": { status: 409, title: "Below zero", badge: "below zero" },
  "slots-differ": { status: 409, title: "Slots differ", badge: "slots differ" },
  "group-too-large": { status: 409, title: "Group too large", badge: "too many" },
  "internal": { status: 500, title: "Internal error", badge: "error" },
  "store-unavailable": { status: 503, title: "Store unavailable", badge: "unavailable" },
  "busy": { status: 503, title: "Too many PNGs are waiting", badge: "busy" },
  "no-png": { status: 503, title: "No PNG rasterizer", badge: "no PNG" },
  "overloaded": { status: 503, title: "Too many requests are waiting", badge: "busy" },
  "shutting-down": { status: 503, title: "Shutting down", badge: "shutting down" },
  "outcome-unknown": { status: 504, title: "Outcome unknown", badge: "no answer" },
};

Deno.test("the reference explains every problem of 503", async () => {
  const reference = await Deno.readTextFile(join(projectFolder, ".docs/reference.md"));
  const explained = [...reference.matchAll(/^\| `([a-z-]+)` +\| .*[a-z]/gm)].map(([, name]) =>
    name
  );
  const unavailable = Object.entries(statuses).filter(([, { status }]) => status === 503);
  deepStrictEqual(explained.toSorted(), unavailable.map(([name]) => name).toSorted());
});

// Object.keys() forgets the names; those of a record of problems are names of problems.
for (const name of Object.keys(statuses) as ProblemName[]) {
  const { status, title, badge } = statuses[name];
  Deno.test(`a problem answer tells of ${name} as JSON, text and image, and of no cause`, async () => {
    const problem = new Problem(name, { cause: new Error("the disk of oz") });
    const asJson = problemResponse(problem, "json");
    strictEqual(asJson.status, status);
    const { detail, ...rest } = await asJson.json();
    deepStrictEqual(rest, { type: `urn:problem-type:tallymark:${name}`, title, status });
    match(detail, /^[A-Z].{20,}\.$/);

    const asText = problemResponse(problem, "text");
    strictEqual(asText.status, status);
    strictEqual(await asText.text(), `${title}: ${detail}`);

    const request = new Request("http://localhost/");
    const asImage = problemImageResponse(problem, { image: errorBadge(problem), request });
    strictEqual(asImage.status, status);
    const image = await asImage.text();
    const drawn = parseSvg(image);
    ok(texts(drawn).some(({ text }) => text === badge));
    strictEqual(drawn.find((element) => element.name === "desc")?.text, detail);
    doesNotMatch(detail + image, /the disk of oz/);
  });
}

Deno.test("createResponse() and allowPages() leave no header of one response in another", () => {
  const headers = headersFor("svg", "no-store");
  allowPages(createResponse("<svg/>", headers), "any").headers.set("x-tallymark", "stale");
  deepStrictEqual(
    Object.fromEntries(createResponse("<svg/>", headers).headers),
    { ...svg, ...noStore },
  );
});

const encodings: { header: string | undefined; accepts: boolean }[] = [
  { header: undefined, accepts: false },
  { header: "", accepts: false },
  { header: "gzip", accepts: true },
  { header: "GZIP", accepts: true },
  { header: "x-gzip", accepts: true },
  { header: "deflate, gzip;q=1.0, *;q=0.5", accepts: true },
  { header: "br,gzip ; q=0.001", accepts: true },
  { header: "*", accepts: true },
  { header: "br, *;q=0.1", accepts: true },
  { header: "gzip;q=0", accepts: false },
  { header: "gzip; Q=0.000, *", accepts: false },
  { header: "*;q=0", accepts: false },
  { header: "identity", accepts: false },
  { header: "br, not-gzip, gzipped", accepts: false },
];

for (const { header, accepts } of encodings) {
  Deno.test(`acceptsGzip() says ${accepts} of Accept-Encoding: ${header ?? "(none)"}`, () => {
    const headers = header === undefined ? {} : { "accept-encoding": header };
    const request = new Request("http://localhost/", { headers: new Headers(headers) });
    strictEqual(acceptsGzip(request), accepts);
  });
}

Deno.test("tagOf() tells texts apart, in characters of an entity tag", () => {
  const text = fc.string({ unit: codePoint });
  fc.assert(
    fc.property(text, text, (one, other) => {
      match(tagOf(one), /^"[\x21\x23-\x2b\x2d-\x7e]+"$/);
      strictEqual(tagOf(one) === tagOf(other), one === other);
    }),
    { numRuns: times(500, 5000) },
  );
});
