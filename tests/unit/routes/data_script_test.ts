import { match, ok, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";

/** Maximum size of the script as served, in bytes. */
const MAX_BYTES = 15_000;

Deno.test("the page accepts the script of its Data view by its hash, and nothing else", async () => {
  await using app = await memoryApp();
  const page = await app.send("GET /", { accept: "text/html" });
  const [, map = ""] = /<script type="importmap">(.*?)<\/script>/.exec(page.body) ?? [];
  const script = await app.send("GET /data.js");
  strictEqual(script.status, 200);
  const hash = await hashOf(script.body);
  strictEqual(JSON.parse(map).integrity["./data.js"], hash);
  const policy = page.headers["content-security-policy"] ?? "";
  const [, sources = ""] = /script-src ([^;]*)/.exec(policy) ?? [];
  ok(sources.includes(`'${hash}'`) && sources.includes(`'${await hashOf(map)}'`), sources);
  strictEqual(sources.split(" ").length, 3);
  match(policy, /require-trusted-types-for 'script'/);
});

Deno.test("the script of the Data view is small, and caches ask for it", async () => {
  await using app = await memoryApp();
  const response = await app.open("GET /data.js", { "accept-encoding": "gzip" });
  const headers = Object.fromEntries(response.headers);
  strictEqual(headers["cache-control"], "no-cache");
  match(headers.etag ?? "", /^W\//);
  strictEqual(headers["content-encoding"], "gzip");
  const size = (await response.bytes()).length;
  ok(size > 0 && size <= MAX_BYTES, `${size} bytes`);
});

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
