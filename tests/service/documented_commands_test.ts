import { createHash } from "node:crypto";
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../../src/start/config.ts";
import { importOf } from "../support/data_files.ts";
import { openSource } from "../support/external_sources.ts";
import { needsPrograms, projectFolder } from "../support/programs.ts";
import { copyProject } from "../support/project_copy.ts";
import { startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { drained, type Service, startService } from "../support/service.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A block of a page to paste, with its language. */
interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks = [
  ".deploy/README.md",
  ".deploy/counters.md",
  ".deploy/leancloud.zh.md",
  ".docs/external_totals.md",
  ".docs/questions.md",
  ".docs/settings.md",
].flatMap(blocksOf);

function blocksOf(page: string): Block[] {
  const text = Deno.readTextFileSync(join(projectFolder, page));
  return [...text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm)]
    .map(([, indent = "", language = "", block = ""]) => {
      return { page, language, text: block.replaceAll(new RegExp(`^${indent}`, "gm"), "") };
    });
}

/** Blocks that cannot run here, each known by a part of it, and why. */
const SKIPPED: readonly (readonly [part: string, reason: string])[] = [
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
  ["deno serve --parallel", "serve_test compares and runs it"],
  ['import { close, fetch } from "@tallymark/tallymark"', "mount_test mounts it"],
  ['"workspace": ["./tallymark"]', "mount_test has such a project"],
  ["upstash.io", "needs a hosted Redis; config_test reads such addresses"],
  ["job_name: tallymark", "is Prometheus' own; metrics_test has promtool read the metrics"],
  [
    "hits.example.com, old.example.com {",
    "is a line of the Caddyfile, which proxy_files_test runs",
  ],
  ["TIME_ZONE=UTC deno task start", "needs a Redis; redis_test starts servers with such settings"],
  ["node .deploy/keep.mjs", "keep_test runs it against stand-ins for all sources"],
  ["![stars]", "is Markdown"],
  ["leancloud_visitors:", "leancloud_themes_test sends the requests of the theme NexT"],
  ["web_analytics:", "leancloud_themes_test sends the requests of the theme Fluid"],
  ["# Caddy\n", "carrying_over_test runs it"],
  ["# nginx\n", "carrying_over_test runs it"],
];
const used = new Set<Block>();

/** The block that has this part; throws if there is not exactly one. */
function blockWith(part: string): string {
  const found = blocks.filter(({ text }) => text.includes(part));
  const [block] = found;
  if (block === undefined || found.length > 1) {
    throw new Error(`Find a block: ${found.length} have ${part}`);
  }
  used.add(block);
  return block.text;
}

const needsTools = needsPrograms("jq", "sqlite3", "curl", "gzip");
const needsRedisTools = needsPrograms("jq", "curl", "redis-server", "redis-cli");

/**
 * Runs lines as a reader does, except that a request that fails ends them; returns what they print.
 */
async function paste(
  lines: string,
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", `curl() { command curl -fsS "$@"; }\n${lines}`],
    cwd,
    env,
  }).output();
  const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  strictEqual(code, 0, `${printed}\n${complaints}`);
  return printed ?? "";
}

/**
 * Runs a block of .deploy/counters.md against a service, after the lines that the page has first.
 */
function importBy(block: string, service: Service, cwd: string): Promise<string> {
  const before = blockWith('IN="$T/counters?mode=max"');
  return paste(`${before}\n${block}`, { cwd, env: variables(service) });
}

function variables({ url }: Service): Record<string, string> {
  return { T: url, SECRET_TOKEN: SECRET };
}

async function lineOf({ url }: Service, id: string): Promise<unknown> {
  const headers = { "x-auth-token": SECRET };
  return await (await fetch(`${url}/counters?id=${encodeURIComponent(id)}`, { headers })).json();
}

const env = { SECRET_TOKEN: SECRET, STORE_URL: "memory:" };

/** Lets SQLite answer in place of MySQL, in the same format. */
const MYSQL = 'mysql() { sqlite3 -header -separator $\'\\t\' "$4" "$3"; }\n';

/** Returns the lines that the Data view makes of a file. */
async function linesOf(folder: string, name: string): Promise<string[]> {
  const { lines, leftOut } = await importOf({ [name]: await Deno.readFile(join(folder, name)) });
  const { "Taken as the header": _, ...others } = leftOut;
  deepStrictEqual(others, {});
  return lines.toSorted();
}

