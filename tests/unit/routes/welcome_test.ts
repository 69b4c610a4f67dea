import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { memoryApp } from "../../support/app.ts";

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
    strictEqual(headers.vary, "Accept");
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
  deepStrictEqual(headers, {
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

Deno.test("GET / is below 82 kB before compression, names no other origin and makes no markup of text", async () => {
  await using closed = await memoryApp({ openReads: false });
  await using app = await memoryApp();
  for (const service of [closed, app]) {
    const { body } = await service.send("GET /", { accept: BROWSER });
    ok(new TextEncoder().encode(body).length < 82_000, `${body.length}`);
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
