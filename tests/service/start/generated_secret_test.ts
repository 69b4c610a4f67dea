import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsStrace } from "../../support/fsync_faults.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { runService, spawnService, startService, statusOf } from "../../support/service.ts";
import { startFlags } from "../../support/service_command.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("data/secret: is made at the first start, for its owner alone, and opens every later run", async () => {
  await using folder = await tempDir();
  const path = join(folder.path, "data/secret");
  let key = "";
  for (const hits of [1, 2]) {
    await using service = await startService({ cwd: folder.path });
    match(
      service.stdout(),
      hits === 1
        ? /^ +secret +in data\/secret \(NEW: keep a copy of it with your backups\)$/m
        : /^ +secret +in data\/secret$/m,
    );
    const secret = (await Deno.readTextFile(path)).trim();
    match(secret, /^[0-9a-f]{40}$/);
    strictEqual(await statusOf(`${service.url}/hit?token=${secret}`), 200);
    const asked = await fetch(`${service.url}/key?id=a`, { headers: { "x-auth-token": secret } });
    const own = (await asked.json()).key;
    if (hits === 1) key = own;
    strictEqual(own, key, "keys outlive the process");
    strictEqual(await textOf(`${service.url}/count.txt`), String(hits), "reads stay open");
    const { stdout, stderr } = await service.stop();
    ok(!(stdout + stderr).includes(secret));
    doesNotMatch(stderr, /"warn"/);
  }
  if (Deno.build.os !== "windows") strictEqual((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("data/secret: is left alone, and made by nobody, while SECRET_TOKEN is set", async () => {
  await using folder = await tempDir();
  const path = join(folder.path, "data/secret");
  const options = { cwd: folder.path, env: { SECRET_TOKEN: "0123456789abcdef" } };
  {
    await using service = await startService(options);
    doesNotMatch(service.stdout(), /secret +in/);
    await service.stop();
  }
  await Deno.writeTextFile(path, "");
  await using service = await startService(options);
  strictEqual(await statusOf(`${service.url}/hit?token=0123456789abcdef`), 200);
  strictEqual(await Deno.readTextFile(path), "");
});

Deno.test("data/secret: a secret of the owner's own is taken, without white space around it", async () => {
  await using folder = await folderWith(" an owner's secret, with spaces\r\n");
  await using service = await startService({ cwd: folder.path });
  const headers = { "x-auth-token": "an owner's secret, with spaces" };
  const hit = await fetch(`${service.url}/hit`, { method: "POST", headers });
  strictEqual((await hit.json()).hits, 1);
});

for (const [what, text] of [["empty", " \n"], ["a single line", "a\nb\n"]]) {
  Deno.test(`data/secret: one that holds ${JSON.stringify(text)} ends the start and is left as it is`, async () => {
    await using folder = await folderWith(text ?? "");
    const { code, stdout, stderr } = await runService({ cwd: folder.path });
    strictEqual(code, 1);
    strictEqual(stdout, "");
    match(
      stderr,
      new RegExp(`^Tallymark cannot start: The secret file data/secret .*${what}.*\\n$`),
    );
    strictEqual(await Deno.readTextFile(join(folder.path, "data/secret")), text);
  });
}

Deno.test("data/secret: one that cannot be read ends the start", async () => {
  await using folder = await tempDir();
  await Deno.mkdir(join(folder.path, "data/secret"), { recursive: true });
  const { code, stderr } = await runService({ cwd: folder.path });
  strictEqual(code, 1);
  match(
    stderr,
    /^Tallymark cannot start: The secret file data\/secret cannot be read: .*SECRET_TOKEN\n$/,
  );
});

Deno.test({
  name:
    "data/secret: one that is short, and one that others may read, is told of by its name alone",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using folder = await folderWith("secret-of-file\n");
    await Deno.chmod(join(folder.path, "data/secret"), 0o640);
    await using service = await startService({ cwd: folder.path });
    await service.waitForOutput(
      /"warn","event":"data\/secret can be read .*chmod 600 data\/secret"/,
    );
    await service.waitForOutput(/"event":"data\/secret is shorter than 16 characters/);
    const { stdout, stderr } = await service.stop();
    doesNotMatch(stdout + stderr, /secret-of-file/);
    strictEqual((await Deno.stat(join(folder.path, "data/secret"))).mode! & 0o777, 0o640);
  },
});

Deno.test("data/secret: a counter file of that name is not replaced by it", async () => {
  await using folder = await tempDir();
  const options = { cwd: folder.path, env: { STORE_URL: "kv:data/secret" } };
  const { code, stderr } = await runService(options);
  strictEqual(code, 1);
  match(stderr, /The secret file data\/secret must contain a single line/);
  const bytes = await Deno.readFile(join(folder.path, "data/secret"));
  strictEqual(new TextDecoder().decode(bytes.subarray(0, 13)), "SQLite format");
});

Deno.test("data/secret: of two first starts at once one goes on, and the file has its secret", async () => {
  await using folder = await tempDir();
  const starts = await Promise.allSettled([1, 2].map(() => startService({ cwd: folder.path })));
  const running = starts.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
  strictEqual(running.length, 1);
  await using service = running[0];
  const secret = (await Deno.readTextFile(join(folder.path, "data/secret"))).trim();
  strictEqual(await statusOf(`${service?.url}/hit?token=${secret}`), 200);
});

Deno.test(
  "data/secret: with counters in memory, a start that finds it while another one makes it takes it",
  needsStrace,
  async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "data/secret");
    const options = { cwd: folder.path, env: { STORE_URL: "memory:" } };
    const slowly = ["strace", "-D", "-f", "-qq", "-P", path, "-e", "inject=write:delay_enter=9s"];
    await using first = await spawnService({ ...options, wrap: (line) => [...slowly, ...line] });
    await waitFor("the file", () => Deno.stat(path).catch(() => undefined));
    await using second = await startService(options);
    const [, url = ""] = await first.waitForOutput(/(http:\S+:\d+)/);
    match(first.stdout(), /^ +secret +in data\/secret \(NEW: .*\)$/m);
    doesNotMatch(first.stderr() + second.stderr(), /"warn"/);
    const secret = (await Deno.readTextFile(path)).trim();
    for (const service of [url, second.url]) {
      strictEqual(await statusOf(`${service}/hit?token=${secret}`), 200);
    }
  },
);

