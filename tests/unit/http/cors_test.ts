import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Answer, field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { authorized, keyOf, SECRET } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";

/** Credentials of a request. */
interface Shown {
  readonly name: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if a counter key or a group key is sent, right or wrong. */
  readonly hasKey: boolean;
  /** True if the secret or a session is sent, which no other origin may make use of. */
  readonly hasSecret: boolean;
  /** True if it opens what a key opens. */
  readonly opensByKey: boolean;
}

/** Origins that may read a response: all, all for an image only, or none. */
type Policy = "any" | "image" | "none";

/** Each way to send each of the credentials, and both together. */
function allCredentials(key: string, session: string): Shown[] {
  const owners = [
    { name: "the secret in X-Auth-Token", headers: authorized },
    { name: "the secret in token=", query: `token=${SECRET}` },
    { name: "the secret as Bearer", headers: { authorization: `Bearer ${SECRET}` } },
    { name: "a session", headers: { authorization: `Bearer ${session}` } },
  ];
  const keys = [
    { name: "a key", query: `key=${key}`, opensByKey: true },
    { name: "a wrong key", query: "key=wrong", opensByKey: false },
    { name: "an empty key", query: "key=", opensByKey: false },
  ];
  return [
    { name: "no credentials", hasKey: false, hasSecret: false, opensByKey: false },
    ...keys.map((one) => ({ ...one, hasKey: true, hasSecret: false })),
    ...owners.map((one) => ({ ...one, hasKey: false, hasSecret: true, opensByKey: false })),
    ...owners.map((owner, at) => {
      const key = keys[at % keys.length];
      const query = [key?.query, owner.query].filter((part) => part !== undefined).join("&");
      const name = `${key?.name} and ${owner.name}`;
      return { ...owner, name, query, hasKey: true, hasSecret: true, opensByKey: false };
    }),
  ];
}

type Endpoint = typeof routes[number];

/** Paths that anyone may read, from any page. */
const PUBLIC = new Set(["/tally.js", "/like.js", "/top.js", "/openapi.json"]);

/** The rules of the contract. */
function policyOf({ path, access }: Endpoint, shown: Shown, openReads: boolean): Policy {
  switch (access) {
    case "anyone":
      return PUBLIC.has(path) ? "any" : "none";
    case "reader":
      if (openReads) return "any";
      return shown.hasKey && !shown.hasSecret ? "any" : "none";
    case "keyholder":
    case "prefix":
    case "lister":
    case "viewer":
      if (shown.hasKey && !shown.hasSecret) return "any";
      return path === "/hit.svg" ? "image" : "none";
    case "owner":
    case "secretholder":
    case "metrics":
    case "backup":
    case "import":
      return "none";
  }
}

/** The access levels that a key opens. */
const BY_KEY: readonly string[] = ["reader", "keyholder", "prefix", "lister", "viewer"];

/** The headers about other origins, of a response to anything but a preflight. */
function expectedHeaders(policy: Policy, remark: string | undefined): Record<string, string> {
  return {
    ...policy === "any" && { "access-control-allow-origin": "*" },
    ...policy === "any" && remark !== undefined &&
      { "access-control-expose-headers": "x-tallymark" },
    ...policy !== "none" && { "cross-origin-resource-policy": "cross-origin" },
  };
}

function originHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(access-control|cross-origin-r)/.test(name)),
  );
}

/** A query that names the subject of an endpoint. */
function subjectOf({ path, subject }: Endpoint): string {
  if (subject === "prefix") return "prefix=a/";
  return subject === "none" && !["/counts", "/key", "/counters"].includes(path) ? "" : "id=a/b";
}

async function send(
  app: TestApp,
  { method, endpoint, shown }: { method: string; endpoint: Endpoint; shown: Shown },
): Promise<Answer> {
  const query = [subjectOf(endpoint), shown.query].filter((part) => part).join("&");
  const headers = { origin: "https://blog.example", ...shown.headers };
  return await app.send(`${method} ${endpoint.path}?${query}`, headers);
}

// Addresses of other services are translated to these endpoints, see the test below. PNGs have the
// headers of their SVG images, see png/png_and_svg_test.
const described = routes.filter(({ path }) => !/\*$|\.png$/.test(path));

