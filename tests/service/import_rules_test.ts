import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

/** Modules that import none of ours. Every module may import them. */
const LEAVES = [
  ...["src/bounded_map.ts", "src/domain/errors.ts", "src/load_once.ts", "src/log.ts"],
  ...["src/metrics.ts", "src/problem.ts", "src/start_error.ts", "src/version.ts"],
];

/**
 * The values that a module may import. Types, leaves and the folder of the rule are free. A name
 * with a slash at its end is a folder.
 */
const RULES: [modules: string, mayImport: string[]][] = [
  ["main.ts", ["src/start/server.ts"]],
  ["src/start/server.ts", [
    ...["src/app.ts", "src/start/", "src/auth/", "src/store/", "src/domain/", "src/counters/"],
  ]],
  ["src/mount.ts", ["src/start/server.ts", "src/start/"]],
  ["src/serve.ts", ["src/start/server.ts", "src/start/"]],
  ["src/app.ts", [
    ...["src/routes/", "src/compat/", "src/http/", "src/chart/pictures.ts"],
  ]],
  ["src/start/", ["src/store/", "src/hits/serve_as.ts", "src/auth/", "node:"]],
  ["src/routes/read_counter.ts", ["src/domain/"]],
  ["src/routes/", [
    ...["src/hits/", "src/http/", "src/auth/", "src/domain/", "src/counters/", "src/badge/"],
    ...["src/chart/", "src/openapi/", "src/page/", "src/browser/built/", "src/png/png_queue.ts"],
    "src/drawing/",
  ]],
  ["src/compat/", [
    ...["src/hits/", "src/http/", "src/auth/", "src/domain/", "src/badge/"],
    ...["src/browser/built/", "src/routes/read_counter.ts"],
  ]],
  ["src/hits/", ["src/http/query.ts", "src/domain/", "npm:isbot"]],
  ["src/http/", ["src/auth/", "src/domain/counter_id.ts", "npm:hono"]],
  ["src/auth/", ["src/domain/counter_id.ts"]],
  ["src/openapi/", ["src/auth/access.ts", "src/http/response.ts", "src/domain/calendar.ts"]],
  ["src/page/", ["src/browser/", "src/badge/styles.ts", "src/http/response.ts"]],
  ["src/browser/owner/data/", [
    ...["src/browser/embed/page_id.ts", "src/browser/lib/", "src/domain/counter_id.ts"],
  ]],
  ["src/browser/", ["src/chart/bars.ts", "src/domain/trend.ts"]],
  ["src/counters/", ["src/domain/"]],
  ["src/domain/", []],
  ["src/store/redis/", ["src/store/", "src/domain/", "npm:@redis/client"]],
  ["src/store/", ["src/domain/", "node:"]],
  ["src/png/png_queue.ts", ["src/png/tallymark-png.js", "src/badge/"]],
  ["src/png/", ["npm:@resvg/resvg-wasm"]],
  ["src/chart/", ["src/drawing/", "src/domain/", "src/http/query.ts"]],
  ["src/badge/", ["src/drawing/", "src/domain/", "src/http/query.ts"]],
  ["src/drawing/", ["src/domain/"]],
  ["src/version.ts", ["deno.json"]],
  ["src/problem.ts", ["src/domain/errors.ts"]],
  ...LEAVES.map((leaf): [string, string[]] => [leaf, []]),
];

/** The modules whose types keep to the rules, too. */
const DRAWINGS = /^src\/(?:badge|chart|drawing)\//;

/** The modules of `src/routes/` that the others share. */
const SHARED_ROUTES = ["src/routes/manage_counters.ts", "src/routes/read_counter.ts"];

type Dependency = {
  specifier: string;
  isDynamic?: boolean;
  code?: { specifier?: string };
  type?: { specifier?: string };
};
type Graph = { modules: { specifier: string; dependencies?: Dependency[] }[] };

const files = sourceFiles("src");
/** The modules of the pages' scripts, a world of their own. */
const scripts = files.filter((file) => /^src\/browser\/.*\.ts$/.test(file)).toSorted();
const modules = [...files.filter((file) => file.endsWith(".ts")), "main.ts"]
  .filter((file) => !scripts.includes(file)).toSorted();
/** Files that browsers run and show. */
const pages = files.filter((file) => !file.endsWith(".ts"));
const serverGraph = await readGraph("main.ts");
const scriptGraph = new Map([
  ...await readGraph("src/browser/owner/page.ts"),
  ...await readGraph("src/browser/owner/data/data.ts"),
  ...await readGraph("src/browser/shared/shared.ts"),
  ...await readGraph("src/browser/api/api.ts"),
  ...await readGraph("src/browser/embed/tally.js"),
]);
const graph = new Map([...scriptGraph, ...serverGraph]);

Deno.test("every module has a rule, and every rule a module", () => {
  const all = [...modules, ...scripts];
  deepStrictEqual(all.filter((module) => ruleOf(module) === undefined), []);
  deepStrictEqual(RULES.filter(([part]) => !all.some((module) => covers(part, module))), []);
});

