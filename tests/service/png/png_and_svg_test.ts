import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Answer, field, made, type TestApp, testApp } from "../../support/app.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";

/** Each PNG endpoint, and the SVG endpoint that it renders. */
const pairs = routes.flatMap(({ path }) =>
  path.endsWith(".png") ? [[path, svgOf(path)] as const] : []
);

function svgOf(path: string): string {
  const name = path.slice(0, -".png".length);
  if (name === "/preview") return "/card.svg";
  return routes.some((route) => route.path === `${name}.svg`) ? `${name}.svg` : name;
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "constructor"];

const HOSTS = ["a b", "example.com:99999", "::1", "user@example.com", "a,b", ""];

/** Every combination of right and wrong credentials, as part of a query and as headers. */
function credentials(key: string, session: string): [query: string, headers: HeadersInit][] {
  return [
    ["", {}],
    [`key=${key}`, {}],
    ["key=wrong", {}],
    ["", authorized],
    [`token=${SECRET}`, {}],
    ["", { authorization: `Bearer ${session}` }],
    [`key=${key}`, authorized],
    [`key=wrong&token=${SECRET}`, {}],
    ["key=", { authorization: `Bearer ${SECRET}` }],
  ];
}

/** Requests with faults that dispatch looks for, one in front of the other. */
const FAULTS = ["id=%ff", "id=a&id=b", "id=%00", "id=%00&key=x", `x=${"a".repeat(8192)}`];

const IMAGE = { accept: "image/avif,image/webp,*/*;q=0.8", "sec-fetch-dest": "image" };

/** Throws if an endpoint differs from its SVG endpoint for a method, host, query or credentials. */
async function compareAll(app: TestApp, png: string, svg: string): Promise<void> {
  const same = (method: string, query: string, headers: HeadersInit) =>
    compare(app, { png, svg, method, query, headers });
  const { json } = await app.send("GET /key?id=a/b", authorized);
  const session = await app.send("POST /session", authorized);
  const shown = credentials(String(field(json, "key")), String(field(session.json, "token")));
  for (const method of METHODS) await same(method, "id=a/b", authorized);
  for (const [query, headers] of shown) {
    await same("GET", `id=a/b&${query}`, headers);
    await same("OPTIONS", `id=a/b&${query}`, headers);
  }
  const fromPage = { ...IMAGE, origin: "https://blog.example" };
  await same("GET", "id=a/b", fromPage);
  await same("GET", "id=a/b", { ...fromPage, ...authorized });
  for (const query of FAULTS) {
    await same("GET", query, authorized);
    await same("PATCH", query, authorized);
  }
  for (const host of HOSTS) await same("GET", "id=%ff", { host });
}

testApp(
  "PNGs have the status and the headers of their SVG images",
  { openReads: false },
  Object.fromEntries(
    pairs.map(([png, svg]) => [`${png} and ${svg}`, (app) => compareAll(app, png, svg)]),
  ),
);

interface Comparison {
  readonly png: string;
  readonly svg: string;
  readonly method: string;
  readonly query: string;
  readonly headers: HeadersInit;
}

/** Throws if a PNG and its SVG image differ in more than in what a PNG is. */
async function compare(app: TestApp, { png, svg, method, query, headers }: Comparison) {
  // Small, because only the headers are compared.
  const one = await made(() => app.send(`${method} ${png}?${query}&scale=1`, headers));
  const other = await app.send(`${method} ${svg}?${query}`, headers);
  const where = `${method} ${png}?${query} ${JSON.stringify(headers)}`;
  deepStrictEqual([one.status, comparable(one)], [other.status, comparable(other)], where);
  const isImage = other.headers["content-type"]?.startsWith("image/svg") === true;
  if (isImage) strictEqual(one.headers["content-type"], "image/png", where);
}

/** The headers that do not tell a PNG from an SVG image. */
function comparable({ headers }: Answer): Record<string, string> {
  const own = ["content-type", "content-length", "etag", "content-security-policy"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}
