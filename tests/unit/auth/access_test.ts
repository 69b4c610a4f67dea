import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type Access, createAccess, type Credentials } from "../../../src/auth/access.ts";
import { parseQuery } from "../../../src/http/query.ts";
import { createLog } from "../../../src/log.ts";
import { Problem } from "../../../src/problem.ts";
import { field, memoryApp, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { SECRET } from "../../support/secret.ts";
import { codePoint } from "../../support/code_point.ts";

const log = createLog({ secrets: [], write: () => {} });

interface Sent {
  /** One that has been asked before; a new one where there is none. */
  access?: Access;
  secret?: string | undefined;
  query?: string;
  headers?: [string, string][];
}

const accepted: (Sent & { what: string })[] = [
  { what: "X-Auth-Token", headers: [["X-Auth-Token", SECRET]] },
  { what: "token=", query: `?token=${SECRET}` },
  { what: "a Bearer token", headers: [["Authorization", `Bearer ${SECRET}`]] },
  { what: "a bearer token", headers: [["authorization", `bearer   ${SECRET}`]] },
  { what: "a header and a wrong token=", headers: [["X-Auth-Token", SECRET]], query: "?token=x" },
  {
    what: "token= and a wrong header",
    headers: [["X-Auth-Token", "x"]],
    query: `?token=${SECRET}`,
  },
  {
    what: "a Bearer token, a wrong header and a wrong key",
    headers: [["X-Auth-Token", "x"], ["Authorization", `Bearer ${SECRET}`]],
    query: "?token=&key=x",
  },
  { what: "a secret of one character", secret: "x", query: "?token=x" },
  { what: "a secret that form encoding changes", secret: "a+b &%", query: "?token=a%2Bb+%26%25" },
  { what: "a secret with blanks", secret: "two words", headers: [["X-Auth-Token", "two words"]] },
  {
    what: "a secret beyond ASCII in token=",
    secret: "pässwört-日本",
    query: "?token=pässwört-日本",
  },
  {
    what: "a secret beyond ASCII in X-Auth-Token, as UTF-8",
    secret: "pässwört-日本",
    headers: [["X-Auth-Token", utf8("pässwört-日本")]],
  },
  {
    what: "a secret beyond ASCII as a Bearer token, as UTF-8",
    secret: "pässwört-日本",
    headers: [["Authorization", `Bearer ${utf8("pässwört-日本")}`]],
  },
];

for (const { what, ...sent } of accepted) {
  Deno.test(`every check of access accept ${what}`, async () => {
    deepStrictEqual(await opened(sent), { hit: true, read: true });
  });
}

const key = keyOf(SECRET, "a");

const refused: (Sent & { what: string })[] = [
  { what: "nothing" },
  { what: "an empty X-Auth-Token", headers: [["X-Auth-Token", ""]] },
  { what: "an empty token=", query: "?token=" },
  { what: "an empty Bearer token", headers: [["Authorization", "Bearer "]] },
  { what: "an empty key=", query: "?key=" },
  { what: "nothing where no secret is set", secret: undefined },
  { what: "emptiness where no secret is set", secret: undefined, query: "?token=&key=" },
  {
    what: "the word undefined where no secret is set",
    secret: undefined,
    query: "?token=undefined",
  },
  { what: "emptiness where the secret is empty", secret: "", query: "?token=&key=" },
  {
    what: "an empty header where the secret is empty",
    secret: "",
    headers: [["X-Auth-Token", ""]],
  },
  { what: "a wrong token", query: "?token=wrong" },
  { what: "the beginning of the secret", query: `?token=${SECRET.slice(0, -1)}` },
  { what: "the secret and more", query: `?token=${SECRET}x` },
  { what: "the secret in other letters", query: `?token=${SECRET.toUpperCase()}` },
  { what: "the secret and a blank", query: `?token=${SECRET}+` },
  { what: "the secret as key=", query: `?key=${SECRET}` },
  { what: "the secret as secret=", query: `?secret=${SECRET}` },
  { what: "the secret under a longer name", query: `?xtoken=${SECRET}` },
  { what: "the secret without Bearer", headers: [["Authorization", SECRET]] },
  { what: "the secret by another scheme", headers: [["Authorization", `Token ${SECRET}`]] },
  {
    what: "the secret as a password",
    headers: [["Authorization", `Basic ${btoa(`a:${SECRET}`)}`]],
  },
  { what: "the secret in a cookie", headers: [["Cookie", `token=${SECRET}`]] },
  { what: "Bearer inside another scheme", headers: [["Authorization", `Basic Bearer ${SECRET}`]] },
  { what: "Bearer inside X-Auth-Token", headers: [["X-Auth-Token", `Bearer ${SECRET}`]] },
  {
    what: "a repeated X-Auth-Token",
    headers: [["X-Auth-Token", SECRET], ["X-Auth-Token", SECRET]],
  },
  { what: "a right and a wrong one", headers: [["X-Auth-Token", SECRET], ["X-Auth-Token", "x"]] },
  {
    what: "a repeated Authorization",
    headers: [["Authorization", `Bearer ${SECRET}`], ["Authorization", `Bearer ${SECRET}`]],
  },
  {
    what: "a secret beyond ASCII as Latin-1",
    secret: "pässwört",
    headers: [["X-Auth-Token", "pässwört"]],
  },
  { what: "a secret in another normal form", secret: "é", query: "?token=e%CC%81" },
];

for (const { what, ...sent } of refused) {
  Deno.test(`every check of access refuse ${what}`, async () => {
    deepStrictEqual(await opened(sent), { hit: false, read: false });
  });
}

Deno.test("keyOf() is base64url of the first 16 bytes of an HMAC-SHA256 of counter: and the id", async () => {
  const access = createAccess({ secret: SECRET, openReads: true, log });
  await access.checkOf("owner")?.(shownAs({ headers: [["x-auth-token", SECRET]] }));
  for (const id of ["home", "a", "日本", "a:b", "__proto__"]) {
    const made = access.keysFor("Counter keys").make("counter", counterId(id)).key;
    strictEqual(made, keyOf(SECRET, id));
    match(made, /^[A-Za-z0-9_-]{22}$/);
  }
  // Computed once with another tool: echo -n counter:home | openssl dgst -sha256 -hmac …
  strictEqual(
    access.keysFor("Counter keys").make("counter", counterId("home")).key,
    "-mgB1IVzzSnLwD_GRHgkTw",
  );
});

Deno.test("Access: keyholder takes the key of its own counter, and no read does", async () => {
  deepStrictEqual(await opened({ query: `?key=${key}` }, "a"), { hit: true, read: false });
  for (const id of ["b", "home", "A", "a:", ":a", "counter:a", "ä"]) {
    deepStrictEqual(await opened({ query: `?key=${key}` }, id), { hit: false, read: false }, id);
  }
});

const noKeys = [
  `?key=${key.slice(0, -1)}`,
  `?key=${key}==`,
  `?key=${key}A`,
  `?key=${key.toLowerCase()}`,
  `?key=+${key}`,
  `?token=${key}`,
  `?key=${keyOf("another-secret-0123456789", "a")}`,
  `?key=${createHmac("sha256", SECRET).update("a").digest().subarray(0, 16).toString("base64url")}`,
  `?key=${createHmac("sha256", SECRET).update("counter:a").digest("base64url")}`,
  `?key=${createHmac("sha256", SECRET).update("counter:a").digest("hex")}`,
];

for (const query of noKeys) {
  Deno.test(`Access: keyholder refuses what is almost a key: ${query}`, async () => {
    strictEqual((await opened({ query }, "a")).hit, false);
  });
}

Deno.test("Access.check.keyholder takes keys where the secret has 16 characters, and none where it has 15", async () => {
  const long = "0123456789abcdef";
  const short = "0123456789abcde";
  strictEqual((await opened({ secret: long, query: `?key=${keyOf(long, "a")}` }, "a")).hit, true);
  strictEqual(
    (await opened({ secret: short, query: `?key=${keyOf(short, "a")}` }, "a")).hit,
    false,
  );
  strictEqual((await opened({ secret: "", query: `?key=${keyOf("", "a")}` }, "a")).hit, false);
  strictEqual(
    (await opened({ secret: undefined, query: `?key=${keyOf("", "a")}` }, "a")).hit,
    false,
  );
});

Deno.test("what was right before opens what it did and nothing else, in any order", async () => {
  const given = fc.constantFrom(SECRET, keyOf(SECRET, "a"), keyOf(SECRET, "b"), "wrong");
  const shown = fc.tuple(fc.constantFrom("token", "key"), given, fc.constantFrom("a", "b"));
  await fc.assert(
    fc.asyncProperty(fc.array(shown, { minLength: 2, maxLength: 20 }), async (requests) => {
      const access = createAccess({ secret: SECRET, openReads: false, log });
      for (const [name, text, id] of requests) {
        const right = text === (name === "token" ? SECRET : keyOf(SECRET, id));
        strictEqual((await opened({ access, query: `?${name}=${text}` }, id)).hit, right);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("a secret opens and nothing else does, whatever they are", async () => {
  const text = fc.string({ unit: codePoint, maxLength: 8 }).filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(text, text, async (secret, given) => {
      const query = (token: string) => `?token=${encodeURIComponent(token)}`;
      strictEqual((await opened({ secret, query: query(secret) })).hit, secret !== "");
      strictEqual(
        (await opened({ secret, query: query(given) })).hit,
        secret !== "" && secret === given,
      );
    }),
    { numRuns: 500 },
  );
});

const guesses: { query?: string; headers?: Record<string, string> }[] = [
  {},
  { query: "?token=" },
  { query: "?token=wrong" },
  { query: `?token=${"x".repeat(5000)}` },
  { query: "?key=wrong" },
  { query: `?key=${keyOf(SECRET, "another")}` },
  { headers: { "x-auth-token": "wrong" } },
  { headers: { "x-auth-token": "" } },
  { headers: { "authorization": "Bearer wrong" } },
  { headers: { "authorization": "Basic d3Jvbmc6d3Jvbmc=" } },
];

const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-tallymark",
  "cross-origin-resource-policy": "cross-origin",
};

for (const path of ["/hit", "/hit.svg", "/key", "/count", "/count.txt", "/badge", "/badge.json"]) {
  Deno.test(`${path} gives the same status, headers and body to a missing and to a wrong secret`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store, openReads: false });
    const expected = await app.send(`GET ${path}`);
    strictEqual(expected.status, 401);
    strictEqual(expected.headers["www-authenticate"], 'Bearer realm="Tallymark"');
    for (const { query = "", headers = {} } of guesses) {
      // Any page may read the response to a key, whatever it says.
      const shared = path !== "/key" && query.includes("key=") ? anyOrigin : {};
      const answer = { ...expected, headers: { ...expected.headers, ...shared } };
      deepStrictEqual(await app.send(`GET ${path}${query}`, headers), answer, query);
    }
    strictEqual(store.touched, 0);
  });
}

Deno.test("the 401 of /hit and /key says where counter keys are off", async () => {
  for (const secret of ["15-characters--", undefined]) {
    await using app = await memoryApp({ secret });
    const { status, json } = await app.send("GET /hit");
    strictEqual(status, 401);
    match(String(field(json, "detail")), /Counter keys are off.*16 characters/);
  }
  await using app = await memoryApp({ secret: "15-characters--" });
  strictEqual((await app.send("GET /hit", { "x-auth-token": "15-characters--" })).status, 200);
  const { status, json } = await app.send("GET /key", { "x-auth-token": "15-characters--" });
  strictEqual(status, 401);
  match(String(field(json, "detail")), /Counter keys are off/);
});

/**
 * Returns what a request may do. `/key` must agree with reads, because both accept only the secret.
 */
async function opened(sent: Sent, id = "home"): Promise<{ hit: boolean; read: boolean }> {
  const secret = "secret" in sent ? sent.secret : SECRET;
  const { access = createAccess({ secret, openReads: false, log }) } = sent;
  const asked = shownAs(sent, id);
  const read = await passes(() => access.checkOf("reader")?.(asked));
  if (secret !== undefined && secret.length >= 16) {
    strictEqual(await passes(() => access.checkOf("owner")?.(asked)), read);
  }
  return { hit: await passes(() => access.checkOf("keyholder")?.(asked)), read };
}

function shownAs({ query = "", headers = [] }: Sent, id = "home"): Credentials {
  const { href } = new URL(`http://localhost/${query}`);
  return {
    request: new Request(href, { headers: new Headers(headers) }),
    query: parseQuery(href, new Set(["token", "key"])).query,
    isPublic: false,
    id: counterId(id),
  };
}

async function passes(check: () => unknown): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    ok(error instanceof Problem && error.kind === "unauthorized");
    return false;
  }
}

function keyOf(secret: string, id: string): string {
  const digest = createHmac("sha256", secret).update(`counter:${id}`).digest();
  return digest.subarray(0, 16).toString("base64url");
}

/** The bytes of a text as the characters that a header shows them as. */
function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
