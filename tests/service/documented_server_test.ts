import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../../src/start/config.ts";
import { paste, readBlocks } from "../support/documented_blocks.ts";
import { runSteps, SETTINGS_AND_PROXY } from "../support/documented_steps.ts";
import { startTallymark } from "../support/keeping.ts";
import { needsPrograms, projectFolder } from "../support/programs.ts";
import { startRedis } from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { startService, statusOf } from "../support/service.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";
import { TIME_ZONE } from "../support/time_zones.ts";

const { blockWith, checkAll } = readBlocks(
  [".deploy/README.md", ".docs/questions.md", ".docs/settings.md"],
  [
    ["docker ", "needs a container engine; compose_test runs what compose.yaml runs"],
    ["kubectl ", "needs a cluster"],
    ["https://$HOST_NAME/badge", "needs a public host name"],
    ["https://APP.ORGANIZATION.deno.net", "needs an app on Deno Deploy"],
    ["handle_path /hits/*", "proxy_guide_test runs it"],
    ["location = /hits", "proxy_guide_test runs it"],
    ["ProxyPreserveHost On", "needs Apache"],
    ["frontend web", "needs HAProxy"],
    ["trusted_proxies ", "proxy_guide_test runs it"],
    ["task start link", "command_line_test runs the command"],
    ["sudo tallymark-link", "is run with the first steps"],
    ["systemctl ", "needs systemd and root; systemd_units_test checks the units"],
    ["dist/tallymark.js\n", "bundle_test compares and runs it"],
    ["task bundle\nsudo install", "bundle_test runs it"],
    ["deno serve --parallel", "serve_test compares and runs it"],
    ['import { close, fetch } from "@tallymark/tallymark"', "mount_test mounts it"],
    ['"workspace": ["./tallymark"]', "mount_test has such a project"],
    ["upstash.io", "needs a hosted Redis; config_test reads such addresses"],
    ["job_name: tallymark", "is Prometheus' own; metrics_text_test has promtool read the metrics"],
    [
      "hits.example.com, old.example.com {",
      "is a line of the Caddyfile, which proxy_files_test runs",
    ],
    [
      "TIME_ZONE=UTC deno task start",
      "needs a Redis; redis_store_test starts servers with such settings",
    ],
  ],
);

const needsRedisTools = needsPrograms("jq", "curl", "redis-server", "redis-cli");

Deno.test(".deploy/README.md: every line that starts the service has settings that it understands", () => {
  const lines = ["localhost:6379 deno task start", "redis://10.0.0.1:7000 deno task start"]
    .flatMap((part) => blockWith(part).split("\n").filter((line) => line !== ""));
  strictEqual(lines.length, 6);
  for (const line of lines) {
    const [assignments = ""] = line.split(" deno task start");
    const pairs = assignments.split(" ").map((pair) => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    });
    strictEqual(parseConfig(Object.fromEntries(pairs)).store.kind, "redis", line);
  }
});

Deno.test({
  name:
    ".deploy/README.md: the user of Redis with few rights is enough to count, set, delete and list",
  ...needsRedisTools,
  fn: async () => {
    await using folder = await tempDir();
    await Deno.writeTextFile(
      join(folder.path, "users.acl"),
      "user default on nopass ~* &* +@all\n",
    );
    await using server = await startRedis({ args: ["--aclfile", join(folder.path, "users.acl")] });
    const cli = `redis-cli() { command redis-cli -e -p ${server.port} "$@"; }\n`;
    await paste(cli + blockWith("ACL SETUSER"), { cwd: folder.path });
    match(await Deno.readTextFile(join(folder.path, "users.acl")), /^user tallymark on /m);
    const STORE_URL = `redis://tallymark:a-long-password@127.0.0.1:${server.port}`;
    const env = { SECRET_TOKEN: SECRET, STORE_URL, TIME_ZONE };
    await using service = await startService({ env });
    await service.storeReady();
    const call = async (line: string, body: string | null = null) => {
      const [method = "", path = ""] = line.split(" ");
      const init = { method, headers: authorized, body };
      const response = await fetch(`${service.url}${path}`, init);
      const text = await response.text();
      strictEqual(response.status, 200, text);
      return text;
    };
    await call("POST /hit?id=a");
    await call("POST /hit?id=a&once=day");
    await call("PUT /counters?id=b", '{"hits":7}');
    await call("DELETE /counters?id=b");
    strictEqual(JSON.parse(await call("GET /days?id=a")).days.at(-1)?.hits, 2);
    match(await call("GET /counters"), /"id":"a","hits":2.*\n\{"counters":1\}\n$/);
    strictEqual(service.stderr().includes('"level":"warn"'), false, service.stderr());
  },
});

