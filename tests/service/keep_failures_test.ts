import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import {
  GITHUB_TOKEN,
  importKey,
  openSource,
  openSources,
  runKeep,
} from "../support/external_sources.ts";
import { ALL, someNumbers, startTallymark, totals } from "../support/keeping.ts";
import { SECRET } from "../support/secret.ts";

Deno.test("a list without an end is given up after 100 pages", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const releases = `${sources.github.url}/repos/o/r/releases`;
  // One more response than the pages, so that a script without the limit ends as well.
  sources.github.planned = Array.from({ length: 102 }, () => () => {
    return Response.json([], { headers: { link: `<${releases}>; rel="next"` } });
  });
  const keep = "github-downloads o/r";
  const { code, stderr } = await runKeep({ env: sources.env, keep, service: service.url });
  strictEqual(code, 1);
  strictEqual(stderr, "github-downloads o/r: the list has more than 100 pages\n");
  strictEqual(sources.github.received.length, 100);
});

Deno.test("a rate limit is obeyed up to 60 seconds, and a longer one is named", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const refusal = (status: number, after: string) => () =>
    Response.json({}, { status, headers: { "retry-after": after } });
  sources.npm.planned = [refusal(429, "1"), refusal(403, "0")];
  sources.docker.planned = [refusal(503, "1"), refusal(503, "0"), refusal(503, "0")];
  sources.pypi.planned = [refusal(429, "61")];
  sources.github.planned = [
    () => Response.json({}, { status: 403, headers: { "x-ratelimit-remaining": "0" } }),
  ];
  const { code, stderr } = await runKeep({
    env: sources.env,
    keep: "npm @s/n, docker o/r, pypi n, github-downloads o/r",
    service: service.url,
  });
  strictEqual(code, 1);
  const [first, second] = sources.npm.received;
  ok(first && second && second.time - first.time >= 950, "a second passes");
  const host = (source: { url: string }) => source.url.slice("http://".length);
  deepStrictEqual(stderr.trim().split("\n"), [
    `docker o/r: ${host(sources.docker)} responded with 503`,
    `pypi n: ${
      host(sources.pypi)
    } responded with 429: its rate limit is used up, run this again in an hour`,
    `github-downloads o/r: ${
      host(sources.github)
    } responded with 403: its rate limit is used up, run this again in an hour`,
  ]);
  deepStrictEqual(
    [sources.docker, sources.pypi, sources.github].map(({ received }) => received.length),
    [3, 1, 1],
  );
  deepStrictEqual(await totals(service.url), { "npm/@s/n": 23 });
});

Deno.test("a source that fails is named, the others are sent, and the next run makes up for it", async () => {
  const bad: Record<string, () => Response> = {
    "status 500": () => new Response("Internal error", { status: 500 }),
    "status 502": () => new Response("<html>Bad Gateway</html>", { status: 502 }),
    "no body": () => new Response(""),
    "an empty object": () => Response.json({}),
    "an empty list": () => Response.json([]),
    "null": () => Response.json(null),
    "no JSON": () => new Response("<html>Welcome</html>"),
    "a body that breaks off": () => new Response('{"pull_count":126'),
    "no status of success": () => new Response(null, { status: 304 }),
  };
  await using service = await startTallymark();
  using failing = openSources(someNumbers());
  const times = Object.keys(bad).length;
  // Each name of a source gets the next bad response.
  const names = { github: "o/r", npm: "@s/n", pypi: "n", vscode: "p.n" } as const;
  for (const name of ["github", "npm", "pypi", "vscode"] as const) {
    failing[name].planned = Object.values(bad);
  }
  const repeated = (name: keyof typeof names) => ` ${names[name]}`.repeat(times);
  const { code, stderr } = await runKeep({
    env: failing.env,
    keep: `github-stars${repeated("github")}, npm${repeated("npm")}, docker o/r, ` +
      `pypi${repeated("pypi")}, vscode${repeated("vscode")}`,
    service: service.url,
  });
  strictEqual(code, 1);
  deepStrictEqual(
    stderr.trim().split("\n").map((line) => line.split(":")[0]),
    ["github-stars o/r", "npm @s/n", "pypi n", "vscode p.n"].flatMap((name) =>
      Array(times).fill(name)
    ),
  );
  deepStrictEqual(await totals(service.url), { "docker/o/r": 126 });
  using sources = openSources(someNumbers());
  // A history without weeks would delete all days, and releases without assets would count again.
  sources.github.planned = [
    () => Response.json({ stargazers_count: 42 }),
    () => Response.json([]),
    () => Response.json([]),
  ];
  const empty = await runKeep({
    env: sources.env,
    keep: "github-stars o/r, github-downloads o/r",
    service: service.url,
  });
  match(empty.stderr, /^github-stars o\/r: the history of stars is empty$/m);
  deepStrictEqual(await totals(service.url), { "docker/o/r": 126 });
  sources.docker.planned = [() => new Response(`{"pull_count":999${" ".repeat(10_000_000)}}`)];
  const large = await runKeep({ env: sources.env, keep: "docker o/r", service: service.url });
  match(large.stderr, /^docker o\/r: the response has more than 10 MB$/m);
  const next = await runKeep({ env: sources.env, keep: ALL, service: service.url });
  strictEqual(next.code, 0, next.stderr);
  strictEqual(Object.keys(await totals(service.url)).length, 11);
});

