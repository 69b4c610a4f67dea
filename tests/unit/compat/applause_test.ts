import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Answer, memoryApp, type TestApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

const READER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0",
  "content-type": "text/plain",
  referer: "https://blog.example/post/1/",
};
const SERVED = { serveAs: "applause/blog.example/" };

function clap(app: TestApp, body: string, query = "", more: Record<string, string> = {}) {
  return app.sendBody(`POST /as/applause/update-claps${query}`, body, { ...READER, ...more });
}

function multiple(app: TestApp, body: string, more: Record<string, string> = {}): Promise<Answer> {
  return app.sendBody("POST /as/applause/get-multiple", body, { ...READER, ...more });
}

Deno.test("/as/applause adds 1 to 10 claps to the page in url= or in the Referer", async () => {
  await using app = await memoryApp(SERVED);
  const first = await clap(app, '"3,4.0.5"');
  strictEqual(first.status, 200, first.body);
  strictEqual(first.body, "3");
  strictEqual(first.headers["access-control-allow-origin"], "*");
  strictEqual((await clap(app, '"10,3.3.0"')).body, "13");
  strictEqual((await clap(app, "1")).body, "14");
  const url = "?url=https://BLOG.example:8443/文章/?a=b&c=d";
  strictEqual((await clap(app, '"2"', url, { referer: "https://other.example/" })).body, "2");
  const expected = { "applause/blog.example/post/1/": 14, "applause/blog.example/文章/": 2 };
  deepStrictEqual(await app.counted(), expected);
  strictEqual((await app.send("GET /as/applause/get-claps", READER)).body, "14");
  strictEqual((await app.send(`GET /as/applause/get-claps${encodeURI(url)}`, READER)).body, "2");
  strictEqual((await app.send("GET /as/applause/get-claps?url=https://a.example/")).body, "0");
  deepStrictEqual(await app.counted(), expected);
});

Deno.test("/as/applause/get-multiple reads the claps of up to 100 pages, in their order", async () => {
  await using app = await memoryApp(SERVED);
  await clap(app, "4");
  const urls = ["https://blog.example/none/", "https://blog.example/post/1/"];
  const { status, json, headers } = await multiple(app, JSON.stringify(urls));
  strictEqual(status, 200);
  deepStrictEqual(json, [{ url: urls[0], claps: 0 }, { url: urls[1], claps: 4 }]);
  strictEqual(headers["access-control-allow-origin"], "*");
  const empty = await multiple(app, "[]");
  deepStrictEqual([empty.status, empty.body], [200, "[]"]);
  strictEqual(empty.headers["access-control-allow-origin"], "*");
  strictEqual((await multiple(app, JSON.stringify(Array(100).fill(urls[1])))).status, 200);
  for (
    const body of [
      JSON.stringify(Array(101).fill(urls[1])),
      JSON.stringify(["x".repeat(16_384)]),
      '["ftp://blog.example/"]',
      '["/post/1/"]',
      "[1]",
      "{}",
      "[",
      "",
    ]
  ) strictEqual((await multiple(app, body)).status, 400, body.slice(0, 50));
  deepStrictEqual(await app.counted(), { "applause/blog.example/post/1/": 4 });
});

Deno.test("/as/applause refuses other numbers of claps, other pages and other methods, and writes nothing", async () => {
  await using app = await memoryApp(SERVED);
  for (
    const body of [
      ...["", "0", "11", "-1", "1.5", "1e1", "NaN", '"0,4.0.5"', '"11,4.0.5"', "01", "[1]", "{}"],
      ...['"3,4.0.5', "3,x", `"1,${"1".repeat(30)}"`, "9".repeat(20_000)],
    ]
  ) strictEqual((await clap(app, body)).status, 400, body.slice(0, 40));
  const pages = [
    "javascript:alert(1)",
    "blog.example/",
    "ftp://blog.example/",
    "https://",
    "x",
    "",
  ];
  for (const page of [...pages, "https://blog.example/*site", "https://blog.example/%2Asite"]) {
    const { status } = await clap(app, "1", `?url=${encodeURIComponent(page)}`);
    strictEqual(status, 400, page);
  }
  for (
    const page of [
      ...["https://other.example/", "https://blog.example.evil/", "https://a@evil.example/"],
      "https://evil.example/blog.example/",
    ]
  ) strictEqual((await clap(app, "1", `?url=${encodeURIComponent(page)}`)).status, 401, page);
  strictEqual((await app.send("GET /as/applause/update-claps", READER)).status, 400);
  strictEqual((await app.sendBody("POST /as/applause/get-claps", "1", READER)).status, 405);
  strictEqual((await app.send("GET /as/applause/delete-claps", READER)).status, 404);
  const bot = await clap(app, "5", "", { "user-agent": "Googlebot/2.1" });
  deepStrictEqual([bot.status, bot.body, bot.headers["x-tallymark"]], [200, "0", "bot"]);
  deepStrictEqual(await app.counted(), {});
});

Deno.test("/as/applause reads no numbers where reads are protected, and counts claps", async () => {
  await using app = await memoryApp({ ...SERVED, openReads: false });
  strictEqual((await clap(app, "2")).body, "2");
  strictEqual((await app.send("GET /as/applause/get-claps", READER)).status, 401);
  const pages = JSON.stringify([READER.referer]);
  strictEqual((await multiple(app, pages)).status, 401);
  const { json } = await multiple(app, pages, authorized);
  deepStrictEqual(json, [{ url: READER.referer, claps: 2 }]);
});
