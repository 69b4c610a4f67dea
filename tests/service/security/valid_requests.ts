import type { Random } from "./random.ts";
import { SECRET } from "../../support/secret.ts";

/**
 * A request that HTTP allows, however strange: the server answers it and keeps the connection.
 *
 * `/hit.svg` is only ever asked for ids that begin with `svg-`, as its answer does not tell the id.
 */
export function tameRequest(random: Random): string {
  return `${headOf(random).join("\r\n")}\r\n\r\n`;
}

/**
 * Returns a valid request with a body that the endpoint ignores. If the body is late, the server
 * closes the connection after its response.
 */
export function requestWithBody(random: Random): string {
  const { headers, body } = bodyOf(random);
  return `${[...headOf(random), ...headers].join("\r\n")}\r\n\r\n${body}`;
}

function headOf(random: Random): string[] {
  const path = random.percent(85) ? random.pick(PATHS) : random.pick(ODD_PATHS);
  const usual = path === "/hit" && random.percent(40) ? "POST" : "GET";
  const method = random.percent(90) ? usual : random.pick(METHODS);
  return [
    `${method} ${path}${queryOf(random, path)} HTTP/1.1`,
    `Host: ${random.percent(93) ? "localhost:8000" : random.pick(HOSTS)}`,
    ...tokenOf(random),
    ...random.some(4, () => random.pick(HEADERS)),
  ];
}

const PATHS = [
  ...["/hit", "/hit", "/hit", "/hit", "/hit.svg", "/hit.svg", "/count", "/count.txt"],
  ...["/badge", "/badge.json", "/key", "/healthz", "/readyz", "/"],
] as [string, ...string[]];

const ODD_PATHS: [string, ...string[]] = [
  "/%68it",
  "//hit",
  "/hit/",
  "/HIT",
  "/x/../hit",
  "/x/%2e%2e/hit",
  "/hit%00",
  "/hit%2f",
  "/%ff",
  "/%",
  "/hit;id=x",
  "/__proto__",
  "/..\\hit",
  `/${"a/".repeat(4000)}`,
  "http://elsewhere.example/hit",
  "http://a:b@elsewhere.example:99/count",
];

const METHODS: [string, ...string[]] = [
  ...["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "PROPFIND"] as const,
  ...["get", "Post", "hit", "__proto__", "constructor", "!#$%&'*+-.^_`|~", "X".repeat(300)],
];

const HOSTS: [string, ...string[]] = [
  "",
  "a b",
  "a/hit?id=host#",
  "a?id=host",
  "a@b",
  "[::1]:8000",
  "[::1",
  "localhost:99999",
  "\xff",
  "%00",
  "a".repeat(5000),
  "a,b",
  "my_service",
];

const HEADERS: [string, ...string[]] = [
  "Sec-Purpose: prefetch",
  "Purpose: prefetch",
  "Sec-Purpose: prefetch;prerender",
  "If-None-Match: *",
  'If-None-Match: W/"x", "y',
  "Range: bytes=0-0",
  "Expect: 100-continue",
  "Upgrade: websocket",
  "X-HTTP-Method-Override: POST",
  "X-Forwarded-Host: a/hit?id=forwarded#",
  "X-Original-URL: /hit?id=original",
  "Cookie: token=x",
  "Origin: null",
  "Access-Control-Request-Method: POST",
  "Accept: \xff\xfe",
  "A: \t padded \t",
  "B:",
  "Te: trailers",
  `Long: ${"l".repeat(5000)}`,
  "__proto__: x",
];

const PARAMETERS: [string, ...string[]] = [
  ...["label", "style", "color", "bg", "labelColor", "valueColor", "font", "format"] as const,
  ...["cacheSeconds", "numbers", "locale", "theme", "key", "token", "ID", "__proto__", "%69d", ""],
];

const PIECES: [string, ...string[]] = [
  "a",
  "b",
  "1",
  "-1",
  "+",
  "%20",
  "%2B",
  "%00",
  "%0d%0a",
  "%",
  "%z",
  "%u0041",
  "%ff",
  "%25ff",
  "%c0%af",
  "%ed%a0%80",
  "%f0%9f%91%8d",
  "%e2%80%ae",
  "e%CC%81",
  "%C3%A9",
  "\xc3\xa9",
  "=",
  "#",
  "?",
  "/",
  ":",
  "<svg/onload=x>",
  "url(x)",
  "__proto__",
  "%ef%bf%bd",
  "x".repeat(150),
  "99999999999999999999",
];

function queryOf(random: Random, path: string): string {
  const pairs = random.some(
    3,
    () => `${random.pick(PARAMETERS)}=${random.some(4, () => random.pick(PIECES)).join("")}`,
  );
  if (random.percent(2)) pairs.push(`label=${"%61".repeat(random.below(4000))}`);
  if (random.percent(2)) pairs.push(...Array.from({ length: 1000 }, () => "id2=x"));
  const id = `id=${random.percent(70) ? `a${random.below(200)}` : oddId(random)}`;
  // First, as a # cuts off what is behind it.
  if (path === "/hit.svg") pairs.unshift(`id=svg-${random.below(50)}`);
  else if (random.percent(90)) pairs.splice(random.below(pairs.length + 1), 0, id);
  if (path !== "/hit.svg" && random.percent(3)) pairs.push(id);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function oddId(random: Random): string {
  return random.some(3, () => random.pick(PIECES)).join("");
}

function tokenOf(random: Random): string[] {
  const right = `X-Auth-Token: ${SECRET}`;
  if (random.percent(75)) return [right];
  return random.pick<string[]>([
    [],
    [`Authorization: Bearer ${SECRET}`],
    [`X-Auth-Token: ${SECRET} `],
    ["X-Auth-Token:"],
    ["X-Auth-Token: wrong"],
    [right, right],
    [right, "X-Auth-Token: wrong"],
    [`X-Auth-Token: ${"\xff".repeat(3000)}`],
  ]);
}

function bodyOf(random: Random): { headers: string[]; body: string } {
  const text = "GET /hit?id=in-a-body HTTP/1.1\r\n\r\n".repeat(random.below(3));
  return random.pick([
    { headers: [`Content-Length: ${text.length}`], body: text },
    { headers: ["Content-Length: 0", "Content-Length: 0"], body: "" },
    {
      headers: ["Transfer-Encoding: chunked"],
      body: `5;a=b\r\nhello\r\n${text.length.toString(16)}\r\n${text}${
        text === "" ? "" : "\r\n0\r\n"
      }Trailer: x\r\n\r\n`,
    },
  ]);
}
