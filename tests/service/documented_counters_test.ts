import { createHash } from "node:crypto";
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../../src/start/config.ts";
import { importOf } from "../support/data_files.ts";
import { paste, readBlocks } from "../support/documented_blocks.ts";
import { openSource } from "../support/external_sources.ts";
import { counter, startTallymark } from "../support/keeping.ts";
import type { ServiceAddress } from "../support/local_service.ts";
import { needsPrograms, projectFolder } from "../support/programs.ts";
import { startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { startService, statusOf } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";

const { blockWith, checkAll } = readBlocks(
  [".deploy/counters.md", ".deploy/leancloud.zh.md", ".docs/external_totals.md"],
  [
    ["node .deploy/keep.mjs", "keep_test runs it against stand-ins for all sources"],
    ["![stars]", "is Markdown"],
    ["leancloud_visitors:", "leancloud_themes_test sends the requests of the theme NexT"],
    ["web_analytics:", "leancloud_themes_test sends the requests of the theme Fluid"],
    ["# Caddy\n", "carrying_over_test runs it"],
    ["# nginx\n", "carrying_over_test runs it"],
  ],
);

const needsTools = needsPrograms("jq", "sqlite3", "curl", "gzip");
const needsRedisTools = needsPrograms("jq", "curl", "redis-server", "redis-cli");

/**
 * Runs a block of .deploy/counters.md against a service, after the lines that the page has first.
 */
function importBy(block: string, service: ServiceAddress, cwd: string): Promise<string> {
  const before = blockWith('IN="$T/counters?mode=max"');
  return paste(`${before}\n${block}`, { cwd, env: variables(service) });
}

function variables({ url }: ServiceAddress): Record<string, string> {
  return { T: url, SECRET_TOKEN: SECRET };
}

async function hit({ url }: ServiceAddress, times = 1): Promise<void> {
  for (let hit = 0; hit < times; hit++) {
    strictEqual(await statusOf(`${url}/hit?id=a&token=${SECRET}`), 200);
  }
}

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
    await using service = await startTallymark();
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
    await using other = await startTallymark();
    await using service = await startTallymark();
    await hit(other, 3);
    const given = `OTHER=${other.url} OTHER_TOKEN=${SECRET}\n`;
    await importBy(given + blockWith("$OTHER/counters"), service, folder.path);
    strictEqual((await counter(service.url, "a")).hits, 3);
  },
);

Deno.test(
  ".docs/external_totals.md: the lines import a report, older days of npm, a CSV file, and the total of a crate",
  needsTools,
  async () => {
    await using folder = await tempDir();
    await using service = await startTallymark();
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
    const redis = await counter(service.url, "docker/library/redis");
    deepStrictEqual(redis, {
      ...{ id: "docker/library/redis", hits: 126, seen: 126, at: "2026-11-24T02:00:00Z" },
    });
    deepStrictEqual(await counter(service.url, "npm/express"), {
      ...{ id: "npm/express", hits: 5, days: { "2024-01-01": 5 } },
    });
    deepStrictEqual(await counter(service.url, "pypi/name"), {
      ...{ id: "pypi/name", hits: 15, days: { "2024-01-31": 12, "2024-02-01": 3 } },
    });
    deepStrictEqual(await counter(service.url, "crates/serde"), { id: "crates/serde", hits: 4321 });
  },
);

Deno.test(".deploy/counters.md: the example of SERVE_AS is understood", () => {
  const [, SERVE_AS = ""] = /^SERVE_AS="(.*)"$/m.exec(blockWith("SERVE_AS=")) ?? [];
  deepStrictEqual(parseConfig({ SERVE_AS }).serveAs, SERVE_AS.split(","));
});

Deno.test(".deploy/counters.md: cron keeps a copy that can be restored", needsTools, async () => {
  await using folder = await tempDir();
  await using service = await startTallymark();
  await hit(service);
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
  const before = await counter(service.url, "a");
  await hit(service);
  await importBy(blockWith("--data-binary @counters-1.ndjson"), service, folder.path);
  deepStrictEqual(await counter(service.url, "a"), before);
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
      await hit(service, 2);
      await paste(backup, { cwd: folder.path });
      await hit(service);
      await service.stop();
    }
    await paste(`${remove}\nmv backup.kv data/counters.kv`, { cwd: folder.path });
    await using service = await startService(options);
    strictEqual(await (await fetch(`${service.url}/count.txt?id=a`)).text(), "2");
  },
);

Deno.test(".docs/external_totals.md: the line for keep.mjs returns its job key", async () => {
  await using service = await startTallymark();
  const line = blockWith('key?job=import&prefix=github/"');
  match(await paste(line, { env: variables(service) }), /"key":"import\.github\/\.[\w-]{22}"/);
});

Deno.test("every block of the pages about counters is run by a test or says why not", checkAll);
