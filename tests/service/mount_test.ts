import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { copyProject } from "../support/project_copy.ts";
import { projectFolder } from "../support/programs.ts";
import { ProcessOutput } from "../support/process_output.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

const READER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Firefox/148.0",
  "x-forwarded-for": "192.0.2.1",
};

const config: { exports: string; tasks: Record<string, { command: string }> } = JSON.parse(
  await Deno.readTextFile(join(projectFolder, "deno.json")),
);

Deno.test("the package: mounted as documented, it has its own versions of packages, and ends with close()", async () => {
  await using folder = await tempDir();
  await using project = await copyProject();
  await Deno.rename(project.path, join(folder.path, "tallymark"));
  await Deno.mkdir(project.path);
  await Deno.copyFile(join(projectFolder, "deno.lock"), join(folder.path, "deno.lock"));
  const page = await Deno.readTextFile(join(projectFolder, ".deploy/README.md"));
  const [, section = ""] = /\n## In a server of your own\n([^]*?)\n## /.exec(page) ?? [];
  const [, members = ""] = /```json\n([^]*?)```/.exec(section) ?? [];
  const [, lines = ""] = /```ts\n([^]*?)```/.exec(section) ?? [];
  const imports = {
    hono: import.meta.resolve("hono"),
    isbot: "data:text/javascript,export const isbot = () => true;",
  };
  await Deno.writeTextFile(
    join(folder.path, "deno.json"),
    JSON.stringify({ ...JSON.parse(members), imports }),
  );
  await Deno.writeTextFile(
    join(folder.path, "site.ts"),
    `import { Hono } from "hono";
    console.log(JSON.stringify([...Deno.readDirSync(".")].map(({ name }) => name).toSorted()));
    const site = new Hono();
    site.get("/", (c) => c.text("my site"));
    ${lines}
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) =>
      console.log("http://127.0.0.1:" + port) }, site.fetch);
    site.get("/end", (c) => {
      server.shutdown().then(close);
      return c.text("ending");
    });`,
  );
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "-A", "site.ts"],
    cwd: folder.path,
    env: { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", SERVE_AS: "dwyl/", TRUST_PROXY: "1" },
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(FAR_AWAY_MS),
  }).spawn();
  const output = new ProcessOutput([process.stdout, process.stderr]);
  const [url] = await output.find(/http:\S+/, FAR_AWAY_MS);
  match(output.text(0), /^\["deno\.json","deno\.lock","site\.ts","tallymark"\]\n/);
  const read = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const response = await fetch(`${url}/hits${path}`, {
      ...{ method, headers: { ...READER, connection: "close", ...headers } },
    });
    strictEqual(response.status, 200, path);
    return new Uint8Array(await response.arrayBuffer());
  };
  const hits = await Promise.all([1, 2, 3].map(async () => {
    return JSON.parse(new TextDecoder().decode(await read("/hit?id=a", authorized, "POST"))).hits;
  }));
  deepStrictEqual(hits.sort(), [1, 2, 3]);
  const { key } = JSON.parse(new TextDecoder().decode(await read("/key?prefix=blog/", authorized)));
  // These start timers and a pass over the counters.
  await read(`/hit?id=blog/a&once=day&key=${key}`);
  await read("/as/dwyl/a/b.svg");
  await read("/badge?prefix=blog/");
  await read("/counters", authorized);
  strictEqual((await read("/count.txt?id=blog/a")).toString(), "49");
  strictEqual(await (await fetch(url)).text(), "my site");
  await (await fetch(`${url}/end`)).text();
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
      // On a busy machine, the client of Redis takes longer to load than a hit waits.
      while ((await fetch(new Request("http://localhost/readyz"))).status !== 200);
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

Deno.test(
  "the package: a store that cannot be used is a line in the log with its reason",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using folder = await tempDir();
    const entry = new URL(`../../${config.exports}`, import.meta.url);
    // Without SECRET_TOKEN, it asks the store for counters before it is mounted.
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["eval", "--config", join(projectFolder, "deno.json")],
        `import { close, fetch } from "${entry}"; await fetch(new Request("http://a/count")); await close();`,
      ],
      cwd: folder.path,
      env: { STORE_URL: `${redis.url},127.0.0.1:${redis.port}` },
    }).output();
    match(
      new TextDecoder().decode(stderr),
      /"store unusable","cause":"StartError: .*several addresses/,
    );
  },
);

Deno.test("deno.json: the dev task starts what the start task does, and watches", () => {
  const [start, dev] = ["start", "dev"].map((task) => config.tasks[task]?.command);
  strictEqual(dev, "DENO_WATCH=--watch deno task start");
  match(start ?? "", /^deno run \$DENO_WATCH /);
});
