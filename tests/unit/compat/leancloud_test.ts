import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Answer, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, SECRET } from "../../support/secret.ts";

const ROOT = "/as/leancloud/1.1";
const COUNTER = `${ROOT}/classes/Counter`;
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0",
  "content-type": "application/json",
  origin: "https://blog.example",
};
const INCREMENT = { time: { __op: "Increment", amount: 1 } };

/** A theme, with its app_id and app_key. */
interface Theme {
  readonly headers: Readonly<Record<string, string>>;
  send(line: string, body?: unknown, more?: Record<string, string>): Promise<Answer>;
  /** The counters that a `where` finds. */
  find(where: unknown, more?: string): Promise<unknown>;
}

async function themeOf(app: TestApp, name = "blog", keyOf = `prefix=leancloud/${name}/`) {
  const { json } = await app.send(`GET /key?${keyOf}`, authorized);
  const headers = { ...BROWSER, "x-lc-id": name, "x-lc-key": String(member(json, "key")) };
  const theme: Theme = {
    headers,
    send(line, body, more) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return app.sendBody(line, text, { ...headers, ...more });
    },
    async find(where, more = "") {
      const { status, json, body } = await app.send(`GET ${queryOf(where)}${more}`, headers);
      strictEqual(status, 200, body);
      return member(json, "results");
    },
  };
  return theme;
}

function queryOf(where: unknown): string {
  const text = typeof where === "string" ? where : JSON.stringify(where);
  return `${COUNTER}?where=${encodeURIComponent(text)}`;
}

function member(json: unknown, name: string): unknown {
  ok(typeof json === "object" && json !== null, JSON.stringify(json));
  return Object.entries(json).find(([key]) => key === name)?.[1];
}

function idOf(json: unknown): string {
  return String(member(json, "objectId"));
}

function objectId(id: string): string {
  return new TextEncoder().encode(id).toBase64({ alphabet: "base64url", omitPadding: true });
}

for (const field of ["url", "target"]) {
  Deno.test(`/as/leancloud: a page that is identified by ${field} is created, found and incremented`, async () => {
    await using app = await memoryApp({ openReads: false });
    const theme = await themeOf(app);
    const page = { [field]: "/2026/文章/" };
    deepStrictEqual(await theme.find(page), []);
    const created = await theme.send(`POST ${COUNTER}`, { ...page, title: "文章", time: 1 });
    strictEqual(created.status, 201, created.body);
    const id = objectId("leancloud/blog/2026/文章");
    deepStrictEqual(created.json, { objectId: id, time: 1 });
    deepStrictEqual(await theme.find(page), [{ objectId: id, ...page, time: 1 }]);
    const put = await theme.send(`PUT ${COUNTER}/${id}`, INCREMENT);
    strictEqual(put.status, 200, put.body);
    deepStrictEqual(put.json, { objectId: id, time: 2 });
    strictEqual(put.headers["access-control-allow-origin"], "*");
    strictEqual(put.headers["access-control-allow-credentials"], undefined);
    deepStrictEqual(await app.counted(), { "leancloud/blog/2026/文章": 2 });
  });
}

Deno.test("/as/leancloud: a counter that is created with time 0 is not stored until its first hit", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  const { json, status } = await theme.send(`POST ${COUNTER}`, { target: "site-pv", time: 0 });
  strictEqual(status, 201);
  deepStrictEqual(json, { objectId: objectId("leancloud/blog/site-pv") });
  deepStrictEqual(await app.counted(), {});
  deepStrictEqual(await theme.find({ target: "site-pv" }), []);
  const path = `/1.1/classes/Counter/${idOf(json)}`;
  const batch = { requests: [{ method: "PUT", path, body: INCREMENT }] };
  const answer = await theme.send(`POST ${ROOT}/batch`, batch);
  deepStrictEqual(answer.json, [{ success: { objectId: idOf(json), time: 1 } }]);
  deepStrictEqual(await app.counted(), { "leancloud/blog/site-pv": 1 });
});

Deno.test("/as/leancloud: the page loses one slash at each end, and the home page is *home", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  const pages = ["/a/b/", "a/b", "/a/b", "/", "", "//a//", "/a b/"];
  for (const url of pages) {
    strictEqual((await theme.send(`POST ${COUNTER}`, { url, time: 1 })).status, 201, url);
  }
  deepStrictEqual(await app.counted(), {
    "leancloud/blog/*home": 2,
    "leancloud/blog/a b": 1,
    "leancloud/blog//a/": 1,
    "leancloud/blog/a/b": 3,
  });
});

