import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { parseConfig } from "../../../src/start/config.ts";
import { ConfigError } from "../../../src/start/settings.ts";

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
