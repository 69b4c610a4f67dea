import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

const READER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36" };
const FILE = "https://files.example.com/Tally 1.0.zip?os=ä&v=1#top";

/** Returns the query of a link, with the key of its counter and address. */
async function linkTo(app: TestApp, to: string, id = "downloads"): Promise<string> {
  const query = new URLSearchParams({ id, to });
  const { json, status } = await app.send(`GET /key?${query}`, authorized);
  strictEqual(status, 200);
  return `${query}&key=${field(json, "key")}`;
}

Deno.test("GET /go counts and redirects to exactly the address that its key was made for", async () => {
  await using app = await memoryApp();
  const link = await linkTo(app, FILE);
  for (const hits of [1, 2]) {
    const { status, headers, body } = await app.send(`GET /go?${link}`, READER);
    deepStrictEqual([status, body], [302, ""]);
    strictEqual(headers.location, new URL(FILE).href);
    strictEqual(headers["cache-control"], "no-store");
    strictEqual(await app.count("downloads"), hits);
  }
});

Deno.test("GET /go with a key of something else is a page, and neither redirects nor counts", async () => {
  await using app = await memoryApp();
  const link = await linkTo(app, FILE);
  const counterKey = field((await app.send("GET /key?id=downloads", authorized)).json, "key");
  const wrong = [
    link.replace("files", "evil"),
    link.replace("id=downloads", "id=other"),
    link.replace(/key=.*/, `key=${counterKey}`),
    link.replace(/&key=.*/, ""),
  ];
  for (const query of wrong) {
    const { status, headers, body } = await app.send(`GET /go?${query}`, READER);
    deepStrictEqual([status, headers.location], [401, undefined], query);
    match(body, /This link opens nothing/);
  }
  const key = link.replace(/.*&key=/, "");
  strictEqual((await app.send(`GET /hit?id=downloads&key=${key}`, READER)).status, 401);
  deepStrictEqual([await app.count("downloads"), await app.count("other")], [0, 0]);
});

Deno.test("GET /go and GET /key refuse what is no address of a page", async () => {
  await using app = await memoryApp();
  for (const to of ["", "/file", "javascript:alert(1)", `https://a.example/${"x".repeat(2000)}`]) {
    const query = new URLSearchParams({ id: "a", to });
    for (const path of ["/go", "/key"]) {
      strictEqual((await app.send(`GET ${path}?${query}`, authorized)).status, 400, to);
    }
  }
  const to = encodeURIComponent(FILE);
  strictEqual((await app.send(`GET /key?prefix=a/&to=${to}`, authorized)).status, 400);
});

Deno.test("GET /go redirects robots, prefetches, HEAD, skip=1 and a visitor's second time on a day without counting them", async () => {
  await using app = await memoryApp();
  const link = await linkTo(app, FILE);
  const uncounted: [line: string, headers: Record<string, string>, flag: string | undefined][] = [
    [`GET /go?${link}`, { "user-agent": "curl/8.0" }, "bot"],
    [`GET /go?${link}`, { ...READER, "sec-purpose": "prefetch" }, "prefetch"],
    [`HEAD /go?${link}`, READER, undefined],
    [`GET /go?${link}&skip=1`, READER, "skip"],
  ];
  for (const [line, headers, flag] of uncounted) {
    const answer = await app.send(line, headers);
    deepStrictEqual([answer.status, answer.headers["x-tallymark"]], [302, flag], line);
  }
  strictEqual(await app.count("downloads"), 0);
  for (const flag of [undefined, "repeat"]) {
    const { status, headers } = await app.send(`GET /go?${link}&once=day`, READER);
    deepStrictEqual([status, headers["x-tallymark"]], [302, flag]);
  }
  strictEqual(await app.count("downloads"), 1);
});

Deno.test("GET /go redirects although the store fails or does not answer", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const link = await linkTo(app, FILE);
  store.failure = "store-unavailable";
  strictEqual((await app.send(`GET /go?${link}`, READER)).status, 302);
  const { promise, resolve } = Promise.withResolvers<never>();
  store.add = () => promise;
  store.failure = undefined;
  await using _clock = skippingClock();
  const began = performance.now();
  strictEqual((await app.send(`GET /go?${link}`, READER)).status, 302);
  strictEqual(performance.now() - began, 1500);
  resolve(undefined as never);
});

Deno.test("the key of a link ends with its version, and holds with an earlier secret", async () => {
  const earlier = "an earlier secret of this service";
  await using before = await memoryApp({ secret: earlier });
  const { json } = await before.send(`GET /key?id=downloads&to=${encodeURIComponent(FILE)}`, {
    "x-auth-token": earlier,
  });
  const query = new URLSearchParams({ id: "downloads", to: FILE, key: `${field(json, "key")}` });
  for (
    const [options, status] of [
      [{ fallbacks: [earlier] }, 302],
      [{ fallbacks: [earlier], keyVersions: "downloads=2" }, 401],
      [{}, 401],
    ] as const
  ) {
    await using app = await memoryApp(options);
    strictEqual((await app.send(`GET /go?${query}`, READER)).status, status);
    const { body } = await app.send("GET /decisions", authorized);
    strictEqual(body.includes('"earlierKey":true'), status === 302);
  }
});
