import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { readBlocks } from "../support/documented_blocks.ts";
import { runSteps, SETTINGS_AND_PROXY } from "../support/documented_steps.ts";
import { copyProject } from "../support/project_copy.ts";
import { redisAvailable, startRedis } from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { drained, runService, startService } from "../support/service.ts";
import { findOnPath, projectFolder, strictRun } from "../support/programs.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";
import { haveStores, json, serving } from "../support/workers.ts";

/**
 * The base of a real binary is downloaded; another program in its place lets the packing run, and
 * no more.
 */
const DENORT_BIN = findOnPath(["true"]) ?? Deno.execPath();

Deno.test("deno task bundle: the documented command runs it as the start task runs the service", async () => {
  const page = await Deno.readTextFile(join(projectFolder, ".deploy/README.md"));
  const line = /^deno run .*dist\/tallymark\.js$/m.exec(page)?.[0];
  strictEqual(line, ["deno run --unstable-kv", ...startFlags(), "dist/tallymark.js"].join(" "));
});

Deno.test("deno task compile: makes the bundle, one file that is the whole service, and packs it with the flags and no secret", async (t) => {
  await using project = await copyProject();
  await Deno.mkdir(join(project.path, "data"));
  await Deno.writeTextFile(join(project.path, "data/counters.kv"), "canary-of-the-data");
  await Deno.writeTextFile(join(project.path, ".env"), "STORE_URL=redis://canary-of-the-file@h\n");
  const output = await project.runTask("compile", {
    DENORT_BIN,
    SECRET_TOKEN: "canary-of-the-environment",
  });
  const binary = Buffer.from(await Deno.readFile(join(project.path, "dist/tallymark")));
  const packed = binary.subarray(binary.lastIndexOf('{"argv":'));
  const settings = JSON.parse(packed.toString("latin1", 0, endOfObject(packed)));

  await t.step("the binary embeds the bundle, below 1 MB, and the renderer of PNGs", () => {
    const listed = /Embedded Files\n([^]*?)\n\nFiles: (\S+)MB\n/.exec(output);
    match(
      listed?.[1] ?? "",
      /^\s*tallymark\s+├── tallymark-png\.js \([56](?:\.\d+)?MB\)\s+└── tallymark\.js \(\d{3}(?:\.\d+)?KB\)$/,
    );
    ok(Number(listed?.[2]) < 7, listed?.[0]);
  });

  await t.step("the binary gives the program the flags of the start task, and KV", () => {
    const granted = Object.entries(settings.permissions)
      .filter(([name, value]) => name.startsWith("allow_") && name !== "allow_import" && value)
      .map(([name, value]) => [`--${name.replace("_", "-")}`, value].join("=").replace(/=$/, ""));
    const flags = startFlags().filter((flag) => flag.startsWith("--allow"));
    deepStrictEqual(granted.toSorted(), flags.toSorted());
    strictEqual(`--v8-flags=${settings.v8_flags.slice(-2).join(",")}`, startFlags()[0]);
    strictEqual(settings.permissions.prompt, false);
    ok(settings.unstable_config.features.includes("kv"));
  });

  await t.step("the binary holds nothing of the environment, of .env and of the data", () => {
    deepStrictEqual(settings.env_vars_from_env_file, {});
    deepStrictEqual(settings.argv, []);
    for (const part of ["environment", "file", "data"]) {
      strictEqual(binary.includes(`canary-of-the-${part}`), false, part);
    }
  });

  await t.step("the binary holds no path of the machine that made it", () => {
    strictEqual(packed.includes(project.path), false);
  });

  await t.step("without its base it fails, and says what to run instead", async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ".deploy/compile.ts"],
      cwd: project.path,
      env: { DENORT_BIN: join(project.path, "denort") },
    }).output();
    strictEqual(code, 1);
    match(new TextDecoder().decode(stderr), /Cannot compile: .* dist\/tallymark\.js /);
  });

  await t.step(
    "the lines for the bundle take the place of the first step of .deploy/README.md",
    async () => {
      await using root = await tempDir();
      const { blockWith } = readBlocks([".deploy/README.md"], []);
      const [, install = ""] = blockWith("task bundle\nsudo install").split(" task bundle\n");
      const steps = [install, ...SETTINGS_AND_PROXY.map(blockWith)];
      await runSteps(steps.join(""), { cwd: project.path, root: root.path });
    },
  );

  await using elsewhere = await tempDir();
  const entry = join(elsewhere.path, "tallymark.js");
  await Deno.rename(join(project.path, "dist/tallymark.js"), entry);

  await t.step("the bundle has no module of Node loaded by its start", async () => {
    const text = await Deno.readTextFile(entry);
    // Minified, its own imports have no blanks; the text that a worker runs has some.
    const imports = text.match(/\bimport\b(?! \{ )[^("'`]*["']node:[^"']*["']/g) ?? [];
    deepStrictEqual(imports, []);
    // This is how one that is loaded later looks, so that a change of quotes would be noticed.
    ok(/\bimport\("node:sqlite"\)/.test(text));
  });

  await t.step("the bundle has the version of main.ts", async () => {
    const { version } = JSON.parse(await Deno.readTextFile(join(projectFolder, "deno.json")));
    const { stdout } = await runService({ entry, args: ["--version"] });
    strictEqual(stdout, `Tallymark ${version}\n`);
  });

  await t.step(
    "the bundle keeps counts in a Deno KV file over a restart, and draws PNGs with a second file, or says so",
    async () => {
      await using folder = await tempDir();
      const options = { entry, cwd: folder.path, env: { SECRET_TOKEN: SECRET, PUBLIC_READS: "1" } };
      {
        await using service = await startService(options);
        deepStrictEqual(await hit(service.url), { id: "home", hits: 1, source: "deno-kv" });
        const { status, headers, body } = await png(service.url);
        deepStrictEqual([status, headers.get("x-tallymark")], [503, "no-png"]);
        match(new TextDecoder().decode(body), /tallymark-png\.js/);
        const counted = await fetch(`${service.url}/hit.png?token=${SECRET}`).then(drained);
        deepStrictEqual([counted.status, await text(`${service.url}/count.txt`)], [503, "1"]);
        deepStrictEqual(await hit(service.url), { id: "home", hits: 2, source: "deno-kv" });
        strictEqual((await service.stop()).code, 0);
      }
      const pngFile = join(elsewhere.path, "tallymark-png.js");
      await Deno.rename(join(project.path, "dist/tallymark-png.js"), pngFile);
      await using service = await startService(options);
      strictEqual(await text(`${service.url}/count.txt`), "2");
      strictEqual((await text(`${service.url}/badge`)).startsWith("<svg"), true);
      strictEqual(JSON.parse(await text(`${service.url}/badge.json`)).message, "2");
      strictEqual(JSON.parse(await text(`${service.url}/openapi.json`)).info.version, "1.0.0");
      strictEqual((await fetch(`${service.url}/hit`).then(drained)).status, 401);
      strictEqual((await fetch(`${service.url}/hit.svg`).then(drained)).status, 401);
      deepStrictEqual(await hit(service.url), { id: "home", hits: 3, source: "deno-kv" });
      const { status, headers, body } = await png(service.url);
      deepStrictEqual([status, headers.get("content-type")], [200, "image/png"]);
      strictEqual(new TextDecoder("latin1").decode(body.subarray(1, 4)), "PNG");
      strictEqual((await service.stop("SIGINT")).code, 0);
    },
  );

  await t.step("the bundle says which flag is missing where Deno KV is", async () => {
    const wrap = (line: string[]) => line.filter((word) => word !== "--unstable-kv");
    const ended = await runService({ entry, wrap, env: { STORE_URL: "memory:" } });
    strictEqual(ended.code, 1);
    match(ended.stderr, /^Tallymark cannot start: .*add the flag --unstable-kv/);
  });

  await t.step({
    name:
      "the bundle counts in Redis, whose client it loads from itself, and so do several workers",
    ignore: !redisAvailable && !strictRun,
    fn: async () => {
      await using redis = await startRedis();
      const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url };
      {
        await using service = await startService({ entry, env });
        await service.storeReady();
        deepStrictEqual(await hit(service.url), { id: "home", hits: 1, source: "redis" });
        strictEqual((await service.stop()).code, 0);
      }
      const workers = join(project.path, "dist/tallymark-serve.js");
      await using service = await startService({ ...serving(2, env, workers), entry: workers });
      await haveStores(service, 2);
      strictEqual((await json(service, "/hit", { method: "POST" })).hits, 2);
      strictEqual((await service.stop()).code, 0);
      strictEqual(await redis.command("GET", "hits:home"), "2");
    },
  });
});

Deno.test({
  name: "deno task compile: the binary serves hits (its base has to be downloaded)",
  ignore: true,
  fn() {},
});

async function hit(url: string): Promise<unknown> {
  return await (await fetch(`${url}/hit`, { method: "POST", headers: authorized })).json();
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

/** The length of the JSON object that begins the bytes; its texts hold no braces. */
function endOfObject(bytes: Buffer): number {
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === 0x7b) depth++;
    else if (bytes[index] === 0x7d && --depth === 0) return index + 1;
  }
  throw new Error("Read what the binary holds: no end of the settings");
}