Deno.test("/as/leancloud: $in finds the pages that have views under the names that were asked for", async () => {
  await using app = await memoryApp({ openReads: false });
  const theme = await themeOf(app);
  const pages = Array.from({ length: 10 }, (_, index) => `/post/${index}/`);
  for (const [index, url] of pages.entries()) {
    for (let n = 0; n < index; n++) await theme.send(`POST ${COUNTER}`, { url, time: 1 });
  }
  const found = (url: string, time: number) => ({
    objectId: objectId(`leancloud/blog${url.slice(0, -1)}`),
    url,
    time,
  });
  const all = pages.map(found).slice(1).toReversed();
  const tooLong = "x".repeat(300);
  deepStrictEqual(await theme.find({ url: { $in: [...pages, "/none/", tooLong, "\0"] } }), all);
  deepStrictEqual(await theme.find({ url: { $in: [] } }), []);
  const where = { url: { $in: pages } };
  deepStrictEqual(await theme.find(where, "&order=-time&limit=3"), all.slice(0, 3));
  deepStrictEqual(await theme.find(where, "&limit=0"), []);
});

Deno.test("/as/leancloud: a batch reports each write, and is refused as a whole before the first is carried out", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  const put = (page: string) => ({
    method: "PUT",
    path: `/1.1/classes/Counter/${objectId(`leancloud/blog/${page}`)}`,
    body: INCREMENT,
  });
  const post = { method: "POST", path: "/1.1/classes/Counter", body: { url: "/c/", time: 1 } };
  const bad = [
    { ...put("a"), method: "DELETE" },
    { ...put("a"), body: { time: { __op: "Increment", amount: 2 } } },
    { ...put("a"), params: { where: "{}" } },
    { ...put("a"), path: "/1.1/batch" },
    { method: "POST", path: "/1.1/batch", body: { requests: [put("a")] } },
    { method: "GET", path: "/1.1/classes/Counter" },
    { ...put("a"), path: `${put("a").path}?where={}` },
    { ...put("a"), path: put("a").path.replace("Counter", "_User") },
    { ...put("a"), path: `/1.1/classes/Counter/${objectId("leancloud/other/a")}` },
    null,
    [],
    "x",
  ];
  for (const one of bad) {
    const { status, json } = await theme.send(`POST ${ROOT}/batch`, { requests: [put("a"), one] });
    strictEqual(status, 400, JSON.stringify(one));
    strictEqual(member(json, "code"), 400);
  }
  const many = Array(101).fill(put("a"));
  strictEqual((await theme.send(`POST ${ROOT}/batch`, { requests: many })).status, 400);
  deepStrictEqual(await app.counted(), {});
  const hundred = { requests: [...Array(98).fill(put("a")), put("b"), post] };
  const { status, json } = await theme.send(`POST ${ROOT}/batch`, hundred);
  strictEqual(status, 200);
  ok(Array.isArray(json) && json.length === 100);
  deepStrictEqual(json.slice(-1), [
    { success: { objectId: objectId("leancloud/blog/c"), time: 1 } },
  ]);
  deepStrictEqual(await app.counted(), {
    "leancloud/blog/a": 98,
    "leancloud/blog/b": 1,
    "leancloud/blog/c": 1,
  });
});

Deno.test("/as/leancloud takes a session for no read and no write, and the secret for both", async () => {
  await using app = await memoryApp({ openReads: true });
  const { json } = await app.send("POST /session", authorized);
  const session = { authorization: `Bearer ${member(json, "token")}` };
  const send = async (headers: Record<string, string>) => {
    const named = { ...BROWSER, "x-lc-id": "blog", ...headers };
    const read = await app.send(`GET ${queryOf({ url: "/a" })}`, named);
    const write = await app.sendBody(`POST ${COUNTER}`, '{"url":"/a","time":1}', named);
    return [read, write];
  };
  for (const { status, body } of await send(session)) {
    strictEqual(status, 401);
    match(body, /X-LC-Key must be the key of the group/);
  }
  deepStrictEqual((await send(authorized)).map(({ status }) => status), [200, 201]);
});

