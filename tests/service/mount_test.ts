import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { ProcessOutput } from "../support/process_output.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

const config: { exports: string; tasks: Record<string, { command: string }> } = JSON.parse(
  await Deno.readTextFile(join(projectFolder, "deno.json")),
);

Deno.test("the package: its fetch can be mounted under a path of another server, and importing it opens nothing", async () => {
  await using folder = await tempDir();
  const program = `
    import { fetch, close } from "${new URL(`../../${config.exports}`, import.meta.url)}";
    import { Hono } from "${import.meta.resolve("hono")}";
    console.log(JSON.stringify([...Deno.readDirSync(".")].map(({ name }) => name)));
    const site = new Hono();
    site.get("/", (c) => c.text("my site"));
    site.mount("/hits", fetch);
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) =>
      console.log("http://127.0.0.1:" + port) }, site.fetch);
    Deno.addSignalListener("SIGTERM", async () => {
      await server.shutdown();
      await close();
      Deno.exit(0);
    });`;
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "-A", "--config", join(projectFolder, "deno.json")],
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
    cwd: folder.path,
    env: { SECRET_TOKEN: "0123456789abcdef" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput([process.stdout, process.stderr]);
  const [url] = await output.find(/http:\S+/, FAR_AWAY_MS);
  match(output.text(0), /^\[\]\n/);
  const headers = { "x-auth-token": "0123456789abcdef" };
  const hits = await Promise.all([1, 2, 3].map(async () => {
    const answer = await fetch(`${url}/hits/hit?id=a`, { method: "POST", headers });
    return (await answer.json()).hits;
  }));
  deepStrictEqual(hits.sort(), [1, 2, 3]);
  strictEqual(await (await fetch(`${url}/hits/count.txt?id=a`, { headers })).text(), "3");
  strictEqual(await (await fetch(url)).text(), "my site");
  process.kill("SIGTERM");
  strictEqual((await process.status).code, 0, output.text(1));
  await output.ended;
  ok((await Deno.stat(join(folder.path, "data/counters.kv"))).isFile);
});

Deno.test(
  "the package: importing it and counting in Redis leaves every global as it was",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    // Deno itself adds `nodeBootstrap` when it loads the first package from npm.
    const program = `
      const before = new Set([...Reflect.ownKeys(globalThis), "nodeBootstrap"]);
      const { fetch, close } = await import("${new URL(
      `../../${config.exports}`,
      import.meta.url,
    )}");
      const headers = { "x-auth-token": "0123456789abcdef" };
      const hit = new Request("http://localhost/hit", { method: "POST", headers });
      const { hits, source } = await (await fetch(hit)).json();
      await close();
      const added = Reflect.ownKeys(globalThis).filter((name) => !before.has(name)).map(String);
      console.log(JSON.stringify({ hits, source, added }));`;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--config", join(projectFolder, "deno.json"), program],
      env: { SECRET_TOKEN: "0123456789abcdef", STORE_URL: redis.url },
    }).output();
    const decoder = new TextDecoder();
    const lines = decoder.decode(stdout).trim().split("\n");
    const told = JSON.parse(lines.at(-1) || "{}");
    deepStrictEqual(told, { hits: 1, source: "redis", added: [] }, decoder.decode(stderr));
  },
);

Deno.test("deno.json: the dev task starts what the start task does, and watches", () => {
  const [start, dev] = ["start", "dev"].map((task) => config.tasks[task]?.command);
  strictEqual(dev, "DENO_WATCH=--watch deno task start");
  match(start ?? "", /^deno run \$DENO_WATCH /);
});
