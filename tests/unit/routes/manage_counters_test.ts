import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { field, openApp } from "../../support/app.ts";
import { lines, openAtNoon } from "../../support/app_at_noon.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, SECRET } from "../../support/secret.ts";

Deno.test("GET /counters lists every counter as a line with its days, and how many they were", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 2);
  app.tomorrow();
  await app.hit("home", 3);
  await app.hit("user/repo");
  const { status, headers, body } = await app.send("GET /counters", authorized);
  strictEqual(status, 200);
  strictEqual(headers["content-type"], "application/x-ndjson");
  strictEqual(headers["cache-control"], "no-store");
  strictEqual(headers["access-control-allow-origin"], undefined);
  strictEqual(
    body,
    lines(
      '{"id":"home","hits":5,"days":{"2026-11-20":2,"2026-11-21":3}}',
      '{"id":"user/repo","hits":1,"days":{"2026-11-21":1}}',
    ),
  );
});

Deno.test("GET /counters gives what begins with prefix, and the last days only where they are asked for", async () => {
  await using app = await openAtNoon();
  await app.hit("blog/a");
  await app.hit("blog", 2);
  app.tomorrow();
  await app.hit("blog/a");
  for (
    const [query, expected] of [
      [
        "prefix=blog/&days=1",
        lines('{"id":"blog/a","hits":2,"days":{"2026-11-21":1},"since":"2026-11-21"}'),
      ],
      ["prefix=blog/&days=0", lines('{"id":"blog/a","hits":2}')],
      ["prefix=blog&days=0", lines('{"id":"blog","hits":2}', '{"id":"blog/a","hits":2}')],
      ["prefix=nothing", lines()],
      ["id=blog/a&days=1", '{"id":"blog/a","hits":2,"days":{"2026-11-21":1},"since":"2026-11-21"}'],
      ["id=blog/a&days=0", '{"id":"blog/a","hits":2}'],
      ["id=blog", '{"id":"blog","hits":2,"days":{"2026-11-20":2}}'],
      ["id=never", '{"id":"never","hits":0}'],
    ]
  ) {
    strictEqual(await app.held(query), expected, query);
  }
});

Deno.test("PUT /counters sets a counter and answers with what it held; sending that back undoes it", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 3);
  app.tomorrow();
  await app.hit("home", 2);
  const held = '{"id":"home","hits":5,"days":{"2026-11-20":3,"2026-11-21":2}}';
  const before = await app.sendBody(
    "PUT /counters?id=home",
    '{"hits":100,"days":{"2025-01-01":40}}',
  );
  strictEqual(before.body, held);
  strictEqual(await app.held("id=home"), '{"id":"home","hits":100,"days":{"2025-01-01":40}}');
  await app.hit("home");
  strictEqual(
    (await app.sendBody("PUT /counters?id=home", before.body)).body,
    '{"id":"home","hits":101,"days":{"2025-01-01":40,"2026-11-21":1}}',
  );
  strictEqual(await app.held("id=home"), held);
});

Deno.test("PUT /counters without days keeps those that are known, and a hit after 100 is 101", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 3);
  const before = await app.sendBody("PUT /counters?id=home", ' {\n "hits" : 100\n } \n');
  strictEqual(before.body, '{"id":"home","hits":3,"days":{"2026-11-20":3}}');
  await app.hit("home");
  strictEqual(await app.held("id=home"), '{"id":"home","hits":101,"days":{"2026-11-20":4}}');
});

Deno.test("DELETE /counters removes a counter with its days and answers with what it held", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 3);
  const gone = await app.send("DELETE /counters?id=home", authorized);
  strictEqual(gone.body, '{"id":"home","hits":3,"days":{"2026-11-20":3}}');
  strictEqual(await app.count("home"), 0);
  strictEqual(await app.held(), lines());
  const nothing = await app.send("DELETE /counters?id=home", authorized);
  strictEqual(nothing.body, '{"id":"home","hits":0,"days":{}}');
});

