import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { COMPAT_NAMES } from "../../../src/hits/serve_as.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { parseSvg } from "../../support/parse_svg.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { BUSUANZI, COUNTAPI, IMAGES } from "./addresses.ts";
import { times } from "../../support/times.ts";

const READER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0",
};
const ALL = COMPAT_NAMES.map((name) => `${name}/`).join();

for (const { address, id, title, colors } of IMAGES) {
  Deno.test(`GET /as/${address} counts ${id} and shows "${title}"`, async () => {
    await using app = await open({ serveAs: ALL });
    const { status, headers, body } = await get(app, address);
    strictEqual(status, 200, body);
    strictEqual(headers["content-type"], "image/svg+xml; charset=utf-8");
    strictEqual(headers["cache-control"], "max-age=0, no-cache, no-store, must-revalidate");
    strictEqual(parseSvg(body).find(({ name }) => name === "title")?.text, title);
    if (colors !== undefined) {
      const fills = [...body.matchAll(/<rect [^>]*fill="(#\w+)"/g)].map(([, fill]) => fill);
      deepStrictEqual(fills.slice(0, 2), colors);
    }
    deepStrictEqual(await app.counted(), { [id]: 1 });
  });
}

for (const [address = "", id = ""] of COUNTAPI) {
  Deno.test(`GET and POST /as/${address} count ${id} and answer {"value":N}`, async () => {
    await using app = await open({ serveAs: "countapi/" });
    const { status, headers, body } = await get(app, address);
    strictEqual(status, 200, body);
    strictEqual(body, '{"value":1}');
    strictEqual(headers["access-control-allow-origin"], "*");
    strictEqual((await app.send(`POST /as/${address}`, READER)).body, '{"value":2}');
    const reading = address.replace("/hit/", "/get/");
    strictEqual(
      (await get(app, `${reading}?callback=app.show`)).body,
      'try{app.show({"value":2});}catch(e){}',
    );
    deepStrictEqual(await app.counted(), { [id]: 2 });
  });
}

for (const [address, callback] of BUSUANZI) {
  Deno.test(`GET /as/busuanzi/${address} counts the page that asks, and answers ${callback ?? "JSON"}`, async () => {
    await using app = await open({ serveAs: ALL });
    const headers = { ...READER, referer: "https://trianglestrip.github.io/" };
    const answer = await app.send(`GET /as/busuanzi/${address}`, headers);
    strictEqual(answer.status, 200, answer.body);
    const numbers = '{"site_uv":1,"page_pv":1,"version":2.4,"site_pv":1}';
    strictEqual(
      answer.body,
      callback === undefined ? numbers : `try{${callback}(${numbers});}catch(e){}`,
    );
    const id = "busuanzi/trianglestrip.github.io/";
    deepStrictEqual(await app.counted(), { [id]: 1, [`${id}*site`]: 1, [`${id}*visitors`]: 1 });
  });
}

Deno.test("/as/countapi/get of a counter that was never hit is 404, and writes nothing", async () => {
  await using app = await open({ serveAs: ALL });
  strictEqual((await get(app, "countapi/get/namespace/never")).status, 404);
  deepStrictEqual(await app.counted(), {});
});

Deno.test("/as/countapi takes the names of functions for callback=, and nothing else", async () => {
  await using app = await open({ serveAs: ALL });
  for (const name of ["a", "_x", "$", "Busuanzi_1", "a.b.c", "x".repeat(64)]) {
    const { status, headers, body } = await get(app, `countapi/hit/abc/def?callback=${name}`);
    strictEqual(status, 200, name);
    strictEqual(headers["content-type"], "text/javascript; charset=utf-8");
    strictEqual(headers["x-content-type-options"], "nosniff");
    ok(body.startsWith(`try{${name}({`));
  }
  const bad = [
    "",
    "1a",
    "a-b",
    "a(b",
    "a;b",
    "alert(1)//",
    "x".repeat(65),
    "a%20b",
    "%0a",
    "é",
    ".a",
    "a%00",
  ];
  for (const name of bad) {
    const { status } = await get(app, `countapi/hit/abc/def?callback=${name}`);
    strictEqual(status, 400, name);
  }
  deepStrictEqual(await app.counted(), { "countapi/abc/def": 6 });
});