/** Requests that the real service carries out or that are malformed, each with what is sent. */
const REFUSED: readonly (readonly [line: string, body?: unknown])[] = [
  [`GET ${ROOT}/classes/Comment?where=${encodeURIComponent('{"url":"/"}')}`],
  [`GET ${ROOT}/classes/_User`],
  [`GET ${ROOT}/users`],
  [`GET ${ROOT}/batch`],
  ["GET /as/leancloud/"],
  ["GET /as/leancloud/1.2/classes/Counter"],
  [`GET ${COUNTER}/${objectId("leancloud/blog/a")}`],
  [`GET ${COUNTER}`],
  ...[
    ...["", "x", "[]", "null", "1", '"/"', "{}", '{"title":"x"}', '{"url":1}', '{"url":null}'],
    ...['{"url":["/"]}', '{"url":{"$ne":"/"}}', '{"url":{"$in":"/"}}', '{"url":{"$in":[1]}}'],
    ...['{"url":{"$in":["/"],"$ne":1}}', '{"url":"/","target":"/"}', '{"url":"/","time":1}'],
    ...['{"$or":[{"url":"/"}]}', '{"__proto__":{"url":"/"}}', '{"url":{"$regex":".*"}}'],
    JSON.stringify({ url: { $in: Array(101).fill("/") } }),
  ].map((where) => [`GET ${queryOf(where)}`] as const),
  [`GET ${queryOf({ url: "/" })}&limit=-1`],
  [`GET ${queryOf({ url: "/" })}&limit=1e3`],
  [`GET ${queryOf({ url: "/" })}&order=createdAt`],
  [`GET ${queryOf({ url: "/" })}&count=1`],
  [`GET ${queryOf({ url: "/" })}&keys=url`],
  [`POST ${COUNTER}`, { url: "/a/" }],
  [`POST ${COUNTER}`, { url: "/a/", time: 2 }],
  [`POST ${COUNTER}`, { url: "/a/", time: "1" }],
  [`POST ${COUNTER}`, { url: "/a/", time: INCREMENT.time }],
  [`POST ${COUNTER}`, { url: "/a/", target: "/a/", time: 1 }],
  [`POST ${COUNTER}`, { url: "/a/", time: 1, views: 3 }],
  [`POST ${COUNTER}`, { url: ["/a/"], time: 1 }],
  [`POST ${COUNTER}`, { url: "x".repeat(300), time: 1 }],
  [`POST ${COUNTER}`, { url: "a\nb", time: 1 }],
  [`POST ${COUNTER}`, '{"url":"/a/","time":1'],
  [`POST ${COUNTER}`, ""],
  [`POST ${COUNTER}`, "[]"],
  [`POST ${COUNTER}?where=x`, { url: "/a/", time: 1 }],
  [`POST ${COUNTER}/${objectId("leancloud/blog/a")}`, { url: "/a/", time: 1 }],
  [`PUT ${COUNTER}`, INCREMENT],
  ...["", "a", "5cee9d0530863b006861c98c", objectId("home"), objectId("leancloud/blog")].map((id) =>
    [`PUT ${COUNTER}/${id}`, INCREMENT] as const
  ),
  [`PUT ${COUNTER}/${objectId("leancloud/other/a")}`, INCREMENT],
  [`PUT ${COUNTER}/${objectId("leancloud/blog/a ")}`, INCREMENT],
  [`PUT ${COUNTER}/${objectId("leancloud/blog/e\u0301")}`, INCREMENT],
  [`PUT ${COUNTER}/${objectId("leancloud/blog/a")}A`, INCREMENT],
  [`PUT ${COUNTER}/${objectId("leancloud/blog/a")}=`, INCREMENT],
  [`PUT ${COUNTER}/${objectId(`leancloud/blog/${"x".repeat(200)}`)}`, INCREMENT],
  ...[
    {},
    { time: 5 },
    { time: { __op: "Increment", amount: 10 } },
    { time: { __op: "Increment", amount: -1 } },
    { time: { __op: "Increment", amount: 1.5 } },
    { time: { __op: "Increment" } },
    { time: { __op: "Delete" } },
    { time: { __op: "Increment", amount: 1, more: 1 } },
    { ...INCREMENT, title: "x" },
    { views: INCREMENT.time },
  ].map((body) => [`PUT ${COUNTER}/${objectId("leancloud/blog/a")}`, body] as const),
  [`PUT ${COUNTER}/${objectId("leancloud/blog/a")}?where=x`, INCREMENT],
  [`POST ${ROOT}/batch`, {}],
  [`POST ${ROOT}/batch`, { requests: {} }],
  [`POST ${ROOT}/batch`, { requests: [], more: 1 }],
  [`POST ${ROOT}/batch`, `{"requests":[${"{},".repeat(30_000)}{}]}`],
];

