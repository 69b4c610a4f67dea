import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { ProcessOutput } from "../support/process_output.ts";
import { findOnPath, needsPrograms, projectFolder } from "../support/programs.ts";
import { reservePort } from "../support/reserved_port.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { TIME_ZONE } from "../support/time_zones.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";

const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0";

/** Longer than any limit that the files set for strangers. */
const LONG_MS = 12_000;

/** Replacements that make a configuration file work here. Each text occurs once in the file. */
interface Place {
  readonly folder: string;
  readonly port: number;
  readonly upstream: string;
  readonly certificate: Certificate;
}

const proxies = {
  nginx: {
    file: "nginx.conf",
    refusals: [400, 413],
    edits: ({ folder, port, certificate }: Place): [string, string][] => [
      ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
      ["server_name hits.example.com", "server_name localhost"],
      ["/etc/ssl/hits.example.com.pem", certificate.certificate],
      ["/etc/ssl/hits.example.com.key", certificate.key],
      ["/var/log/nginx/tallymark.log", join(folder, "access.log")],
      ["/var/log/nginx/tallymark.error.log", join(folder, "error.log")],
    ],
    async command(config: string, folder: string) {
      const main = join(folder, "main.conf");
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join(" ");
      await Deno.writeTextFile(
        main,
        `daemon off; master_process off; pid ${folder}/pid; events {} http { ${temporary} include ${config}; }`,
      );
      return ["-e", "stderr", "-p", folder, "-c", main];
    },
  },
  caddy: {
    file: "Caddyfile",
    // Caddy reports its own limit as a failure of the service if it meets it while it sends the
    // body on.
    refusals: [400, 413, 502],
    edits: ({ port, certificate }: Place): [string, string][] => [
      ["\n{\n", "\n{\n\tadmin off\n\tauto_https off\n"],
      [
        "hits.example.com {",
        `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate.certificate} ${certificate.key}\n`,
      ],
    ],
    command: (config: string) =>
      Promise.resolve(["run", "--adapter", "caddyfile", "--config", config]),
  },
};

/** Allows steps at the same time. The test itself is still checked for what it leaves. */
const TOGETHER = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

Deno.test({
  name: ".deploy: strangers are cut short, the owner's counters are not",
  ...needsPrograms("nginx", "caddy", "openssl"),
  // Both at the same time, because most of it is pauses.
  fn: (t) =>
    Promise.all(
      (["nginx", "caddy"] as const).map((name) =>
        t.step({
          name: proxies[name].file,
          ...TOGETHER,
          fn: async (t) => {
            await using service = await startService({
              env: {
                SECRET_TOKEN: SECRET,
                PUBLIC_READS: "1",
                TRUST_PROXY: "1",
                STORE_URL: "memory:",
                TIME_ZONE,
              },
            });
            await using proxy = await startProxyOf(name, service);
            const at = (path: string, init: RequestInit = {}) =>
              fetch(`${proxy.url}${path}`, { headers: authorized, ...init, client: proxy.client });

            await t.step(
              "visitors are told apart, and nothing passes for one of them",
              async () => {
                for (const hits of [1, 1]) {
                  const answer = await at("/hit?id=v&once=day", {
                    headers: { ...authorized, "x-forwarded-for": crypto.randomUUID() },
                  });
                  strictEqual((await answer.json()).hits, hits);
                }
              },
            );

            await t.step("a deleted counter is put back with years of history", async () => {
              const days = Object.fromEntries(
                Array.from({ length: 3000 }, (_, day) => [dayBefore(day), day + 1]),
              );
              const body = JSON.stringify({ hits: 12345, days });
              strictEqual(
                (await drained(at("/counters?id=old", { method: "PUT", body }))).status,
                200,
              );
              const held = await (await at("/counters?id=old", { method: "DELETE" })).text();
              const undo = at("/counters?id=old", { method: "PUT", body: held });
              strictEqual((await drained(undo)).status, 200);
              deepStrictEqual(await (await at("/counters?id=old")).text(), held);
            });

            await t.step("a body elsewhere is small", async () => {
              const body = "x".repeat(2000);
              const answers = await Promise.all(
                Array.from(
                  { length: 20 },
                  () => drained(at("/hit?id=with-body", { method: "POST", body })),
                ),
              );
              for (const { status } of answers) {
                ok(proxies[name].refusals.includes(status), String(status));
                if (status !== 502) continue;
                const isTooLarge = async () =>
                  /body too large/.test(await proxy.logs()) || undefined;
                await waitFor("the limit as its reason", isTooLarge);
              }
              strictEqual((await (await at("/count?id=with-body")).json()).hits, 0);
            });

            await t.step(
              "the largest bodies of LeanCloud and applause arrive, larger ones do not",
              async () => {
                const { key } = await (await at("/key?prefix=leancloud/blog/")).json();
                const theme = { "x-lc-id": "blog", "x-lc-key": key, "user-agent": READER };
                const writes = Array.from({ length: 100 }, (_, page) => ({
                  method: "POST",
                  path: "/1.1/classes/Counter",
                  body: { url: `/${page}/`, time: 1 },
                }));
                const send = (path: string, body: string) =>
                  at(path, { method: "POST", body, headers: theme });
                for (
                  const [path, bytes, value] of [
                    ["/as/leancloud/1.1/batch", 65_536, { requests: writes }],
                    [
                      "/as/applause/get-multiple",
                      16_384,
                      Array(100).fill("https://blog.example/a/"),
                    ],
                  ] as const
                ) {
                  const body = JSON.stringify(value).padEnd(bytes);
                  const answer = await send(path, body);
                  strictEqual(answer.status, 200, path);
                  strictEqual((await answer.json()).length, 100, path);
                  const { status } = await drained(send(path, `${body} `));
                  ok(proxies[name].refusals.includes(status), `${path}: ${status}`);
                }
                strictEqual((await (await at("/count?prefix=leancloud/blog/")).json()).hits, 100);
              },
            );

            await t.step("a shared page names its preview by https", async () => {
              const { key } = await (await at("/key?read=big/")).json();
              const page = await (await at(`/p?prefix=big/&key=${key}`)).text();
              match(page, /property="og:image" content="https:/);
            });

            await t.step(
              "imports and exports may be large and slow, a head of a request not",
              async () => {
                const COUNTERS = 1500;
                const lines = linesOf(COUNTERS);
                const imported = await at("/counters", { method: "POST", body: lines });
                deepStrictEqual(await imported.json(), { counters: COUNTERS });
                await Promise.all([
                  (async () => {
                    const answer = await at("/counters", {
                      method: "POST",
                      body: slowly("slow/", 4),
                    });
                    deepStrictEqual(await answer.json(), { counters: 4 });
                  })(),
                  (async () => {
                    const answer = await at("/counters?prefix=big/&days=400");
                    const exported = await readSlowly(answer);
                    strictEqual(exported.split("\n").length, COUNTERS + 2);
                    ok(exported.endsWith(`\n{"counters":${COUNTERS}}\n`));
                  })(),
                  (async () => {
                    const start = performance.now();
                    await untilCut(proxy, `GET /count HTTP/1.1\r\nHost: localhost\r\n`);
                    const milliseconds = performance.now() - start;
                    ok(milliseconds < timeLimit(8000), `${milliseconds} ms`);
                  })(),
                ]);
              },
            );

            await t.step("what it logs of a service that is away holds no secret", async () => {
              await service.stop();
              const { status } = await drained(at(`/hit?token=${SECRET}&key=of-a-counter`));
              ok(status >= 500, String(status));
              const logs = await proxy.logs();
              ok(logs.length > 0);
              doesNotMatch(logs, new RegExp(`${SECRET}|of-a-counter`));
            });
          },
        })
      ),
    ).then(() => {}),
});

interface RunningProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly authority: string;
  readonly client: Deno.HttpClient;
  logs(): Promise<string>;
}