const READING = [
  "visitor-badge/badge?page_id=a.b&query_only=true",
  "visitor-badge/badge?page_id=a.b&hit=false",
  "visitor-badge/badge?page_id=a.b&hit=0",
  "seeyoufarm/api/count/keep/badge.svg?url=https://github.com/a/b",
  "seeyoufarm/api/count/graph/dailyhits.svg?url=https://github.com/a/b",
  "hits.sh/api/urns/github.com/a/b",
  "profile-counter/octocat/",
];

for (const address of READING) {
  Deno.test(`GET /as/${address} only reads`, async () => {
    await using app = await open({ serveAs: ALL });
    const { status } = await get(app, address);
    strictEqual(status, 200);
    deepStrictEqual(await app.counted(), {});
  });
}

const FORMS: readonly (readonly [address: string, body: string])[] = [
  [
    "dwyl/a/b.json",
    '{"schemaVersion":1,"label":"hits","style":"flat","message":"1","color":"lightgrey"}',
  ],
  [
    "dwyl/a/b.json?style=for-the-badge&color=red",
    '{"schemaVersion":1,"label":"hits","style":"for-the-badge","message":"1","color":"red"}',
  ],
  [
    "seeyoufarm/api/hit?url=https%3A%2F%2Fa.example%2Fb%3Fc&output=json",
    '{"today_hits":1,"total_hits":1}',
  ],
  [
    "komarev/ghpvc/?username=octocat&style=pixel",
    '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
  ],
];

for (const [address, expected] of FORMS) {
  Deno.test(`GET /as/${address} counts and answers as the peer does`, async () => {
    await using app = await open({ serveAs: ALL });
    strictEqual((await get(app, address)).body, expected);
    deepStrictEqual(Object.values(await app.counted()), [1]);
  });
}

const REFUSED: readonly (readonly [address: string, status: number])[] = [
  ["komarev/ghpvc/?username=", 400],
  ["komarev/ghpvc/?username=-a", 400],
  ["komarev/ghpvc/?username=a--b", 400],
  ["komarev/ghpvc/?username=%E2%84%AAelvin", 400],
  [`komarev/ghpvc/?username=${"a".repeat(40)}`, 400],
  ["visitor-badge/badge", 400],
  ["seeyoufarm/api/count/incr/badge.svg", 400],
  ["seeyoufarm/api/count/incr/badge.svg?url=ftp://a.example", 400],
  ["seeyoufarm/api/count/incr/badge.svg?url=javascript://a", 400],
  ["dwyl/a%20b/c.svg", 400],
  ["hits.sh/nodot/path.svg", 400],
  [`hits.sh/a.example/${"x".repeat(250)}.svg`, 400],
  ["countapi/hit/ab/cde", 400],
  ["countapi/hit/a%2Fb/cde", 404],
  ["countapi/set/abc/def?value=9", 404],
  ["countapi/create?namespace=abc&key=def", 404],
  ["countapi/update/abc/def?amount=1", 404],
  ["countapi/reset/abc/def", 404],
  ["countapi/delete/abc/def", 404],
  ["komarev/", 404],
  ["komarev", 404],
  ["nobody/x", 404],
  ["constructor/x", 404],
  ["hits.sh/%ff.svg", 400],
  ["busuanzi/busuanzi", 400],
];

for (const [address, status] of REFUSED) {
  Deno.test(`GET /as/${address.slice(0, 60)} is ${status}, and drawn for an image`, async () => {
    await using app = await open({ serveAs: ALL });
    strictEqual((await get(app, address)).status, status);
    const isPicture = /badge|ghpvc|\.svg/.test(address) && status === 400;
    const image = await app.send(`GET /as/${address}`, { ...READER, accept: "image/*" });
    if (isPicture && !address.includes("%ff")) {
      strictEqual(image.status, 200);
      match(image.body, /^<svg /);
    } else strictEqual(image.status, status);
    deepStrictEqual(await app.counted(), {});
  });
}

const CLOSED = [
  "komarev/ghpvc/?username=octocat2&style=pixel",
  "komarev/ghpvc/?username=octocat2",
  "komarev/ghpvc/?username=octoca",
  "hits.sh/github.com/octocatX.svg",
  "hits.sh/github.com/octocat.svg",
  "hits.sh/GITHUB.COM/octocat/x.svg",
  "hits.sh/github.com%2Foctoca/x.svg",
  "hits.sh/github.com./octocat/x.svg",
  "hits.sh/x/../github.com.evil/octocat/x.svg",
  "seeyoufarm/api/count/incr/badge.svg?url=https://github.com/octocat",
  "dwyl/octocat/hello.svg",
];