Deno.test("/as/leancloud refuses everything else in LeanCloud's format, and writes nothing", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  for (const [line, body] of REFUSED) {
    const answer = body === undefined
      ? await app.send(line, theme.headers)
      : await theme.send(line, body);
    const where = `${line.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 100)}`;
    strictEqual(answer.status, 400, `${where}: ${answer.body}`);
    const { code, error, ...others } = Object(answer.json);
    ok(typeof code === "number" && typeof error === "string" && error !== "", where);
    deepStrictEqual(others, {}, where);
    strictEqual(answer.headers["content-type"], "application/json", where);
    strictEqual(answer.headers["access-control-allow-origin"], "*", where);
  }
  for (const method of ["DELETE", "PATCH", "HEAD"]) {
    const { status, headers } = await app.send(`${method} ${COUNTER}/x`, theme.headers);
    strictEqual(status, 405);
    strictEqual(headers.allow, "GET, POST, PUT, OPTIONS");
  }
  const deletion = await app.send(`DELETE ${COUNTER}/x`, theme.headers);
  strictEqual(member(deletion.json, "code"), 405);
  deepStrictEqual(await app.counted(), {});
});

Deno.test("/as/leancloud refuses a body above 64 kB and a query above 8,192 characters", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  const creation = (length: number) => ({ url: "/a/", time: 1, title: "x".repeat(length) });
  const fits = 65_536 - JSON.stringify(creation(0)).length;
  strictEqual((await theme.send(`POST ${COUNTER}`, creation(fits))).status, 201);
  strictEqual((await theme.send(`POST ${COUNTER}`, creation(fits + 1))).status, 400);
  const long = await app.send(`GET ${queryOf({ url: "x".repeat(8192) })}`, theme.headers);
  strictEqual(long.status, 414);
  deepStrictEqual(await app.counted(), { "leancloud/blog/a": 1 });
});

Deno.test("/as/leancloud needs the group key of the app, or of an enclosing group", async () => {
  await using app = await memoryApp({ openReads: true });
  const { headers } = await themeOf(app);
  const wrong: Record<string, string>[] = [
    { "x-lc-key": "" },
    { "x-lc-key": "wrong" },
    { "x-lc-key": SECRET },
    { "x-lc-key": `${headers["x-lc-key"]},master` },
    { "x-lc-id": "other" },
    { "x-lc-id": "blog/a" },
    { "x-lc-id": "" },
    { "x-lc-id": "blog", "x-lc-sign": "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466" },
  ];
  for (const own of ["id=leancloud/blog/", "id=leancloud/blog/a", "prefix=leancloud/blog/a/"]) {
    wrong.push({ "x-lc-key": (await themeOf(app, "blog", own)).headers["x-lc-key"] ?? "" });
  }
  for (const one of wrong) {
    const all = { ...headers, ...one };
    for (const [line, body] of [[`GET ${queryOf({ url: "/a/" })}`], [`POST ${COUNTER}`, "x"]]) {
      const answer = body === undefined
        ? await app.send(`${line}`, all)
        : await app.sendBody(`${line}`, '{"url":"/a/","time":1}', all);
      const isBadName = one["x-lc-id"] === "" || one["x-lc-id"] === "blog/a";
      strictEqual(answer.status, isBadName ? 400 : 401, JSON.stringify(one));
      strictEqual(member(answer.json, "code"), isBadName ? 400 : 401);
      strictEqual(answer.headers["access-control-allow-origin"], "*");
      if (!isBadName) match(answer.body, /send X-LC-Key instead/);
    }
  }
  deepStrictEqual(await app.counted(), {});
  const enclosing = await themeOf(app, "blog", "prefix=leancloud/");
  strictEqual((await enclosing.send(`POST ${COUNTER}`, { url: "/a/", time: 1 })).status, 201);
});

Deno.test("/as/leancloud answers preflight requests with LeanCloud's headers, and never for credentials", async () => {
  await using app = await memoryApp({ openReads: false });
  for (const path of [COUNTER, `${COUNTER}/x`, `${ROOT}/batch`, `${ROOT}/users`]) {
    const { status, headers, body } = await app.send(`OPTIONS ${path}`, {
      origin: "https://blog.example",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type,x-lc-id,x-lc-key",
    });
    strictEqual(status, 204);
    strictEqual(body, "");
    const cors = Object.entries(headers).filter(([name]) => name.startsWith("access-control-"));
    deepStrictEqual(Object.fromEntries(cors), {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST, PUT",
      "access-control-allow-headers": "Content-Type, X-LC-Id, X-LC-Key, X-LC-Prod, X-LC-UA",
      "access-control-max-age": "86400",
    });
  }
});