Deno.test({
  name: ".deploy/counters.md: the command for Abacus writes a list that the Data view reads",
  ...needsRedisTools,
  fn: async () => {
    await using server = await startRedis();
    await server.command("SET", "K:site:home", "41");
    await server.command("SET", "K:site:about us", "7");
    await using folder = await tempDir();
    const cli = `redis-cli() { command redis-cli -p ${server.port} "$@"; }\n`;
    await paste(cli + blockWith("--pattern 'K:*'"), { cwd: folder.path });
    deepStrictEqual(await linesOf(folder.path, "abacus.txt"), [
      '{"id":"countapi/site/about us","hits":7}',
      '{"id":"countapi/site/home","hits":41}',
    ]);
  },
});

Deno.test({
  name: ".deploy/counters.md: the command for a busuanzi writes a list that the Data view reads",
  ...needsRedisTools,
  fn: async () => {
    // It names its keys by 16 digits of the MD5 of a host and of a path.
    const [site, home, post, missing] = ["blog.example.com", "/", "/2024/文章/", "/new/"]
      .map((text) => createHash("md5").update(text).digest("hex").slice(8, 24));
    await using server = await startRedis();
    await server.command("SET", `bsz:site_pv:${site}`, "48");
    await server.command("PFADD", `bsz:site_uv:${site}`, "a", "b", "c");
    await server.command("ZINCRBY", `bsz:page_pv:${site}`, "41", `${home}`);
    await server.command("ZINCRBY", `bsz:page_pv:${site}`, "7", `${post}`);
    strictEqual(missing?.length, 16);
    const paths = ["", "/2024/%E6%96%87%E7%AB%A0/", "/new/"];
    const urls = paths.map((path) => `<url><loc>https://blog.example.com${path}</loc></url>`);
    using blog = openSource(() => new Response(`<urlset>${urls.join("\n")}</urlset>`));
    await using folder = await tempDir();
    const cli = `redis-cli() { command redis-cli -p ${server.port} "$@"; }\n`;
    const block = blockWith("bsz:site_pv").replace("https://$HOST/sitemap", `${blog.url}/sitemap`);
    await paste(cli + block, { cwd: folder.path });
    deepStrictEqual(await linesOf(folder.path, "busuanzi.txt"), [
      '{"id":"busuanzi/blog.example.com/","hits":41}',
      '{"id":"busuanzi/blog.example.com/*site","hits":48}',
      '{"id":"busuanzi/blog.example.com/*visitors","hits":3}',
      '{"id":"busuanzi/blog.example.com/2024/文章","hits":7}',
    ]);
  },
});

Deno.test(
  ".deploy/counters.md: the commands for komarev's service write tables that the Data view reads",
  needsTools,
  async () => {
    await using folder = await tempDir();
    const schema = `CREATE TABLE github_profile_views (username TEXT, created_at TEXT);
      INSERT INTO github_profile_views VALUES ('Octocat', '2026-01-01 23:59:59'),
        ('octocat', '2026-01-01 10:00:00'), ('octocat', '2026-01-02 10:00:00');`;
    await paste(`sqlite3 komarev "${schema}"`, { cwd: folder.path });
    await paste(MYSQL + blockWith("FROM github_profile_views"), { cwd: folder.path });
    const { lines } = await importOf(
      { "komarev.tsv": await Deno.readFile(join(folder.path, "komarev.tsv")) },
      { prefix: "komarev/", choice: { page: "id", number: "views", day: "day" } },
    );
    deepStrictEqual(lines, [
      '{"id":"komarev/octocat","days":{"2026-01-01":2,"2026-01-02":1}}',
    ]);
    await Deno.mkdir(join(folder.path, "storage"));
    await Deno.writeTextFile(join(folder.path, "storage/Octocat-views-count"), "12345");
    await paste(blockWith("storage/*-views-count"), { cwd: folder.path });
    deepStrictEqual(await linesOf(folder.path, "komarev.txt"), [
      '{"id":"komarev/octocat","hits":12345}',
    ]);
  },
);

