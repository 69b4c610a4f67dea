import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { BADGE_PARAMETER_LIST, STYLES } from "../../src/badge/styles.ts";
import { id } from "../../src/http/endpoint.ts";
import { cacheSeconds } from "../../src/routes/badge.ts";
import { format } from "../../src/routes/count.ts";
import { key, token } from "../../src/auth/access.ts";
import type { Parameter } from "../../src/http/query.ts";
import { memoryApp } from "../support/app.ts";
import { projectFolder } from "../support/programs.ts";
import { startService } from "../support/service.ts";
import { routes } from "../support/surface.ts";

const pages = new Map<string, string>();
for (const folder of ["", ".docs", ".deploy", ".github"]) {
  for (const { name } of Deno.readDirSync(join(projectFolder, folder))) {
    const page = join(folder, name);
    if (name.endsWith(".md")) pages.set(page, Deno.readTextFileSync(join(projectFolder, page)));
  }
}
const textOf = (page: string): string => pages.get(page) ?? "";

/** The cells of all tables of a page whose first column has this head, row by row. */
function rowsUnder(page: string, head: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of textOf(page).split("\n")) {
    const cells = line.startsWith("|")
      ? line.split("|").slice(1, -1).map((cell) => cell.trim())
      : [];
    if (cells.length === 0) inside = false;
    else if (cells[0] === head) inside = true;
    else if (inside && !/^:?-+:?$/.test(cells[0] ?? "")) rows.push(cells);
  }
  return rows;
}

/** Returns the code in a cell. */
function codeIn(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code);
}

Deno.test("README.md is short enough to be read", () => {
  const readme = textOf("README.md");
  const bytes = new TextEncoder().encode(readme).length;
  ok(bytes <= 11_000, `${bytes} bytes`);
  ok(readme.split("\n").length <= 200, `${readme.split("\n").length} lines`);
});

Deno.test("every variable in a command of a page is set on that page", () => {
  for (const [page, text] of pages) {
    const shell = [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, lines = ""]) => lines);
    const inline = codeIn(text.replaceAll(/^ *```[^]*?^ *```$/gm, ""));
    const commands = [...shell, ...inline].join("\n");
    for (const [, name = ""] of commands.matchAll(/\$\{?([A-Za-z_]\w*)/g)) {
      const isSet = new RegExp(
        '(?:^|[\\s"(])' + name + "=|(?:read -r|--arg|for) " + name,
        "m",
      );
      ok(isSet.test(commands), `${page}: $${name}`);
    }
  }
});

Deno.test("the pages link to files and headings that exist", async () => {
  for (const [page, text] of pages) {
    const prose = text.replaceAll(/^```[^]*?^```$/gm, "");
    for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", heading] = target.split("#");
      const linked = path === "" ? page : join(dirname(page), path);
      ok((await Deno.stat(join(projectFolder, linked))).isFile, `${page}: ${target}`);
      if (heading !== undefined) ok(anchorsOf(linked).includes(heading), `${page}: ${target}`);
    }
  }
});

Deno.test("the contributing guide names files and folders that exist", async () => {
  const text = textOf(".github/CONTRIBUTING.md");
  const paths = [...text.matchAll(/(?<![\w./])(?:src|tests|\.docs|\.deploy)\/[\w./-]*\w/g)];
  ok(paths.length > 20);
  for (const [path] of paths) ok(await Deno.stat(join(projectFolder, path)), path);
});

/** The names that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-")
  );
}

Deno.test("README.md shows the page and a blog in light and dark, in pictures that load fast", async () => {
  const pictures = [...textOf("README.md").matchAll(/(?:srcset|src)="([^"]+\.png)"/g)];
  deepStrictEqual(pictures.map(([, path]) => path), [
    ".docs/images/counters-dark.png",
    ".docs/images/counters-light.png",
    ".docs/images/badges-dark.png",
    ".docs/images/badges-light.png",
    ".docs/images/blog-dark.png",
    ".docs/images/blog-light.png",
  ]);
  for (const [, path = ""] of pictures) {
    ok((await Deno.stat(join(projectFolder, path))).size < 150_000, path);
  }
});

Deno.test(".docs/reference.md lists every endpoint with its methods, and no other", () => {
  const listed = rowsUnder(".docs/reference.md", "Endpoint").flatMap(([cell]) => codeIn(cell));
  // The page describes responses that all reads share in a sentence.
  const served = routes.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").map((method) =>
      `${method} ${path}`
    )
  );
  deepStrictEqual(listed.toSorted(), served.toSorted());
});

Deno.test(".docs/troubleshooting.md lists the short events of the log, and no other", () => {
  const written = [...sourceIn("src").matchAll(/log\.(?:info|warn|error)\("([^"]*)"/g)]
    .map(([, event = ""]) => event).filter((event) => event.split(" ").length <= 3);
  const listed = rowsUnder(".docs/troubleshooting.md", "Event of the log").flatMap(([cell]) =>
    codeIn(cell)
  );
  deepStrictEqual(listed.toSorted(), [...new Set(written)].toSorted());
});

/** The text of all modules in a folder and those below it. */
function sourceIn(folder: string): string {
  return [...Deno.readDirSync(join(projectFolder, folder))].map(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return sourceIn(path);
    return name.endsWith(".ts") ? Deno.readTextFileSync(join(projectFolder, path)) : "";
  }).join("\n");
}