Deno.test("/as/leancloud allows no origin if the secret is sent as well", async () => {
  await using app = await memoryApp();
  const theme = await themeOf(app);
  const secrets: Record<string, string>[] = [
    authorized,
    { authorization: `Bearer ${SECRET}` },
  ];
  for (const secret of secrets) {
    for (const body of [{ url: "/a/", time: 1 }, "x"]) {
      const { headers } = await theme.send(`POST ${COUNTER}`, body, secret);
      strictEqual(headers["access-control-allow-origin"], undefined);
      strictEqual(headers["cross-origin-resource-policy"], undefined);
    }
  }
  const inQuery = await theme.send(`POST ${COUNTER}?token=${SECRET}`, { url: "/a/", time: 1 });
  strictEqual(inQuery.headers["access-control-allow-origin"], undefined);
  strictEqual(inQuery.status, 201);
});

Deno.test("/as/leancloud does not count crawlers, and obeys GROUP_LIMIT", async () => {
  await using app = await memoryApp({ groupLimit: 1 });
  const theme = await themeOf(app);
  const bot = { "user-agent": "Googlebot/2.1" };
  strictEqual((await theme.send(`POST ${COUNTER}`, { url: "/a/", time: 1 }, bot)).status, 201);
  deepStrictEqual(await app.counted(), {});
  strictEqual((await theme.send(`POST ${COUNTER}`, { url: "/a/", time: 1 })).status, 201);
  const full = await theme.send(`POST ${COUNTER}`, { url: "/b/", time: 1 });
  strictEqual(full.status, 403);
  strictEqual(member(full.json, "code"), 403);
  const put = (page: string) => ({
    method: "PUT",
    path: `/1.1/classes/Counter/${objectId(`leancloud/blog/${page}`)}`,
    body: INCREMENT,
  });
  const { json } = await theme.send(`POST ${ROOT}/batch`, { requests: [put("a"), put("b")] });
  ok(Array.isArray(json));
  deepStrictEqual(member(json[0], "success"), {
    objectId: objectId("leancloud/blog/a"),
    time: 2,
  });
  strictEqual(member(member(json[1], "error"), "code"), 403);
  deepStrictEqual(await app.counted(), { "leancloud/blog/a": 2 });
});

Deno.test("/as/leancloud looks at host, method, query, key, body and store in this order", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store, openReads: false });
  const { headers } = await themeOf(app);
  store.failure = new Error("the disk of oz");
  const { "x-lc-key": _, ...withoutKey } = headers;
  const page = '{"url":"/a/","time":1}';
  const at = (line: string, body: string, headers: HeadersInit) =>
    app.sendBody(line, body, headers);
  strictEqual((await at(`PATCH ${COUNTER}?x`, "", { host: "a b" })).status, 400);
  strictEqual((await at(`PATCH ${COUNTER}?x`, "", withoutKey)).status, 405);
  strictEqual((await at(`POST ${COUNTER}?x`, "", withoutKey)).status, 400);
  strictEqual((await at(`POST ${COUNTER}`, "", withoutKey)).status, 401);
  strictEqual((await at(`POST ${COUNTER}`, "", headers)).status, 400);
  strictEqual(store.touched, 0);
  const failed = await at(`POST ${COUNTER}`, page, headers);
  strictEqual(failed.status, 500);
  ok(!failed.body.includes("oz"));
  strictEqual(member(failed.json, "code"), 500);
  strictEqual(app.log.filter((line) => line.includes("unexpected error")).length, 1);
});

Deno.test("/as/leancloud reports an unavailable store in LeanCloud's format, with Retry-After", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const theme = await themeOf(app);
  store.failure = "store-unavailable";
  for (
    const answer of [
      await app.send(`GET ${queryOf({ url: "/a/" })}`, theme.headers),
      await theme.send(`POST ${COUNTER}`, { url: "/a/", time: 1 }),
    ]
  ) {
    strictEqual(answer.status, 503, answer.body);
    strictEqual(answer.headers["retry-after"], "1");
    strictEqual(member(answer.json, "code"), 503);
  }
});
