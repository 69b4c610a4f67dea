import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { memoryApp, type TestApp } from "../../support/app.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { parseSvg } from "../../support/parse_svg.ts";
import { authorized } from "../../support/secret.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

Deno.test("GET / is a page for whoever names text/html, and text for all others", async () => {
  await using app = await memoryApp();
  for (const accept of [BROWSER, "TEXT/HTML", "image/png, text/html;q=0.1"]) {
    const { headers } = await app.send("GET /", { accept });
    strictEqual(headers["content-type"], "text/html; charset=utf-8", accept);
  }
  for (const accept of ["*/*", "", "text/plain", "text/html;q=0", "application/json"]) {
    const { headers, body } = await app.send("GET /", { accept });
    strictEqual(headers["content-type"], "text/plain; charset=utf-8", accept);
    strictEqual(headers.vary, "Accept, Accept-Encoding");
    match(body, /POST +\/hit/);
    const columns = body.trim().split("\n").slice(2).map((line) => /\/\S* +/.exec(line));
    const ends = columns.map((found) => (found?.index ?? 0) + (found?.[0].length ?? 0));
    strictEqual(new Set(ends).size, 1, body);
  }
});

Deno.test("GET / tells a browser a policy that lets this page's own script and style run and no other", async () => {
  await using app = await memoryApp();
  const { headers, body } = await app.send("GET /", { accept: BROWSER });
  const hashIn = (element: RegExp) => {
    const text = element.exec(body)?.[1] ?? "";
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  // The script of the Data view is loaded later.
  const later = /"integrity":\{"\.\/data\.js":"([^"]+)"\}/.exec(body)?.[1] ?? "";
  const { etag = "", ...others } = headers;
  const known = await app.send("GET /", { accept: BROWSER, "if-none-match": etag });
  strictEqual(known.status, 304);
  deepStrictEqual(others, {
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; " +
      `script-src ${hashIn(/<script type="?module"?>([^]*)<\/script>/)} ` +
      `${hashIn(/<script type="?importmap"?>([^]*?)<\/script>/)} '${later}'; ` +
      `style-src ${hashIn(/<style>([^]*?)<\/style>/)}; img-src 'self' blob: data:; ` +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "vary": "Accept, Accept-Encoding",
    "x-content-type-options": "nosniff",
  });
});

