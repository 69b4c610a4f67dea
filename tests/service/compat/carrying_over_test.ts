import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { importOf } from "../../support/data_files.ts";
import { findOnPath, needsPrograms, projectFolder } from "../../support/programs.ts";
import { type ServiceAddress, startLocalService } from "../../support/local_service.ts";
import { reservePort } from "../../support/reserved_port.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Crawlers are not counted. */
const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0";
const PAGE = Deno.readTextFileSync(join(projectFolder, ".deploy/counters.md"));

/** The peers under the origins that the table tells to replace. */
const ORIGINS = [...PAGE.matchAll(/^\| `(http.*?) *\| `…\/as\/(\S+?)` /gm)].flatMap(
  ([, origins = "", name = ""]) =>
    [...origins.matchAll(/https?:[^`,\s]+/g)].map(([origin]) => [origin, name] as const),
);

/** The code of the page that has this text in it, as it can be pasted. */
function codeWith(text: string): string {
  const blocks = PAGE.matchAll(/^```\w*\n([^]*?)^```$/gm);
  return blocks.map(([, code = ""]) => code).find((code) => code.includes(text)) ?? "";
}

const CARRIED = [
  "komarev/octocat",
  "visitor-badge/octocat.hello",
  "seeyoufarm/github.com/octocat/hello",
  "dwyl/octocat/hello",
  "hits.sh/github.com/octocat/hello",
  "countapi/namespace/key",
];

Deno.test("counters.md: a number before a counter of a peer that is alive is a line to paste", async () => {
  ok(PAGE.includes("`12,345 komarev/octocat`"));
  const text = CARRIED.map((id) => `12,345 ${id}\n`).join("");
  const { lines } = await importOf({ "Pasted text": text });
  deepStrictEqual(lines, CARRIED.map((id) => JSON.stringify({ id, hits: 12_345 })));
});

Deno.test("counters.md says which origin every peer has, and what becomes of its numbers", () => {
  deepStrictEqual([...new Set(ORIGINS.map(([, name]) => name))], [
    ...["komarev", "visitor-badge", "seeyoufarm", "dwyl", "hits.sh"],
    ...["profile-counter", "countapi", "busuanzi", "applause"],
  ]);
});

const PROXIES = {
  caddy: {
    mark: "# Caddy",
    async args(text: string, { folder, port }: { folder: string; port: number }) {
      const config = join(folder, "Caddyfile");
      const site = text.replace("counter.example.com", `http://127.0.0.1:${port}`);
      await Deno.writeTextFile(config, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
      return ["run", "--adapter", "caddyfile", "--config", config];
    },
  },
  nginx: {
    mark: "# nginx",
    async args(text: string, { folder, port }: { folder: string; port: number }) {
      const config = join(folder, "nginx.conf");
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join(" ");
      const server = text.replace("server {", `server { listen 127.0.0.1:${port}; access_log off;`);
      await Deno.writeTextFile(
        config,
        `daemon off; master_process off; pid ${folder}/pid; events {} http { ${paths} ${server} }`,
      );
      return ["-e", "stderr", "-p", folder, "-c", config];
    },
  },
};

for (const name of ["caddy", "nginx"] as const) {
  const program = findOnPath([name]);
  Deno.test({
    name: `counters.md keeps the addresses of a peer's own domain behind ${name}`,
    ...needsPrograms(name),
    fn: async () => {
      await using service = await startLocalService({
        SECRET_TOKEN: SECRET,
        PUBLIC_READS: "1",
        SERVE_AS: "dwyl/,busuanzi/blog.example/",
        TRUST_PROXY: "1",
      });
      await using folder = await tempDir();
      const port = reservePort();
      const { mark, args } = PROXIES[name];
      const upstream = new URL(service.url).host;
      const config = codeWith(mark).replace("127.0.0.1:8000", upstream);
      const process = new Deno.Command(program ?? "", {
        args: await args(config, { folder: folder.path, port }),
        env: { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
        ...{ stdin: "null", stdout: "null", stderr: "null" },
      }).spawn();
      try {
        const url = `http://127.0.0.1:${port}`;
        const image = await waitFor(name, () => textOf(`${url}/a-b/c.d.svg?style=flat_square`));
        ok(image.includes(">1<"), image);
        ok(!image.includes("linearGradient"), "the query arrives");
        strictEqual(await count(service, "dwyl/a-b/c.d"), 1);
        ok((await textOf(`${url}/a-b/%63.d.svg`))?.includes(">2<"));
      } finally {
        process.kill();
        await process.status;
      }
    },
  });
}

async function count({ url }: ServiceAddress, id: string): Promise<number> {
  const answer = await fetch(`${url}/count?id=${encodeURIComponent(id)}`, { headers: authorized });
  return (await answer.json()).hits;
}

/** Returns the response of a proxy, or undefined until it listens. */
async function textOf(url: string): Promise<string | undefined> {
  const headers = { "user-agent": READER };
  const answer = await fetch(url, { headers }).catch(() => undefined);
  return await answer?.text();
}
