import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { type Answer, field, memoryApp, memoryStore, openApp } from "../../support/app.ts";
import { ScriptedStore, STORE_FAILURES } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";

for (const method of ["GET", "POST"]) {
  Deno.test(`${method} /hit adds one and answers with id, hits and source alone`, async () => {
    await using app = await memoryApp();
    for (let hits = 1; hits <= 3; hits++) {
      const { status, body } = await app.send(`${method} /hit?id=a`, authorized);
      strictEqual(status, 200);
      strictEqual(body, `{"id":"a","hits":${hits},"source":"memory"}`);
    }
    strictEqual(await app.count("a"), 3);
  });
}

const ids = [
  { query: "", id: "home" },
  { query: "?id=+%20%09%C2%A0", id: "home" },
  { query: "?id=+a+b+", id: "a b" },
  { query: "?id=e%CC%81", id: "é" },
  { query: "?id=é", id: "é" },
  { query: "?id=%25ff", id: "%ff" },
  { query: "?id=__proto__", id: "__proto__" },
  { query: "?id=https://x/y?z=1", id: "https://x/y?z=1" },
  { query: "?id=%22%3C%26%5C", id: '"<&\\' },
  { query: `?%69%64=a`, id: "a" },
];

Deno.test("/hit, /hit.svg and the reads take an id percent-decoded once, trimmed and in NFC", async () => {
  await using app = await memoryApp();
  const hits = new Map<string, number>();
  for (const { query, id } of ids) {
    const expected = (hits.get(id) ?? 0) + 2;
    hits.set(id, expected);
    await app.send(`GET /hit.svg${query}`, authorized);
    const { json } = await app.send(`POST /hit${query}`, authorized);
    deepStrictEqual(json, { id, hits: expected, source: "memory" }, query);
    deepStrictEqual((await app.send(`GET /count${query}`)).json, json, query);
    strictEqual((await app.send(`GET /count.txt${query}`)).body, String(expected), query);
    const badge = await app.send(`GET /badge.json${query}`);
    strictEqual(field(badge.json, "message"), String(expected), query);
    match((await app.send(`GET /badge${query}`)).body, new RegExp(`>views: ${expected}<`));
    strictEqual(field((await app.send(`GET /key${query}`, authorized)).json, "id"), id, query);
  }
});

// counter_id_test and query_test have all kinds.
const badRequests = [
  { query: "?id=a%00", name: "bad-id" },
  { query: `?id=${"a".repeat(201)}`, name: "bad-id" },
  { query: "?id=%ff", name: "bad-query" },
  { query: "?unknown=%ff", name: "bad-query" },
  { query: "?id=a&%69d=b", name: "bad-query" },
  { query: "?token=a&token=b", name: "bad-query" },
];

for (const path of ["/hit", "/hit.svg", "/count", "/count.txt", "/badge", "/badge.json", "/key"]) {
  Deno.test(`${path} answers 400 to a bad query or id and counts nothing`, async () => {
    const { store, kv } = await memoryStore();
    await using app = openApp({ store });
    for (const { query, name } of badRequests) {
      const answer = await app.send(`GET ${path}${query}`, authorized);
      strictEqual(answer.status, 400, query);
      ok(isAbout(answer, name), `${query}: ${answer.body}`);
    }
    deepStrictEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
  });
}

function isAbout({ headers, body }: Answer, name: string): boolean {
  if (headers["content-type"] === "application/problem+json") return body.includes(`:${name}"`);
  return body.includes(name === "bad-id" ? "id" : "query");
}

const mistakenIds = [
  { query: "?prefix=blog/", hint: /^prefix= .*id of one, such as id=blog\/post\.$/ },
  { query: "?ids=a,b", hint: /ids=, .*one hit for each/ },
  { query: "?counter=blog/post", hint: /id= instead of counter=/ },
  { query: "?name=octocat", hint: /id= instead of name=/ },
  { query: "?%70refix=blog/", hint: /^prefix=/ },
  { query: "?name=a&prefix=b/&name=c", hint: /instead of name=/ },
  { query: "?utm_source=x&counter", hint: /instead of counter=/ },
];

