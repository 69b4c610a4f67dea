import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { createAccess } from "../../../src/auth/access.ts";
import { createDispatcher } from "../../../src/http/dispatch.ts";
import { type Endpoint, endpoint, type Route, route } from "../../../src/http/endpoint.ts";
import { Metrics } from "../../../src/metrics.ts";
import { createLog } from "../../../src/log.ts";
import { createProblemConverter, Problem } from "../../../src/problem.ts";
import { field } from "../../support/app.ts";

/** An endpoint that says "handled". */
const handled = trial(() => new Response("handled"));

function trial(
  respond: (request: Request) => Response | Promise<Response>,
  parts: Partial<Endpoint> = {},
): Endpoint {
  return {
    ...endpoint("none", { summary: "Try", respond: ({ request }) => respond(request) }),
    ...parts,
  };
}

/** The only row of a table. */
function only(endpoint: Endpoint, methods = ["GET", "OPTIONS"]): Route {
  return route("/", methods, "anyone", "any", endpoint);
}

Deno.test("dispatch() hands a method of the endpoint to it, and no other", async () => {
  const asked: string[] = [];
  const { send } = served(only(trial(({ method }) => {
    asked.push(method);
    return new Response("handled");
  })));
  for (const method of ["GET", "POST", "HEAD", "OPTIONS", "get ".trim(), "Get", "GETS", "PUT"]) {
    await send(new Request("http://localhost/", { method }));
  }
  // new Request() writes "get" in capitals, and "Get" as well (Fetch standard, "normalize").
  deepStrictEqual(asked, ["GET", "GET", "GET"]);
});

Deno.test("dispatch() hands each method of a path to the endpoint that has it, and names all of them where none has", async () => {
  const saying = (text: string, parts: Partial<Endpoint> = {}) =>
    trial(() => new Response(text), parts);
  const { send } = served(
    route("/", ["GET", "HEAD"], "anyone", "any", saying("read")),
    route("/", ["PUT"], "anyone", "any", saying("set")),
    route("/", ["DELETE"], "anyone", "any", saying("removed", { errors: "text" })),
  );
  const answers = await Promise.all(["GET", "PUT", "DELETE", "PUT"].map(async (method) => {
    return await (await send(new Request("http://localhost/", { method }))).text();
  }));
  deepStrictEqual(answers, ["read", "set", "removed", "set"]);
  const refused = await send(new Request("http://localhost/", { method: "PATCH" }));
  strictEqual(refused.status, 405);
  strictEqual(refused.headers.get("allow"), "GET, HEAD, PUT, DELETE");
  strictEqual(field(await refused.json(), "status"), 405);
});