Deno.test(".deploy/README.md: the first steps install what a release has, and leave a service that the proxy can reach", async () => {
  await using folder = await tempDir();
  await using release = await tempDir();
  await Deno.mkdir(join(release.path, "dist"));
  const program = join(release.path, `dist/tallymark-${Deno.build.arch}-unknown-linux-gnu`);
  const flags = startFlags().map((flag) => `'${flag}'`).join(" ");
  const main = join(projectFolder, "main.ts");
  await Deno.writeTextFile(
    program,
    `#!/bin/sh\nexec '${Deno.execPath()}' run --unstable-kv ${flags} '${main}' "$@"\n`,
  );
  for (const name of [".deploy", "LICENSE"]) {
    await Deno.symlink(join(projectFolder, name), join(release.path, name));
  }
  const workflow = await Deno.readTextFile(join(projectFolder, ".github/workflows/release.yml"));
  const [, pack = "exit 1"] = /- name: Pack[^|]*\|\n((?: {10}.*\n)+)/.exec(workflow) ?? [];
  await paste(pack, { cwd: release.path });
  const steps = [
    blockWith("releases/latest/download").replace(
      "https://github.com/OWNER/tallymark/releases/latest/download",
      `file://${release.path}/dist`,
    ),
    ...SETTINGS_AND_PROXY.map(blockWith),
  ];
  await runSteps(steps.join(""), { cwd: folder.path, root: folder.path });
});

Deno.test(".deploy/README.md: the line for Prometheus returns its job key", async () => {
  await using service = await startTallymark();
  const line = blockWith('key?job=metrics"');
  const env = { T: service.url, SECRET_TOKEN: SECRET };
  match(await paste(line, { env }), /"key":"metrics\.[\w-]{22}"/);
});

Deno.test(".docs/settings.md: the lines for a secret of one's own make one, and open reads", async () => {
  await using folder = await tempDir();
  await paste(blockWith("umask 077; echo"), { cwd: folder.path });
  const settings = await Deno.readTextFile(join(folder.path, ".env"));
  strictEqual(((await Deno.stat(join(folder.path, ".env"))).mode ?? 0) & 0o077, 0);
  const [, secret = ""] = /^SECRET_TOKEN=([0-9a-f]{40})$/m.exec(settings) ?? [];
  await using service = await startService({ cwd: folder.path });
  strictEqual(await statusOf(`${service.url}/hit?token=${secret}`), 200);
  strictEqual(await (await fetch(`${service.url}/count.txt`)).text(), "1");
});

Deno.test(".docs/questions.md: its commands do what they say", async () => {
  await using folder = await tempDir();
  await using service = await startService({ cwd: folder.path });
  const secret = await Deno.readTextFile(join(folder.path, "data/secret"));
  for (const id of ["user/repo", "user/repo", "old/post"]) {
    strictEqual(await statusOf(`${service.url}/hit?id=${id}&token=${secret.trim()}`), 200);
  }
  const begin = blockWith('H="X-Auth-Token: $SECRET_TOKEN"\n').replace(
    "T=http://localhost:8000",
    `T=${service.url}`,
  );
  const run = (part: string) => paste(`${begin}\n${blockWith(part)}`, { cwd: folder.path });
  match(await run("move?from=old/post"), /^\{"id":"old\/post","hits":1,/);
  match(await run("to=https://example.org/app.zip"), /"key":"[\w-]{22}"/);
  match(await run('curl "$T/badge?id=user/repo"'), /^<svg /);
  match(await run('"$T/decisions"'), /"outcome":"counted"/);
  await run("secret.backup");
  match(
    await run('-X DELETE -H "$H" "$T/counters?id=user/repo"'),
    /^\{"id":"user\/repo","hits":2,/,
  );
  await run("secret.backup");
  strictEqual(await (await fetch(`${service.url}/count.txt?id=blog/post`)).text(), "1");
  await run("TRUST_PROXY=2");
  strictEqual(await Deno.readTextFile(join(folder.path, ".env")), "TRUST_PROXY=2\n");
});

Deno.test(".docs/settings.md: the command for another folder may use it, and no other", async () => {
  await using folder = await tempDir();
  const line = blockWith("/somewhere").replaceAll("/somewhere", folder.path);
  const [, store = "", flags = ""] = /^STORE_URL=(\S+) deno run (.+) main\.ts$/m.exec(line) ?? [];
  const start = (STORE_URL: string) =>
    startService({ env: { STORE_URL, SECRET_TOKEN: SECRET }, flags: flags.split(" ") });
  await using service = await start(store);
  strictEqual(await statusOf(`${service.url}/hit`, { headers: authorized }), 200);
  ok((await Deno.stat(join(folder.path, "counters.kv"))).isFile);
  await rejects(start("kv:elsewhere/counters.kv"), /outside the folders/);
});

Deno.test("every block of the pages about a server is run by a test or says why not", checkAll);
