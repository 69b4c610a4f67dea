import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { times } from "./faults/numbers.ts";
import { projectFolder } from "../support/programs.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";

const SCRIPT = join(projectFolder, ".deploy/traffic.mjs");
const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2025, 9, 20);

/** What GitHub tells of a day. */
interface Day {
  timestamp: string;
  count: number;
  uniques: number;
}

/** In either case over a New Year. */
const RUNS = times(100, 400);

Deno.test(`traffic.mjs keeps total = before + all days ever seen over ${RUNS} days: runs missed, doubled and late, days growing and corrected`, async () => {
  await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" } });
  using github = openGitHub();
  await put(service.url, "github/o/r/views", 1000);
  const truth = new Map<string, number>();
  for (let run = 0; run < RUNS; run += 1 + run % 5 + (run % 40 === 0 ? 7 : 0)) {
    // The last 14 days up to a day of the past; the last one is not over, the one before is corrected upwards.
    const newest = FIRST + run * DAY_MS;
    github.days = Array.from({ length: 14 }, (_, back) => {
      const timestamp = new Date(newest - back * DAY_MS).toISOString();
      const day = timestamp.slice(0, 10);
      const whole = 10 + Number(day.slice(8)) % 7;
      const count = back === 0 ? whole - 4 : back === 1 ? whole - 1 : whole;
      truth.set(day, Math.max(truth.get(day) ?? 0, count));
      return { timestamp, count, uniques: Math.ceil(count / 2) };
    }).filter(({ count }) => count > 0);
    // Every third run is sent twice.
    for (let times = run % 3 === 0 ? 2 : 1; times > 0; times--) {
      const { code, stderr } = await runScript({ service: service.url, github: github.url });
      strictEqual(code, 0, stderr);
    }
  }
  const { hits, days } = await counter(service.url, "github/o/r/views");
  deepStrictEqual(days, Object.fromEntries([...truth].sort()));
  strictEqual(hits, 1000 + [...truth.values()].reduce((sum, count) => sum + count));
  strictEqual((await counter(service.url, "github/o/r/clones")).hits, hits - 1000);
});

Deno.test("traffic.mjs waits as long as a rate limit asks for, and goes on", async () => {
  await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" } });
  using github = openGitHub();
  github.refusals = [429, 403].map((status) => ({ status, headers: { "retry-after": "0" } }));
  const { code } = await runScript({ service: service.url, github: github.url });
  strictEqual(code, 0);
  strictEqual((await counter(service.url, "github/o/r/views")).hits, 7);
});

Deno.test("traffic.mjs fails loudly on a repository that the token may not read, and sends what it received of others", async () => {
  await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" } });
  using github = openGitHub();
  const { code, stderr } = await runScript({
    service: service.url,
    github: github.url,
    repositories: "o/closed o/r",
  });
  strictEqual(code, 1);
  match(stderr, /o\/closed views: GitHub answered 403: the token must be allowed/);
  strictEqual((await counter(service.url, "github/o/r/views")).hits, 7);
  strictEqual((await counter(service.url, "github/o/closed/views")).hits, 0);
});

for (
  const [what, refusal, said] of [
    ["is unavailable", { status: 503 }, "GitHub answered 503"],
    [
      "has no requests left for the token",
      { status: 403, headers: { "x-ratelimit-remaining": "0" } },
      "GitHub answered 403: its rate limit is used up, run this again in an hour",
    ],
  ] as const
) {
  Deno.test(`traffic.mjs fails loudly while GitHub ${what}, sends what it received, and the next run makes up for it`, async () => {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" },
    });
    using github = openGitHub();
    github.refusals = [refusal];
    const { code, stderr } = await runScript({ service: service.url, github: github.url });
    strictEqual(code, 1);
    match(stderr, new RegExp(`^o/r views: ${said}$`, "m"));
    strictEqual((await counter(service.url, "github/o/r/views")).hits, 0);
    strictEqual((await counter(service.url, "github/o/r/clones")).hits, 7);
    const next = await runScript({ service: service.url, github: github.url });
    strictEqual(next.code, 0, next.stderr);
    strictEqual((await counter(service.url, "github/o/r/views")).hits, 7);
  });
}

Deno.test("traffic.mjs fails loudly where the service is away, refuses the token, or a setting is missing, and shows no token", async () => {
  await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" } });
  using github = openGitHub();
  const wrong = await runScript({ service: service.url, github: github.url, token: "wrong-token" });
  strictEqual(wrong.code, 1);
  match(wrong.stderr, /Tallymark answered 401/);
  const { url } = service;
  await service.stop();
  const away = await runScript({ service: url, github: github.url });
  strictEqual(away.code, 1);
  const unset = await runScript({ service: "", github: github.url });
  match(unset.stderr, /^TALLYMARK_URL is not set$/m);
  for (const { stderr, stdout } of [wrong, away, unset]) {
    for (const token of [SECRET, "wrong-token", "github-token"]) {
      strictEqual(`${stderr}${stdout}`.includes(token), false);
    }
  }
});

/** GitHub's API on loopback, as far as the script asks it. */
function openGitHub() {
  const api = {
    days: [{ timestamp: "2026-11-22T00:00:00Z", count: 7, uniques: 3 }] as Day[],
    /** Given to the next requests in turn. */
    refusals: [] as { status: number; headers?: Record<string, string> }[],
    url: "",
    [Symbol.dispose]: () => controller.abort(),
  };
  const controller = new AbortController();
  const { signal } = controller;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal, onListen() {} },
    (request) => {
      const refusal = api.refusals.shift();
      if (refusal !== undefined) {
        const { status, headers = {} } = refusal;
        return new Response("not now", { status, headers });
      }
      const { pathname } = new URL(request.url);
      if (pathname.includes("/closed/")) return new Response("{}", { status: 403 });
      const kind = pathname.endsWith("/clones") ? "clones" : "views";
      return Response.json({ count: 0, uniques: 0, [kind]: api.days });
    },
  );
  api.url = `http://127.0.0.1:${server.addr.port}`;
  return api;
}

interface Run {
  service: string;
  github: string;
  repositories?: string;
  token?: string;
}

async function runScript({ service, github, repositories = "o/r", token = SECRET }: Run) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--allow-net", "--allow-env", SCRIPT],
    env: {
      GITHUB_API_URL: github,
      GITHUB_TOKEN: "github-token",
      REPOSITORIES: repositories,
      TALLYMARK_URL: service,
      TALLYMARK_TOKEN: token,
      NO_COLOR: "1",
    },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

async function put(url: string, id: string, hits: number): Promise<void> {
  const body = JSON.stringify({ hits });
  const response = await fetch(`${url}/counters?id=${id}`, {
    method: "PUT",
    headers: authorized,
    body,
  });
  strictEqual(response.status, 200);
  await response.body?.cancel();
}

async function counter(
  url: string,
  id: string,
): Promise<{ hits: number; days?: Record<string, number> }> {
  const response = await fetch(`${url}/counters?id=${id}`, { headers: authorized });
  return await response.json();
}
