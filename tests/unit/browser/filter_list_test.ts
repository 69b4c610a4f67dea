import { FiltersEngine, Request, type RequestType } from "@ghostery/adblocker";
import { ok } from "node:assert/strict";

/** The rules of EasyPrivacy that are most similar to a counter's paths and parameters. */
const RULES = `
.com/count?
.com/counter?
.com/hitlog?
.com/track?$~object
.gif?hit_
.js?referrer=
.php?ping=
.sharecounter.$third-party
&hitType=pageview&
&pageReferrer=
&ref=*&tag=
&t=pageview&
/_visitcount?
/article/count?
/dw/hit?
/event?token=
/events/counter?
/hit-counter/*
/hit.gif?hash=
/hit.php?
/hit.png?
/hit/?r=
/hit?aff_id=$xmlhttprequest
/hit?artefactId=
/hit?t=*&__seed=
/hit?time=
/hit_count?
/hit_counter
/hitCount.
/hitcount/*
/hitcount?
/hits/logger?
/js/counter.js?
/log?id=
/pageview?key=
/pagehits/*
/ping?token=
/pixel?id=
$ping,third-party
`;

const engine = FiltersEngine.parse(RULES);
const HOSTS = [
  ...["tally.example.com", "counter.example.org", "hits.example.net", "example.io"],
  ...["tallymark.example-org.deno.net", "stats.example.com", "count.example.co.uk"],
];
const ID = "id=https%3A%2F%2Fexample.com%2Fblog%2F%3Fpage%3D1";
const KEY = "key=q1w2e3r4t5y6u7i8o9p0aA";
const CALLS: [type: RequestType, path: string][] = [
  ["script", "/tally.js"],
  ["script", "/top.js"],
  ["script", "/like.js"],
  ["xmlhttprequest", `/hit?${ID}&${KEY}`],
  ["xmlhttprequest", `/hit?${ID}&${KEY}&once=day`],
  ["xmlhttprequest", `/hit?${ID}&${KEY}&skip=1`],
  ["xmlhttprequest", `/counts?${ID}&${ID}&period=total`],
  ["xmlhttprequest", `/count.txt?prefix=blog%2F&period=30d`],
  ["xmlhttprequest", `/top?prefix=blog%2F&${KEY}&period=total&limit=10`],
];

function isBlocked(type: RequestType, url: string): boolean {
  const request = Request.fromRawDetails({ type, url, sourceUrl: "https://blog.example/post" });
  return engine.match(request).match;
}

for (const [type, path] of CALLS) {
  Deno.test(`pages may ask for ${path} where EasyPrivacy is used`, () => {
    for (const host of HOSTS) ok(!isBlocked(type, `https://${host}${path}`), host);
  });
}

Deno.test("EasyPrivacy blocks what pages are kept from calling", () => {
  ok(isBlocked("xmlhttprequest", `https://tally.example.com/count?${ID}`));
  ok(isBlocked("ping", `https://tally.example.com/hit?${ID}&${KEY}`));
});