for (const path of ["/hit", "/hit.svg"]) {
  Deno.test(`${path} without id refuses another parameter in its place, before the secret is checked`, async () => {
    await using app = await memoryApp();
    for (const { query, hint } of mistakenIds) {
      for (const headers of [authorized, {}]) {
        const { status, headers: sent, json } = await app.send(`GET ${path}${query}`, headers);
        strictEqual(status, 400, query);
        strictEqual(sent["x-tallymark"], "hit-needs-id", query);
        if (path === "/hit") match(String(field(json, "detail")), hint, query);
      }
    }
    for (const query of ["?prefix=%ff", "?name=a&token=a&token=b", "?name=a&once=never"]) {
      const { headers } = await app.send(`GET ${path}${query}`, authorized);
      strictEqual(headers["x-tallymark"], "bad-query", query);
    }
    strictEqual(await app.count("home"), 0);
  });

  Deno.test(`${path} ignores prefix, ids, counter and name if it has an id`, async () => {
    await using app = await memoryApp();
    for (const { query } of mistakenIds) {
      await app.send(`GET ${path}${query}&id=a`, authorized);
      await app.send(`GET ${path}${query}&id=`, authorized);
    }
    strictEqual(await app.count("a"), mistakenIds.length);
    strictEqual(await app.count("home"), mistakenIds.length);
  });
}

const COUNTING = ["GET /hit", "POST /hit", "GET /hit.svg"];

Deno.test("only GET and POST /hit and GET /hit.svg count", async () => {
  await using app = await memoryApp();
  await app.hit("a", 2);
  // PNGs are their SVG images, and the addresses of other services have tests of their own.
  for (const { path } of routes.filter(({ path }) => !/\.png$|\*$/.test(path))) {
    for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PATCH", "HIT", "constructor"]) {
      const line = `${method} ${path}`;
      if (COUNTING.includes(line)) continue;
      await app.send(`${line}?id=a`, authorized);
      strictEqual(await app.count("a"), 2, line);
    }
  }
});

const prefetches: Record<string, string>[] = [
  { "sec-purpose": "prefetch" },
  { "sec-purpose": "prefetch;prerender" },
  { "sec-purpose": "prefetch;anonymous-client-ip" },
  { "sec-purpose": "Prefetch" },
  { "purpose": "prefetch" },
  { "sec-purpose": "something", "purpose": "prefetch" },
  { "sec-purpose": "prefetch", "purpose": "something" },
];

for (const headers of prefetches) {
  Deno.test(`/hit and /hit.svg answer a prefetch (${JSON.stringify(headers)}) without counting`, async () => {
    await using app = await memoryApp();
    await app.hit("a", 7);
    for (const line of ["GET /hit?id=a", "POST /hit?id=a", "GET /hit.svg?id=a"]) {
      const answer = await app.send(line, { ...authorized, ...headers });
      strictEqual(answer.status, 200);
      strictEqual(answer.headers["x-tallymark"], "prefetch", line);
      match(answer.body, /7/, line);
    }
    strictEqual(await app.count("a"), 7);
  });
}

Deno.test("/hit counts a request whose purpose is no prefetch", async () => {
  await using app = await memoryApp();
  const { headers } = await app.send("GET /hit?id=a", { ...authorized, purpose: "navigate" });
  strictEqual(headers["x-tallymark"], undefined);
  strictEqual(await app.count("a"), 1);
});

// The contract of stores has all kinds.
const foreign: { value: unknown; what: string }[] = [
  { value: "7", what: "a text" },
  { value: new Deno.KvU64(2n ** 53n), what: "2^53" },
];

for (const { value, what } of foreign) {
  Deno.test(`every counter endpoint answers 409 where the store holds ${what}, and leaves it`, async () => {
    const { store, kv } = await memoryStore();
    await using app = openApp({ store });
    await kv.set(["hits:", "a"], value);
    for (const path of ["/hit", "/hit.svg", "/count", "/count.txt", "/badge", "/badge.json"]) {
      strictEqual((await app.send(`GET ${path}?id=a`, authorized)).status, 409, path);
      strictEqual((await app.send(`GET ${path}?id=b`, authorized)).status, 200, path);
    }
    deepStrictEqual((await kv.get(["hits:", "a"])).value, value);
    strictEqual(await app.count("b"), 2);
  });
}

Deno.test("/hit answers 409 to a counter that is full, which is still read as 2^52", async () => {
  const { store, kv } = await memoryStore();
  await using app = openApp({ store });
  await kv.set(["hits:", "a"], new Deno.KvU64(2n ** 52n - 1n));
  const last = await app.send("GET /hit?id=a", authorized);
  strictEqual(last.body, '{"id":"a","hits":4503599627370496,"source":"memory"}');
  const full = await app.send("GET /hit?id=a", authorized);
  strictEqual(full.status, 409);
  strictEqual(field(full.json, "type"), "urn:problem-type:tallymark:counter-full");
  strictEqual((await app.send("GET /hit.svg?id=a", authorized)).status, 409);
  strictEqual(await app.count("a"), 2 ** 52);
});