Deno.test("a source that does not respond is given up after 30 seconds", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  sources.npm.planned = [() => new Response(new ReadableStream())];
  const { code, stderr, stdout } = await runKeep({
    env: sources.env,
    keep: "npm @s/n, docker o/r",
    service: service.url,
    // The time limit of the first request ends a hundred times sooner.
    preload: `
      const { timeout } = AbortSignal;
      let requests = 0;
      AbortSignal.timeout = (ms) => {
        if (ms !== 30_000) throw new Error("the limit is " + ms);
        return timeout.call(AbortSignal, requests++ === 0 ? 300 : ms);
      };`,
  });
  strictEqual(code, 1);
  match(stderr, /^npm @s\/n: .*(timed out|timeout)/im);
  strictEqual(stdout, "docker/o/r\n");
});

Deno.test("the job key is sent to the service only, and the token of GitHub to GitHub only", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  using other = openSource(() => Response.json({ stargazers_count: 1 }));
  const keep = ALL.replace("github-stars o/r", "github-stars o/r o/elsewhere");
  // Redirects and pages may lead to other servers, which may lead back.
  const moved = (url: string) => () => Response.redirect(url, 307);
  sources.npm.planned = [moved(`${other.url}/a`)];
  sources.github.planned = [
    moved(`${other.url}/b`),
    () => Response.json({}),
    () => Response.json({ stargazers_count: 1 }),
    () => Response.json([], { headers: { link: `<${other.url}/c>; rel="next"` } }),
  ];
  const run = await runKeep({ env: sources.env, keep, service: service.url });
  strictEqual(run.code, 1);
  deepStrictEqual(other.received.map(({ line }) => line), ["GET /b", "GET /c", "GET /a"]);
  for (
    const { received } of [
      other,
      sources.npm,
      sources.pypi,
      sources.crates,
      sources.docker,
      sources.vscode,
    ]
  ) {
    ok(received.length > 0);
    ok(received.every(({ authorization }) => authorization === null));
  }
  ok(
    sources.github.received.every(({ authorization }) =>
      authorization === `Bearer ${GITHUB_TOKEN}`
    ),
  );
  for (
    const { received } of [
      other,
      ...Object.values(sources).filter((source) => "received" in source),
    ]
  ) {
    doesNotMatch(JSON.stringify(received), new RegExp(SECRET));
  }

  // A service that moved must be named by its new address, because its old one may belong to
  // others.
  using old = openSource(() => Response.redirect(`${other.url}/counters`, 308));
  other.received = [];
  const refused = await runKeep({ env: sources.env, keep: "docker o/r", service: old.url });
  strictEqual(refused.code, 1);
  strictEqual(old.received[0]?.authorization, `Bearer ${importKey("docker/")}`);
  deepStrictEqual(other.received, []);
  for (const { stdout, stderr } of [run, refused]) {
    doesNotMatch(stdout + stderr, new RegExp(`${SECRET}|${GITHUB_TOKEN}`));
  }
});

Deno.test("at most five redirects are followed, and http: only on localhost", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const { docker, npm, env } = sources;
  docker.planned = Array.from(
    { length: 5 },
    () => () => Response.redirect(`${docker.url}/v2/repositories/o/r/`),
  );
  npm.planned = Array.from({ length: 6 }, () => () => Response.redirect(`${npm.url}/`));
  const { stdout, stderr } = await runKeep({
    env,
    keep: "docker o/r, npm @s/n",
    service: service.url,
  });
  strictEqual(stdout, "docker/o/r\n");
  match(stderr, /^npm @s\/n: .* responded with 302$/m);
  strictEqual(npm.received.length, 6);

  npm.planned = [() => Response.redirect("http://hits.example.com/")];
  const expected = [
    "docker o/r: the address of hits.example.com must begin with https:",
    "npm @s/n: the address of hits.example.com must begin with https:",
    "vscode p.n: the address of example.com must begin with https:",
  ];
  const insecure = await runKeep({
    env: {
      ...env,
      DOCKER_HUB_URL: "http://hits.example.com",
      VSCODE_MARKETPLACE_URL: "ftp://example.com",
    },
    keep: "docker o/r, npm @s/n, vscode p.n",
    service: service.url,
  });
  deepStrictEqual(insecure.stderr.trim().split("\n"), expected);
  const plain = await runKeep({ env, keep: "docker o/r", service: "http://hits.example.com" });
  strictEqual(plain.stderr.trim(), expected[0]);
});

