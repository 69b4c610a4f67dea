import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type KvConnectServer, startKvConnect } from "../support/kv_connect.ts";
import { connectTo } from "../support/raw_http.ts";
import { eventsOf, type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { timeLimit } from "../support/time_limit.ts";

const SECRET_TOKEN = "0123456789abcdef0123";
/** On Deno Deploy a program may do anything; no flag is passed. */
const flags = ["--no-prompt", "--allow-all"];
/** The platform chooses the address; settings of a server are unset. */
const platform = {
  DENO_DEPLOY: "true",
  DENO_DEPLOYMENT_ID: "d1",
  DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
  HOST: "",
  PORT: "",
};

Deno.test("on Deno Deploy the service counts in the platform's KV, reads are public, nothing is on disk", async () => {
  await using remote = startKvConnect();
  await using folder = await tempDir();
  await Deno.writeTextFile(join(folder.path, ".env"), "SECRET_TOKEN=of-the-file\nPORT=bad\n");
  const options = {
    flags,
    cwd: folder.path,
    env: { ...platform, ...assigned(remote), SECRET_TOKEN },
  };
  for (const hits of [1, 2]) {
    await using service = await startService(options);
    const { url } = service;
    match(service.stdout(), /Deno KV of the platform\n +reads +open to everyone/);
    deepStrictEqual(await hit(service), { id: "home", hits, source: "deno-kv" });
    strictEqual((await get(`${url}/hit?token=of-the-file`)).status, 401);
    for (const path of ["count", "count.txt", "badge", "badge.json"]) {
      const { status, headers, body } = await get(`${url}/${path}`);
      strictEqual(status, 200, path);
      strictEqual(headers.get("access-control-allow-origin"), "*", path);
      match(body, new RegExp(`\\b${hits}\\b`), path);
    }
    const { status, headers } = await get(`${url}/badge.png`);
    deepStrictEqual([status, headers.get("content-type")], [200, "image/png"]);
    const { code, stderr } = await service.stop("SIGINT");
    strictEqual(code, 0);
    deepStrictEqual(eventsOf(stderr), ["start", "stop"]);
  }
  deepStrictEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), [".env"]);
});

Deno.test("on Deno Deploy, without SECRET_TOKEN /hit answers 401 and the log says why", async () => {
  await using remote = startKvConnect();
  await using service = await startService({ flags, env: { ...platform, ...assigned(remote) } });
  doesNotMatch(service.stdout(), /secret|[0-9a-f]{16}/);
  for (const query of ["", "?token=", "?token=undefined", "?key=x"]) {
    strictEqual((await get(`${service.url}/hit${query}`)).status, 401, query);
  }
  strictEqual((await get(`${service.url}/count.txt`)).body, "0");
  const { stderr } = await service.stop("SIGINT");
  match(stderr, /"warn","event":"SECRET_TOKEN is not set: \/hit returns 401/);
  strictEqual(remote.writes, 0);
});

// The platform tells Deno.openKv() in this variable what to do where no KV is assigned to the app.
for (const fallback of ["error", "warn"]) {
  Deno.test(`on Deno Deploy, without a KV starts, answers 503, says what to assign (${fallback})`, async () => {
    await using folder = await tempDir();
    const env = {
      ...platform,
      SECRET_TOKEN,
      DENO_KV_REQUIRES_DISTRIBUTED_DATABASE: fallback,
    };
    await using service = await startService({ flags, cwd: folder.path, env });
    const { url } = service;
    for (const path of [`hit?token=${SECRET_TOKEN}`, "count", "badge", "badge.json", "readyz"]) {
      strictEqual((await get(`${url}/${path}`)).status, 503, path);
    }
    strictEqual((await get(`${url}/healthz`)).status, 200);
    const { code, stderr } = await service.stop("SIGINT");
    strictEqual(code, 0);
    deepStrictEqual(eventsOf(stderr), ["store unavailable", "start", "stop"]);
    match(stderr, /Assign a Deno KV database to this app/);
    deepStrictEqual([...Deno.readDirSync(folder.path)], []);
  });
}

Deno.test("on Deno Deploy, SIGINT ends within 5 s, whatever hangs", async () => {
  await using remote = startKvConnect();
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const stuck: Record<string, string> = {
    ...assigned(remote),
    DENO_KV_DEFAULT_PATH: `http://127.0.0.1:${silent.addr.port}`,
  };
  await Promise.all([assigned(remote), stuck].map(async (kv) => {
    const env = { ...platform, ...kv, SECRET_TOKEN };
    await using service = await startService({ flags, env });
    // An incomplete request, an idle connection, and more responses than the socket buffers hold
    // for a client that reads none.
    using half = await connectTo(service.url);
    await half.write(new TextEncoder().encode("POST /hit HTTP/1.1\r\nhost: a\r\n"));
    using _idle = await connectTo(service.url);
    using deaf = await connectTo(service.url);
    const wanted = "GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000);
    await deaf.write(new TextEncoder().encode(wanted));
    strictEqual((await get(`${service.url}/healthz`)).status, 200);
    if (kv !== stuck) remote.goAway();
    const waiting = get(`${service.url}/hit?token=${SECRET_TOKEN}`);
    strictEqual((await get(`${service.url}/healthz`)).status, 200);
    const begin = performance.now();
    const ended = service.stop("SIGINT");
    ok([503, 504].includes((await waiting).status));
    strictEqual((await ended).code, 0);
    const milliseconds = performance.now() - begin;
    ok(milliseconds < timeLimit(5000), `took ${milliseconds} ms`);
  }));
});

/** Returns the variables that the platform sets for an app with a KV. */
function assigned(remote: KvConnectServer): Record<string, string> {
  return {
    DENO_KV_DEFAULT_PATH: remote.url,
    DENO_KV_ACCESS_TOKEN: remote.token,
    DENO_KV_REQUIRES_DISTRIBUTED_DATABASE: "error",
  };
}

async function hit({ url }: Service): Promise<{ hits: number }> {
  const { status, body } = await get(`${url}/hit?token=${SECRET_TOKEN}`);
  strictEqual(status, 200, body);
  return JSON.parse(body);
}

async function get(url: string): Promise<{ status: number; headers: Headers; body: string }> {
  const answer = await fetch(url);
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