Deno.test("GET / is at most 78 kB before compression, names no other origin and makes no markup of text", async () => {
  await using closed = await memoryApp({ openReads: false });
  await using app = await memoryApp();
  for (const service of [closed, app]) {
    const { body } = await service.send("GET /", { accept: BROWSER });
    ok(new TextEncoder().encode(body).length <= 78_000, `${body.length}`);
  }
  const { body } = await app.send("GET /", { accept: BROWSER });
  const origins = [...body.matchAll(/https?:\/\/[^\s"'`/]+/g)].map(([origin]) => origin);
  deepStrictEqual([...new Set(origins)].toSorted(), [
    "http://www.w3.org",
    "https://img.shields.io",
  ]);
  doesNotMatch(body, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|srcdoc/);
});

Deno.test("GET / is gzipped for callers that take that, and for no others", async () => {
  await using app = await memoryApp();
  const plain = await app.send("GET /", { accept: BROWSER });
  const { headers } = await app.send("HEAD /", {
    "accept": BROWSER,
    "accept-encoding": "br, gzip",
  });
  strictEqual(headers["content-encoding"], "gzip");
  strictEqual(plain.headers["content-encoding"], undefined);
  const refusing = await app.send("HEAD /", { "accept": BROWSER, "accept-encoding": "gzip;q=0" });
  strictEqual(refusing.headers["content-encoding"], undefined);
});

Deno.test("an unknown path is a page in a browser, with links that work below a path, and JSON elsewhere", async () => {
  await using app = await memoryApp();
  for (const [path, root] of [["/blgo", "./"], ["/a/b", "../"], ["/a/b/", "../../"]]) {
    const { status, headers, body } = await app.send(`GET ${path}`, { accept: BROWSER });
    strictEqual(status, 404);
    strictEqual(headers["content-type"], "text/html; charset=utf-8");
    match(headers["content-security-policy"] ?? "", /^default-src 'none'/);
    match(body, /<link rel="icon" href="data:image\/svg\+xml,.*<h1>Nothing at this address<\/h1>/);
    ok(body.includes(`<a href="${root}api">`), path);
    const elsewhere = await app.send(`GET ${path}`);
    strictEqual(elsewhere.headers["content-type"], "application/problem+json");
  }
});

/** Maximum size of the script as served, in bytes. */
const MAX_BYTES = 15_000;

Deno.test("the page accepts the script of its Data view by its hash, and nothing else", async () => {
  await using app = await memoryApp();
  const page = await app.send("GET /", { accept: "text/html" });
  const [, map = ""] = /<script type="importmap">(.*?)<\/script>/.exec(page.body) ?? [];
  const script = await app.send("GET /data.js");
  strictEqual(script.status, 200);
  const hash = await hashOf(script.body);
  strictEqual(JSON.parse(map).integrity["./data.js"], hash);
  const policy = page.headers["content-security-policy"] ?? "";
  const [, sources = ""] = /script-src ([^;]*)/.exec(policy) ?? [];
  ok(sources.includes(`'${hash}'`) && sources.includes(`'${await hashOf(map)}'`), sources);
  strictEqual(sources.split(" ").length, 3);
  match(policy, /require-trusted-types-for 'script'/);
});

Deno.test("the script of the Data view is small, and caches ask for it", async () => {
  await using app = await memoryApp();
  const response = await app.open("GET /data.js", { "accept-encoding": "gzip" });
  const headers = Object.fromEntries(response.headers);
  strictEqual(headers["cache-control"], "no-cache");
  match(headers.etag ?? "", /^W\//);
  strictEqual(headers["content-encoding"], "gzip");
  const size = (await response.bytes()).length;
  ok(size > 0 && size <= MAX_BYTES, `${size} bytes`);
});

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}

const DAY = "2026-11-24";
const calendar = createCalendar("UTC", () => Date.parse(`${DAY}T12:00:00Z`));

/** A counter of this id with 1 hit today and 41 hits in total. */
async function open(id: string): Promise<TestApp> {
  const app = await memoryApp({ calendar, serveAs: "komarev/,hits.sh/,seeyoufarm/" });
  const days = { [DAY]: 1, "2026-11-23": 2 };
  await app.sendBody("POST /counters", JSON.stringify({ id, hits: 41, days }));
  return app;
}

const rows: [line: string, id: string, message: string][] = [
  ["/badge?id=a&base=100", "a", "141"],
  ["/badge?id=a&base=100&period=today", "a", "101"],
  ["/badge?id=a&base=100&show=today/total", "a", "1 / 141"],
  ["/badge?id=a&base=100&show=today/total&numbers=grouped&base=5000", "a", "bad query"],
  ["/badge?id=a&base=9000&show=today/total&numbers=grouped", "a", "1 / 9,041"],
  ["/badge?id=a&base=9007199254740991&show=today/total", "a", "1 / 9007199254740991"],
  ["/badge?id=a&base=1%202&show=today/total", "a", "1 / 41"],
  ["/badge?id=a&base=-1&show=today/total", "a", "1 / 41"],
  ["/badge?id=a&base=100&show=today/total&spark=7", "a", "1 / 141"],
  ["/hit.svg?id=a&base=100", "a", "142"],
  ["/hit.svg?id=a&base=100&show=today/total", "a", "2 / 142"],
  ["/as/komarev/ghpvc/?username=octocat&base=100", "komarev/octocat", "142"],
  ["/as/komarev/ghpvc/?username=octocat&base=9000", "komarev/octocat", "9,042"],
  ["/as/komarev/ghpvc/?username=octocat&base=100&base=5", "komarev/octocat", "142"],
  ["/as/komarev/ghpvc/?username=octocat&base=5&amp;base=100", "komarev/octocat", "47"],
  ["/as/komarev/ghpvc/?username=octocat&base=1%202", "komarev/octocat", "42"],
  ["/as/komarev/ghpvc/?username=octocat&base=1,2", "komarev/octocat", "42"],
  ["/as/komarev/ghpvc/?username=octocat&base=%20100%20", "komarev/octocat", "142"],
  ["/as/hits.sh/a.b/c.svg?extraCount=100", "hits.sh/a.b/c", "142"],
  ["/as/hits.sh/a.b/c.svg?extraCount=100&view=today-total", "hits.sh/a.b/c", "2 / 142"],
];

for (const [line, id, message] of rows) {
  Deno.test(`GET ${line} shows ${message} of 41 hits, 1 of them today`, async () => {
    await using app = await open(id);
    const headers = line.startsWith("/hit.svg") ? authorized : { "user-agent": READER };
    const { body } = await app.send(`GET ${line}`, headers);
    const title = parseSvg(body).find(({ name }) => name === "title")?.text ?? "";
    strictEqual(title.split(": ").at(-1), message);
  });
}

const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0";
