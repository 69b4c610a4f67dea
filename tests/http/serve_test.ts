import { deepStrictEqual, doesNotMatch, fail, match, strictEqual } from "node:assert/strict";
import type { Endpoint, Work } from "../../src/http/endpoint.ts";
import { createFarewell } from "../../src/http/farewell.ts";
import { createHostCheck } from "../../src/http/host.ts";
import { later, type Listed } from "../../src/http/later.ts";
import { serve, serveNothing } from "../../src/http/serve.ts";
import { Metrics } from "../../src/metrics.ts";
import { createLog } from "../../src/log.ts";
import { Problem } from "../../src/problem.ts";
import { field } from "../support/app.ts";

const work: Work = { handle: () => new Response("handled") };
const endpoint: Endpoint = {
  path: "/",
  methods: ["GET", "OPTIONS"],
  summary: "Try",
  parameters: [],
  admits: "anyone",
  audience: "any",
  errors: "json",
  work,
};

Deno.test("serve() hands a method of the endpoint to it, and no other", async () => {
  const asked: string[] = [];
  const { send } = served({
    ...endpoint,
    work: {
      handle({ method }) {
        asked.push(method);
        return new Response("handled");
      },
    },
  });
  for (const method of ["GET", "POST", "HEAD", "OPTIONS", "get ".trim(), "Get", "GETS", "PUT"]) {
    await send(new Request("http://localhost/", { method }));
  }
  // new Request() writes "get" in capitals, and "Get" as well (Fetch standard, "normalize").
  deepStrictEqual(asked, ["GET", "GET", "GET"]);
});

Deno.test("serve() hands each method of a path to the endpoint that has it, and names all of them where none has", async () => {
  const saying = (text: string) => ({ handle: () => new Response(text) });
  const { send } = served(later("/", () =>
    Promise.resolve([
      { ...endpoint, methods: ["GET", "HEAD"], work: saying("read") },
      { ...endpoint, methods: ["PUT"], work: () => Promise.resolve(saying("set")) },
      { ...endpoint, methods: ["DELETE"], work: saying("removed"), errors: "text" },
    ])));
  const answers = await Promise.all(["GET", "PUT", "DELETE", "PUT"].map(async (method) => {
    return await (await send(new Request("http://localhost/", { method }))).text();
  }));
  deepStrictEqual(answers, ["read", "set", "removed", "set"]);
  const refused = await send(new Request("http://localhost/", { method: "PATCH" }));
  strictEqual(refused.status, 405);
  strictEqual(refused.headers.get("allow"), "GET, HEAD, PUT, DELETE");
  strictEqual(field(await refused.json(), "status"), 405);
});

Deno.test("serveNothing() answers every method with 404, after a look at the host", async () => {
  const log = createLog({ secrets: [], write: () => {} });
  const handle = serveNothing({
    log,
    checkHost: createHostCheck(),
    leave: createFarewell().leave,
    metrics: new Metrics(),
  });
  for (const method of ["GET", "HEAD", "POST", "OPTIONS", "ANY"]) {
    strictEqual((await handle(new Request("http://localhost/", { method }), {})).status, 404);
  }
  const headers = { host: "a/b" };
  strictEqual((await handle(new Request("http://localhost/", { headers }), {})).status, 400);
});

const thrown: { what: string; handle: () => Response | Promise<Response> }[] = [
  {
    what: "throws",
    handle: () => {
      throw new Problem("bad-id");
    },
  },
  { what: "rejects", handle: () => Promise.reject(new Problem("bad-id")) },
];

for (const { what, handle } of thrown) {
  Deno.test(`serve() answers the problem that an endpoint ${what} and logs nothing`, async () => {
    const { send, log } = served({ ...endpoint, work: { handle } });
    const response = await send(new Request("http://localhost/"));
    strictEqual(response.status, 400);
    strictEqual(field(await response.json(), "title"), "Bad counter id");
    deepStrictEqual(log, []);
  });
}

