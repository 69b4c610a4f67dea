import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

/** The modules that all others may import, and that import each other only. */
const LEAVES = ("bounded_map.ts log.ts metrics.ts start_error.ts version.ts waiting.ts " +
  "domain/errors.ts store/setting.ts store/store_health.ts").split(" ");

/**
 * The parts of `src`, which are folders and modules. Each may import the parts that its arrows lead
 * to, also by way of others and for types, and itself, but for endpoints.
 */
const ARROWS = `
  main.ts mount.ts serve.ts > start > app.ts store
  app.ts > compat routes > service.ts openapi
  routes > page chart
  service.ts > hits png read_counter.ts > drawing
  hits read_counter.ts > counters http
  browser > chart page > badge openapi > http > auth
  png > badge
  store > store/kv store/redis
  badge chart > drawing
  auth > http/query.ts > problem.ts
  auth counters drawing store/kv store/redis > domain`;

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
const texts = new Map([...modules, ...scripts].map((module) => [module, textOf(module)]));
const imports = new Map([...texts].map(([module, text]) => [module, importsIn(module, text)]));
/** The modules without their comments. */
const code = modules.map((module) => {
  return { module, text: texts.get(module)?.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "") ?? "" };
});

Deno.test("imports keep to the arrows, and no endpoint imports another one", () => {
  const steps = ARROWS.trim().split("\n").flatMap((line) => {
    const places = line.split(">").map((parts) => parts.trim().split(" "));
    return places.slice(1).flatMap((to, index) =>
      places[index]?.map((from) => ({ from, to })) ?? []
    );
  });
  const next = (part: string) => steps.flatMap(({ from, to }) => from === part ? to : []);
  const wrong = [...imports].flatMap(([module, all]) => {
    const part = partOf(module);
    const first = part === "routes" ? next(part) : [part];
    const parts = LEAVES.includes(module.slice(4)) ? [] : reachedFrom(first, next);
    const allowed = new Set([...LEAVES, ...parts]);
    return all.map(({ from }) => from).filter((from) => {
      if (/^src\/browser\/.*\.(?:min\.js|css|html)$/.test(from)) return false;
      if (from.startsWith("src/")) return !allowed.has(partOf(from)) && !allowed.has(from.slice(4));
      const user = Object.keys(PACKAGES).find((name) => `${from}/`.startsWith(`${name}/`));
      return PACKAGES[user ?? ""] !== part;
    }).map((from) => `${module} must not import ${from}`);
  });
  deepStrictEqual(wrong, []);
  const known = new Set([...texts.keys()].flatMap((module) => [partOf(module), module.slice(4)]));
  const named = [...LEAVES, ...steps.flatMap(({ from, to }) => [from, ...to])];
  deepStrictEqual(named.filter((name) => name !== "main.ts" && !known.has(name)), []);
});

Deno.test("every module is used by main.ts, but for what others mount or serve and for a worker", () => {
  const used = loadedWith(["main.ts"], () => true);
  const unused = modules.filter((module) => !used.has(module));
  deepStrictEqual(unused, ["src/mount.ts", "src/png/worker.ts", "src/serve.ts"]);
});

Deno.test("every module of the page's script is used by a page, and none by the server", () => {
  const entries = scripts.filter((script) =>
    /\/(?:page|data\/data|shared\/shared|api\/api)\.ts$|embed\/\w+\.js$/.test(script)
  );
  const used = loadedWith(entries, () => true);
  deepStrictEqual(scripts.filter((module) => !used.has(module)), []);
  const server = loadedWith(["main.ts"], ({ isType }) => !isType);
  deepStrictEqual(scripts.filter((module) => server.has(module)), []);
  // A module of both would lead the page to the rest of the server.
  deepStrictEqual(imports.get("src/chart/bars.ts")?.filter(({ isType }) => !isType), []);
});

Deno.test("files for browsers are in src/browser, and are imported as text", () => {
  const others = files.filter((file) => !file.endsWith(".ts") && !file.startsWith("src/browser/"));
  deepStrictEqual(others.toSorted(), ["src/png/tallymark-png.js", "src/png/worker.min.js"]);
  for (const { module, text } of code) {
    if (module === "src/png/png_queue.ts") continue;
    for (const [line] of text.matchAll(/^.*\bimport\b.*"[^"]+\.(?:js|css|html)".*$/gm)) {
      ok(/with \{ type: "text" \}/.test(line), line);
    }
  }
});

