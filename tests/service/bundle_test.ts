import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { copyProject } from "../support/project_copy.ts";
import { redisAvailable, startRedis } from "../support/redis_server.ts";
import { drained, runService, startService } from "../support/service.ts";
import { projectFolder, strictRun } from "../support/programs.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";

const SECRET_TOKEN = "0123456789abcdef0123";

Deno.test("deno task bundle: the documented command runs it as the start task runs the service", async () => {
  const page = await Deno.readTextFile(join(projectFolder, ".deploy/README.md"));
  const line = /^deno run .*dist\/tallymark\.js$/m.exec(page)?.[0];
  strictEqual(line, ["deno run --unstable-kv", ...startFlags(), "dist/tallymark.js"].join(" "));
});

Deno.test("deno task bundle: one file that is the whole service", async (t) => {
  await using project = await copyProject();
  await project.runTask("bundle");
  // The test of `deno serve` starts this file.
  ok((await Deno.stat(join(project.path, "dist/tallymark-serve.js"))).isFile);
  await using elsewhere = await tempDir();
  const entry = join(elsewhere.path, "tallymark.js");
  await Deno.rename(join(project.path, "dist/tallymark.js"), entry);
  const pngFile = join(elsewhere.path, "tallymark-png.js");

  await t.step("has no module of Node loaded by its start", async () => {
    const text = await Deno.readTextFile(entry);
    // Minified, its own imports have no blanks; the text that a worker runs has some.
    const imports = text.match(/\bimport\b(?! \{ )[^("'`]*["']node:[^"']*["']/g) ?? [];
    deepStrictEqual(imports, []);
    // This is how one that is loaded later looks, so that a change of quotes would be noticed.
    ok(/\bimport\("node:sqlite"\)/.test(text));
  });

  await t.step("has the version and the commands of main.ts", async () => {
    const { version } = JSON.parse(await Deno.readTextFile(join(projectFolder, "deno.json")));
    const { stdout } = await runService({ entry, args: ["--version"] });
    strictEqual(stdout, `Tallymark ${version}\n`);
    match((await runService({ entry, args: ["--help"] })).stdout, /STORE_URL/);
    match((await runService({ entry, args: ["--port", "1"] })).stderr, /set PORT/);
    const link = await runService({ entry, args: ["link", "http://a"], env: { SECRET_TOKEN } });
    match(link.stdout, /^http:\/\/a\/#sign-in=l2\./);
  });

  await t.step("keeps counts in a Deno KV file over a restart", async () => {
    await using folder = await tempDir();
    const options = { entry, cwd: folder.path, env: { SECRET_TOKEN, PUBLIC_READS: "1" } };
    {
      await using service = await startService(options);
      deepStrictEqual(await hit(service.url), { id: "home", hits: 1, source: "deno-kv" });
      deepStrictEqual(await hit(service.url), { id: "home", hits: 2, source: "deno-kv" });
      strictEqual((await service.stop()).code, 0);
    }
    await using service = await startService(options);
    strictEqual(await text(`${service.url}/count.txt`), "2");
    strictEqual((await text(`${service.url}/badge`)).startsWith("<svg"), true);
    strictEqual(JSON.parse(await text(`${service.url}/badge.json`)).message, "2");
    strictEqual(JSON.parse(await text(`${service.url}/openapi.json`)).info.version, "1.0.0");
    strictEqual((await fetch(`${service.url}/hit`).then(drained)).status, 401);
    strictEqual((await fetch(`${service.url}/hit.svg`).then(drained)).status, 401);
    deepStrictEqual(await hit(service.url), { id: "home", hits: 3, source: "deno-kv" });
    strictEqual((await service.stop("SIGINT")).code, 0);
  });

  await t.step("draws PNGs with a second file, and says so without it", async () => {
    const options = { entry, env: { SECRET_TOKEN, PUBLIC_READS: "1", STORE_URL: "memory:" } };
    {
      await using service = await startService(options);
      const { status, headers, body } = await png(service.url);
      deepStrictEqual([status, headers.get("x-tallymark")], [503, "no-png"]);
      match(new TextDecoder().decode(body), /tallymark-png\.js/);
      const counted = await fetch(`${service.url}/hit.png?token=${SECRET_TOKEN}`).then(drained);
      deepStrictEqual([counted.status, await text(`${service.url}/count.txt`)], [503, "0"]);
    }
    await Deno.rename(join(project.path, "dist/tallymark-png.js"), pngFile);
    await using service = await startService(options);
    const { status, headers, body } = await png(service.url);
    deepStrictEqual([status, headers.get("content-type")], [200, "image/png"]);
    strictEqual(new TextDecoder("latin1").decode(body.subarray(1, 4)), "PNG");
  });

  await t.step("says which flag is missing where Deno KV is", async () => {
    const wrap = (line: string[]) => line.filter((word) => word !== "--unstable-kv");
    for (const STORE_URL of ["", "memory:"]) {
      const ended = await runService({ entry, wrap, env: { SECRET_TOKEN, STORE_URL } });
      strictEqual(ended.code, 1);
      match(ended.stderr, /^Tallymark cannot start: .*add the flag --unstable-kv/);
    }
  });

  await t.step({
    name: "keeps counts in Redis, whose client it loads from itself",
    ignore: !redisAvailable && !strictRun,
    fn: async () => {
      await using redis = await startRedis();
      const options = { entry, env: { SECRET_TOKEN, STORE_URL: redis.url } };
      for (const hits of [1, 2]) {
        await using service = await startService(options);
        await service.storeReady();
        deepStrictEqual(await hit(service.url), { id: "home", hits, source: "redis" });
        strictEqual((await service.stop()).code, 0);
      }
      strictEqual(await redis.command("GET", "hits:home"), "2");
    },
  });
});

async function hit(url: string): Promise<unknown> {
  const headers = { "X-Auth-Token": SECRET_TOKEN };
  return await (await fetch(`${url}/hit`, { method: "POST", headers })).json();
}

async function png(url: string) {
  const response = await fetch(`${url}/badge.png`);
  const { status, headers } = response;
  return { status, headers, body: await response.bytes() };
}

async function text(url: string): Promise<string> {
  const response = await fetch(url);
  strictEqual(response.status, 200);
  return await response.text();
}