for (const value of [new TypeError("x is private"), "x is private", undefined, { x: "private" }]) {
  Deno.test(`serve() answers 500 where an endpoint throws ${value} and logs it once`, async () => {
    const { send, log } = served({ ...endpoint, work: { handle: () => Promise.reject(value) } });
    const response = await send(new Request("http://localhost/?token=very-secret"));
    strictEqual(response.status, 500);
    doesNotMatch(await response.text(), /private/);
    strictEqual(log.length, 1);
    strictEqual(field(JSON.parse(log[0] ?? ""), "level"), "error");
    doesNotMatch(log[0] ?? "", /very-secret/);
  });
}

Deno.test("serve() asks for the form of an error only once there is one, by the URL", async () => {
  const urls: string[] = [];
  const { send } = served({
    ...endpoint,
    errors: (url) => {
      urls.push(url);
      return "text";
    },
  });
  await (await send(new Request("http://localhost/?a"))).body?.cancel();
  const refused = await send(new Request("http://localhost/?b", { method: "PUT" }));
  match(await refused.text(), /^Method not allowed: /);
  deepStrictEqual(urls, ["http://localhost/?b"]);
});

Deno.test("serve() takes a request without a Host header, as HTTP/1.0 and HTTP/2 send it", async () => {
  const { send } = served(endpoint);
  strictEqual(await (await send(new Request("http://localhost/"))).text(), "handled");
});

Deno.test("serve() refuses a bad Host also between two requests with a good one", async () => {
  const { send } = served(endpoint);
  // The last two have the same URL where the port is 80.
  for (
    const host of ["a.example", "a.example/b", "a.example:70000", "b.example", "localhost", ""]
  ) {
    const { status } = await send(new Request("http://localhost/", { headers: { host } }));
    strictEqual(status, /[/:]|^$/.test(host) ? 400 : 200, host);
  }
});

Deno.test("serve() loads an endpoint once for all its first requests, and answers them by its rules", async () => {
  let loads = 0;
  const { send } = served({
    ...endpoint,
    work: () => {
      loads++;
      return Promise.resolve(work);
    },
  });
  strictEqual(loads, 0);
  const requests = [
    new Request("http://localhost/"),
    new Request("http://localhost/", { method: "HEAD" }),
    new Request("http://localhost/", { method: "DELETE" }),
    new Request("http://localhost/", { method: "OPTIONS" }),
    new Request("http://localhost/", { headers: { host: "a/b" } }),
  ];
  const early = await Promise.all(requests.map(send));
  const late = await Promise.all(requests.map(send));
  const usual = await Promise.all(requests.map(served(endpoint).send));
  const statuses = [200, 405, 405, 204, 400];
  for (const answers of [early, late, usual]) {
    deepStrictEqual(answers.map(({ status }) => status), statuses);
  }
  strictEqual(loads, 1);
});

/** Loads at the third time. */
function loadedAtLast<Thing>(thing: Thing): () => Promise<Thing> {
  let times = 0;
  return () => ++times < 3 ? Promise.reject(new Error("no such module")) : Promise.resolve(thing);
}

for (
  const [what, listed] of [
    ["an endpoint", { ...endpoint, work: loadedAtLast(work) }],
    ["a path", later("/", loadedAtLast([endpoint]))],
  ] as const
) {
  Deno.test(`serve() answers 503 for ${what} that cannot be loaded, logs why, and tries again with the next request`, async () => {
    const { send, log } = served(listed);
    for (let time = 0; time < 2; time++) {
      const response = await send(new Request("http://localhost/"));
      strictEqual(response.status, 503);
      strictEqual(response.headers.get("retry-after"), "1");
      strictEqual(response.headers.get("content-type"), "application/problem+json");
      strictEqual(response.headers.get("cache-control"), "no-store");
      doesNotMatch(await response.text(), /no such module/);
    }
    strictEqual(log.length, 2);
    match(log[0] ?? "", /"event":"not loaded".*no such module/);
    strictEqual(await (await send(new Request("http://localhost/"))).text(), "handled");
  });
}

function served(listed: Listed): {
  send: (request: Request) => Promise<Response>;
  log: string[];
} {
  const log: string[] = [];
  const paths = serve([listed], {
    log: createLog({ secrets: [], write: (line) => log.push(line) }),
    checkHost: createHostCheck(),
    leave: createFarewell().leave,
    metrics: new Metrics(),
  });
  const { handle } = paths.get("/") ?? fail("the path is not served");
  return { log, send: async (request) => await handle(request, {}) };
}
