import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, SECRET } from "../../support/secret.ts";

interface App extends TestApp {
  /** Lets a day pass. */
  tomorrow(): void;
  /** The lines that the owner reads of a counter, or of all. */
  held(query?: string): Promise<string>;
}

/** The app on 2026-11-20. */
async function open(options: { openReads?: boolean } = {}): Promise<App> {
  let time = Date.parse("2026-11-20T12:00:00Z");
  const calendar = createCalendar("UTC", () => time);
  const app = await memoryApp({ calendar, ...options });
  return {
    ...app,
    tomorrow: () => void (time += 86_400_000),
    held: async (query = "") => (await app.send(`GET /counters?${query}`, authorized)).body,
  };
}

/** Lines with the last one of an export behind them. */
function lines(...texts: string[]): string {
  return [...texts, `{"counters":${texts.length}}`, ""].join("\n");
}

Deno.test("GET /counters lists every counter as a line with its days, and how many they were", async () => {
  await using app = await open();
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
  await using app = await open();
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
  await using app = await open();
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
  await using app = await open();
  await app.hit("home", 3);
  const before = await app.sendBody("PUT /counters?id=home", ' {\n "hits" : 100\n } \n');
  strictEqual(before.body, '{"id":"home","hits":3,"days":{"2026-11-20":3}}');
  await app.hit("home");
  strictEqual(await app.held("id=home"), '{"id":"home","hits":101,"days":{"2026-11-20":4}}');
});

Deno.test("DELETE /counters removes a counter with its days and answers with what it held", async () => {
  await using app = await open();
  await app.hit("home", 3);
  const gone = await app.send("DELETE /counters?id=home", authorized);
  strictEqual(gone.body, '{"id":"home","hits":3,"days":{"2026-11-20":3}}');
  strictEqual(await app.count("home"), 0);
  strictEqual(await app.held(), lines());
  const nothing = await app.send("DELETE /counters?id=home", authorized);
  strictEqual(nothing.body, '{"id":"home","hits":0,"days":{}}');
});

Deno.test("POST /counters takes what GET /counters gave, and taking it again changes nothing", async () => {
  await using app = await open();
  await app.hit("home", 3);
  await app.hit("日本");
  app.tomorrow();
  const { body } = await app.send("GET /counters", authorized);
  await using other = await open();
  for (let time = 0; time < 2; time++) {
    strictEqual((await other.sendBody("POST /counters", body)).body, '{"counters":2}');
    strictEqual(await other.held(), body);
  }
});

Deno.test("POST /counters with mode=max keeps the larger number of a service that went on counting", async () => {
  await using app = await open();
  await app.hit("home", 3);
  const backup = lines(
    '{"id":"home","hits":2,"days":{"2026-11-19":9,"2026-11-20":2}}',
    '{"id":"old","hits":7}',
  );
  await app.sendBody("POST /counters?mode=max", backup);
  strictEqual(
    await app.held(),
    lines(
      '{"id":"home","hits":3,"days":{"2026-11-19":9,"2026-11-20":3}}',
      '{"id":"old","hits":7}',
    ),
  );
});

Deno.test("POST /counters with dry=1 writes nothing and tells what would change", async () => {
  await using app = await open();
  await app.hit("home", 3);
  await app.hit("same", 1);
  const text = '{"id":"home","hits":9}\n{"id":"same","hits":1}\n{"id":"new","hits":4}\n';
  const { json } = await app.sendBody("POST /counters?dry=1", text);
  deepStrictEqual(json, {
    counters: 3,
    changed: 2,
    changes: [{ id: "home", before: 3, after: 9 }, { id: "new", before: 0, after: 4 }],
  });
  strictEqual(await app.count("home"), 3);
});

Deno.test("POST /counters with dry=1 tells of a counter that is named twice what each line would change", async () => {
  await using app = await open();
  const text = '{"id":"e\\u0301","hits":9}\n{"id":"other","hits":1}\n{"id":"é","hits":4}\n';
  for (const dry of ["1", "0", "1"]) {
    const { json } = await app.sendBody(`POST /counters?dry=${dry}`, text);
    strictEqual(field(json, "counters"), 3);
    if (dry === "0") continue;
    const there = await app.count("é");
    deepStrictEqual(field(json, "changes"), [
      { id: "é", before: there, after: 9 },
      ...there === 0 ? [{ id: "other", before: 0, after: 1 }] : [],
      { id: "é", before: 9, after: 4 },
    ]);
  }
  strictEqual(await app.count("é"), 4);
});