Deno.test(
  ".deploy/counters.md: the command for Firestore writes a list that the Data view reads",
  needsTools,
  async () => {
    const articles = "/v1/projects/my-blog/databases/(default)/documents/articles";
    const document = (title: string, count: string) => ({
      name: `${articles.slice(4)}/${title}`,
      fields: { count: { integerValue: count } },
      createTime: "2024-01-01T00:00:00.000000Z",
      updateTime: "2024-01-02T00:00:00.000000Z",
    });
    using firestore = openSource(({ pathname, searchParams }) => {
      strictEqual(pathname, articles);
      const isFirst = searchParams.get("pageToken") === "";
      const documents = [isFirst ? document("Hello World", "12") : document("第二篇", "7")];
      return Response.json({ documents, ...isFirst && { nextPageToken: "AFTg+" } });
    });
    await using folder = await tempDir();
    const block = blockWith("firestore.googleapis.com")
      .replace("https://firestore.googleapis.com", firestore.url);
    await paste(block, { cwd: folder.path });
    deepStrictEqual(await linesOf(folder.path, "firestore.txt"), [
      '{"id":"Hello World","hits":12}',
      '{"id":"第二篇","hits":7}',
    ]);
  },
);

Deno.test(
  ".deploy/leancloud.zh.md: the Data view imports LeanCloud's export, and the lines return the key",
  needsPrograms("curl"),
  async () => {
    await using folder = await tempDir();
    await using service = await startService({ env });
    const record = (fields: Record<string, unknown>) =>
      JSON.stringify({ title: "标题", createdAt: "2024-01-01T00:00:00.000Z", ...fields });
    const head = '#filetype:JSON-streaming {"type":"Class","class":"Counter"}';
    const files = {
      "Counter.0.jsonl": [
        head,
        record({ url: "/2024/文章/", time: 12 }),
        record({ url: "/2024/文章/", time: 3 }),
        record({ url: "/", time: 7 }),
        record({ url: "/new/", time: 0 }),
      ].join("\n"),
      "Counter.1.jsonl": [head, record({ target: "site-pv", time: 345 })].join("\n"),
    };
    const { lines } = await importOf(files, { prefix: "leancloud/blog/" });
    deepStrictEqual(lines, [
      '{"id":"leancloud/blog/2024/文章","hits":15}',
      '{"id":"leancloud/blog/*home","hits":7}',
      '{"id":"leancloud/blog/site-pv","hits":345}',
    ]);
    const where = { cwd: folder.path, env: variables(service) };
    const printed = await paste(blockWith("/key?prefix=leancloud/blog/"), where);
    match(printed, /"key":"[\w-]{22}"/);
  },
);

for (
  const { what, part, file, schema, output, expected } of [
    {
      what: "Moe-Counter",
      part: "FROM tb_count",
      file: "count.db",
      schema: `CREATE TABLE tb_count (id INTEGER PRIMARY KEY, name VARCHAR(32), num BIGINT);
        INSERT INTO tb_count (name, num) VALUES ('me', 12345);`,
      output: "moe.csv",
      expected: '{"id":"me","hits":12345}',
    },
    {
      what: "brentvollebregt/hit-counter",
      part: "FROM url WHERE",
      file: "data.db",
      schema: `CREATE TABLE url (id INTEGER PRIMARY KEY, url TEXT, count INTEGER);
        INSERT INTO url (url, count) VALUES ('https://a.example/b', 3), ('https://a.example/b', 5), ('', 9);`,
      output: "hits.csv",
      expected: '{"id":"a.example/b","hits":5}',
    },
    {
      what: "WordPress",
      part: "FROM wp_posts",
      file: "wordpress",
      schema: `CREATE TABLE wp_posts (ID INTEGER, post_name TEXT);
        CREATE TABLE wp_postmeta (post_id INTEGER, meta_key TEXT, meta_value TEXT);
        INSERT INTO wp_posts VALUES (1, 'hello-world'), (2, 'about');
        INSERT INTO wp_postmeta VALUES (1, 'views', '120'), (1, 'likes', '7');`,
      output: "wordpress.tsv",
      expected: '{"id":"hello-world","hits":120}',
    },
  ]
) {
  Deno.test(
    `.deploy/counters.md: the command for ${what} writes a table that the Data view reads`,
    needsTools,
    async () => {
      await using folder = await tempDir();
      await paste(`sqlite3 ${file} "${schema}"`, { cwd: folder.path });
      await paste(MYSQL + blockWith(part), { cwd: folder.path });
      deepStrictEqual(await linesOf(folder.path, output), [expected]);
    },
  );
}