Deno.test("data/secret: where it cannot be written, the secret is for this run and says why", async () => {
  const flags = startFlags().filter((flag) => !flag.startsWith("--allow-write"));
  await using service = await startService({ flags, env: { STORE_URL: "memory:" } });
  await service.waitForOutput(
    /"warn","event":"the secret is for this run only because data\/secret cannot be written: .*write access.*SECRET_TOKEN"/,
  );
  const [, secret] = /secret +([0-9a-f]{40}) \(NEW, for this run only: set SECRET_TOKEN/
    .exec(service.stdout()) ?? [];
  strictEqual(await statusOf(`${service.url}/hit?token=${secret}`), 200);
  ok(!(await service.stop()).stderr.includes(String(secret)));
  strictEqual([...Deno.readDirSync(service.cwd)].length, 0);
});

Deno.test("data/secret: a new one is told of in the log and on the page, and by later starts no more", async () => {
  await using folder = await tempDir();
  const notice =
    /The secret in data\/secret is new: keep a copy of it .* restore their secret or name it in SECRET_FALLBACKS/;
  for (const isNew of [true, false]) {
    await using service = await startService({ cwd: folder.path });
    const secret = (await Deno.readTextFile(join(folder.path, "data/secret"))).trim();
    strictEqual(notice.test(String(await warningsOf(service.url, secret))), isNew);
    strictEqual(notice.test((await service.stop()).stderr), isNew);
  }
});

Deno.test(
  "data/secret: of two servers on one Redis, those of one folder share it, and one elsewhere is told that it is new",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using folder = await tempDir();
    const env = { STORE_URL: redis.url };
    const starts = await Promise.all([1, 2].map(() => startService({ cwd: folder.path, env })));
    await using stack = new AsyncDisposableStack();
    for (const service of starts) stack.use(service);
    const secret = (await Deno.readTextFile(join(folder.path, "data/secret"))).trim();
    for (const { url } of starts) strictEqual(await statusOf(`${url}/hit?token=${secret}`), 200);

    await using elsewhere = await startService({ env });
    await elsewhere.waitForOutput(/"info","event":"The secret in data\/secret is new: keep/);
    strictEqual(await statusOf(`${elsewhere.url}/hit?token=${secret}`), 401);
  },
);

async function warningsOf(url: string, secret: string): Promise<unknown> {
  const response = await fetch(`${url}/status`, { headers: { "x-auth-token": secret } });
  const { secret: place, warnings } = await response.json();
  strictEqual(place, "data/secret");
  return warnings;
}

async function folderWith(text: string) {
  const folder = await tempDir();
  await Deno.mkdir(join(folder.path, "data"));
  await Deno.writeTextFile(join(folder.path, "data/secret"), text, { mode: 0o600 });
  return folder;
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}