Deno.test("keep.mjs names are parts of a path and nothing else", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const { code, stderr } = await runKeep({
    env: sources.env,
    keep: "docker .. ../r o/r/x o o/r?x=1 o/%2e%2e, npm s/n a/../b ?n, pypi . n#x, github-stars o/",
    service: service.url,
  });
  strictEqual(code, 1);
  strictEqual(stderr.match(/the name must have \d slashes/g)?.length, 8, stderr);
  deepStrictEqual(sources.docker.received.map(({ line }) => line), [
    "GET /v2/repositories/o/r%3Fx%3D1/",
    "GET /v2/repositories/o/%252e%252e/",
  ]);
  match(sources.npm.received[0]?.line ?? "", /\/%3Fn$/);
  strictEqual(sources.pypi.received[0]?.line, "GET /api/packages/n%23x/overall?mirrors=false");
  deepStrictEqual(await totals(service.url), {});
});

Deno.test("crates.io gets one request a second, and all sources the address of the service", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  await runKeep({ env: sources.env, keep: "crates n m, docker o/r", service: service.url });
  const [first, second] = sources.crates.received;
  ok(first && second && second.time - first.time >= 950, "a second passes");
  for (const { userAgent } of [...sources.crates.received, ...sources.docker.received]) {
    strictEqual(userAgent, `tallymark-keep (${service.url})`);
  }
});

Deno.test("keep.mjs takes the secret or job keys, and says which of them is refused", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const run = (token: string, keep = "docker o/r") =>
    runKeep({ env: sources.env, keep, service: service.url, token });
  const code = "A".repeat(22);
  const refused: [token: string, said: RegExp][] = [
    ["wrong", /^docker o\/r: .* 401: .* \(TALLYMARK_TOKEN is no job key\)\n$/],
    [`backup.${code}`, / 401: .* \(TALLYMARK_TOKEN is the job key for backup\)\n$/],
    [`import.docker/.${code}`, / 401: .* \(TALLYMARK_TOKEN is the job key for docker\/\)\n$/],
    [
      `${importKey("github/")}\n ${importKey("npm/")}`,
      /^docker o\/r: TALLYMARK_TOKEN has no job key for docker\/o\/r, only for github\/, npm\/\n$/,
    ],
  ];
  await Promise.all(refused.map(async ([token, said]) => {
    const { code, stderr } = await run(token);
    strictEqual(code, 1);
    match(stderr, said);
    doesNotMatch(stderr, /AAAA|[\w-]{22}\b/);
  }));
  deepStrictEqual(await totals(service.url), {});
  for (const token of [SECRET, importKey("docker/"), ` ${importKey("docker/o/")}\n`]) {
    strictEqual((await run(token)).stderr, "");
  }
});

Deno.test("without access, a setting or a source, it fails and says so, and shows no token", async () => {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTallymark());
  using sources = openSources(someNumbers());
  const run = (keep: string, options = {}) =>
    runKeep({ env: sources.env, keep, service: service.url, ...options });
  const { host } = new URL(service.url);
  const githubHost = new URL(sources.github.url).host;
  const traffic = "github-traffic o/r";
  const failing = await Promise.all(([
    [run(traffic, { token: "wrong-token" }), `${traffic}: ${host} responded with 401: `],
    [
      run(traffic, { env: { ...sources.env, GITHUB_TOKEN: "weak-token" } }),
      `${traffic}: ${githubHost} responded with 403: check the token and its permissions`,
    ],
    [run("docker o/none"), "docker o/none: "],
    [run("vscode none.none"), "vscode none.none: "],
    [run(""), "KEEP is not set"],
    [run("docker o/r", { service: "" }), "TALLYMARK_URL is not set"],
    [run("docker o/r", { token: "" }), "TALLYMARK_TOKEN is not set"],
    [run("dokcer o/r"), "dokcer: KEEP has no such source"],
    [run("constructor o/r"), "constructor: KEEP has no such source"],
    [run("docker"), "docker: KEEP has no names for it"],
  ] as const).map(async ([run, said]) => [await run, said] as const));
  deepStrictEqual(await totals(service.url), {});
  await stack.disposeAsync();
  for (
    const [{ code, stdout, stderr }, said] of [...failing, [
      await run(traffic),
      `${traffic}: `,
    ]] as const
  ) {
    strictEqual(code, 1, said);
    ok(stderr.startsWith(said), `${stderr} instead of ${said}`);
    doesNotMatch(stdout + stderr, new RegExp(`${SECRET}|${GITHUB_TOKEN}|wrong-token|weak-token`));
  }
});
