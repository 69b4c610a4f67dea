import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Ledger } from "../faults/ledger.ts";
import { hitOnce } from "../faults/load.ts";
import { storedIn, storedInRedis } from "../faults/stored.ts";
import { reservePort } from "../support/reserved_port.ts";
import { SECRET } from "../support/secret.ts";
import { openRemote } from "../support/kv_backend.ts";
import { startKvConnect } from "../support/kv_connect.ts";
import { needsRedis, redisAvailable, startRedis } from "../support/redis_server.ts";
import { opensslAvailable } from "../support/certificate.ts";
import { strictRun } from "../support/programs.ts";
import { eventsOf, runService, type Service, startService, statusOf } from "../support/service.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";
import { timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";

const SECRET_TOKEN = "0123456789abcdef0123";

Deno.test("without settings makes a secret and prints a curl line that works", async () => {
  await using service = await startService();
  const [line, url = ""] = /^ +try +(curl -X POST .* "(http:.*)")$/m.exec(service.stdout())
    ?.slice(1) ?? [];
  strictEqual(url, `${service.url}/hit?id=home`);
  ok(!["0", "8000"].includes(new URL(service.url).port), "PORT=0 takes a free port");

  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `${line} -sS`],
    cwd: service.cwd,
  }).output();
  deepStrictEqual(JSON.parse(new TextDecoder().decode(stdout)), {
    id: "home",
    hits: 1,
    source: "deno-kv",
  });
  strictEqual(await statusOf(url, { method: "POST" }), 401);
  strictEqual(await textOf(`${service.url}/count.txt`), "1");
  ok((await Deno.stat(join(service.cwd, "data/counters.kv"))).isFile);

  const ended = await service.stop();
  strictEqual(ended.code, 0);
  const [notice = "", ...events] = eventsOf(ended.stderr);
  match(notice, /^The secret in data\/secret is new: /);
  deepStrictEqual(events, ["start", "stop"]);
});

Deno.test("a second process on the same file is refused and the first goes on", async () => {
  await using first = await startService({ env: { SECRET_TOKEN } });
  const second = await runService({ cwd: first.cwd, env: { SECRET_TOKEN } });
  strictEqual(second.code, 1);
  ok(second.milliseconds < timeLimit(1000), `took ${second.milliseconds} ms`);
  strictEqual(second.stdout, "");
  match(
    second.stderr,
    /^Tallymark cannot start: data\/counters\.kv is in use by another process.*\n$/,
  );
  strictEqual((await hit(first)).hits, 1);
});

Deno.test("for a counter file in another folder prints the command that allows it", async () => {
  await using folder = await tempDir();
  const cwd = join(folder.path, "work");
  await Deno.mkdir(cwd);
  const optionsFor = (file: string) => ({ cwd, env: { SECRET_TOKEN, STORE_URL: `kv:${file}` } });
  const flagsFor = async (file: string): Promise<string[]> => {
    const { code, stderr } = await runService({ ...optionsFor(file), flags: startFlags() });
    strictEqual(code, 1);
    const [, named, command = ""] =
      /^Tallymark cannot start: (.*) is outside the folders .*: deno run (.*) main\.ts$/m
        .exec(stderr) ?? [];
    strictEqual(named, file);
    const { stdout } = await new Deno.Command("sh", { args: ["-c", `printf '%s\\n' ${command}`] })
      .output();
    return new TextDecoder().decode(stdout).trim().split("\n");
  };
  ok((await flagsFor("counters.kv")).includes("-W=."));
  ok((await flagsFor("../counters.kv")).includes("-W=.."));
  const file = "it's here/counters.kv";
  const flags = await flagsFor(file);
  ok(flags.includes("-W=it's here"), flags.join());
  await using service = await startService({ ...optionsFor(file), flags });
  strictEqual((await hit(service)).hits, 1);
  ok((await Deno.stat(join(cwd, file))).isFile);
});