for (
  const [what, bad] of [
    ["no JSON", "{"],
    ["a long line", `{"id":"x","hits":7,"days":{${" ".repeat(2_000_000)}}}`],
    ["a count of lines that is wrong", '{"counters":1498}'],
  ] as const
) {
  Deno.test(`POST /counters stops at ${what}, says where, and keeps the lines before it`, async () => {
    await using app = await open();
    const good = (first: number) =>
      Array.from({ length: 1499 }, (_, index) => `{"id":"n${first + index}","hits":1}\n`).join("");
    const { status, body } = await app.sendBody(
      "POST /counters",
      good(0) + bad + "\n" + good(1500),
    );
    strictEqual(status, 400);
    match(body, /Line 1500 cannot be used: .* Lines stored so far: 1499\./);
    strictEqual(await app.count("n1498"), 1);
    strictEqual(await app.count("n1500"), 0);
  });
}

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

/** A body whose sender goes away after this text. */
function brokenOff(text: string): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    yield new TextEncoder().encode(text);
    throw new Deno.errors.BadResource("Cannot read request body");
  })());
}

Deno.test("/counters takes a body that breaks off for its sender's failure, and keeps the lines before", async () => {
  await using app = await open();
  const half = '{"id":"b","hi';
  for (const dry of ["1", "0"]) {
    const { status, body } = await app.sendBody(
      `POST /counters?dry=${dry}`,
      brokenOff(`{"id":"a","hits":5}\n${half}`),
    );
    strictEqual(status, 400);
    match(body, /Line 2 cannot be used: the body ended too early\. /);
    strictEqual(await app.count("a"), dry === "1" ? 0 : 5);
  }
  for (
    const [headers, detail] of [
      [{ "content-length": "20" }, "The body ended too early."],
      [{}, "Send the length of the body in Content-Length."],
    ] as const
  ) {
    const body = brokenOff(half);
    const { status, json } = await app.sendBody("PUT /counters?id=a", body, {
      ...authorized,
      ...headers,
    });
    strictEqual(status, 400);
    strictEqual(field(json, "detail"), detail);
  }
  strictEqual(await app.count("a"), 5);
  deepStrictEqual(app.log, []);
});

Deno.test("POST /counters notices an export that was cut off between two lines", async () => {
  await using app = await open();
  const whole = lines('{"id":"a","hits":1}', '{"id":"b","hits":1}');
  const { status } = await app.sendBody("POST /counters", whole.replace(/^.*\n/, ""));
  strictEqual(status, 400);
});

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
    await using app = await open();
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
  await using app = await open();
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

Deno.test("POST /counters?mode=max takes days alone, which raise the total by as much as they grow, however often they come", async () => {
  await using app = await open();
  await app.hit("views", 5);
  const lines = (hits: number) => `{"id":"views","days":{"2026-11-18":7,"2026-11-19":${hits}}}\n`;
  for (const [hits, total] of [[3, 15], [3, 15], [4, 16], [2, 16]] as const) {
    const dry = await app.sendBody("POST /counters?mode=max&dry=1", lines(hits));
    const before = Number(await app.count("views"));
    deepStrictEqual(dry.json, {
      counters: 1,
      changed: before === total ? 0 : 1,
      changes: before === total ? [] : [{ id: "views", before, after: total }],
    });
    strictEqual((await app.sendBody("POST /counters?mode=max", lines(hits))).status, 200);
    strictEqual(await app.count("views"), total);
  }
  for (const line of ["POST /counters", "POST /counters?mode=replace", "PUT /counters?id=views"]) {
    const { status, json } = await app.sendBody(line, lines(9));
    strictEqual(status, 400, line);
    match(String(field(json, "detail")), /"hits" may be left out only with mode=max/);
  }
  strictEqual(await app.count("views"), 16);
  strictEqual((await app.sendBody("PUT /counters?id=views&mode=max", lines(5))).status, 200);
  strictEqual(await app.count("views"), 17);
});