for (const openReads of [true, false]) {
  for (const endpoint of described) {
    const { path, methods, access } = endpoint;
    const reads = openReads ? "open" : "protected";
    Deno.test(`${methods} ${path} may be read by the origins that its access level ${access} allows, whatever credentials are sent, where reads are ${reads}`, async () => {
      await using app = await memoryApp({ openReads });
      const all = await credentialsFor(app, endpoint);
      for (const shown of all) await checkPreflight(app, { endpoint, shown, openReads });
      strictEqual(await app.count("a/b"), 0);
      for (const shown of all) {
        // A session opens no hit: whether one next to a key is a secret is left open.
        if (access === "keyholder" && shown.hasKey && shown.name.endsWith("a session")) continue;
        const policy = policyOf(endpoint, shown, openReads);
        for (const method of [...methods, "PATCH"]) {
          if (method === "OPTIONS") continue;
          const answer = await send(app, { method, endpoint, shown });
          const expected = expectedHeaders(policy, answer.headers["x-tallymark"]);
          const where = `${method} ${path} with ${shown.name}: ${answer.status}`;
          deepStrictEqual(originHeaders(answer), expected, where);
          strictEqual(answer.status === 405, method === "PATCH", where);
          if (method === "PATCH") continue;
          const opensByKey = BY_KEY.includes(access);
          if (shown.opensByKey && opensByKey) strictEqual(answer.status, 200, where);
        }
      }
    });
  }
}

/** Checks that a preflight allows the requests of other origins that may read the response. */
async function checkPreflight(
  app: TestApp,
  { endpoint, shown, openReads }: { endpoint: Endpoint; shown: Shown; openReads: boolean },
): Promise<void> {
  const { path, methods, access } = endpoint;
  const answer = await send(app, { method: "OPTIONS", endpoint, shown });
  const where = `OPTIONS ${path} with ${shown.name}`;
  const isTaken = methods.includes("OPTIONS");
  strictEqual(answer.status, isTaken ? 204 : 405, where);
  if (isTaken) strictEqual(answer.headers.allow, methods.join(", "), where);
  // A header could carry the secret, so that none is allowed next to a key.
  const allowsHeaders = access === "anyone" || access === "reader" && openReads;
  const allowed = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": methods.join(", "),
    ...allowsHeaders && { "access-control-allow-headers": "*" },
    "access-control-max-age": "86400",
  };
  const isAllowed = isTaken && policyOf(endpoint, shown, openReads) === "any";
  deepStrictEqual(originHeaders(answer), isAllowed ? allowed : {}, where);
}

/** All credentials, the key of which opens the subject of an endpoint. */
async function credentialsFor(app: TestApp, endpoint: Endpoint): Promise<Shown[]> {
  const isRead = ["reader", "viewer", "lister"].includes(endpoint.access);
  const subject = isRead ? "read=a/" : endpoint.access === "prefix" ? "prefix=a/" : "id=a/b";
  const { json } = await app.send(`GET /key?${subject}`, authorized);
  const session = await app.send("POST /session", authorized);
  return allCredentials(String(field(json, "key")), String(field(session.json, "token")));
}

Deno.test("every endpoint is in the table of origins, and each access level", () => {
  ok(described.length >= 22);
  deepStrictEqual(
    new Set(described.map(({ access }) => access)),
    new Set([
      ...["anyone", "reader", "keyholder", "lister", "viewer", "owner", "secretholder"],
      ...["metrics", "backup", "import"],
    ]),
  );
});

/** Addresses that read, that count a counter of SERVE_AS, and that count one which is not in it. */
const ADDRESSES = [
  ["komarev/ghpvc/?username=a", "komarev/a", "public hit"],
  ["visitor-badge/badge?page_id=a&query_only=true", "visitor-badge/a", "read"],
  ["countapi/hit/abc/def?", "countapi/abc/def", "public hit"],
  ["countapi/get/abc/def?", "countapi/abc/def", "read"],
  ["countapi/hit/abc/closed?", "countapi/abc/closed", "hit"],
] as const;

for (const [address, id, kind] of ADDRESSES) {
  Deno.test(`GET /as/${address} (${kind}) may be read by all origins unless the secret is sent`, async () => {
    await using app = await memoryApp({
      serveAs: "komarev/,visitor-badge/,countapi/abc/def",
    });
    await app.hit(id);
    const { json } = await app.send(`GET /key?id=${id}`, authorized);
    const session = await app.send("POST /session", authorized);
    const all = allCredentials(
      String(field(json, "key")),
      String(field(session.json, "token")),
    );
    for (const shown of all) {
      if (shown.name.endsWith("a session")) continue;
      const line = `GET /as/${address}&${shown.query ?? ""}`;
      const answer = await app.send(line, { origin: "https://blog.example", ...shown.headers });
      const isShared = kind === "read" ||
        !shown.hasSecret && (kind === "public hit" || shown.hasKey);
      const found = answer.headers["access-control-allow-origin"];
      strictEqual(found, isShared ? "*" : undefined, `${shown.name}: ${answer.status}`);
    }
  });
}

const KEY = keyOf("counter:a");