// config_test has each setting.
Deno.test("a start ends with 1, names each setting that it cannot use and shows no value", async () => {
  await using folder = await tempDir();
  const env = { STORE_URL: "secret", PORT: "-1", HOST: "secret value", PUBLIC_READS: "secret" };
  const { code, stdout, stderr } = await runService({ cwd: folder.path, env });
  strictEqual(code, 1);
  strictEqual(stdout, "");
  const [first, ...problems] = stderr.trimEnd().split("\n");
  strictEqual(first, "Tallymark cannot start with these settings:");
  deepStrictEqual(
    problems.map((problem) => problem.trim().split(" ")[0]),
    ["PUBLIC_READS", "STORE_URL", "HOST", "PORT"],
  );
  doesNotMatch(stderr, /secret|value/);
  deepStrictEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test("a port in use is told in one clear line", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { code, stdout, stderr } = await runService({ env: { PORT: String(taken.addr.port) } });
  strictEqual(code, 1);
  strictEqual(stdout, "");
  match(
    stderr,
    new RegExp(
      `^Tallymark cannot start: .*HOST 127.0.0.1 and PORT ${taken.addr.port} of the environment or .env: Address already in use.*\n$`,
    ),
  );
});

Deno.test("a HOST that cannot be used is said to be in the environment or in .env", async () => {
  for (const HOST of ["x86_64-conda-linux-gnu", "bad host"]) {
    const { stderr } = await runService({ env: { HOST } });
    match(stderr, /HOST .*environment or (?:in )?\.env/);
  }
});

Deno.test("HOST takes an IPv6 address as in a URL, and :: is both families", async () => {
  await using one = await startService({ env: { HOST: "[::1]", STORE_URL: "memory:" } });
  match(one.url, /^http:\/\/\[::1\]:/);
  await using all = await startService({ env: { HOST: "::", STORE_URL: "memory:" } });
  for (const host of ["127.0.0.1", "[::1]"]) {
    const response = await fetch(`http://${host}:${new URL(all.url).port}/count.txt`);
    strictEqual(await response.text(), "0");
  }
});

Deno.test(".env is read, the process wins, and a line that names no setting and quotation marks get one warning each", async () => {
  await using folder = await tempDir();
  const lines = [
    `SECRET_TOKEN=${SECRET_TOKEN}`,
    "PULIC_READS=1",
    "STORE_URL=memory:",
    "HOST=bad host",
  ];
  await Deno.writeTextFile(join(folder.path, ".env"), lines.join("\n"));
  // As an env file of Docker leaves it.
  const env = { SECRET_FALLBACKS: `"${SECRET_TOKEN}"` };
  await using service = await startService({ cwd: folder.path, env });
  strictEqual((await hit(service)).source, "memory");
  deepStrictEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), [".env"]);
  const { stderr } = await service.stop();
  const warnings = stderr.match(/.*"warn".*/g) ?? [];
  strictEqual(warnings.length, 2);
  match(stderr, /These names in \.env are not settings: PULIC_READS"/);
  match(
    stderr,
    /quotation marks around the value are part of it, so remove them: SECRET_FALLBACKS"/,
  );
  doesNotMatch(stderr, new RegExp(SECRET_TOKEN));
});

Deno.test("the token of a remote KV may stand in .env", async () => {
  await using folder = await tempDir();
  await using remote = startKvConnect();
  const text = `DENO_KV_ACCESS_TOKEN=${remote.token}\nSTORE_URL=kv:${remote.url}\n`;
  await Deno.writeTextFile(join(folder.path, ".env"), text);
  await using service = await startService({ cwd: folder.path, env: { SECRET_TOKEN } });
  deepStrictEqual(await hit(service), { id: "home", hits: 1, source: "deno-kv" });
  strictEqual((await service.stop()).code, 0);
  doesNotMatch(service.stdout() + service.stderr(), new RegExp(remote.token));
});

Deno.test("FAIL_FAST_STORE=1: ends with 1 and one clear line after 5 s without the store", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const nobody = `127.0.0.1:${reservePort()}`;
  const DENO_KV_ACCESS_TOKEN = "t";
  const stores = [
    { STORE_URL: `redis://u:hidden@127.0.0.1:${silent.addr.port}` },
    { HOSTED_STORE_URL: `rediss://${nobody}`, HOSTED_STORE_PASSWORD: "hidden" },
    { STORE_URL: `kv:http://127.0.0.1:${silent.addr.port}`, DENO_KV_ACCESS_TOKEN },
  ];
  const runs = stores.map((store) =>
    runService({ env: { SECRET_TOKEN, FAIL_FAST_STORE: "1", ...store } })
  );
  for (const { code, stdout, stderr, milliseconds } of await Promise.all(runs)) {
    strictEqual(code, 1);
    strictEqual(stdout, "");
    const plain = stderr.trimEnd().split("\n").filter((line) => !line.startsWith("{"));
    strictEqual(plain.length, 1, stderr);
    match(plain[0] ?? "", /^Tallymark cannot start: The store did not answer within 5 s/);
    doesNotMatch(stderr, /hidden/);
    ok(milliseconds > 4500 && milliseconds < timeLimit(9000), `took ${milliseconds} ms`);
  }
});