Deno.test("GET /days ends with the day that a clock ahead has opened, as period=today does", async () => {
  let time = "2026-11-20T23:55:00Z";
  await using app = await memoryApp({ calendar: createCalendar("UTC", () => Date.parse(time)) });
  await app.hit("home");
  time = "2026-11-21T00:03:00Z";
  await app.hit("home", 3);
  time = "2026-11-20T23:57:00Z";
  const { json } = await app.send("GET /days?id=home", authorized);
  deepStrictEqual(field(json, "days"), [
    { day: "2026-11-20", hits: 1 },
    { day: "2026-11-21", hits: 3 },
  ]);
  strictEqual((await app.send("GET /count.txt?id=home&period=today", authorized)).body, "3");
});

Deno.test("GET /days gives the days of a range, those without hits as 0, none from before history", async () => {
  await using app = await open();
  await app.hit("home", 2);
  app.tomorrow();
  app.tomorrow();
  await app.hit("home", 3);
  const days = [
    { day: "2026-11-20", hits: 2 },
    { day: "2026-11-21", hits: 0 },
    { day: "2026-11-22", hits: 3 },
  ];
  for (
    const [query, expected] of [
      ["", days],
      ["&from=2026-01-01&to=2026-12-31", days],
      ["&from=2026-11-21", days.slice(1)],
      ["&to=2026-11-21", days.slice(0, 2)],
      ["&from=2026-11-21&to=2026-11-21", days.slice(1, 2)],
      ["&from=2020-01-01&to=2020-01-31", []],
    ] as const
  ) {
    const { json, headers } = await app.send(`GET /days?id=home${query}`);
    deepStrictEqual(json, { id: "home", total: 5, timeZone: "UTC", days: expected }, query);
    strictEqual(headers["cache-control"], "no-store");
    strictEqual(headers["access-control-allow-origin"], "*");
  }
  deepStrictEqual((await app.send("GET /days?id=never")).json, {
    id: "never",
    total: 0,
    timeZone: "UTC",
    days: [],
  });
});

for (
  const query of [
    ...["from=2026-02-30", "to=yesterday", "from=", "from=2026-11-21&to=2026-11-20"],
    "from=2000-01-01&to=2026-01-01",
    "from=0070-01-01&to=0070-01-02",
    "from=0099-12-01&to=0099-12-31",
  ]
) {
  Deno.test(`GET /days refuses ${query}, before it asks for the secret`, async () => {
    await using app = await open({ openReads: false });
    strictEqual((await app.send(`GET /days?id=home&${query}`)).status, 400);
    strictEqual((await app.send("GET /days?id=home")).status, 401);
  });
}

Deno.test("POST /counters: reports of another service's total raise the counter by what is new, whenever they arrive", async () => {
  await using app = await open();
  const send = (text: string) => app.sendBody("POST /counters?mode=max", text);
  const line = () => app.held("id=docker/a/b");
  await send('{"id":"docker/a/b","seen":126,"at":"2026-11-20T02:00:00Z"}');
  strictEqual(
    await line(),
    '{"id":"docker/a/b","hits":126,"seen":126,"at":"2026-11-20T02:00:00Z"}',
  );
  app.tomorrow();
  const report = '{"id":"docker/a/b","seen":130,"at":"2026-11-21T02:00:00Z"}';
  const { json } = await app.sendBody("POST /counters?mode=max&dry=1", report);
  deepStrictEqual(field(json, "changes"), [{ id: "docker/a/b", before: 126, after: 130 }]);
  for (let times = 0; times < 2; times++) await send(report);
  await send('{"id":"docker/a/b","seen":128,"at":"2026-11-20T12:00:00Z"}');
  const held =
    '{"id":"docker/a/b","hits":130,"days":{"2026-11-21":4},"seen":130,"at":"2026-11-21T02:00:00Z"}';
  strictEqual(await line(), held);
  strictEqual(await app.held(), lines(held));
  const { body } = await app.send("GET /counters?days=0", authorized);
  match(body, /"hits":130,"seen":130,"at"/);
});