Deno.test(
  ".deploy/counters.md: the lines for another Tallymark copy all its counters",
  needsTools,
  async () => {
    await using folder = await tempDir();
    await using other = await startService({ env });
    await using service = await startService({ env });
    for (let hit = 0; hit < 3; hit++) {
      await fetch(`${other.url}/hit?id=a&token=${SECRET}`).then(
        drained,
      );
    }
    const given = `OTHER=${other.url} OTHER_TOKEN=${SECRET}\n`;
    await importBy(given + blockWith("$OTHER/counters"), service, folder.path);
    deepStrictEqual((await lineOf(service, "a") as { hits: number }).hits, 3);
  },
);

Deno.test(
  ".docs/external_totals.md: the lines import a report, older days of npm, a CSV file, and the total of a crate",
  needsTools,
  async () => {
    await using folder = await tempDir();
    await using service = await startService({ env });
    const day = (day: string, downloads: number) => ({ day, downloads });
    using npm = openSource((url) => {
      strictEqual(url.pathname, "/downloads/range/2024-01-01:2025-05-31/express");
      return Response.json({ downloads: [day("2024-01-01", 5), day("2024-01-02", 0)] });
    });
    using crates = openSource(() => Response.json({ crate: { downloads: 4321 } }));
    await Deno.writeTextFile(join(folder.path, "days.csv"), "2024-01-31,12\n2024-02-01,3\n");
    const parts = ['"seen":126', "api.npmjs.org", "days.csv", "crates.io"];
    for (const part of [...parts, ...parts]) {
      const block = blockWith(part).replace("https://api.npmjs.org", npm.url)
        .replace("https://crates.io", crates.url);
      await importBy(block, service, folder.path);
    }
    const redis = await lineOf(service, "docker/library/redis");
    deepStrictEqual(redis, {
      ...{ id: "docker/library/redis", hits: 126, seen: 126, at: "2026-11-24T02:00:00Z" },
    });
    deepStrictEqual(await lineOf(service, "npm/express"), {
      ...{ id: "npm/express", hits: 5, days: { "2024-01-01": 5 } },
    });
    deepStrictEqual(await lineOf(service, "pypi/name"), {
      ...{ id: "pypi/name", hits: 15, days: { "2024-01-31": 12, "2024-02-01": 3 } },
    });
    deepStrictEqual(await lineOf(service, "crates/serde"), { id: "crates/serde", hits: 4321 });
  },
);

Deno.test(".deploy/counters.md: the example of SERVE_AS is understood", () => {
  const [, SERVE_AS = ""] = /^SERVE_AS="(.*)"$/m.exec(blockWith("SERVE_AS=")) ?? [];
  deepStrictEqual(parseConfig({ SERVE_AS }).serveAs, SERVE_AS.split(","));
});

Deno.test(".deploy/counters.md: cron keeps a copy that can be restored", needsTools, async () => {
  await using folder = await tempDir();
  await using service = await startService({ env });
  await fetch(`${service.url}/hit?id=a&token=${SECRET}`).then(drained);
  await Deno.writeTextFile(join(folder.path, "data-secret"), SECRET);
  const here = (text: string) =>
    text.replace("/var/lib/tallymark/data/secret", join(folder.path, "data-secret"))
      .replace("/var/backups", folder.path).replace("http://localhost:8000", service.url);
  await paste(here(blockWith("> backup.key")), { cwd: folder.path });
  strictEqual(await Deno.readTextFile(join(folder.path, "tallymark.secret")), SECRET);
  const line = blockWith("17 3 * * * ").replace("17 3 * * * ", "").replaceAll("\\%", "%");
  await paste(here(line), { cwd: folder.path });
  const kept = [...Deno.readDirSync(folder.path)].map(({ name }) => name)
    .filter((name) => name.startsWith("counters-"));
  match(kept.join(), /^counters-[1-7]\.ndjson$/);
  await Deno.rename(join(folder.path, kept[0] ?? ""), join(folder.path, "counters-1.ndjson"));
  const before = await lineOf(service, "a");
  await fetch(`${service.url}/hit?id=a&token=${SECRET}`).then(drained);
  await importBy(blockWith("--data-binary @counters-1.ndjson"), service, folder.path);
  deepStrictEqual(await lineOf(service, "a"), before);
});

