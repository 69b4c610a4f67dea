import { match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { credentialParameters } from "../../../src/auth/access.ts";
import { memoryApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";
import { openapi, routes } from "../../support/surface.ts";

Deno.test("GET /api tells of every endpoint with its methods, its parameters and what opens it", async () => {
  await using app = await memoryApp();
  const { status, headers, body } = await app.send("GET /api");
  strictEqual(status, 200);
  strictEqual(headers["content-type"], "text/html; charset=utf-8");
  const told = [
    ...body.matchAll(
      /<section class="panel ends" id="[\w-]+"><h3>(.+?) <code>([^<]+)<\/code>(.*?)<\/h3>(.*?)<\/section>/g,
    ),
  ];
  for (const { path, methods, parameters, access } of routes) {
    // The reference is drawn from the description for machines, which has no path for all below
    // /as/.
    if (!Object.hasOwn(openapi.paths, path)) {
      match(path, /^\/as\//);
      continue;
    }
    const method = methods[0] ?? "";
    // A path that only has another format of the same thing is in the heading of that.
    const [, , main = "", , section = ""] = told.find(([, methods = "", main, others = ""]) =>
      (main === path || others.includes(`>${path}<`)) && methods.includes(`>${method}<`)
    ) ?? [];
    for (const { name } of parameters) {
      ok(section.includes(`<th scope="row"><code>${name}</code>`), `${method} ${path} ${name}`);
    }
    for (const { name } of credentialParameters(access)) {
      match(section, OPENERS[name], `${path} ${name}`);
    }
    match(section, path === "/go" ? /<b>302<\/b>/ : /<b>200<\/b>/, path);
    ok(section.includes(`$T${main}`), path);
  }
});

/** The reference's words for the credentials of an endpoint, which the table of keys explains. */
const OPENERS = {
  token: /<a href="#keys">secret(?:,| or) bearer token/,
  key: /<a href="#keys">[^<]* key<\/a>/,
};

Deno.test("GET /api has lines that get 200 as they are, but for those with a file", async () => {
  await using app = await memoryApp();
  const { body } = await app.send("GET /api");
  const lines = Array.from(body.matchAll(/<pre>(curl[^<]*)<\/pre>/g), ([, line = ""]) => line);
  ok(lines.length > 30);
  // A link needs its key, and redirects.
  for (const line of lines.filter((line) => !/@FILE|\/go\?/.test(line))) {
    const method = / -X (\w+)/.exec(line)?.[1] ?? "GET";
    const path = /\$T(.*)&quot;/.exec(line)?.[1];
    const headers = line.includes("X-Auth-Token") ? authorized : {};
    strictEqual((await app.send(`${method} ${path}`, headers)).status, 200, line);
  }
});

Deno.test("GET /api lets its own style and script through and nothing else", async () => {
  await using app = await memoryApp({ openReads: false });
  const { headers, body } = await app.send("GET /api");
  const hashOf = (element: RegExp) =>
    `'sha256-${createHash("sha256").update(element.exec(body)?.[1] ?? "").digest("base64")}'`;
  strictEqual(
    headers["content-security-policy"],
    `default-src 'none'; script-src ${hashOf(/<script type="module">([^]*?)<\/script>/)}; ` +
      `style-src ${
        hashOf(/<style>([^]*?)<\/style>/)
      }; img-src data:; base-uri 'none'; form-action 'none'; ` +
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  strictEqual(headers["referrer-policy"], "no-referrer");
});