// The tests above send each credential to each endpoint. These test how queries are read.
const LINES: readonly (readonly [line: string, status: number, isShared: boolean])[] = [
  [`GET /hit?id=%00&key=${KEY}`, 400, true],
  [`GET /hit?id=%ff&key=${KEY}`, 400, true],
  [`GET /hit?id=a&key=${KEY}&key=${KEY}`, 400, true],
  ["GET /hit.svg?id=a&k%65y=wrong", 401, true],
  [`GET /hit?id=%00&key=${KEY}&token=${SECRET}`, 400, false],
  ["GET /hit?id=a&xkey=x", 401, false],
  ["GET /hit?id=key=", 401, false],
];

for (const [line, status, isShared] of LINES) {
  const origins = isShared ? "pages of every site" : "no other page";
  Deno.test(`${origins} may read the response to ${line.replace(SECRET, "…")}`, async () => {
    await using app = await memoryApp({ openReads: false });
    const got = await app.send(line, { origin: "https://blog.example" });
    strictEqual(got.status, status);
    const policy = isShared ? "any" : "none";
    deepStrictEqual(originHeaders(got), expectedHeaders(policy, got.headers["x-tallymark"]));
  });
}

Deno.test("pages of every site may read of a prefetch and of a store that is away, by the key", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const prefetch = await app.send(`GET /hit?id=a&key=${KEY}`, { "sec-purpose": "prefetch" });
  strictEqual(prefetch.headers["x-tallymark"], "prefetch");
  deepStrictEqual(originHeaders(prefetch), expectedHeaders("any", "prefetch"));
  for (const failure of ["store-unavailable", "outcome-unknown"] as const) {
    store.failure = failure;
    for (const path of ["/hit", "/hit.svg"]) {
      const answer = await app.send(`GET ${path}?id=a&key=${KEY}`);
      strictEqual(answer.headers["x-tallymark"], failure);
      deepStrictEqual(originHeaders(answer), expectedHeaders("any", failure));
    }
  }
});

const EVENT = "the secret is exposed in a web page: use a counter key there and change the secret";

Deno.test("the secret in a page of another site works, and is told once for each origin and hour", async () => {
  await using app = await memoryApp();
  const crossSite = { "sec-fetch-site": "cross-site" };
  const send = async (line: string, headers: Record<string, string>) =>
    strictEqual((await app.send(line, { ...crossSite, ...headers })).status, 200);
  await send(`GET /hit?id=a&token=${SECRET}`, { referer: "https://one.example/page?a=b" });
  await send(`GET /hit.svg?id=a&token=${SECRET}`, { referer: "https://one.example/other" });
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example" });
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example" });
  const referer = "https://three.example/page";
  await send("POST /hit?id=a", { ...authorized, origin: "https://two.example", referer });
  await send("POST /hit?id=a", { authorization: `Bearer ${SECRET}`, origin: "null" });
  await send(`GET /hit?id=a&token=${SECRET}`, { referer: "rubbish" });
  await send(`GET /hit?id=a&token=${SECRET}`, {});
  const lines = app.log.map((line): unknown => JSON.parse(line));
  deepStrictEqual(
    lines.map((line) => [field(line, "level"), field(line, "event"), field(line, "origin")]),
    ["https://one.example", "https://two.example", "null", "unknown"].map((origin) => [
      ...["warn", EVENT],
      origin,
    ]),
  );
  strictEqual(await app.count("a"), 8);
});

Deno.test("the secret in a page of another site is logged again in the next hour, for each origin", async () => {
  const { now } = Date;
  const hour = Date.parse("2026-11-24T12:00:00Z");
  await using app = await memoryApp();
  const origins = () => app.log.map((line) => String(field(JSON.parse(line), "origin")));
  const sendAt = async (time: number, origin: string) => {
    Date.now = () => time;
    await app.send("POST /hit?id=a", { ...authorized, "sec-fetch-site": "cross-site", origin });
  };
  const [one, two] = ["https://one.example", "https://two.example"];
  try {
    await sendAt(hour, one);
    await sendAt(hour + 3_599_999, one);
    deepStrictEqual(origins(), [one]);
    await sendAt(hour + 3_599_999, two);
    deepStrictEqual(origins(), [one, two]);
    await sendAt(hour + 7_200_000, one);
    await sendAt(hour + 7_200_000, two);
    await sendAt(hour + 7_200_001, one);
    deepStrictEqual(origins(), [one, two, one, two]);
  } finally {
    Date.now = now;
  }
});

Deno.test("a key in a page of another site, and the secret anywhere else, are told to nobody", async () => {
  await using app = await memoryApp({ openReads: false });
  const crossSite = { "sec-fetch-site": "cross-site", "origin": "https://one.example" };
  await app.send(`GET /hit?id=a&key=${KEY}`, crossSite);
  await app.send("GET /hit?id=a&token=wrong", crossSite);
  await app.send("GET /hit?id=a", authorized);
  for (const site of ["same-origin", "same-site", "none"]) {
    await app.send("GET /count?id=a", { ...authorized, "sec-fetch-site": site });
  }
  deepStrictEqual(app.log, []);
});