Deno.test("redis:// with user, encoded password and database", needsRedis, async () => {
  await using redis = await startRedis();
  await redis.command(
    "ACL",
    "SETUSER",
    "ann",
    "on",
    ">p@ss/wö:rd",
    "~site:*",
    "~{site:*",
    "~tallymark:salt:*",
    "+@all",
  );
  await redis.commands([["SELECT", "3"], ["SET", "site:home", "41"]]);
  const user = `ann:${encodeURIComponent("p@ss/wö:rd")}`;
  const STORE_URL = `redis://${user}@127.0.0.1:${redis.port}/3`;
  await using service = await startService({
    env: { SECRET_TOKEN, STORE_URL, STORE_PREFIX: "site:" },
  });
  await service.storeReady();
  deepStrictEqual(await hit(service), { id: "home", hits: 42, source: "redis" });
  match(service.stdout(), /Redis at 127\.0\.0\.1:\d+$/m);
  doesNotMatch(service.stdout() + service.stderr(), /p@ss|p%40ss/);
});

Deno.test({
  name: "host:port of a hosted store speaks TLS with a server whose authority is trusted",
  ignore: !strictRun && (!redisAvailable || !opensslAvailable),
  fn: async () => {
    const password = "p@ss:w/o#rd?%";
    await using redis = await startRedis({ tls: true, password });
    const STORE_URL = redis.url.replace("localhost", "127.0.0.1");
    await using stranger = await startService({ env: { SECRET_TOKEN, STORE_URL } });
    await stranger.waitForOutput(/"store unavailable".*certificate/);
    const env = {
      SECRET_TOKEN,
      HOSTED_STORE_URL: `localhost:${redis.port}`,
      HOSTED_STORE_PASSWORD: password,
      DENO_CERT: redis.caCertificate ?? "",
    };
    await using service = await startService({ env });
    match(service.stdout(), /over TLS$/m);
    await service.storeReady();
    deepStrictEqual(await hit(service), { id: "home", hits: 1, source: "redis" });
  },
});

Deno.test("every request that was accepted is answered on a connection that ends with it, on a remote KV", async () => {
  await using remote = startKvConnect();
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  remote.conflictNext(() => {
    arrived.resolve();
    return gate.promise;
  });
  const STORE_URL = `kv:${remote.url}`;
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL, DENO_KV_ACCESS_TOKEN: remote.token },
  });
  await endsInGoodOrder(service, "SIGTERM", {
    underWay: () => arrived.promise,
    goOn: () => Promise.resolve(gate.resolve()),
    async stored() {
      using kv = await openRemote(remote);
      return await storedIn(kv);
    },
  });
});

Deno.test(
  "every request that was accepted is answered on a connection that ends with it, on Redis",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url };
    await using service = await startService({ env });
    await service.storeReady();
    await redis.command("CLIENT", "PAUSE", "10000", "WRITE");
    await endsInGoodOrder(service, "SIGINT", {
      underWay: async () => {
        await waitFor("Redis to hold a command back", async () => {
          const info = String(await redis.command("INFO", "clients"));
          return info.includes("blocked_clients:0") ? undefined : true;
        });
      },
      goOn: async () => void await redis.command("CLIENT", "UNPAUSE"),
      stored: () => storedInRedis(redis),
    });
  },
);

/** Ends a service while 20 hits wait for its store. */
async function endsInGoodOrder(
  service: Service,
  signal: Deno.Signal,
  store: {
    underWay(): Promise<void>;
    goOn(): Promise<void>;
    stored(): Promise<Map<string, number>>;
  },
): Promise<void> {
  const ledger = new Ledger();
  const hits = Array.from({ length: 20 }, () => hitOnce({ service, ledger }));
  await store.underWay();
  // Was accepted after all of them, so that its answer says that they are in.
  strictEqual(await statusOf(`${service.url}/healthz`), 200);
  service.signal(signal);
  await service.waitForOutput(/"event":"stop"/);
  await store.goOn();
  for (const { answer } of await Promise.all(hits)) {
    strictEqual(answer?.headers.get("connection"), "close");
  }
  strictEqual((await service.waitForEnd()).code, 0);
  ledger.checkOutcomes(200, ...ledger.late);
  ledger.checkAnswered(await store.stored());
}

type Hit = { id: string; hits: number; source: string };

async function hit({ url }: Service): Promise<Hit> {
  const headers = { "X-Auth-Token": SECRET_TOKEN };
  const answer = await fetch(`${url}/hit`, { method: "POST", headers });
  const body = await answer.json();
  strictEqual(answer.status, 200, JSON.stringify(body));
  return body;
}

async function textOf(url: string): Promise<string> {
  const answer = await fetch(url);
  const text = await answer.text();
  strictEqual(answer.status, 200, text);
  return text;
}
