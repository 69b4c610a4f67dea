import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

/** The modules that all others may import, and that import each other only. */
const LEAVES =
  "bounded_map.ts load_once.ts log.ts metrics.ts problem.ts start_error.ts version.ts " +
  "waiting.ts domain/errors.ts http/query.ts";

/**
 * The parts that each part of `src` may import from, also types. A part is a folder or a module.
 * Each may import itself and leaves.
 */
const ARROWS: Readonly<Record<string, string>> = {
  "main.ts": "start",
  "mount.ts": "start http",
  "serve.ts": "start http",
  "start": "app.ts auth counters domain hits store store/kv",
  "app.ts": "chart compat http routes service.ts",
  "routes":
    "auth badge browser chart counters domain drawing hits http openapi page read_counter.ts service.ts",
  "compat": "auth badge browser domain hits http read_counter.ts service.ts",
  "service.ts": "auth counters hits http png read_counter.ts",
  "read_counter.ts": "counters domain drawing http",
  "hits": "auth counters domain http",
  "page": "badge browser http openapi",
  "openapi": "auth domain http",
  "http": "auth domain",
  "auth": "domain",
  "png": "badge",
  "badge": "domain drawing",
  "chart": "domain drawing",
  "drawing": "domain",
  "counters": "domain",
  "store": "domain store/kv store/redis",
  "store/kv": "domain store",
  "store/redis": "domain store",
  "domain": "",
  "browser": "chart domain page",
};

/** The packages, and the parts that may import each. */
const PACKAGES: Readonly<Record<string, string>> = {
  "hono": "http",
  "isbot": "hits",
  "@redis/client": "store/redis",
  "@resvg/resvg-wasm": "png",
  "node:sqlite": "store/kv",
  "node:util": "start",
  "deno.json": "version.ts",
};

/** An import of a module: a path below the project's folder, or a name in `deno.json`. */
interface Import {
  readonly from: string;
  readonly isDynamic: boolean;
  readonly isType: boolean;
}

const IMPORT =
  /^(?:import|export)\b(?<type> type\b)?(?:[^;"]*?\bfrom)? "(?<named>[^"]+)"|\bimport\(\s*"(?<loaded>[^"]+)"/gm;

const files = sourceFiles("src");
/** The modules of the pages' scripts, a world of their own. */
const scripts = files.filter((file) => /^src\/browser\/(?!built).*\.[tj]s$/.test(file)).toSorted();
const modules = [...files.filter((file) => file.endsWith(".ts")), "main.ts"]
  .filter((file) => !scripts.includes(file)).toSorted();
/** Files that browsers run and show. */
const pages = files.filter((file) => !file.endsWith(".ts"));
const imports = new Map([...modules, ...scripts].map((module) => [module, importsOf(module)]));

Deno.test("every folder and module of src has a rule, and each rule one of them", () => {
  const parts = new Set([...modules, ...scripts].map(partOf));
  deepStrictEqual(
    [...parts].toSorted(),
    Object.keys(ARROWS).concat(LEAVES.split(" ").filter((leaf) => !leaf.includes("/"))).toSorted(),
  );
});

Deno.test("every module is used by main.ts, but for what others mount or serve and for a worker", () => {
  const used = loadedWith(["main.ts"], () => true);
  const unused = modules.filter((module) => !used.includes(module));
  deepStrictEqual(unused, ["src/mount.ts", "src/png/worker.ts", "src/serve.ts"]);
});

Deno.test("every module of the page's script is used by a page, and none by the server", () => {
  const entries = scripts.filter((script) =>
    /\/(?:page|data\/data|shared\/shared|api\/api)\.ts$|embed\/\w+\.js$/.test(script)
  );
  const used = loadedWith(entries, () => true);
  deepStrictEqual(scripts.filter((module) => !used.includes(module)), []);
  const server = loadedWith(["main.ts"], ({ isType }) => !isType);
  deepStrictEqual(scripts.filter((module) => server.includes(module)), []);
});

Deno.test("what the page's script shares with the server has only types from it", () => {
  deepStrictEqual(imports.get("src/chart/bars.ts")?.filter(({ isType }) => !isType), []);
});

Deno.test("imports keep to the arrows, and no endpoint imports another one", () => {
  const wrong = [...imports].flatMap(([module, all]) => {
    const part = partOf(module);
    const allowed = `${LEAVES} ${part === "routes" ? "" : part} ${ARROWS[part] ?? ""}`.split(" ");
    return all.map(({ from }) => from).filter((from) => {
      if (from.startsWith("src/")) {
        return ![partOf(from), from.slice(4)].some((name) => allowed.includes(name));
      }
      const [, users] = Object.entries(PACKAGES).find(([name]) =>
        `${from}/`.startsWith(`${name}/`)
      ) ?? [];
      return users !== part;
    }).map((from) => `${module} must not import ${from}`);
  });
  deepStrictEqual(wrong, []);
});

Deno.test("files for browsers are in src/browser, and are imported as text", async () => {
  const others = pages.filter((page) => !page.startsWith("src/browser/"));
  deepStrictEqual(others.toSorted(), ["src/png/tallymark-png.js", "src/png/worker.min.js"]);
  for (const module of modules.filter((module) => module !== "src/png/png_queue.ts")) {
    const text = await Deno.readTextFile(join(projectFolder, module));
    for (const [line] of text.matchAll(/^.*\bimport\b.*"[^"]+\.(?:js|css|html)".*$/gm)) {
      ok(/with \{ type: "text" \}/.test(line), line);
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
    for (const { from } of imports.get(module) ?? []) visit(from);
    open.pop();
    done.add(module);
  }
  for (const module of imports.keys()) visit(module);
});

Deno.test("a start loads no Redis, and no package but Hono and isbot", () => {
  const names = loadedWith(["main.ts"], ({ isDynamic, isType }) => !isDynamic && !isType);
  const packages = names.filter((name) => !/^(?:src\/|main\.ts|deno\.json)/.test(name));
  deepStrictEqual(packages.filter((name) => !/^(?:hono\/|isbot$)/.test(name)), []);
  ok(packages.length > 1 && names.includes("src/routes/badge.ts"));
  deepStrictEqual(names.filter((name) => name.startsWith("src/store/redis/")), []);
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

/** Returns the modules that an import leads to, both ours and others. */
function loadedWith(entries: readonly string[], follows: (one: Import) => boolean): string[] {
  const loaded = new Set<string>();
  function load(name: string): void {
    if (loaded.has(name)) return;
    loaded.add(name);
    imports.get(name)?.filter(follows).forEach(({ from }) => load(from));
  }
  entries.forEach(load);
  return [...loaded];
}

function importsOf(module: string): Import[] {
  const text = Deno.readTextFileSync(join(projectFolder, module));
  return Array.from(text.matchAll(IMPORT), ({ groups: { type, named, loaded } = {} }) => {
    const specifier = named ?? loaded ?? "";
    const path = normalize(join(dirname(module), specifier)).replaceAll("\\", "/");
    return {
      from: specifier.startsWith(".") ? path : specifier,
      isDynamic: loaded !== undefined,
      isType: type !== undefined,
    };
  });
}

/** Returns the folder of a module, or its name if it is in none. Stores have a folder each. */
function partOf(module: string): string {
  const name = module.replace(/^src\//, "");
  return /^(?:store\/(?:kv|redis)(?=\/)|[^/]+)/.exec(name)?.[0] ?? name;
}

function covered(parts: string[], name: string): boolean {
  return parts.some((part) => part === name || part.endsWith("/") && name.startsWith(part));
}

function sourceFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(projectFolder, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? sourceFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}