async function startProxyOf(name: "nginx" | "caddy", service: Service): Promise<RunningProxy> {
  const path = findOnPath([name]);
  if (path === undefined) throw new Error(`Start ${name}: not found, run \`deno task test\``);
  const { file, edits, command } = proxies[name];
  const folder = await tempDir();
  const certificate = await makeCertificate(folder.path);
  const port = reservePort();
  const upstream = new URL(service.url).host;
  let text = await Deno.readTextFile(join(projectFolder, ".deploy", file));
  for (const [from, to] of edits({ folder: folder.path, port, upstream, certificate })) {
    strictEqual(text.split(from).length, 2, `${file} has "${from}" once`);
    text = text.replace(from, to);
  }
  ok(text.includes("127.0.0.1:8000"));
  const config = join(folder.path, file);
  await Deno.writeTextFile(config, text.replaceAll("127.0.0.1:8000", upstream));
  const process = new Deno.Command(path, {
    args: await command(config, folder.path),
    env: { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
    cwd: folder.path,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput([process.stdout, process.stderr]);
  const authority = await Deno.readTextFile(certificate.authority);
  await waitFor(name, async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused) return undefined;
      throw error;
    }
  });
  const client = Deno.createHttpClient({ caCerts: [authority] });
  return {
    url: `https://localhost:${port}`,
    port,
    authority,
    client,
    async logs() {
      const files = ["access.log", "error.log"].map((name) =>
        Deno.readTextFile(join(folder.path, name)).catch(() => "")
      );
      return output.text(0) + output.text(1) + (await Promise.all(files)).join("");
    },
    async [Symbol.asyncDispose]() {
      client.close();
      process.kill("SIGTERM");
      await process.status;
      await output.ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Sends the beginning of a request and waits until the proxy has had enough of it. */
async function untilCut({ port, authority }: RunningProxy, request: string): Promise<void> {
  using connection = await Deno.connectTls({ hostname: "localhost", port, caCerts: [authority] });
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4096);
  while (await connection.read(buffer).catch(() => null) !== null);
}

/** Lines of an import, each after a pause, which together take longer than a stranger has. */
function slowly(prefix: string, lines: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let line = 0;
  return new ReadableStream<string>({
    async pull(controller) {
      if (line === lines) return controller.close();
      if (line > 0) await pause(LONG_MS / (lines - 1));
      controller.enqueue(`{"id":"${prefix}${line++}","hits":1}\n`);
    },
  }).pipeThrough(new TextEncoderStream());
}

/** Reads the beginning of an answer, and the rest long after it. */
async function readSlowly(answer: Response): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of answer.body ?? []) {
    if (parts.length === 0) await pause(LONG_MS);
    parts.push(part);
  }
  return await new Blob(parts).text();
}

/** Counters with a year of days: too many bytes to be on the way all at once. */
function linesOf(counters: number): string {
  const days = JSON.stringify(
    Object.fromEntries(Array.from({ length: 365 }, (_, day) => [dayBefore(day), 1000 + day])),
  );
  const numbers = Array.from({ length: counters }, (_, index) => String(index).padStart(6, "0"));
  return numbers.map((number) => `{"id":"big/${number}","hits":99999,"days":${days}}\n`).join("");
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

async function drained(answering: Promise<Response>): Promise<Response> {
  const answer = await answering;
  await answer.body?.cancel();
  return answer;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
