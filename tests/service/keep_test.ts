import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dayText, GITHUB_TOKEN, openSources, runKeep, sum } from "../support/external_sources.ts";
import {
  ALL,
  counter,
  type Line,
  someNumbers,
  startTallymark,
  totals,
} from "../support/keeping.ts";
import { needsPrograms } from "../support/programs.ts";
import { authorized } from "../support/secret.ts";

const DAY_MS = 86_400_000;

async function put(url: string, { id, hits }: Line): Promise<void> {
  const body = JSON.stringify({ hits });
  const options = { method: "PUT", headers: authorized, body };
  const response = await fetch(`${url}/counters?id=${id}`, options);
  strictEqual(response.status, 200, await response.text());
}

for (const runtime of ["deno", "node"] as const) {
  Deno.test(
    `keep.mjs with ${runtime}: keeps days, stars and totals of all sources as counters, however often it runs`,
    runtime === "node" ? needsPrograms("node") : {},
    async () => {
      await using service = await startTallymark();
      const numbers = someNumbers();
      using sources = openSources(numbers);
      for (let run = 0; run < 2; run++) {
        const { code, stderr, stdout } = await runKeep({
          ...{ env: sources.env, keep: ALL, service: service.url, runtime },
        });
        strictEqual(code, 0, stderr);
        strictEqual(stdout.trim().split("\n").length, 11);
        deepStrictEqual(await totals(service.url), {
          "crates/n": 331,
          "docker/o/r": 126,
          "github/o/r/cloners": 8,
          "github/o/r/clones": 15,
          "github/o/r/downloads": 123,
          "github/o/r/stars": 42,
          "github/o/r/uniques": 8,
          "github/o/r/views": 15,
          "npm/@s/n": 23,
          "pypi/n": 27,
          "vscode/p.n": 77,
        });
      }
      const [before = "", day = ""] = [...numbers.stars.keys()];
      const days = { [before]: 115, [day]: 216 };
      deepStrictEqual((await counter(service.url, "crates/n")).days, days);
      strictEqual((await counter(service.url, "docker/o/r")).seen, 126);
    },
  );
}

Deno.test("all pages of stars and releases are read", async () => {
  await using service = await startTallymark();
  const numbers = someNumbers();
  // 95 weeks on 4 pages and 201 releases on 3.
  for (let day = 1; day <= 95 * 7; day++) {
    numbers.stars.set(dayText(Date.now() - day * DAY_MS), day);
  }
  numbers.releases = Array.from({ length: 201 }, (_, release) => [release]);
  using sources = openSources(numbers);
  const keep = "github-stars o/r, github-downloads o/r";
  const { code, stderr } = await runKeep({ env: sources.env, keep, service: service.url });
  strictEqual(code, 0, stderr);
  const { hits, days } = await counter(service.url, "github/o/r/stars");
  strictEqual(hits, sum(numbers.stars));
  deepStrictEqual(days, Object.fromEntries([...numbers.stars].sort()));
  strictEqual((await counter(service.url, "github/o/r/downloads")).hits, 201 * 100);
  deepStrictEqual(
    sources.github.received.map(({ line }) => line),
    [
      "GET /repos/o/r",
      "GET /repos/o/r/stargazers/history?per_page=30",
      ...[2, 3, 4].map((page) => `GET /repos/o/r/stargazers/history?per_page=30&page=${page}`),
      "GET /repos/o/r/releases?per_page=100",
      ...[2, 3].map((page) => `GET /repos/o/r/releases?per_page=100&page=${page}`),
    ],
  );
});

Deno.test("what a source shows no more stays, what has grown grows, and a star that is taken back goes", async () => {
  await using service = await startTallymark();
  const numbers = someNumbers();
  using sources = openSources(numbers);
  const keep = "github-traffic o/r, github-stars o/r, npm @s/n, pypi n, vscode p.n";
  const run = async () => {
    const { code, stderr } = await runKeep({ env: sources.env, keep, service: service.url });
    strictEqual(code, 0, stderr);
  };
  await put(service.url, { id: "github/o/r/views", hits: 1000 });
  await run();
  const [before = "", day = ""] = [...numbers.stars.keys()];
  numbers.stars.set(before, 39);
  for (const days of [numbers.views, numbers.npm, numbers.pypi]) {
    days.delete(before);
    days.set(day, 20);
  }
  numbers.installs += 3;
  await run();
  const stars = await counter(service.url, "github/o/r/stars");
  deepStrictEqual([stars.hits, stars.days], [41, { [before]: 39, [day]: 2 }]);
  for (const [id, shown] of [["github/o/r/views", 7], ["npm/@s/n", 11], ["pypi/n", 13]] as const) {
    const { hits, days } = await counter(service.url, id);
    deepStrictEqual(days, { [before]: shown, [day]: 20 }, id);
    // Views had a total before.
    strictEqual(hits, shown + 20 + (id === "github/o/r/views" ? 1000 : 0), id);
  }
  strictEqual((await counter(service.url, "vscode/p.n")).hits, 80);
});

Deno.test("a renamed repository is kept under its old name, with the token", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  const { code, stderr } = await runKeep({
    env: sources.env,
    keep: "github-stars o/old, github-traffic o/old",
    service: service.url,
  });
  strictEqual(code, 0, stderr);
  const kept = await totals(service.url);
  strictEqual(kept["github/o/old/stars"], 42);
  strictEqual(kept["github/o/old/views"], 15);
  ok(sources.github.received.every(({ authorization }) => authorization?.includes(GITHUB_TOKEN)));
});

Deno.test("a total that restarts is the old total and what is new", async () => {
  await using service = await startTallymark();
  const numbers = someNumbers();
  using sources = openSources(numbers);
  for (const [pulls, hits] of [[100, 100], [40, 100], [50, 110], [0, 110], [60, 120]] as const) {
    numbers.pulls = pulls;
    const { code } = await runKeep({ env: sources.env, keep: "docker o/r", service: service.url });
    strictEqual(code, 0);
    strictEqual((await counter(service.url, "docker/o/r")).hits, hits, `${pulls} pulls`);
  }
});

Deno.test("a total that was requested before another report adds nothing to it", async () => {
  await using service = await startTallymark();
  using sources = openSources(someNumbers());
  sources.docker.planned = [async () => {
    const line = JSON.stringify({ id: "docker/o/r", seen: 130, at: new Date().toISOString() });
    const options = { method: "POST", headers: authorized, body: line };
    const response = await fetch(`${service.url}/counters?mode=max`, options);
    strictEqual(response.status, 200, await response.text());
    return Response.json({ pull_count: 126 });
  }];
  const { code } = await runKeep({ env: sources.env, keep: "docker o/r", service: service.url });
  strictEqual(code, 0);
  strictEqual((await counter(service.url, "docker/o/r")).seen, 130);
});