Deno.test("POST /counters: a report whose growth has no room stops the import with 409 and changes nothing", async () => {
  await using app = await open();
  const state = `{"id":"a","hits":${2 ** 52 - 1},"seen":5,"at":"2026-11-20T01:00:00Z"}`;
  await app.sendBody("POST /counters", state);
  const text = '{"id":"a","seen":7,"at":"2026-11-20T02:00:00Z"}';
  const { status, json } = await app.sendBody("POST /counters?mode=max", text);
  strictEqual(status, 409);
  match(String(field(json, "detail")), /^Line 1 /);
  strictEqual(await app.held("id=a"), state);
});

Deno.test("PUT and DELETE /counters name the report that they change, so that their responses undo it", async () => {
  await using app = await open();
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
  await using app = await open();
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

Deno.test("POST /counters with undo=1 lists what undoes the import and keeps what was counted since", async () => {
  await using app = await open();
  const exported = () => app.held();
  const text = [
    '{"id":"a","older":1000}',
    '{"id":"a","days":{"2026-11-19":7,"2026-11-20":2}}',
    '{"id":"b","hits":9,"days":{"2026-11-20":4}}',
    '{"id":"c","hits":2}',
  ].join("\n");
  await app.hit("a", 5);
  await app.hit("c", 5);
  const before = await exported();
  for (const mode of ["max", "replace"]) {
    const body = mode === "max"
      ? text
      : text.replace("older", "hits").replace('"days"', '"hits":1,$&');
    const { json } = await app.sendBody(`POST /counters?mode=${mode}&undo=1`, body);
    await app.hit("a", 3);
    const undo = String(field(json, "undo"));
    await app.sendBody("POST /counters?mode=add", undo, { ...authorized, "idempotency-key": mode });
    const { body: held } = await app.send("GET /counters?id=a", authorized);
    strictEqual(held, '{"id":"a","hits":8,"days":{"2026-11-20":8}}', mode);
    await app.sendBody("PUT /counters?id=a", '{"hits":5,"days":{"2026-11-20":5}}');
    await app.sendBody("DELETE /counters?id=b", "");
    strictEqual(await exported(), before, mode);
  }
  const again = await app.sendBody("POST /counters?mode=max&undo=1", '{"id":"c","hits":2}');
  deepStrictEqual(again.json, { counters: 1, undo: "" });
});

Deno.test("POST /counters: older views come before the first day that is counted, and only once", async () => {
  await using app = await open();
  await app.hit("a", 5);
  for (const [older, hits] of [[1000, 1005], [1000, 1005], [400, 1005], [1200, 1205]]) {
    await app.sendBody("POST /counters?mode=max", `{"id":"a","older":${older}}`);
    strictEqual((await app.send("GET /count.txt?id=a")).body, `${hits}`);
  }
  await app.sendBody("POST /counters?mode=max", '{"id":"a","older":0,"days":{"2026-11-18":7}}');
  strictEqual(await app.count("a"), 1212);
  for (const [mode, line] of [["replace", '"older":1'], ["max", '"older":1,"hits":1']]) {
    const { status } = await app.sendBody(`POST /counters?mode=${mode}`, `{"id":"a",${line}}`);
    strictEqual(status, 400);
  }
});

Deno.test("POST /counters/move renames a counter, merges it with another, and moves a group", async () => {
  await using app = await open();
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

Deno.test("an import of the last days keeps what is older, and replaces the days that it has", async () => {
  await using app = await open();
  await app.hit("a", 3);
  app.tomorrow();
  await app.hit("a", 2);
  const text = await app.held("days=1");
  const whole = await app.held();
  strictEqual(
    text.split("\n")[0],
    '{"id":"a","hits":5,"days":{"2026-11-21":2},"since":"2026-11-21"}',
  );
  await app.hit("a", 4);
  for (const mode of ["max", "replace"]) await app.sendBody(`POST /counters?mode=${mode}`, text);
  strictEqual(await app.held(), whole);
  const wrong = await app.sendBody(
    "POST /counters",
    '{"id":"a","hits":5,"days":{},"since":"today"}',
  );
  strictEqual(wrong.status, 400);
});

Deno.test("DELETE /counters?prefix= returns the lines of what it deletes, which an import brings back", async () => {
  await using app = await open();
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
