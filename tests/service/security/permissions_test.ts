import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { VARIABLES } from "../../../src/start/settings.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import {
  type Ended,
  runService,
  type ServiceOptions,
  startService,
  statusOf,
} from "../../support/service.ts";
import { startFlags } from "../../support/service_command.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { authorized, SECRET } from "../../support/secret.ts";

const FLAGS = startFlags();

/** Features that need each flag, and the message of the service that ends without it. */
const BROKEN: Record<string, { feature: string; message: RegExp; options?: ServiceOptions }> = {
  // Without it the service starts and takes more memory: see the tests of an import's.
  "--v8-flags": { feature: "a small heap", message: /./ },
  // Only on a terminal does it make a difference: there Deno would wait for an answer instead of
  // ending.
  "--no-prompt": { feature: "never asking on a terminal", message: /./ },
  "--allow-net": { feature: "listening", message: /Cannot listen.*net access/ },
  "--allow-env": { feature: "settings", message: /Requires env access to "SECRET_TOKEN"/ },
  // Tests below take away the one and the other.
  "--allow-read": { feature: "reading .env and data/", message: /./ },
  "--allow-write": {
    feature: "keeping counters in data/",
    message: /data\/counters\.kv is outside/,
  },
};

Deno.test("the start task allows the network, the environment, data and .env, and nothing else", () => {
  deepStrictEqual(FLAGS, [
    "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=100",
    "--no-prompt",
    "--allow-net",
    "--allow-env",
    "--allow-read=data,.env",
    "--allow-write=data",
  ]);
  deepStrictEqual(FLAGS.map((flag) => flag.split("=")[0]), Object.keys(BROKEN));
});

for (const [index, flag] of FLAGS.entries()) {
  const name = flag.split("=")[0] ?? "";
  const { feature = "", message = /$^/ } = BROKEN[name] ?? {};
  if (message.source === ".") continue;
  Deno.test(`without ${name} the service cannot start: it is for ${feature}`, async () => {
    const ended = await runWithout(FLAGS.toSpliced(index, 1));
    strictEqual(ended.code, 1, ended.stdout);
    match(ended.stderr, message);
  });
}

const READS = [
  { flag: "--allow-read=data", feature: ".env", message: /\.env/ },
  { flag: "--allow-read=.env", feature: "the counters in data/", message: /data\/counters\.kv/ },
];

for (const { flag, feature, message } of READS) {
  Deno.test(`with no more than ${flag} the service cannot read ${feature}`, async () => {
    const flags = FLAGS.map((given) => given.startsWith("--allow-read") ? flag : given);
    const { code, stderr } = await runWithout(flags);
    strictEqual(code, 1);
    match(stderr, message);
  });
}

Deno.test(
  "no variable but its own settings is read, and no file outside data/ and .env, whatever is asked",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using folder = await tempDir();
    // Reading any other variable would fail.
    const flags = FLAGS.with(FLAGS.indexOf("--allow-env"), `--allow-env=${VARIABLES.join(",")}`);
    for (const STORE_URL of ["", redis.url]) {
      const env = { SECRET_TOKEN: SECRET, STORE_URL };
      await using service = await startService({ cwd: folder.path, env, flags });
      await service.storeReady();
      for (
        const path of [
          "hit",
          "hit.svg",
          "count",
          "badge?style=terminal",
          "badge.json",
          "key",
          "chart.svg",
          "counters",
          "decisions",
          "status",
          "metrics",
          "openapi.json",
          "tally.js",
          "like.js",
          "top.js",
          "",
        ]
      ) {
        strictEqual(await get(`${service.url}/${path}`), 200, path);
      }
      strictEqual((await service.stop()).code, 0);
      deepStrictEqual(await namesIn(folder.path), ["data"], STORE_URL);
    }
    const data = await namesIn(join(folder.path, "data"));
    ok(data.every((name) => name.startsWith("counters.kv")), String(data));
  },
);

async function runWithout(flags: string[]): Promise<Ended> {
  return await runService({ flags: ["--no-prompt", ...flags], env: { SECRET_TOKEN: SECRET } });
}

async function get(url: string): Promise<number> {
  return await statusOf(url, { headers: authorized });
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}