Deno.test("no module imports itself in a cycle, not even for types", () => {
  const others = (module: string) => imports.get(module)?.map(({ from }) => from) ?? [];
  const isInCycle = (module: string) => loadedWith(others(module), () => true).has(module);
  deepStrictEqual([...imports.keys()].filter(isInCycle), []);
});

Deno.test("a start loads no Redis, and no package but Hono and isbot", () => {
  const names = [...loadedWith(["main.ts"], ({ isDynamic, isType }) => !isDynamic && !isType)];
  const packages = names.filter((name) => !/^(?:src\/|main\.ts|deno\.json)/.test(name));
  deepStrictEqual(packages.filter((name) => !/^(?:hono\/|isbot$)/.test(name)), []);
  ok(packages.length > 1 && names.includes("src/routes/badge.ts"));
  deepStrictEqual(names.filter((name) => name.startsWith("src/store/redis/")), []);
});

const RESERVED: [what: RegExp, modules: string[]][] = [
  [/\bDeno\.(?:env|serve|exit|addSignalListener|args|mainModule)\b/, [
    "src/mount.ts",
    "src/serve.ts",
    "src/start/",
  ]],
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
  [/\bprocess\.(?:env|on|exit)\b|node:(?:http|child_process|net)|\bimport\((?!"[^"]+"[,)])/, []],
];

for (const [what, allowed] of RESERVED) {
  Deno.test(`code: ${allowed.join(", ") || "nobody"} alone uses ${what.source}`, () => {
    const users = code.filter(({ text }) => what.test(text)).map(({ module }) => module);
    deepStrictEqual(users.filter((user) => !allowed.some((one) => user.startsWith(one))), []);
  });
}

Deno.test("code: main.ts waits for nothing, which would have V8 read a bundle twice at each start", () => {
  const main = code.find(({ module }) => module === "main.ts")?.text ?? "";
  ok(main.includes("run()") && !/\bawait\b/.test(main), main);
});

/** A timer that is not awaited: work that goes on without a request. */
const TIMER =
  /\bsetInterval\(|\bAbortSignal\.timeout\(|imer (?:\?\?=|= \w+ \?) setTimeout\(|midnightTimer = setTimeout\(|#\w+Timer = setTimeout\(/;

Deno.test("code: .docs/design.md lists every module that works in the background, and no other", () => {
  const page = textOf(".docs/design.md");
  const [, table = ""] = /\*\*Background work\*\*[^|]*([^]*?)\n\n/.exec(page) ?? [];
  const listed = [...table.matchAll(/`([\w/]+\.ts)` +\|$/gm)].map(([, path]) => `src/${path}`);
  const workers = code.filter(({ text }) => TIMER.test(text)).map(({ module }) => module);
  deepStrictEqual(listed.toSorted(), workers);
});

// Deno 2.9 exports the loose comparisons of node:assert under these names. With these 1 equals "1".
const LOOSE = /\b(?:equal|deepEqual|notEqual|notDeepEqual)\b/;

Deno.test("assertions are imported by name from node:assert/strict, and none compares loosely", () => {
  const others = sourceFiles("tests").filter((file) => file.endsWith(".ts")).flatMap((file) => {
    const found = textOf(file).matchAll(/^import ([^;]*?) from "([^"]*\bassert\b.*)";$/gm);
    return [...found].filter(([line, names, from]) =>
      from !== "node:assert/strict" || !names?.startsWith("{") || LOOSE.test(line)
    ).map(([line]) => `${file}: ${line}`);
  });
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
function loadedWith(entries: readonly string[], follows: (one: Import) => boolean): Set<string> {
  return reachedFrom(entries, (name) => {
    return imports.get(name)?.filter(follows).map(({ from }) => from) ?? [];
  });
}

/** Returns some names, and those that `next` leads to from them. */
function reachedFrom(names: readonly string[], next: (name: string) => string[]): Set<string> {
  const reached = new Set(names);
  // A set also goes through what is added on the way.
  for (const name of reached) for (const other of next(name)) reached.add(other);
  return reached;
}

function importsIn(module: string, text: string): Import[] {
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

function textOf(file: string): string {
  return Deno.readTextFileSync(join(projectFolder, file));
}

function sourceFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(projectFolder, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? sourceFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