for (
  const [failure, title, told] of [
    ["store-unavailable", "Store unavailable", /Nothing was changed, so it is safe to retry\.$/],
    [
      "overloaded",
      "Too many requests are waiting",
      /Nothing was changed, so it is safe to retry\.$/,
    ],
    ["outcome-unknown", "Outcome unknown", /so it may have been applied\./],
  ] as const
) {
  Deno.test(`/counters tells its owner what ${failure} means for a change that is no hit`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    store.failure = failure;
    const line = '{"id":"home","hits":41}';
    for (const method of ["PUT", "DELETE"]) {
      const { json } = await app.sendBody(`${method} /counters?id=home`, line);
      match(String(field(json, "detail")), told);
    }
    const { json } = await app.sendBody("POST /counters", line);
    strictEqual(
      field(json, "detail"),
      `Line 1 could not be stored: ${title}. Lines stored for sure: 0. Once this is fixed, it is safe to send all lines again.`,
    );
  });
}

for (
  const [line, body, name] of [
    ["PUT /counters", '{"hits":1}', "bad-id"],
    ["PUT /counters?id=", '{"hits":1}', "bad-id"],
    ["PUT /counters?id=a", "", "bad-line"],
    ["PUT /counters?id=a", "41", "bad-line"],
    ["PUT /counters?id=a", '{"id":"b","hits":1}', "bad-line"],
    ["PUT /counters?id=a", `${" ".repeat(300_000)}{"hits":1}`, "bad-body"],
    ["DELETE /counters", undefined, "bad-id"],
    ["DELETE /counters?id=%20", undefined, "bad-id"],
    // A direction mark, which ids leave out.
    ["DELETE /counters?id=%E2%80%8E", undefined, "bad-id"],
    ["GET /counters?id=", undefined, "bad-id"],
    ["GET /counters?id=a&prefix=a", undefined, "bad-query"],
    ["GET /counters?prefix=%00", undefined, "bad-id"],
    ["GET /counters?days=-1", undefined, "bad-query"],
    ["GET /counters?days=all", undefined, "bad-query"],
    ["POST /counters?mode=sum", "", "bad-query"],
    ["POST /counters?dry=yes", "", "bad-query"],
  ] as const
) {
  Deno.test(`${line} with ${String(body).slice(0, 20)} is ${name} and changes nothing`, async () => {
    await using app = await openAtNoon();
    await app.hit("a", 2);
    const answer = body === undefined
      ? await app.send(line, authorized)
      : await app.sendBody(line, body);
    strictEqual(answer.status, 400);
    match(answer.body, new RegExp(`"type":"urn:problem-type:tallymark:${name}"`));
    strictEqual(await app.held("days=0"), lines('{"id":"a","hits":2}'));
  });
}

Deno.test("/counters opens to the secret alone: to no key, and to no page of another origin", async () => {
  await using app = await openAtNoon();
  await app.hit("a");
  const { json } = await app.send("GET /key?id=a", authorized);
  const key = String(Object.values(Object(json))[1]);
  for (const method of ["GET", "PUT", "DELETE", "POST"]) {
    for (const query of ["id=a", `id=a&key=${key}`, "id=a&token=wrong"]) {
      const { status, headers } = await app.send(`${method} /counters?${query}`, {
        origin: "https://example.com",
      });
      strictEqual(status, 401, `${method} ${query}`);
      strictEqual(headers["access-control-allow-origin"], undefined);
    }
    ok((await app.send(`${method} /counters?id=a&token=${SECRET}`)).status !== 401);
  }
});

Deno.test("PUT and DELETE /counters name the report that they change, so that their responses undo it", async () => {
  await using app = await openAtNoon();
  const put = async (text: string) => (await app.sendBody("PUT /counters?id=a", text)).body;
  const at = '"at":"2026-11-20T02:00:00Z"';
  await app.hit("a");
  strictEqual(await put('{"hits":5}'), '{"id":"a","hits":1,"days":{"2026-11-20":1}}');
  const before = await put(`{"hits":6,"seen":9,${at}}`);
  strictEqual(before, '{"id":"a","hits":5,"days":{"2026-11-20":1},"seen":null}');
  strictEqual(await put('{"hits":7}'), '{"id":"a","hits":6,"days":{"2026-11-20":1}}');
  const { body: deleted } = await app.send("DELETE /counters?id=a", authorized);
  strictEqual(deleted, `{"id":"a","hits":7,"days":{"2026-11-20":1},"seen":9,${at}}`);
  strictEqual(await app.held("id=a"), '{"id":"a","hits":0}');
  await put(deleted);
  strictEqual(await app.held("id=a"), deleted);
  strictEqual(await put(before), deleted);
  strictEqual(await app.held("id=a"), '{"id":"a","hits":5,"days":{"2026-11-20":1}}');
});