Deno.test(
  ".deploy/counters.md: the copy that sqlite3 makes while the service runs can be restored",
  needsTools,
  async () => {
    await using folder = await tempDir();
    const options = { cwd: folder.path, env: { SECRET_TOKEN: SECRET, PUBLIC_READS: "1" } };
    const page = await Deno.readTextFile(join(projectFolder, ".deploy/counters.md"));
    const [, backup = ""] = /`(sqlite3 [^`]*)`/.exec(page) ?? [];
    const [, remove = ""] = /`(rm -f [^`]*)`/.exec(page) ?? [];
    {
      await using service = await startService(options);
      for (let hit = 0; hit < 2; hit++) {
        await fetch(`${service.url}/hit?token=${SECRET}`).then(drained);
      }
      await paste(backup, { cwd: folder.path });
      await fetch(`${service.url}/hit?token=${SECRET}`).then(drained);
      await service.stop();
    }
    await paste(`${remove}\nmv backup.kv data/counters.kv`, { cwd: folder.path });
    await using service = await startService(options);
    strictEqual(await (await fetch(`${service.url}/count.txt`)).text(), "2");
  },
);

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
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL } });
    const call = (method: string, place: string, body?: string) =>
      fetch(`${service.url}/${place}`, {
        method,
        headers: { "x-auth-token": SECRET },
        ...(body !== undefined && { body }),
      });
    for (
      const answer of [
        await call("POST", "hit?id=a"),
        await call("POST", "hit?id=a&once=day"),
        await call("PUT", "counters?id=b", '{"hits":7}'),
        await call("DELETE", "counters?id=b"),
      ]
    ) {
      const { status } = answer;
      strictEqual(status, 200, await answer.text());
    }
    const days = await (await call("GET", "days?id=a")).json();
    strictEqual(days.days.at(-1)?.hits, 2);
    match(await (await call("GET", "counters")).text(), /"id":"a","hits":2.*\n\{"counters":1\}\n$/);
    strictEqual(service.stderr().includes('"level":"warn"'), false, service.stderr());
  },
});