Deno.test("every module is used by main.ts, but for what others mount or serve and for a worker", () => {
  const unused = modules.filter((module) => !serverGraph.has(module));
  deepStrictEqual(unused, ["src/mount.ts", "src/png/worker.ts", "src/serve.ts"]);
});

Deno.test("every module of the page's script is used by a page, and none by the server", () => {
  deepStrictEqual(scripts.filter((module) => !scriptGraph.has(module)), []);
  deepStrictEqual(scripts.filter((module) => serverGraph.has(module)), []);
});

Deno.test("what the page's script shares with the server has only types from it", () => {
  deepStrictEqual((graph.get("src/chart/bars.ts") ?? []).filter(({ code }) => code), []);
});

for (const module of [...modules, ...scripts]) {
  Deno.test(`imports: ${module} keeps to the direction of its folder`, () => {
    const [part = "", imports = []] = ruleOf(module) ?? [];
    // An endpoint is no part of another one.
    const own = part === "src/routes/" ? SHARED_ROUTES : part.endsWith("/") ? [part] : [];
    const allowed = [...imports, ...own, ...(LEAVES.includes(module) ? [] : LEAVES)];
    for (const { specifier, code, type } of graph.get(module) ?? []) {
      const name = nameOf(code?.specifier ?? type?.specifier ?? "");
      ok(
        /^(?:src\/|npm:|node:|deno\.json$)/.test(name),
        `${specifier} is neither ours nor in deno.json`,
      );
      if (name.startsWith("src/")) ok(/^\.\.?\//.test(specifier), specifier);
      else ok(!/^(?:npm|jsr|https?):/.test(specifier), `${specifier} has no name in deno.json`);
      const free = code === undefined && name.startsWith("src/") && !DRAWINGS.test(module);
      ok(free || covered(allowed, name), `${module} must not import ${name}`);
    }
  });
}

Deno.test("files for browsers are in src/browser, and are imported as text", async () => {
  const others = pages.filter((page) => !page.startsWith("src/browser/"));
  deepStrictEqual(others.toSorted(), ["src/png/tallymark-png.js", "src/png/worker.min.js"]);
  for (const module of modules.filter((module) => module !== "src/png/png_queue.ts")) {
    const text = await Deno.readTextFile(join(projectFolder, module));
    for (const [line] of text.matchAll(/^.*\bimport\b.*"[^"]+\.(?:js|css|html)".*$/gm)) {
      ok(
        /^src\/(?:routes|compat|page)\//.test(module) && /with \{ type: "text" \}/.test(line),
        line,
      );
    }
  }
});

Deno.test("no module imports itself in a cycle, not even for types", () => {
  const open: string[] = [];
  const done = new Set<string>();
  function visit(module: string): void {
    ok(!open.includes(module), `${[...open, module].join(" -> ")}`);
    if (done.has(module)) return;
    open.push(module);
    for (const { code, type } of graph.get(module) ?? []) {
      const name = nameOf(code?.specifier ?? type?.specifier ?? "");
      if (name.startsWith("src/")) visit(name);
    }
    open.pop();
    done.add(module);
  }
  visit("main.ts");
  visit("src/browser/owner/page.ts");
  visit("src/browser/owner/data/data.ts");
  visit("src/browser/shared/shared.ts");
  visit("src/browser/api/api.ts");
});

/** Returns the modules that are loaded with a module, both ours and others. */
function loadedWith(module: string): string[] {
  const loaded = new Set<string>();
  function load(name: string): void {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { code, isDynamic } of graph.get(name) ?? []) {
      if (isDynamic !== true) load(nameOf(code?.specifier ?? ""));
    }
  }
  load(module);
  return [...loaded];
}

Deno.test("a start loads no Redis, and no package but Hono and isbot", () => {
  const names = loadedWith("main.ts");
  deepStrictEqual(names.filter((name) => name.startsWith("src/store/redis/")), []);
  deepStrictEqual(names.filter((name) => /^node:/.test(name)), []);
  deepStrictEqual(names.filter((name) => /^npm:(?!(?:hono|isbot)@)/.test(name)), []);
  ok(names.includes("src/routes/badge.ts") && names.some((name) => name.startsWith("npm:hono@")));
});

Deno.test("code: main.ts waits for nothing, which would have V8 read a bundle twice at each start", async () => {
  const text = await Deno.readTextFile(join(projectFolder, "main.ts"));
  ok(!/\bawait\b/.test(withoutComments(text)), text);
});

