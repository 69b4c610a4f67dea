import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized, keyOf } from "../../support/secret.ts";

const KEY = keyOf("counter:a");
const LINE = `POST /hit?id=a&once=day&key=${KEY}`;
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:148.0) Gecko/20100101 Firefox/148.0";

interface From {
  line?: string;
  agent?: string;
  peer?: string;
  headers?: Record<string, string>;
}

/** Sends a visit. Returns the number and the remark. */
async function visit(app: TestApp, { line = LINE, agent = FIREFOX, peer, headers }: From = {}) {
  const answer = await app.send(line, { "user-agent": agent, ...headers }, peer);
  strictEqual(answer.status, 200, answer.body);
  return [field(answer.json, "hits"), answer.headers["x-tallymark"]];
}

Deno.test("once=day counts a visitor once, by address and browser, for each counter", async () => {
  await using app = await memoryApp();
  deepStrictEqual(await visit(app), [1, undefined]);
  deepStrictEqual(await visit(app), [1, "repeat"]);
  deepStrictEqual(await visit(app, { peer: "127.0.0.2" }), [2, undefined]);
  deepStrictEqual(await visit(app, { agent: `${FIREFOX} x` }), [3, undefined]);
  deepStrictEqual(await visit(app), [3, "repeat"]);
  const image = await app.send(
    `GET /hit.svg?id=a&once=day&key=${KEY}`,
    { "user-agent": FIREFOX },
    "127.0.0.2",
  );
  strictEqual(image.headers["x-tallymark"], "repeat");
  match(image.body, />3</);
  const secret = { line: "GET /hit?id=b&once=day", headers: authorized };
  deepStrictEqual(await visit(app, secret), [1, undefined]);
  deepStrictEqual(await visit(app, secret), [1, "repeat"]);
  strictEqual(await app.count("a"), 3);
});

Deno.test("once=day counts a visitor once who changes the address within an IPv6 network of 64 bits", async () => {
  await using app = await memoryApp();
  const from = (peer: string) => visit(app, { peer });
  deepStrictEqual(await from("2001:db8:1:2:3:4:5:6"), [1, undefined]);
  for (const peer of ["2001:db8:1:2::6", "2001:DB8:1:2:7::", "2001:db8:1:2:ffff:ffff:ffff:ffff"]) {
    deepStrictEqual(await from(peer), [1, "repeat"], peer);
  }
  const others = [
    "2001:db8:1:3::6",
    "2001:db8:1::2",
    "2001:db8::1:2:0:6",
    "1:2::",
    "::1:2:3:4:5:6",
  ];
  for (const [index, peer] of others.entries()) {
    deepStrictEqual(await from(peer), [index + 2, undefined], peer);
  }
  deepStrictEqual(await from("::ffff:203.0.113.7"), [7, undefined]);
  deepStrictEqual(await from("203.0.113.8"), [8, undefined]);
});

Deno.test("once=day takes no visitor of a counter for one of another whose id begins alike", async () => {
  await using app = await memoryApp();
  for (const [id, visitor] of [["page/1", "23"], ["page/12", "3"], ["page/", "123"]]) {
    const line = `POST /hit?id=${id}&once=day&visitor=${visitor}`;
    deepStrictEqual(await visit(app, { line, headers: authorized }), [1, undefined], id);
    deepStrictEqual(await visit(app, { line, headers: authorized }), [1, "repeat"], id);
  }
});

for (const value of ["", "Day", "week", "1", "day%20"]) {
  Deno.test(`once=${value} is 400, before anybody is admitted`, async () => {
    await using app = await memoryApp();
    for (const path of ["/hit", "/hit.svg"]) {
      strictEqual((await app.send(`GET ${path}?once=${value}`)).status, 400);
    }
  });
}