for (const address of CLOSED) {
  Deno.test(`GET /as/${address} is refused as on the endpoint that it is, where SERVE_AS does not open it`, async () => {
    await using app = await open({ serveAs: "komarev/Octocat, hits.sh/github.com/octocat/" });
    const { status, body } = await get(app, address);
    strictEqual(status, 401);
    match(body, /unauthorized/i);
    const image = await app.send(`GET /as/${address}`, { ...READER, accept: "image/*" });
    strictEqual(image.status, 200);
    match(image.body, /^<svg /);
    deepStrictEqual(await app.counted(), {});
  });
}

Deno.test("SERVE_AS is written by the peer's own rule, and opens an id or everything below a slash", async () => {
  await using app = await open({ serveAs: "komarev/Octocat, hits.sh/github.com/octocat/" });
  strictEqual((await get(app, "komarev/ghpvc/?username=OCTOCAT")).status, 200);
  strictEqual((await get(app, "hits.sh/github.com/octocat/a.svg")).status, 200);
  strictEqual((await get(app, "hits.sh/github.com%2Foctocat%2Fb.svg")).status, 200);
  deepStrictEqual(await app.counted(), {
    "hits.sh/github.com/octocat/a": 1,
    "hits.sh/github.com/octocat/b": 1,
    "komarev/octocat": 1,
  });
});

Deno.test("SERVE_AS takes a host as people write it, where the peer takes it out of an address", async () => {
  await using app = await open({
    serveAs: "busuanzi/Blog.Müller.example/,seeyoufarm/GitHub.com/octocat",
  });
  const referer = "https://blog.xn--mller-kva.example/post";
  const { status } = await app.send("GET /as/busuanzi/busuanzi", { ...READER, referer });
  strictEqual(status, 200);
  const address = "seeyoufarm/api/count/incr/badge.svg?url=https://GITHUB.com/octocat";
  strictEqual((await get(app, address)).status, 200);
});

Deno.test("/as/ without SERVE_AS takes a counter key or the secret, as everywhere else", async () => {
  await using app = await open();
  const address = "hits.sh/github.com/a/b.svg";
  strictEqual((await get(app, address)).status, 401);
  const { body } = await app.send("GET /key?id=hits.sh/github.com/a/b", authorized);
  const { key } = JSON.parse(body);
  strictEqual((await get(app, `${address}?key=${key}`)).status, 200);
  strictEqual((await get(app, `${address}?key=${key}x`)).status, 401);
  strictEqual((await app.send(`GET /as/${address}`, { ...READER, ...authorized })).status, 200);
  deepStrictEqual(await app.counted(), { "hits.sh/github.com/a/b": 2 });
});

Deno.test("/as/ does not count crawlers, prefetches and HEAD, and /decisions tells of them", async () => {
  await using app = await open({ serveAs: ALL });
  const address = "/as/komarev/ghpvc/?username=octocat";
  const bot = await app.send(`GET ${address}`, { "user-agent": "Googlebot/2.1" });
  strictEqual(bot.headers["x-tallymark"], "bot");
  const prefetch = await app.send(`GET ${address}`, { ...READER, "sec-purpose": "prefetch" });
  strictEqual(prefetch.headers["x-tallymark"], "prefetch");
  const json = await app.send("GET /as/countapi/hit/abc/def", { "user-agent": "Googlebot/2.1" });
  strictEqual(json.headers["x-tallymark"], "bot");
  strictEqual(json.headers["access-control-expose-headers"], "x-tallymark");
  strictEqual((await app.send(`HEAD ${address}`, READER)).status, 200);
  strictEqual((await app.send("HEAD /as/countapi/hit/abc/def", READER)).status, 200);
  deepStrictEqual(await app.counted(), {});
  const camo = await app.send(`GET ${address}`, { "user-agent": "github-camo (1234)" });
  strictEqual(camo.headers["x-tallymark"], "camo");
  deepStrictEqual(await app.counted(), { "komarev/octocat": 1 });
  match(
    (await app.send("GET /decisions", authorized)).body,
    /"id":"komarev\/octocat","outcome":"bot"/,
  );
});

