import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";
import { keyOf } from "../../support/secret.ts";

const KEY = keyOf("counter:a/b");
const CRAWLER = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://google.com/bot)" };
const READER = { "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Gecko Firefox/148.0" };

Deno.test("a query of HTML that was escaped twice is read as if it was escaped once", async () => {
  await using app = await memoryApp();
  const inImage = { accept: "image/avif,image/webp,image/*,*/*;q=0.8", ...READER };
  const query = `amp;id=a/b&amp;key=${KEY}&amp;style=pill&amp;label=hits`;
  const hit = await app.send(`GET /hit.svg?${query}`, inImage);
  strictEqual(hit.headers["x-tallymark"], undefined);
  match(hit.body, />hits</);
  strictEqual(await app.count("a/b"), 1);
  for (const path of ["/badge", "/chart.svg", "/card.svg"]) {
    const escaped = await app.send(`GET ${path}?theme=light&amp;id=a/b&amp;label=hits`);
    const plain = await app.send(`GET ${path}?theme=light&id=a/b&label=hits`);
    deepStrictEqual([escaped.status, escaped.body], [200, plain.body], path);
  }
  strictEqual((await app.send("GET /badge?id=a&amp;id=b")).status, 400);
});

Deno.test("a reader of an app is counted from a page, though isbot takes a word of it for a crawler", async () => {
  await using app = await memoryApp();
  const line = `POST /hit?id=a/b&key=${KEY}`;
  const page = { origin: "https://blog.example", "sec-fetch-mode": "cors" };
  const agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 " +
    "(KHTML, like Gecko) Mobile/15E148 SmartNews/24.5.10";
  const flagOf = async (headers: HeadersInit) =>
    (await app.send(line, headers)).headers["x-tallymark"];
  strictEqual(await flagOf({ ...page, "user-agent": agent }), undefined);
  strictEqual(await flagOf({ "user-agent": agent }), "bot");
  strictEqual(await flagOf({ ...page, ...CRAWLER }), "bot");
  strictEqual(await app.count("a/b"), 1);
});