Deno.test("dispatch() answers every method with 404 for another path, after a look at the host", async () => {
  const { send } = served(only(handled));
  for (const method of ["GET", "HEAD", "POST", "OPTIONS", "ANY"]) {
    const { status } = await send(new Request("http://localhost/a", { method }));
    strictEqual(status, 404);
  }
  const headers = { host: "a/b" };
  strictEqual((await send(new Request("http://localhost/a", { headers }))).status, 400);
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
  Deno.test(`dispatch() answers the problem that an endpoint ${what} and logs nothing`, async () => {
    const { send, log } = served(only(trial(handle)));
    const response = await send(new Request("http://localhost/"));
    strictEqual(response.status, 400);
    strictEqual(field(await response.json(), "title"), "Bad counter id");
    deepStrictEqual(log, []);
  });
}

for (const value of [new TypeError("x is private"), "x is private", undefined, { x: "private" }]) {
  Deno.test(`dispatch() answers 500 where an endpoint throws ${value} and logs it once`, async () => {
    const { send, log } = served(only(trial(() => Promise.reject(value))));
    const response = await send(new Request("http://localhost/?token=very-secret"));
    strictEqual(response.status, 500);
    doesNotMatch(await response.text(), /private/);
    strictEqual(log.length, 1);
    strictEqual(field(JSON.parse(log[0] ?? ""), "level"), "error");
    doesNotMatch(log[0] ?? "", /very-secret/);
  });
}

Deno.test("dispatch() logs at most one unexpected error in a second, because a client may repeat it", async () => {
  const { send, log } = served(only(trial(() => Promise.reject(new Error("again")))));
  for (let count = 0; count < 20; count++) await send(new Request("http://localhost/"));
  strictEqual(log.length, 1);
});

Deno.test("dispatch() answers long paths that no endpoint has with a page of one size", async () => {
  const { send } = served(only(handled));
  const sizes = await Promise.all(["/a".repeat(100), "/".repeat(30_000)].map(async (path) => {
    const request = new Request(`http://localhost${path}`, { headers: { accept: "text/html" } });
    return (await (await send(request)).text()).length;
  }));
  strictEqual(sizes[0], sizes[1]);
});

Deno.test("dispatch() asks for the form of an error only once there is one, by the query", async () => {
  const queries: (string | undefined)[] = [];
  const { send } = served(only(trial(() => new Response("handled"), {
    parameters: [{ name: "x", meaning: "", schema: { type: "string" } }],
    errors: (query) => {
      queries.push(query.get("x"));
      return "text";
    },
  })));
  await (await send(new Request("http://localhost/?x=a"))).body?.cancel();
  const refused = await send(new Request("http://localhost/?x=b", { method: "PUT" }));
  match(await refused.text(), /^Method not allowed: /);
  const bad = await send(new Request("http://localhost/?y=%ff&x=c&x=d"));
  match(await bad.text(), /^Bad query: /);
  deepStrictEqual(queries, ["b", "c"]);
});

Deno.test("dispatch() takes a request without a Host header, as HTTP/1.0 and HTTP/2 send it", async () => {
  const { send } = served(only(handled));
  strictEqual(await (await send(new Request("http://localhost/"))).text(), "handled");
});

Deno.test("dispatch() refuses a bad Host also between two requests with a good one", async () => {
  const { send } = served(only(handled));
  // The last two have the same URL where the port is 80.
  for (
    const host of ["a.example", "a.example/b", "a.example:70000", "b.example", "localhost", ""]
  ) {
    const { status } = await send(new Request("http://localhost/", { headers: { host } }));
    strictEqual(status, /[/:]|^$/.test(host) ? 400 : 200, host);
  }
});

Deno.test("dispatch() parses the query before it authorizes, and hands what it parsed to the endpoint", async () => {
  const checked = endpoint("counter", {
    summary: "Try",
    parse(query) {
      if (query.get("id") === "refused") throw new Problem("bad-query");
      return `parsed ${query.get("id")}`;
    },
    respond: ({ id, grant }, parsed) => new Response(`${parsed} ${id} ${grant}`),
  });
  const { send } = served(
    route("/open", ["GET"], "anyone", "none", checked),
    route("/closed", ["GET"], "owner", "none", checked),
  );
  const get = (path: string) => send(new Request(`http://localhost${path}`));
  strictEqual(await (await get("/open?id=a")).text(), "parsed a a open");
  strictEqual((await get("/open?id=refused")).status, 400);
  strictEqual((await get("/closed?id=refused")).status, 400);
  strictEqual((await get("/closed?id=%00")).status, 400);
  strictEqual((await get("/closed?id=a")).status, 401);
});

function served(...routes: Route[]): {
  send: (request: Request) => Promise<Response>;
  log: string[];
} {
  const lines: string[] = [];
  const log = createLog({ secrets: [], write: (line) => lines.push(line) });
  const handle = createDispatcher({
    routes,
    toProblem: createProblemConverter(log),
    access: createAccess({ secret: undefined, openReads: true, log }),
    draining: { hasBegun: false },
    metrics: new Metrics(),
  });
  return {
    log: lines,
    send: async (request) => await handle(request, {}),
  };
}