Deno.test("/as/ answers the preflight of a page of any site, and 405 to what peers do not take", async () => {
  await using app = await open({ serveAs: ALL });
  const { status, headers } = await app.send("OPTIONS /as/countapi/hit/abc/def");
  strictEqual(status, 204);
  strictEqual(headers["access-control-allow-origin"], "*");
  strictEqual((await app.send("POST /as/komarev/ghpvc/?username=a", READER)).status, 405);
  strictEqual((await app.send("PUT /as/countapi/hit/abc/def", READER)).status, 405);
  deepStrictEqual(await app.counted(), {});
});

Deno.test("SERVE_AS lets strangers begin 1,000 counters a day, reports it once, and goes on counting those that exist", async () => {
  await using app = openApp({ store: new ScriptedStore(), serveAs: "dwyl/" });
  const reports = () => app.log.filter((line) => line.includes(`"group":"SERVE_AS"`));
  for (let n = 0; n < 1000; n++) {
    // Several may begin a counter at once.
    const calls = Array.from({ length: n % 50 === 7 ? 2 : 1 }, () => get(app, `dwyl/u/r${n}.svg`));
    for (const { status } of await Promise.all(calls)) strictEqual(status, 200);
  }
  const full = await get(app, "dwyl/u/one-more.svg");
  strictEqual(full.status, 403);
  strictEqual(full.headers["x-tallymark"], "group-full");
  strictEqual((await get(app, "dwyl/u/another.svg")).status, 403);
  strictEqual((await get(app, "dwyl/u/r7.svg")).status, 200);
  const all = await app.counted();
  strictEqual(Object.keys(all).length, 1000);
  strictEqual(all["dwyl/u/r7"], 3);
  match((await app.send("GET /metrics", authorized)).body, /group_full\w* 2\b/);
  strictEqual(reports().length, 1);
  match(reports()[0] ?? "", /"group":"SERVE_AS","limit":1000/);
});

Deno.test("what is not counted begins no counter", async () => {
  await using app = openApp({ store: new ScriptedStore(), serveAs: "dwyl/" });
  const bot = { "user-agent": "Googlebot/2.1" };
  await app.sendBody("PUT /counters?id=dwyl/u/known", '{"hits":1}');
  for (let n = 0; n < 1001; n++) {
    strictEqual((await app.send(`GET /as/dwyl/u/r${n}.svg`, bot)).status, 200);
  }
  strictEqual((await get(app, "dwyl/u/new.svg")).status, 200);
  deepStrictEqual(await app.counted(), { "dwyl/u/known": 1, "dwyl/u/new": 1 });
});

Deno.test("/as/ overlooks what is not percent-encoded in a query, as the peers do, and refuses one that is too long", async () => {
  await using app = await open({ serveAs: ALL });
  const { status, body } = await get(app, "komarev/ghpvc/?username=octocat&label=100%&%ff=%ff");
  strictEqual(status, 200, body);
  match(body, /<title>100%: 1<\/title>/);
  const long = "x".repeat(8193);
  strictEqual((await get(app, `komarev/ghpvc/?username=octocat&label=${long}`)).status, 414);
  deepStrictEqual(await app.counted(), { "komarev/octocat": 1 });
});

for (
  const address of [
    `hits.sh/a.example${"/".repeat(60_000)}x.svg`,
    `hits.sh/a.example${"?".repeat(8000)}x.svg`,
    `hits.sh/${":/".repeat(30_000)}.svg`,
    `dwyl/${"a/".repeat(30_000)}x.svg`,
    `countapi/hit/${"a".repeat(60_000)}`,
    `profile-counter/${"a".repeat(60_000)}/count.svg`,
    `komarev/ghpvc/?username=${"a-".repeat(4000)}`,
    `seeyoufarm/api/hit?url=a.example${"/".repeat(8000)}x`,
    `seeyoufarm/api/hit?url=${"a".repeat(8000)}`,
    `busuanzi/busuanzi?page=${"/*".repeat(4000)}`,
  ]
) {
  Deno.test({
    name: `/as/ takes no longer for what is long: ${address.slice(0, 40)}… (${address.length})`,
    // With quadratic time one of these requests alone took several seconds.
    timeout: 60_000,
    fn: async () => {
      await using app = await open({ serveAs: ALL });
      for (let time = 0; time < 30; time++) {
        ok([400, 404, 414].includes((await get(app, address)).status));
      }
      deepStrictEqual(await app.counted(), {});
    },
  });
}

