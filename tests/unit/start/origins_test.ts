import { deepStrictEqual, doesNotThrow, ok, strictEqual, throws } from "node:assert/strict";
import { parseConfig } from "../../../src/start/config.ts";
import { ConfigError, type Setting, SETTINGS, VARIABLES } from "../../../src/start/settings.ts";
import { join } from "node:path";
import { projectFolder } from "../../support/programs.ts";
import { refuseRuntime } from "../../../src/start/environment.ts";

const VALID = [
  "https://blog.example",
  "https://blog.example:8443",
  "http://localhost:3000",
  "https://a.example,https://b.example",
  Array.from({ length: 20 }, (_, index) => `https://${index}.example`).join(","),
];

for (const text of VALID) {
  Deno.test(`EMBED_ORIGINS accepts ${text.slice(0, 60)}, also on Deno Deploy`, () => {
    for (const platform of [{}, { DENO_DEPLOY: "true" }]) {
      const { embedOrigins } = parseConfig({ EMBED_ORIGINS: text, ...platform });
      deepStrictEqual(embedOrigins, text.split(","));
    }
  });
}

const INVALID = [
  ...["*", "null", "'self'", "https://a.example/", "https://a.example/path", "https://*.example"],
  ...["https://a.example;", "https://a.example;script-src *", "https://a b.example", "a.example"],
  ...["http://a.example", "http://127.0.0.1", "ftp://a.example", "https://a.example:443"],
  ...["https://A.example", "https://u@a.example", "https://a.example?x", "https://a'.example"],
  ...['https://a".example', "https://a.example, https://b.example", "https://a.example,", "https:"],
  Array.from({ length: 21 }, (_, index) => `https://${index}.example`).join(","),
];

for (const text of INVALID) {
  Deno.test(`EMBED_ORIGINS refuses ${text.slice(0, 60)} by its name, not by its value`, () => {
    throws(() => parseConfig({ EMBED_ORIGINS: text, PORT: "x" }), (error) => {
      ok(error instanceof ConfigError);
      const [port, origins = ""] = error.problems.toSorted().toReversed();
      ok(port?.startsWith("PORT ") && origins.startsWith("EMBED_ORIGINS must be 1 to 20 origins"));
      return text.length < 9 || !origins.includes(text);
    });
  });
}

Deno.test("HIT_ORIGINS accepts http for any host, also on Deno Deploy, and refuses as EMBED_ORIGINS does", () => {
  const text = "https://blog.example,http://10.0.0.2:8080,http://intranet";
  for (const platform of [{}, { DENO_DEPLOY: "true" }]) {
    deepStrictEqual(parseConfig({ HIT_ORIGINS: text, ...platform }).hitOrigins, text.split(","));
  }
  deepStrictEqual(parseConfig({}).hitOrigins, []);
  for (const invalid of INVALID.filter((text) => !/^http:\/\/[\w.]+$/.test(text))) {
    throws(() => parseConfig({ HIT_ORIGINS: invalid }), /HIT_ORIGINS must be 1 to 20 origins/);
  }
});

Deno.test("HIT_ORIGINS accepts the schemes of apps, and EMBED_ORIGINS does not", () => {
  for (const text of ["tauri://localhost", "app://obsidian.md", "capacitor://localhost"]) {
    deepStrictEqual(parseConfig({ HIT_ORIGINS: text }).hitOrigins, [text]);
    throws(() => parseConfig({ EMBED_ORIGINS: text }), /EMBED_ORIGINS must be/);
    throws(() => parseConfig({ HIT_ORIGINS: `${text}/` }), /HIT_ORIGINS must be/);
  }
});

Deno.test("HIT_ORIGINS shows the form to write of a host with letters beyond ASCII", () => {
  const shown =
    /see entry 2\)\. Write hosts with other letters as https:\/\/xn--bcher-kva\.example:8443$/m;
  const text = "https://a.example,https://bücher.example:8443";
  throws(() => parseConfig({ HIT_ORIGINS: text }), shown);
});

Deno.test("EMBED_ORIGINS names the entries that are invalid", () => {
  throws(
    () => parseConfig({ EMBED_ORIGINS: "https://a.example,*,https://b.example,null" }),
    /\(see entry 2, 4\)/,
  );
});

const settings: Setting<unknown>[] = Object.values(SETTINGS);

Deno.test("SETTINGS: each has a name of its own, and a default that it can read", () => {
  strictEqual(new Set(VARIABLES).size, VARIABLES.length);
  for (const { parse, default: text = "", name } of settings) {
    ok(/^[A-Z_]+$/.test(name));
    doesNotThrow(() => parse(text, false), name);
  }
});

Deno.test("SETTINGS: the table in .docs has a line for each, with its default and its meaning", async () => {
  const page = await Deno.readTextFile(join(projectFolder, ".docs/settings.md"));
  const table = /^# Settings$[^]*?\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? "";
  const lines = table.trimEnd().split("\n").slice(2);
  const cells = lines.map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
  deepStrictEqual(cells, settings.map(rowOf));
});

function rowOf({ name, default: text = "", meaning, standaloneOnly }: Setting<unknown>): string[] {
  return [
    `\`${name}\``,
    text === "" ? "" : `\`${text}\``,
    standaloneOnly ? `Standalone only. ${meaning}` : meaning,
  ];
}

Deno.test("refuseRuntime: Deno 2.8.0, whose requests would wait for ever", () => {
  for (const onDeploy of [true, false]) {
    throws(() => refuseRuntime("2.8.0", onDeploy), /^StartError: .*use Deno 2\.8\.1 or later$/);
    for (const version of ["2.7.14", "2.8.1", "2.9.6", Deno.version.deno]) {
      doesNotThrow(() => refuseRuntime(version, onDeploy));
    }
  }
});

Deno.test("refuseRuntime: everything before Deno 2.7, but not on Deno Deploy", () => {
  for (const version of ["1.46.3", "2.5.6", "2.6.8"]) {
    throws(() => refuseRuntime(version, false), /^StartError: .*use Deno 2\.7 or later/);
    doesNotThrow(() => refuseRuntime(version, true));
  }
  for (const version of ["2.7.1", "2.10.0", "3.0.0"]) {
    doesNotThrow(() => refuseRuntime(version, false));
  }
});