Deno.test("visitor= tells the visitors of a server apart, whoever calls for them", async () => {
  await using app = await memoryApp();
  const of = (visitor: string, from: From = {}) =>
    visit(app, {
      line: `POST /hit?id=a&once=day&visitor=${visitor}`,
      headers: authorized,
      ...from,
    });
  deepStrictEqual(await of("ada"), [1, undefined]);
  deepStrictEqual(await of("bob"), [2, undefined]);
  deepStrictEqual(await of("ada", { peer: "10.0.0.7", agent: "github-camo" }), [2, "repeat"]);
  strictEqual((await app.send(`${LINE}&visitor=ada`, { "user-agent": FIREFOX })).status, 400);
  strictEqual((await app.send("POST /hit?id=a&once=day&visitor=", authorized)).status, 400);
  strictEqual(await app.count("a"), 2);
});

Deno.test("behind proxies that are counted wrongly no two visitors are taken for one, and the log says so once", async () => {
  for (const proxies of [0, 2]) {
    await using app = await memoryApp({ proxies });
    for (const number of [1, 2, 3]) {
      const headers = { "x-forwarded-for": "203.0.113.7" };
      deepStrictEqual(await visit(app, { headers }), [number, undefined]);
    }
    strictEqual(app.log.length, 1);
    match(app.log[0] ?? "", /TRUST_PROXY/);
  }
});

Deno.test("one odd X-Forwarded-For hides no wrong TRUST_PROXY: each reason is logged once a day", async () => {
  await using app = await memoryApp({ proxies: 1 });
  const from = (forwarded: string) => visit(app, { headers: { "x-forwarded-for": forwarded } });
  const reasons = () => app.log.map((line) => JSON.parse(line).reason);
  await from("rubbish");
  const odd = "the address of the caller is not valid";
  deepStrictEqual(reasons(), [odd]);
  await from("203.0.113.7, 100.64.0.1");
  await from("203.0.113.7, 100.64.0.1");
  await from("more rubbish");
  const oneMore = "X-Forwarded-For names one more proxy than TRUST_PROXY says";
  deepStrictEqual(reasons(), [odd, oneMore]);
  await visit(app);
  const tooFew = "X-Forwarded-For has fewer entries than TRUST_PROXY says";
  deepStrictEqual(reasons(), [odd, oneMore, tooFew]);
  await visit(app, { headers: { "x-real-ip": "203.0.113.7" } });
  strictEqual(app.log.length, 3);
});

Deno.test("behind Cloudflare, which TRUST_PROXY leaves out, every request counts and one line says so", async () => {
  await using app = await memoryApp({ proxies: 1 });
  const from = (address: string) =>
    visit(app, {
      headers: { "cf-connecting-ip": address, "x-forwarded-for": `${address}, 172.71.0.9` },
    });
  deepStrictEqual(await from("203.0.113.7"), [1, undefined]);
  deepStrictEqual(await from("203.0.113.8"), [2, undefined]);
  deepStrictEqual(await from("203.0.113.8"), [3, undefined]);
  strictEqual(app.log.length, 1);
  match(app.log[0] ?? "", /set TRUST_PROXY to the number.*Cloudflare is one more proxy/);
});

for (const header of ["forwarded", "x-real-ip"]) {
  Deno.test(`a proxy that tells of itself in ${header} alone hides its callers`, async () => {
    await using app = await memoryApp();
    const headers = { [header]: "for=203.0.113.7" };
    for (const number of [1, 2]) {
      deepStrictEqual(await visit(app, { headers }), [number, undefined]);
    }
  });
}

Deno.test("once=day is 503 while the store is away, and leaves no mark", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  store.failure = "store-unavailable";
  strictEqual((await app.send(LINE, { "user-agent": FIREFOX })).status, 503);
  store.failure = undefined;
  deepStrictEqual(await visit(app), [1, undefined]);
  deepStrictEqual(await visit(app), [1, "repeat"]);
});

Deno.test("what is kept of a visitor tells nothing without the salt, and no address", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await visit(app, { peer: "203.0.113.7" });
  const kept = store.visitorsOf("a");
  strictEqual(kept.length, 1);
  match(kept[0] ?? "", /^[\w-]{11}$/);
});
