import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { type Answer, field, memoryApp, type TestApp } from "../../support/app.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { authorized } from "../../support/secret.ts";

const ORIGINS = ["https://blog.example", "http://localhost:3000"];

async function keyOf(app: TestApp, prefix: string): Promise<unknown> {
  const { json } = await app.send(`GET /key?read=${encodeURIComponent(prefix)}`, authorized);
  return field(json, "key");
}

async function openPage(app: TestApp, more = "", headers = {}): Promise<Answer> {
  return await app.send(`GET /p?prefix=blog/&key=${await keyOf(app, "blog/")}${more}`, headers);
}

function ancestorsOf({ headers }: Answer): string | undefined {
  return /frame-ancestors ([^;]*)/.exec(headers["content-security-policy"] ?? "")?.[1];
}

Deno.test("GET /p sends the policy of a page, and is private, not listed and without referrer", async () => {
  await using app = await memoryApp({ openReads: false });
  const { status, headers, body } = await openPage(app);
  strictEqual(status, 200);
  strictEqual(headers["content-type"], "text/html; charset=utf-8");
  strictEqual(headers["cache-control"], "private, no-store");
  strictEqual(headers["x-robots-tag"], "noindex");
  strictEqual(headers["referrer-policy"], "no-referrer");
  match(
    headers["content-security-policy"] ?? "",
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
  );
  doesNotMatch(body, /localStorage/);
});

Deno.test("GET /p names EMBED_ORIGINS as frame-ancestors with embed=1 only", async () => {
  await using app = await memoryApp({ embedOrigins: ORIGINS });
  strictEqual(ancestorsOf(await openPage(app, "&embed=1")), ORIGINS.join(" "));
  for (const more of ["", "&embed=", "&embed=0", "&embed=true", "&embed=11"]) {
    strictEqual(ancestorsOf(await openPage(app, more)), "'none'", more);
  }
  strictEqual(ancestorsOf(await app.send("GET /p?prefix=blog/&embed=1")), "'none'");
  await using without = await memoryApp();
  strictEqual(ancestorsOf(await openPage(without, "&embed=1")), "'none'");
});

for (const openReads of [true, false]) {
  Deno.test(`GET /p without its key is a 401 page, where reads are ${openReads ? "open" : "protected"}`, async () => {
    await using app = await memoryApp({ openReads });
    for (const query of ["", "&key=", "&key=wrong", `&key=${await keyOf(app, "other/")}`]) {
      const { status, headers, body } = await app.send(`GET /p?prefix=blog/${query}`);
      strictEqual(status, 401, query);
      strictEqual(headers["content-type"], "text/html; charset=utf-8");
      match(body, /^<!DOCTYPE html>.*<h1>This link opens nothing<\/h1><p>Its key is wrong/);
      doesNotMatch(body, /blog/);
    }
  });
}

Deno.test("the preview image and the feed of GET /p are those of its group and key, at the address of the client", async () => {
  await using app = await memoryApp();
  const key = await keyOf(app, "blog/");
  const image = (scheme: string) =>
    `<meta property="og:image" content="${scheme}://localhost/preview.png?prefix=blog%2F&amp;key=${key}">`;
  const { body: page } = await openPage(app);
  ok(page.includes(image("http")));
  ok(page.includes(`href="feed.atom?prefix=blog%2F&amp;key=${key}"`));
  const proxied = await openPage(app, "", { "x-forwarded-proto": "https" });
  ok(proxied.body.includes(image("https")));
  // A proxy that serves TLS may not say so, or one behind it may say http.
  for (const headers of [{}, { "x-forwarded-proto": "http" }]) {
    const { body } = await openPage(app, "", { host: "hits.example:8443", ...headers });
    match(body, /og:image" content="https:\/\/hits\.example:8443\/preview\.png\?/);
  }
  await using named = await memoryApp({ publicUrl: "https://example.org/hits" });
  const { body } = await openPage(named, "", { "x-forwarded-proto": "http" });
  match(body, /og:image" content="https:\/\/example\.org\/hits\/preview\.png\?/);
  match(body, /og:url" content="https:\/\/example\.org\/hits\/p\?/);
  match(body, /<meta name="public-url" content="https:\/\/example\.org\/hits">/);
});