Deno.test("PUT and POST /counters with mode=add add to a counter once for each Idempotency-Key", async () => {
  await using app = await openAtNoon();
  const send = (line: string, body: string, key?: string) =>
    app.sendBody(line, body, { ...authorized, ...key && { "idempotency-key": key } });
  await app.hit("a", 3);
  for (const line of ["PUT /counters?id=a&mode=add", "POST /counters?mode=add"]) {
    const { status, json } = await send(line, '{"id":"a","hits":1}');
    deepStrictEqual([status, field(json, "title")], [400, "Bad Idempotency-Key"]);
  }
  const day = '"days":{"2026-11-20":-2,"2026-11-19":7}';
  for (const _ of [1, 2]) {
    strictEqual((await send("PUT /counters?id=a&mode=add", `{"hits":5,${day}}`, "k")).status, 200);
  }
  const lines = '{"id":"a","hits":10}\n{"id":"a","hits":1}\n{"id":"b","days":{"2026-11-20":4}}';
  for (const _ of [1, 2]) {
    strictEqual((await send("POST /counters?mode=add", lines, "k")).body, '{"counters":3}');
  }
  const held = async (id: string) => (await app.send(`GET /counters?id=${id}`, authorized)).body;
  strictEqual(await held("a"), '{"id":"a","hits":19,"days":{"2026-11-19":7,"2026-11-20":1}}');
  strictEqual(await held("b"), '{"id":"b","hits":4,"days":{"2026-11-20":4}}');
  const { status, json } = await send("PUT /counters?id=a&mode=add", '{"hits":-20}', "l");
  deepStrictEqual([status, field(json, "title")], [409, "Below zero"]);
});

Deno.test("POST /counters/move renames a counter, merges it with another, and moves a group", async () => {
  await using app = await openAtNoon();
  const move = (query: string) => app.send(`POST /counters/move?${query}`, authorized);
  const held = () => app.held();
  await app.hit("old/a", 2);
  app.tomorrow();
  await app.hit("old/a", 3);
  await app.hit("old/b");
  await app.hit("new/b", 4);
  const line = '{"id":"old/a","hits":5,"days":{"2026-11-20":2,"2026-11-21":3}}';
  strictEqual((await move("from=old/a&to=new/b")).body, line);
  strictEqual((await move("from=old/a&to=new/b")).body, '{"id":"old/a","hits":0,"days":{}}');
  const merged = '{"id":"new/b","hits":9,"days":{"2026-11-20":2,"2026-11-21":7}}';
  strictEqual(await held(), lines(merged, '{"id":"old/b","hits":1,"days":{"2026-11-21":1}}'));
  const moved = lines('{"id":"old/b","hits":1,"days":{"2026-11-21":1}}');
  strictEqual((await move("from=old/&to=new/")).body, moved);
  strictEqual(await app.count("new/b"), 10);
  await app.hit("new/");
  strictEqual((await move("id=new/&to=new/c/")).status, 200);
  strictEqual(await app.count("new/c/"), 1);
  strictEqual(await app.count("new/b"), 10);
  for (
    const query of [
      ...["from=a", "from=a&to=a", "from=a/&to=b", "from=a/&to=a/b/", "from=a/b/&to=a/"],
      ...["id=a/&to=a/"],
    ]
  ) {
    strictEqual((await move(query)).status, 400, query);
  }
  match((await move("id=a&from=a&to=b")).body, /Send from= or id=, not both\./);
  strictEqual((await app.send("POST /counters/move?from=new/b&to=x")).status, 401);
});

Deno.test("DELETE /counters?prefix= returns the lines of what it deletes, which an import brings back", async () => {
  await using app = await openAtNoon();
  for (const id of ["blog/a", "blog/b", "blog"]) await app.hit(id, 2);
  const remove = (query: string) => app.send(`DELETE /counters?${query}`, authorized);
  const all = await app.held("prefix=blog/");
  strictEqual((await remove("prefix=blog/&dry=1")).body, '{"counters":2}');
  strictEqual(await app.held("prefix=blog/"), all);
  const deleted = (await remove("prefix=blog/")).body;
  strictEqual(deleted, all);
  strictEqual(await app.held("prefix=blog/"), lines());
  strictEqual(await app.count("blog"), 2);
  await app.sendBody("POST /counters", deleted);
  strictEqual(await app.held("prefix=blog/"), all);
  for (const query of ["prefix=blog", "prefix=blog/&id=a", "prefix="]) {
    strictEqual((await remove(query)).status, 400, query);
  }
});