for (const { failure, status } of STORE_FAILURES) {
  Deno.test(`/hit answers ${status} where the store says ${failure}, and asks it once only`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    await app.hit("a");
    store.failure = failure;
    for (const method of ["GET", "POST"]) {
      const before = store.calls.add;
      const answer = await app.send(`${method} /hit?id=a`, authorized);
      strictEqual(answer.status, status);
      strictEqual(answer.headers["retry-after"], status === 503 ? "1" : undefined);
      strictEqual(field(answer.json, "type"), `urn:problem-type:tallymark:${failure}`);
      strictEqual(store.calls.add, before + 1);
    }
  });

  Deno.test(`/hit.svg draws the last number with ${status} where the store says ${failure}`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    await app.hit("a", 12);
    store.failure = failure;
    for (const headers of [authorized, { ...authorized, "sec-purpose": "prefetch" }]) {
      const known = await app.send("GET /hit.svg?id=a&style=terminal&label=seen", headers);
      strictEqual(known.status, status);
      match(known.body, />seen: 12</);
      strictEqual(known.headers["retry-after"], status === 503 ? "1" : undefined);
      const unknown = await app.send("GET /hit.svg?id=b", headers);
      strictEqual(unknown.status, status);
      doesNotMatch(unknown.body, />views: \d/);
    }
    strictEqual((await app.send("HEAD /hit.svg?id=a", authorized)).status, status);
  });
}

/** Headers that say that a request has a body, or has none. */
const bodies: { headers: Record<string, string>; status: number }[] = [
  { headers: { "content-length": "10", "content-type": "application/json" }, status: 400 },
  { headers: { "content-length": "4" }, status: 400 },
  { headers: { "transfer-encoding": "chunked" }, status: 400 },
  { headers: { "content-length": "0" }, status: 200 },
  { headers: { "content-type": "application/json" }, status: 200 },
];

for (const { headers, status } of bodies) {
  Deno.test(`POST /hit answers ${status} to ${JSON.stringify(headers)}: the id belongs in the query`, async () => {
    await using app = await memoryApp();
    const answer = await app.send("POST /hit?id=a", { ...authorized, ...headers });
    strictEqual(answer.status, status);
    strictEqual(await app.count("a"), status === 200 ? 1 : 0);
    if (status === 200) return;
    strictEqual(field(answer.json, "type"), "urn:problem-type:tallymark:bad-body");
    match(String(field(answer.json, "detail")), /Send the id in the query/);
    const unauthorized = await app.send("POST /hit?id=%00&token=wrong", headers);
    strictEqual(field(unauthorized.json, "type"), "urn:problem-type:tallymark:bad-body");
    const twice = await app.send("POST /hit?id=a&id=a", { ...authorized, ...headers });
    strictEqual(field(twice.json, "type"), "urn:problem-type:tallymark:bad-query");
  });
}

const looks = [
  "",
  "&label=hits&style=flat-square&color=critical",
  "&style=terminal&bg=navy&labelColor=fff&valueColor=%23f00&font=Fira+Code",
  "&style=for-the-badge&numbers=grouped&locale=de",
  "&label=%00%3Cb%3E&style=nonsense&color=url(x)&font=%22",
];

Deno.test("/hit.svg counts, then draws what /badge draws, whatever the look", async () => {
  await using app = await memoryApp();
  for (const [index, look] of looks.entries()) {
    const image = await app.send(`GET /hit.svg?id=a${look}`, authorized);
    strictEqual(image.status, 200);
    strictEqual(await app.count("a"), index + 1);
    strictEqual((await app.send(`GET /badge?id=a${look}`)).body, image.body);
    const again = await app.send(`HEAD /hit.svg?id=a${look}`, authorized);
    deepStrictEqual(again.headers, image.headers);
  }
});

Deno.test("/hit and /hit.svg count with the counter key that /key gives", async () => {
  await using app = await memoryApp();
  const { json } = await app.send("GET /key?id=a", authorized);
  const key = String(field(json, "key"));
  for (const line of [`GET /hit?id=a&key=${key}`, `POST /hit?id=+a&key=${key}`]) {
    strictEqual((await app.send(line)).status, 200);
  }
  match((await app.send(`GET /hit.svg?id=a&key=${key}`)).body, />views: 3</);
  strictEqual((await app.send(`GET /hit.svg?id=b&key=${key}`)).status, 401);
  strictEqual((await app.send(`GET /hit?key=${key}`)).status, 401);
  strictEqual(await app.count("b"), 0);
});