Deno.test("GET /p writes no text of the query into the page as markup", async () => {
  await using app = await memoryApp();
  const hostile = `"><script>alert(1)</script>&lt;'$&$1/`;
  const query = `prefix=${encodeURIComponent(hostile)}&key=${encodeURIComponent(hostile)}`;
  const { status, body } = await app.send(`GET /p?${query}`, authorized);
  strictEqual(status, 200);
  ok(!body.includes("<script>alert"));
  ok(body.includes("<title>script&gt;&amp;lt;'$&amp;$1 ·"), "the last part of the prefix");
  const titled = await app.send(
    `GET /p?prefix=a/&title=${encodeURIComponent(hostile)}&theme=${encodeURIComponent(hostile)}`,
    authorized,
  );
  ok(!titled.body.includes("<script>alert"));
  ok(
    titled.body.includes(
      "<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;'$&amp;$1/ ·",
    ),
  );
});

Deno.test("GET /p.json has the total, 400 days and 20 counters, in at most 50 kB with the longest ids", async () => {
  const noon = Date.parse("2026-11-23T12:00:00Z");
  await using app = await memoryApp({ calendar: createCalendar("UTC", () => noon) });
  const prefix = `${'"'.repeat(196)}/`;
  const days = Object.fromEntries(
    Array.from({ length: 500 }, (_, back) => {
      return [new Date(noon - back * 86_400_000).toISOString().slice(0, 10), 10 ** 11];
    }),
  );
  for (let index = 0; index < 25; index++) {
    const id = prefix + String(index).padStart(3, "0");
    strictEqual(new TextEncoder().encode(id).length, 200);
    const line = JSON.stringify({ hits: 10 ** 14 + index, days });
    const { status } = await app.sendBody(`PUT /counters?id=${encodeURIComponent(id)}`, line);
    strictEqual(status, 200);
  }
  const query = `prefix=${encodeURIComponent(prefix)}&key=${await keyOf(app, prefix)}`;
  const { status, body, json } = await app.send(`GET /p.json?${query}`);
  strictEqual(status, 200);
  ok(body.length <= 50_000, `${body.length} bytes`);
  deepStrictEqual(Object.keys(Object(json)), [
    "prefix",
    "total",
    "since",
    "older",
    "timeZone",
    "days",
    "counters",
  ]);
  strictEqual(field(json, "total"), 25 * 10 ** 14 + 300);
  strictEqual(field(json, "since"), "2025-07-12");
  strictEqual(field(json, "older"), 25 * 10 ** 14 + 300 - 25 * 500 * 10 ** 11);
  const shown = Object(json);
  strictEqual(shown.days.length, 400);
  deepStrictEqual(shown.days.at(-1), { day: "2026-11-23", hits: 25 * 10 ** 11 });
  const top = await app.send(`GET /top?${query}&limit=20`);
  deepStrictEqual(shown.counters, field(top.json, "counters"));
});

Deno.test("GET /p.json of a group without counters is empty", async () => {
  await using app = await memoryApp();
  const { json } = await app.send(`GET /p.json?prefix=a/&key=${await keyOf(app, "a/")}`);
  const { timeZone, ...numbers } = Object(json);
  strictEqual(timeZone, TIME_ZONE);
  deepStrictEqual(numbers, {
    ...{ prefix: "a/", total: 0, since: null, older: 0, days: [], counters: [] },
  });
});

Deno.test("GET /p says to other sites what it is, and never the secret", async () => {
  await using app = await memoryApp();
  const key = await keyOf(app, "blog/");
  const { body } = await openPage(app, "&title=My+garden&theme=dark&token=secret-in-the-address");
  const head = (name: string) =>
    new RegExp(`<meta property="og:${name}" content="([^"]*)">`).exec(body)?.[1];
  strictEqual(head("type"), "website");
  strictEqual(head("title"), "My garden · Tallymark");
  strictEqual(head("url"), `http://localhost/p?prefix=blog%2F&amp;key=${key}&amp;title=My+garden`);
  strictEqual(head("description"), "How often My garden was viewed.");
  match(body, /<html class="dark" lang="en">/);
  doesNotMatch(body, /secret-in-the-address/);
});