const RESERVED: [what: RegExp, modules: string[]][] = [
  [
    /\bDeno\.(?:env|serve|exit|addSignalListener|args|mainModule)\b/,
    ["src/start/server.ts", "src/mount.ts", "src/serve.ts", "src/start/"],
  ],
  [/\bDeno\.(?:openKv|connect\w*|listen\w*)\b|(?<!\bapp\.)\bfetch\(/, [
    "src/store/open_store.ts",
    "src/store/kv/file/counter_file.ts",
    // Finds out whether file descriptors are free.
    "src/png/png_queue.ts",
    // Its default export has a method of this name.
    "src/serve.ts",
  ]],
  // The entry for workers has the console print lines without their names.
  [/\bconsole\b/, ["src/log.ts", "src/serve.ts"]],
  [/\bprocess\.(?:env|on|exit)\b|node:(?:http|child_process)/, []],
  [/node:net/, []],
  [/\bimport\((?!"[^"]+"[,)])/, []],
];

for (const [what, allowed] of RESERVED) {
  Deno.test(`code: ${allowed.join(", ") || "nobody"} alone uses ${what.source}`, async () => {
    const users: string[] = [];
    for (const module of modules) {
      const text = await Deno.readTextFile(join(projectFolder, module));
      if (what.test(withoutComments(text))) users.push(module);
    }
    deepStrictEqual(users.filter((module) => !covered(allowed, module)), []);
  });
}

/** A timer that is not awaited: work that goes on without a request. */
const TIMER =
  /\bsetInterval\(|\bAbortSignal\.timeout\(|imer (?:\?\?=|= \w+ \?) setTimeout\(|midnightTimer = setTimeout\(|#\w+Timer = setTimeout\(/;

Deno.test("code: .docs/design.md lists every module that works in the background, and no other", async () => {
  const workers: string[] = [];
  for (const module of modules) {
    const text = await Deno.readTextFile(join(projectFolder, module));
    if (TIMER.test(withoutComments(text))) workers.push(module);
  }
  const page = await Deno.readTextFile(join(projectFolder, ".docs/design.md"));
  const [, table = ""] = /\*\*Background work\*\*[^|]*([^]*?)\n\n/.exec(page) ?? [];
  const listed = [...table.matchAll(/`([\w/]+\.ts)` +\|$/gm)].map(([, path]) => `src/${path}`);
  deepStrictEqual(listed.toSorted(), workers);
});

// Deno 2.9 exports the loose comparisons of node:assert under these names. With these 1 equals "1".
const LOOSE = /\b(?:equal|deepEqual|notEqual|notDeepEqual)\b/;

Deno.test("assertions are imported by name from node:assert/strict, and none compares loosely", async () => {
  const others: string[] = [];
  for (const file of sourceFiles("tests").filter((file) => file.endsWith(".ts"))) {
    const text = await Deno.readTextFile(join(projectFolder, file));
    for (
      const [line, names, from] of text.matchAll(/^import ([^;]*?) from "([^"]*\bassert\b.*)";$/gm)
    ) {
      const named = from === "node:assert/strict" && names?.startsWith("{");
      if (!named || LOOSE.test(line)) others.push(`${file}: ${line}`);
    }
  }
  deepStrictEqual(others, []);
});

Deno.test("no module under src opens, reads or asks for anything by being imported", async () => {
  await using folder = await tempDir();
  const entry = join(folder.path, "import_all.ts");
  const entries = ["main.ts", "src/serve.ts"];
  const lines = modules.filter((module) => !entries.includes(module)).map((module) => {
    const url = JSON.stringify(new URL(`../../${module}`, import.meta.url));
    return `await import(${url}).catch((error) => { console.log(${
      JSON.stringify(module)
    }, String(error)); });`;
  });
  await Deno.writeTextFile(entry, lines.join("\n"));
  // It ends by itself only if no timer, listener or connection was left behind.
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", join(projectFolder, "deno.json"), "--no-prompt", entry],
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(FAR_AWAY_MS),
  }).output();
  strictEqual(new TextDecoder().decode(stdout), "");
  strictEqual(code, 0, new TextDecoder().decode(stderr));
});

function ruleOf(module: string): [module: string, mayImport: string[]] | undefined {
  return RULES.find(([part]) => part === module) ?? RULES.find(([part]) => covers(part, module));
}

function covered(parts: string[], name: string): boolean {
  return parts.some((part) => covers(part, name));
}

function covers(part: string, name: string): boolean {
  return part === name || (/[/:]$/.test(part) && name.startsWith(part)) ||
    (part.startsWith("npm:") && name.startsWith(`${part}@`));
}

/**
 * The path of a module from the project's folder; what is not ours stays as it is, with one
 * spelling for packages.
 */
function nameOf(specifier: string): string {
  if (!specifier.startsWith("file:")) return specifier.replace(/^npm:\//, "npm:");
  return relative(projectFolder, fileURLToPath(specifier)).replaceAll("\\", "/");
}

function sourceFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(projectFolder, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? sourceFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

async function readGraph(root: string): Promise<Map<string, Dependency[]>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", root],
    cwd: projectFolder,
  }).output();
  if (!success) throw new Error(`Read the modules: ${new TextDecoder().decode(stderr)}`);
  const graph: Graph = JSON.parse(new TextDecoder().decode(stdout));
  return new Map(
    graph.modules
      .filter(({ specifier }) => specifier.startsWith("file:"))
      .map(({ specifier, dependencies = [] }) => [nameOf(specifier), dependencies]),
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}