/** Steps of a page as they run below a folder in place of the system's, without root. */
async function runSteps(steps: string, { cwd, root }: { cwd: string; root: string }) {
  for (const name of ["etc/caddy", "etc/systemd/system", "usr/local/bin"]) {
    await Deno.mkdir(join(root, name), { recursive: true });
  }
  const stubs = `sudo() { "$@"; }; apt-get() { :; }; git() { :; }; systemctl() { :; }
    npx() { shift 2; '${Deno.execPath()}' "$@"; }\n`;
  await paste(stubs + steps.replaceAll(/(?<= )\/(?=etc|opt|usr)/g, `${root}/`), { cwd });
  const read = (name: string) => Deno.readTextFile(join(root, name));
  match(await read("etc/caddy/Caddyfile"), /^hits\.example\.com \{$/m);
  strictEqual(((await Deno.stat(join(root, "etc/tallymark.env"))).mode ?? 0) & 0o777, 0o600);
  const unit = await read("etc/systemd/system/tallymark.service");
  const command = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "")
    .replaceAll(/(?<= |^)\/(?=opt|usr)/g, `${root}/`).split(" ");
  const settings = (await read("etc/tallymark.env")).trim().split("\n").map((line) =>
    line.split("=")
  );
  await using service = await startService({
    env: { ...Object.fromEntries(settings), SECRET_TOKEN: "" },
    wrap: () => command,
  });
  match(service.url, /^http:\/\/127\.0\.0\.1:/);
  match(await (await fetch(`${service.url}/badge?id=home`)).text(), /^<svg /);
  // In place of systemd-run, which has eight options here.
  const run = `systemd-run() { shift 8; (cd '${service.cwd}' && "$@"); }; export -f systemd-run\n`;
  const script = (await read("usr/local/bin/tallymark-link"))
    .replaceAll(/(?<=[ "=])\/(?=opt|usr)/g, `${root}/`).replace("exec systemd-run", "systemd-run");
  const link = await paste(`${run}${script}`.replace("set -eu\n", ""), {
    cwd: service.cwd,
    env: Object.fromEntries(settings),
  });
  const [, token] = /^https:\/\/hits\.example\.com\/#sign-in=(\S+)\n$/.exec(link) ?? [];
  const session = await fetch(`${service.url}/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  strictEqual((await drained(session)).status, 200, link);
}

const SETTINGS_AND_PROXY = ["HOST_NAME=hits.example.com\nprintf", "Caddyfile | sudo tee"];

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

Deno.test(".deploy/README.md: the lines for the bundle take the place of the first step", async () => {
  await using folder = await tempDir();
  await using project = await copyProject();
  // The file that draws PNGs takes most of the time, and bundle_test makes it.
  await Deno.mkdir(join(project.path, "dist"));
  await Deno.writeTextFile(join(project.path, "dist/tallymark-png.js"), "");
  const lines = blockWith("task bundle\nsudo install").replace(/ && cd tallymark$/m, "")
    .replace("task bundle\n", "task bundle:main\n");
  const steps = [lines, ...SETTINGS_AND_PROXY.map(blockWith)];
  await runSteps(steps.join(""), { cwd: project.path, root: folder.path });
});

Deno.test(".docs/settings.md: the lines for a secret of one's own make one, and open reads", async () => {
  await using folder = await tempDir();
  await paste(blockWith("umask 077; echo"), { cwd: folder.path });
  const settings = await Deno.readTextFile(join(folder.path, ".env"));
  strictEqual(((await Deno.stat(join(folder.path, ".env"))).mode ?? 0) & 0o077, 0);
  const [, secret = ""] = /^SECRET_TOKEN=([0-9a-f]{40})$/m.exec(settings) ?? [];
  await using service = await startService({ cwd: folder.path });
  const headers = { "x-auth-token": secret };
  strictEqual((await fetch(`${service.url}/hit`, { headers }).then(drained)).status, 200);
  strictEqual(await (await fetch(`${service.url}/count.txt`)).text(), "1");
});

Deno.test(".docs/questions.md: its commands do what they say", async () => {
  await using folder = await tempDir();
  await using service = await startService({ cwd: folder.path });
  const secret = await Deno.readTextFile(join(folder.path, "data/secret"));
  const headers = { "x-auth-token": secret.trim() };
  const hit = (id: string) =>
    fetch(`${service.url}/hit?id=${id}`, { method: "POST", headers }).then(drained);
  for (const id of ["user/repo", "user/repo", "old/post"]) await hit(id);
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

Deno.test("the documented lines return the keys of jobs", async () => {
  await using service = await startService({ env });
  for (const job of ["metrics", "import&prefix=github/"]) {
    const line = blockWith(`key?job=${job}"`);
    const printed = await paste(line, { cwd: service.cwd, env: variables(service) });
    match(printed, /"key":"(?:metrics|import\.github\/)\.[\w-]{22}"/, job);
  }
});

Deno.test(".docs/settings.md: the command for another folder may use it, and no other", async () => {
  await using folder = await tempDir();
  const line = blockWith("/somewhere").replaceAll("/somewhere", folder.path);
  const [, store = "", flags = ""] = /^STORE_URL=(\S+) deno run (.+) main\.ts$/m.exec(line) ?? [];
  const start = (STORE_URL: string) =>
    startService({ env: { STORE_URL, SECRET_TOKEN: SECRET }, flags: flags.split(" ") });
  await using service = await start(store);
  const headers = { "x-auth-token": SECRET };
  strictEqual((await fetch(`${service.url}/hit`, { headers }).then(drained)).status, 200);
  ok((await Deno.stat(join(folder.path, "counters.kv"))).isFile);
  await rejects(start("kv:elsewhere/counters.kv"), /outside the folders/);
});

Deno.test("every block of .deploy, .docs/external_totals.md and .docs/settings.md is run by a test or says why not", () => {
  for (const [part] of SKIPPED) ok(blocks.some(({ text }) => text.includes(part)), part);
  const left = blocks.filter((block) =>
    !used.has(block) && !SKIPPED.some(([part]) => block.text.includes(part))
  );
  deepStrictEqual(left, []);
});