Deno.test("HEAD /as/countapi/get has the length of the answer and not its body", async () => {
  await using app = await open({ serveAs: ALL });
  await get(app, "countapi/hit/abc/def");
  const { status, body } = await app.send("HEAD /as/countapi/get/abc/def", READER);
  deepStrictEqual([status, body], [200, ""]);
});

Deno.test("POST /as/countapi/hit overlooks a body, as the peer does", async () => {
  await using app = await open({ serveAs: ALL, openReads: false });
  const headers = { ...READER, "content-length": "2", "content-type": "application/json" };
  strictEqual((await app.send("POST /as/countapi/hit/abc/def", headers)).body, '{"value":1}');
});

Deno.test("/as/busuanzi counts page, site and visitors of the page that asks, once a day for a visitor, and tells today's", async () => {
  await using app = await open({ serveAs: "busuanzi/blog.example.com/" });
  const from = (page: string) => ({ ...READER, referer: page });
  const send = (page: string, query = "") =>
    app.send(`GET /as/busuanzi/busuanzi${query}`, from(page));
  const first = await send(
    "https://blog.example.com/post/1?x=1#y",
    "?jsonpCallback=BusuanziCallback_12",
  );
  strictEqual(
    first.body,
    'try{BusuanziCallback_12({"site_uv":1,"page_pv":1,"version":2.4,"site_pv":1});}catch(e){}',
  );
  await send("https://blog.example.com/post/1");
  // A page that sends its host alone says by itself where it is.
  const other = await send("https://blog.example.com/", "?page=/post/2");
  deepStrictEqual(JSON.parse(other.body), { site_uv: 1, page_pv: 1, version: 2.4, site_pv: 3 });
  for (
    const page of [
      "https://other.example.com/post/1",
      "https://blog.example.com.evil.com/",
      "https://evilblog.example.com/",
    ]
  ) {
    strictEqual((await send(page)).status, 401, page);
  }
  const unnamed = await send("https://blog.example.com/", "?page=/*site");
  deepStrictEqual(JSON.parse(unnamed.body), { site_uv: 1, page_pv: "–", version: 2.4, site_pv: 4 });
  await send("https://blog.example.com/post/2/index.html");
  await app.sendBody(
    "POST /counters?mode=max",
    '{"id":"busuanzi/blog.example.com/*site","hits":1000}\n',
  );
  const last = await send("https://blog.example.com/post/2/", "?today=1");
  const site = { site_uv: 1, version: 2.4, site_pv: 1001, today_pv: 6, today_uv: 1 };
  deepStrictEqual(JSON.parse(last.body), { ...site, page_pv: 3 });
  deepStrictEqual(await app.counted(), {
    "busuanzi/blog.example.com/*site": 1001,
    "busuanzi/blog.example.com/*visitors": 1,
    "busuanzi/blog.example.com/post/1": 2,
    "busuanzi/blog.example.com/post/2": 3,
  });
});

Deno.test("/as/busuanzi does not call it safe to retry if some of its counters were counted", async () => {
  const store = new ScriptedStore();
  const add = store.add.bind(store);
  store.add = (additions) => {
    return store.calls.add === 0
      ? add(additions)
      : Promise.reject(new Failure("store-unavailable"));
  };
  await using app = openApp({ store, serveAs: "busuanzi/" });
  const headers = { ...READER, referer: "https://blog.example.com/" };
  const { status, body } = await app.send("GET /as/busuanzi/busuanzi", headers);
  strictEqual(status, 504, body);
  match(body, /Only some of the hits were counted \(Store unavailable\)/);
  strictEqual(await app.count("busuanzi/blog.example.com/"), 1);
  store.failure = "store-unavailable";
  strictEqual((await app.send("GET /as/busuanzi/busuanzi", headers)).status, 503);
});

Deno.test("/as/busuanzi does not call a full counter unchanged if others were counted", async () => {
  await using app = await open({ serveAs: "busuanzi/" });
  const full = JSON.stringify({ hits: 2 ** 52 });
  await app.sendBody("PUT /counters?id=busuanzi/blog.example.com/*site", full);
  const headers = { ...READER, referer: "https://blog.example.com/" };
  const { status, body } = await app.send("GET /as/busuanzi/busuanzi", headers);
  strictEqual(status, 504, body);
  match(body, /Only some of the hits were counted \(Counter full\)/);
  strictEqual(await app.count("busuanzi/blog.example.com/"), 1);
});

