import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { field } from "../../support/app.ts";
import { lines, openAtNoon } from "../../support/app_at_noon.ts";
import { authorized } from "../../support/secret.ts";

Deno.test("POST /counters takes what GET /counters gave, and taking it again changes nothing", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 3);
  await app.hit("日本");
  app.tomorrow();
  const { body } = await app.send("GET /counters", authorized);
  await using other = await openAtNoon();
  for (let time = 0; time < 2; time++) {
    strictEqual((await other.sendBody("POST /counters", body)).body, '{"counters":2}');
    strictEqual(await other.held(), body);
  }
});

Deno.test("POST /counters with mode=max keeps the larger number of a service that went on counting", async () => {
  await using app = await openAtNoon();
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
  await using app = await openAtNoon();
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
  await using app = await openAtNoon();
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
    await using app = await openAtNoon();
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

/** A body whose sender goes away after this text. */
function brokenOff(text: string): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    yield new TextEncoder().encode(text);
    throw new Deno.errors.BadResource("Cannot read request body");
  })());
}

Deno.test("/counters takes a body that breaks off for its sender's failure, and keeps the lines before", async () => {
  await using app = await openAtNoon();
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
  await using app = await openAtNoon();
  const whole = lines('{"id":"a","hits":1}', '{"id":"b","hits":1}');
  const { status } = await app.sendBody("POST /counters", whole.replace(/^.*\n/, ""));
  strictEqual(status, 400);
});

Deno.test("POST /counters?mode=max takes days alone, which raise the total by as much as they grow, however often they come", async () => {
  await using app = await openAtNoon();
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

Deno.test("POST /counters: reports of another service's total raise the counter by what is new, whenever they arrive", async () => {
  await using app = await openAtNoon();
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
  await using app = await openAtNoon();
  const state = `{"id":"a","hits":${2 ** 52 - 1},"seen":5,"at":"2026-11-20T01:00:00Z"}`;
  await app.sendBody("POST /counters", state);
  const text = '{"id":"a","seen":7,"at":"2026-11-20T02:00:00Z"}';
  const { status, json } = await app.sendBody("POST /counters?mode=max", text);
  strictEqual(status, 409);
  match(String(field(json, "detail")), /^Line 1 /);
  strictEqual(await app.held("id=a"), state);
});

Deno.test("POST /counters with undo=1 lists what undoes the import and keeps what was counted since", async () => {
  await using app = await openAtNoon();
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
  await using app = await openAtNoon();
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

Deno.test("an import of the last days keeps what is older, and replaces the days that it has", async () => {
  await using app = await openAtNoon();
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