const all: readonly Parameter[] = [
  ...routes.flatMap(({ parameters }) => parameters),
  // A chart has other defaults than a badge, which the tables are about.
  ...[id, token, key, format, cacheSeconds, ...BADGE_PARAMETER_LIST],
];
const parameters = new Map(all.map((parameter) => [parameter.name, parameter]));

Deno.test(".docs/appearance.md gives the parameters of its table the defaults that they have", () => {
  const rows = rowsUnder(".docs/appearance.md", "Parameter");
  ok(rows.length >= BADGE_PARAMETER_LIST.length);
  for (const [cell, ...others] of rows) {
    const [name = ""] = codeIn(cell);
    const parameter = parameters.get(name);
    ok(parameter !== undefined, `${name} is no parameter`);
    const { default: usual } = parameter.schema;
    deepStrictEqual(codeIn(others.at(-1)), usual === undefined ? [] : [String(usual)], name);
  }
});

Deno.test("the documentation shows every style of badges, and how many there are", () => {
  const styles = new Set(STYLES.values());
  for (const { names } of styles) {
    ok(textOf(".docs/appearance.md").includes(`\`\`\`text\n?style=${names[0]}\n\`\`\``), names[0]);
    for (const name of names) {
      match(textOf(".docs/appearance.md"), new RegExp(`^\\| \`style\`.*\`${name}\``, "m"));
    }
  }
  const words = ["Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen"];
  ok(textOf("README.md").includes(`${words[styles.size - 10]} badge styles`), `${styles.size}`);
});

Deno.test(".docs names every parameter", () => {
  const text = textOf(".docs/reference.md") + textOf(".docs/appearance.md");
  for (const name of parameters.keys()) {
    ok(new RegExp(`[?&\`"]${name}(?:=|\`)|\\*\\*${name}(?:=|\\*\\*)`).test(text), name);
  }
});

Deno.test(".docs/appearance.md: every look draws an image, with parameters that its endpoint knows", async () => {
  await using app = await memoryApp();
  const looks = [...textOf(".docs/appearance.md").matchAll(/^```text\n(.*)\n```$/gm)].map((
    [, look = ""],
  ) => look.startsWith("?") ? `/badge${look}` : look);
  ok(looks.length > 15);
  for (const look of looks) {
    const { pathname, searchParams } = new URL(look, "http://localhost");
    const known = routes.find(({ path }) => path === pathname)?.parameters.map(({ name }) => name);
    for (const name of searchParams.keys()) ok(known?.includes(name), look);
    const { status, body } = await app.send(`GET ${look}`);
    strictEqual(status, 200, look);
    match(body, /^<svg /, look);
  }
});

/** The blocks of a page for a shell, except those that install, download or run the tests. */
function shellBlocks(page: string): string[] {
  return [...textOf(page).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block)
    .filter((block) => !/^(?:git clone|npx) |SECRET_TOKEN=\$\(openssl/m.test(block));
}

for (const page of ["README.md", ".docs/reference.md"]) {
  Deno.test(`${page}: every line to paste into a shell works`, async () => {
    // As after the first two commands of the README: a server without settings, in whose folder the
    // lines are pasted.
    await using service = await startService();
    const tried = rowsUnder(page, "Endpoint").map(([, , cell]) => codeIn(cell)[0] ?? "");
    const [before = "", ...others] = shellBlocks(page);
    ok(before.includes("T=http://localhost:8000 "));
    const script = [before.replace("http://localhost:8000", service.url), ...others, ...tried];
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      // A failed request is a failed line; what is written to a terminal otherwise is of no
      // interest.
      args: [
        "-euo",
        "pipefail",
        "-c",
        `curl() { command curl -fsS "$@"; }\nKEY=\n${script.join("\n")}`,
      ],
      cwd: service.cwd,
    }).output();
    const output = new TextDecoder().decode(stdout);
    strictEqual(code, 0, output.slice(-500) + new TextDecoder().decode(stderr));
    match(output, /\{"id":"home","hits":1,"source":"deno-kv"\}/);
  });
}

Deno.test("README.md: the line for a README counts, with the key that the lines before it made", async () => {
  await using service = await startService();
  const [block = ""] = shellBlocks("README.md");
  const { stdout } = await new Deno.Command("bash", {
    args: ["-c", block.replace("http://localhost:8000", service.url)],
    cwd: service.cwd,
  }).output();
  const [, url = ""] = /!\[views\]\((\S+)\)/.exec(new TextDecoder().decode(stdout)) ?? [];
  const headers = { accept: "image/*", "user-agent": "github-camo" };
  match(await (await fetch(url, { headers })).text(), /^<svg .*>views: 1</s);
  strictEqual(await (await fetch(`${service.url}/count.txt?id=user/repo`)).text(), "1");
});

for (const page of ["README.md", ".docs/reference.md"]) {
  Deno.test(`${page}: a server that is started in the same terminal later does not take the secret for its setting`, async () => {
    // With SECRET_TOKEN set, reads would be protected from then on.
    const { stdout } = await new Deno.Command("bash", {
      args: ["-c", `curl() { :; }\n${shellBlocks(page)[0]}\nenv`],
      env: { PATH: Deno.env.get("PATH") ?? "" },
      clearEnv: true,
    }).output();
    doesNotMatch(new TextDecoder().decode(stdout), /^SECRET_TOKEN=/m);
  });
}