Deno.test("/as/busuanzi counts site and visitor of a page whose path is no valid id", async () => {
  await using app = await open({ serveAs: "busuanzi/" });
  const headers = { ...READER, referer: `https://blog.example.com/${"a".repeat(200)}` };
  const { body } = await app.send("GET /as/busuanzi/busuanzi", headers);
  deepStrictEqual(JSON.parse(body), { site_uv: 1, page_pv: "–", version: 2.4, site_pv: 1 });
  deepStrictEqual(await app.counted(), {
    "busuanzi/blog.example.com/*site": 1,
    "busuanzi/blog.example.com/*visitors": 1,
  });
});

Deno.test("/as/busuanzi returns its numbers to an own visit, and counts nothing, with closed reads, too", async () => {
  await using app = await open({ serveAs: "busuanzi/", openReads: false });
  const headers = { ...READER, referer: "https://blog.example.com/post" };
  await app.send("GET /as/busuanzi/busuanzi", headers);
  const own = await app.send("GET /as/busuanzi/busuanzi?skip=1", headers);
  strictEqual(own.headers["x-tallymark"], "skip");
  deepStrictEqual(JSON.parse(own.body), { site_uv: 1, page_pv: 1, version: 2.4, site_pv: 1 });
  const { body } = await app.send("GET /as/busuanzi/busuanzi?skip=0", headers);
  deepStrictEqual(JSON.parse(body), { site_uv: 1, page_pv: 2, version: 2.4, site_pv: 2 });
});

Deno.test("/as/seeyoufarm returns the numbers of the counter that it hits where reads are protected", async () => {
  await using app = await open({ openReads: false, serveAs: "seeyoufarm/a.example/" });
  const json = "seeyoufarm/api/hit?output=json&url=https://";
  const { body } = await app.send("GET /key?id=seeyoufarm/b.example/c", authorized);
  const { key } = JSON.parse(body);
  for (const address of [`${json}a.example/c`, `${json}b.example/c&key=${key}`]) {
    const { status, body } = await get(app, address);
    strictEqual(status, 200, body);
    strictEqual(body, '{"today_hits":1,"total_hits":1}');
  }
  strictEqual((await get(app, "countapi/get/abc/def")).status, 401);
});

const RUNS = times(500, 1_000_000);
const PARTS =
  "ghpvc badge hit get api count.svg github.com octocat open .. . %2e%2e %2F %00 %ff busuanzi set a.svg *site"
    .split(" ");
const NAMES = "username page_id url callback key style base hit page &amp;color".split(" ");

Deno.test(`/as/ answers ${RUNS} strange addresses without a 5xx, and counts only what is opened, once each`, async () => {
  await using app = await open({
    serveAs: "komarev/octocat,hits.sh/github.com/octocat/,countapi/open/",
  });
  const part = fc.oneof(
    fc.constantFrom(...PARTS),
    fc.string({ unit: "grapheme", maxLength: 20 }).map(encodeURIComponent),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  );
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(...NAMES),
      fc.string({ maxLength: 20 }).map(encodeURIComponent),
    ),
    { maxLength: 4 },
  );
  const name = fc.oneof(fc.constantFrom(...COMPAT_NAMES), part);
  let most = 0;
  await fc.assert(
    fc.asyncProperty(name, fc.array(part, { maxLength: 6 }), query, async (name, parts, query) => {
      const text = query.map((pair) => pair.join("=")).join("&");
      const { status } = await get(
        app,
        `${name}/${parts.join("/")}${text === "" ? "" : `?${text}`}`,
      );
      ok(status < 500, `${status}`);
      most++;
    }),
    { numRuns: RUNS, seed: 28 },
  );
  let sum = 0;
  for (const [id, hits] of Object.entries(await app.counted())) {
    match(id, /^(komarev\/octocat$|hits\.sh\/github\.com\/octocat\/|countapi\/open\/)/);
    sum += hits;
  }
  ok(sum <= most);
});

function open({ serveAs = "", now = Date.now, openReads = true } = {}): Promise<TestApp> {
  const calendar = createCalendar("UTC", now);
  return memoryApp({ calendar, serveAs, openReads });
}

function get(app: TestApp, address: string) {
  return app.send(`GET /as/${address}`, READER);
}
