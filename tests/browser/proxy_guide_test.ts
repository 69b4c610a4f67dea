import { fail, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Hono } from "hono";
import { openService } from "../../src/start/server.ts";
import { needsChromium, shareChromium, sharedChromium } from "../support/chromium.ts";
import { startLocalService } from "../support/local_service.ts";
import { findOnPath, needsPrograms, projectFolder } from "../support/programs.ts";
import { reservePort } from "../support/reserved_port.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { runService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";

shareChromium();

const env = { SECRET_TOKEN: SECRET, STORE_URL: "memory:", TRUST_PROXY: "1" };
const guide = await Deno.readTextFile(join(projectFolder, ".deploy/README.md"));

for (const name of ["caddy", "nginx"] as const) {
  Deno.test({
    name:
      `below a path: with the lines for ${name}, the page signs in, and all addresses have the path`,
    ignore: needsChromium.ignore || needsPrograms(name).ignore,
    async fn() {
      await using service = await startLocalService(env);
      await using proxy = await startProxy(name, { upstream: service.url });
      await usePage(proxy.url);
      const page = await fetch(`${proxy.url}/hits/p?prefix=blog/`, { headers: authorized });
      match(
        await page.text(),
        /property="og:image" content="http:\/\/127\.0\.0\.1(?::\d+)?\/hits\/preview\.png\?prefix=blog%2F"/,
      );
    },
  });
}

for (const name of ["caddy", "nginx"] as const) {
  Deno.test({
    name: `behind a CDN: with the lines for ${name} and TRUST_PROXY=2, visitors are told apart`,
    ...needsPrograms(name),
    async fn() {
      await using service = await startLocalService({ ...env, TRUST_PROXY: "2" });
      await using proxy = await startProxy(name, { upstream: service.url });
      // The CDN has added the visitor to what the visitor made up.
      for (const [visitor, hits] of [["203.0.113.1", 1], ["203.0.113.2", 2], ["203.0.113.1", 2]]) {
        const headers = { ...authorized, "x-forwarded-for": `198.51.100.7, ${visitor}` };
        const response = await fetch(`${proxy.url}/hits/hit?id=v&once=day`, { headers });
        strictEqual((await response.json()).hits, hits);
      }
    },
  });
}

Deno.test({
  name:
    "below a path: mounted in a server with Hono, the page signs in by a link, and all addresses have the path",
  ...needsChromium,
  async fn() {
    const none = { unknownNames: [], quotedNames: [] };
    const opening = { isTerminal: false, onUnusable: (cause: unknown) => fail(String(cause)) };
    const { app, counters } = await openService({ environment: env, ...none }, opening);
    const site = new Hono();
    site.mount("/hits", (request) => app.fetch(request, {}));
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, site.fetch);
    const url = `http://127.0.0.1:${server.addr.port}`;
    const { stdout } = await runService({ args: ["link", `${url}/hits`], env });
    const [, fragment = ""] = stdout.trim().split("/hits/#");
    await usePage(url, fragment);
    await server.shutdown();
    app.close();
    await counters.close();
  },
});

/** Signs in, and looks at the counters and at the builder. */
async function usePage(site: string, fragment = `sign-in=${SECRET}`): Promise<void> {
  const counted = await fetch(`${site}/hits/hit?id=blog/a`, { headers: authorized });
  strictEqual((await counted.json()).hits, 1);
  await using context = await openContext();
  const { page } = context;
  // Without the last slash, as one types it.
  await page.goto(`${site}/hits#${fragment}`);
  await page.getByText(/^as of /).locator("visible=true").waitFor();
  await page.getByRole("link", { name: "Badges" }).click();
  await page.getByLabel("Counter", { exact: true }).fill("blog/a");
  await page.getByRole("radio", { name: /^Count views and show them/ }).check();
  await page.getByText(`${site}/hits/hit.svg?id=blog/a&`).locator("visible=true").waitFor();
  for (const ground of ["light", "dark"]) {
    const preview = page.locator(`img#on-${ground}`);
    const isLoaded = () =>
      preview.evaluate((image) => Reflect.get(image, "naturalWidth") > 0 || undefined);
    await waitFor(`the ${ground} preview`, isLoaded);
  }
}

async function openContext() {
  const context = await sharedChromium().newContext();
  return { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
}

/** Starts a proxy with the lines of the guide for a path, and for a CDN at this address. */
async function startProxy(name: "caddy" | "nginx", { upstream }: { upstream: string }) {
  const folder = await tempDir();
  const port = reservePort();
  const part = name === "caddy" ? "handle_path" : "location = /hits";
  const lines = [...guide.matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text = ""]) => text)
    .find((text) => text.includes(part))?.replaceAll("127.0.0.1:8000", new URL(upstream).host);
  const [trust = ""] = /trusted_proxies (?=173)/.exec(guide) ?? [];
  const trusting = lines?.replace("header_up", `${trust}127.0.0.1/32\nheader_up`);
  const config = join(folder.path, "config");
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const folders = kinds.map((kind) => `${kind}_temp_path ${folder.path}/${kind};`).join(" ");
  const [text, args] = name === "caddy"
    ? [`{\n admin off\n}\nhttp://127.0.0.1:${port} {\n bind 127.0.0.1\n${trusting}\n}\n`, [
      ...["run", "--adapter", "caddyfile", "--config", config],
    ]]
    : [
      `daemon off; master_process off; pid ${folder.path}/pid; events {}
      http { access_log off; ${folders} server { listen 127.0.0.1:${port};\n${lines}\n} }`,
      ["-e", "stderr", "-p", folder.path, "-c", config],
    ];
  await Deno.writeTextFile(config, text);
  const process = new Deno.Command(findOnPath([name]) ?? name, {
    args,
    env: { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await waitFor(name, () => fetch(`${url}/hits/healthz`).then(isOk, () => undefined));
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function isOk(response: Response): Promise<true | undefined> {
  await response.body?.cancel();
  return response.ok || undefined;
}
