import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Answer, field, memoryApp, type TestApp } from "../../support/app.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";

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
