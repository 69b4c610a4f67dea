import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { assert, constantFrom, oneof, property, record, string, stringMatching } from "fast-check";
import { type Config, parseConfig } from "../../../src/start/config.ts";
import type { RedisAddress, StoreSetting } from "../../../src/store/setting.ts";
import { ConfigError, type Environment, VARIABLES } from "../../../src/start/settings.ts";

const plain: Config = {
  platform: "standalone",
  secret: undefined,
  publicUrl: undefined,
  store: { kind: "kv-file", path: "data/counters.kv" },
  kvToken: undefined,
  replicas: 0,
  hostname: "0.0.0.0",
  port: 8000,
  prefix: "hits:",
  failFast: false,
  openReads: true,
  groupLimit: 10_000,
  serveAs: [],
  hitOrigins: [],
  embedOrigins: [],
  trustProxy: 0,
  timeZone: "UTC",
  ignored: [],
  fallbacks: [],
  keyVersions: new Map(),
};
const deployed: Config = { ...plain, platform: "deploy", store: { kind: "kv-platform" } };
const address = {
  host: "h",
  port: 6379,
  tls: false,
  username: undefined,
  password: undefined,
  database: 0,
};
const redis = redisAt(address);
const hosted = redisAt({ ...address, tls: true, username: "default", password: "p" });
const deploy = { DENO_DEPLOY: "true" };
const token = { DENO_KV_ACCESS_TOKEN: "t" };

/** `changes` are to `deployed` if the environment is that of Deno Deploy, else to `plain`. */
const good: [name: string, environment: Environment, changes: Partial<Config>][] = [
  ["nothing set has defaults", {}, {}],
  [
    "an empty setting counts as unset",
    Object.fromEntries(VARIABLES.map((name) => [name, ""])),
    {},
  ],
  ["SECRET_TOKEN closes reads", { SECRET_TOKEN: "s" }, { secret: "s", openReads: false }],
  ["PUBLIC_READS=1 opens reads", { SECRET_TOKEN: "s", PUBLIC_READS: "1" }, { secret: "s" }],
  ...["https://hits.example.com/", "http://h:8080/hits/"].map((
    PUBLIC_URL,
  ): [string, Environment, Partial<Config>] => [
    `PUBLIC_URL=${PUBLIC_URL}`,
    { PUBLIC_URL },
    { publicUrl: PUBLIC_URL.slice(0, -1) },
  ]),
  ["PUBLIC_READS=0 keeps them closed", { SECRET_TOKEN: "s", PUBLIC_READS: "0" }, {
    secret: "s",
    openReads: false,
  }],
  ["without a secret reads are open whatever PUBLIC_READS says", { PUBLIC_READS: "0" }, {}],
  ["PORT=0 takes a free port", { PORT: "0" }, { port: 0 }],
  ["PORT", { PORT: "65535" }, { port: 65535 }],
  ["HOST as a name", { HOST: "localhost" }, { hostname: "localhost" }],
  ["HOST as IPv6", { HOST: "::1" }, { hostname: "::1" }],
  ["STORE_PREFIX", { STORE_PREFIX: "site a/日本:" }, { prefix: "site a/日本:" }],
  ["FAIL_FAST_STORE=1", { FAIL_FAST_STORE: "1" }, { failFast: true }],
  ["FAIL_FAST_STORE=true", { FAIL_FAST_STORE: "true" }, { failFast: true }],
  ["FAIL_FAST_STORE=0", { FAIL_FAST_STORE: "0" }, {}],
  ["FAIL_FAST_STORE=false", { FAIL_FAST_STORE: "false" }, {}],
  ...["Europe/Berlin", "Pacific/Kiritimati", "utc", "Asia/Kolkata"].map((
    timeZone,
  ): [string, Environment, Partial<Config>] => [
    `TIME_ZONE=${timeZone}`,
    { TIME_ZONE: timeZone },
    { timeZone },
  ]),

  ["STORE_URL redis://", { STORE_URL: "redis://h" }, { store: redis }],
  ["STORE_URL rediss://", { STORE_URL: "rediss://u:p%40@h:1/2" }, {
    store: redisAt({ ...address, port: 1, tls: true, username: "u", password: "p@", database: 2 }),
  }],
  ["STORE_REPLICAS", { STORE_URL: "redis://h", STORE_REPLICAS: "2" }, {
    store: redis,
    replicas: 2,
  }],
  ["GROUP_LIMIT", { GROUP_LIMIT: "250000" }, { groupLimit: 250_000 }],
  ["SERVE_AS", { SERVE_AS: " komarev/Octocat, hits.sh/github.com/o/ ,," }, {
    serveAs: ["komarev/octocat", "hits.sh/github.com/o/"],
  }],
  ["EMBED_ORIGINS", { EMBED_ORIGINS: "https://a.example,http://localhost:3000" }, {
    embedOrigins: ["https://a.example", "http://localhost:3000"],
  }],
  ["FAMILY_LIMIT, its old name", { FAMILY_LIMIT: "7" }, { groupLimit: 7 }],
  ["GROUP_LIMIT before its old name", { FAMILY_LIMIT: "7", GROUP_LIMIT: "8" }, { groupLimit: 8 }],
  ["GROUP_LIMIT=0", { GROUP_LIMIT: "0" }, { groupLimit: 0 }],
  ["TRUST_PROXY", { TRUST_PROXY: "2" }, { trustProxy: 2 }],
  ["STORE_URL kv:PATH", { STORE_URL: "kv:a b/日本.kv" }, {
    store: { kind: "kv-file", path: "a b/日本.kv" },
  }],
  ["STORE_URL kv:https://", { STORE_URL: "kv:https://h/x", ...token }, {
    store: { kind: "kv-remote", url: "https://h/x" },
    kvToken: "t",
  }],
  ["STORE_URL kv:http://", { STORE_URL: "kv:http://h:4512", ...token }, {
    store: { kind: "kv-remote", url: "http://h:4512" },
    kvToken: "t",
  }],
  ["STORE_URL memory:", { STORE_URL: "memory:" }, { store: { kind: "kv-memory" } }],
  ["a scheme in capitals", { STORE_URL: "MEMORY:" }, { store: { kind: "kv-memory" } }],
  ["HOSTED_STORE_URL and HOSTED_STORE_PASSWORD", {
    HOSTED_STORE_URL: "h",
    HOSTED_STORE_PASSWORD: "p",
  }, { store: hosted }],
  ["STORE_URL wins over HOSTED_*, a half of it or a bad one included", {
    STORE_URL: "memory:",
    HOSTED_STORE_URL: "ftp://h",
  }, { store: { kind: "kv-memory" } }],

  ["DENO_DEPLOY=true is Deno Deploy", deploy, {}],
  ["Deno Deploy has a GROUP_LIMIT", { ...deploy, GROUP_LIMIT: "5" }, { groupLimit: 5 }],
  ["Deno Deploy has a TIME_ZONE", { ...deploy, TIME_ZONE: "Asia/Tokyo" }, {
    timeZone: "Asia/Tokyo",
  }],
  ["DENO_DEPLOYMENT_ID is Deno Deploy", { DENO_DEPLOYMENT_ID: "x" }, {}],
  ["Deno Deploy has public reads although the secret is set", { ...deploy, SECRET_TOKEN: "s" }, {
    secret: "s",
  }],
  ["Deno Deploy ignores settings of a server, bad ones included", {
    ...deploy,
    PORT: "bad",
    HOST: "bad host",
    STORE_PREFIX: "other:",
    FAIL_FAST_STORE: "1",
    PUBLIC_READS: "maybe",
  }, { ignored: ["PUBLIC_READS", "STORE_PREFIX", "FAIL_FAST_STORE", "HOST", "PORT"] }],
  ["Deno Deploy takes STORE_URL", { ...deploy, STORE_URL: "redis://h" }, { store: redis }],
  ["Deno Deploy takes HOSTED_*", {
    ...deploy,
    HOSTED_STORE_URL: "https://h",
    HOSTED_STORE_PASSWORD: "p",
  }, { store: hosted }],
];

for (const [name, environment, changes] of good) {
  Deno.test(`parseConfig: ${name}`, () => {
    const isDeployed = environment.DENO_DEPLOY || environment.DENO_DEPLOYMENT_ID;
    const expected = { ...isDeployed ? deployed : plain, ...changes };
    deepStrictEqual(parseConfig(environment), expected);
  });
}

for (const STORE_PREFIX of ["hits:{all}:", "hits:tallymark", "Tallymark:", "tally:", "}"]) {
  Deno.test(`parseConfig takes STORE_PREFIX=${STORE_PREFIX}`, () => {
    deepStrictEqual(parseConfig({ STORE_PREFIX }).prefix, STORE_PREFIX);
  });
}

const bad: [environment: Environment, named: string[]][] = [
  ...["-1", "65536", "8000.5", "0x10", "http", " 80", "1e3", "999999"]
    .map((PORT): [Environment, string[]] => [{ PORT }, ["PORT"]]),
  ...["a b", "http://h", "h/x", "[::1", "[a]", "h\n"]
    .map((HOST): [Environment, string[]] => [{ HOST }, ["HOST"]]),
  ...["a\nb", "\u0000", "\u202e", "\ud800", "x".repeat(201)]
    .map((STORE_PREFIX): [Environment, string[]] => [{ STORE_PREFIX }, ["STORE_PREFIX"]]),
  // With the last ones, an id could complete the beginning.
  ...["{", "{hits}:", "tallymark", "tallymark:hits:", "tallymarks", "t", "tally"]
    .map((STORE_PREFIX): [Environment, string[]] => [{ STORE_PREFIX }, ["STORE_PREFIX"]]),
  ...["h", "/hits", "ftp://h", "https://u:p@h", "https://h/?a=1", "https://h/#a", "https://h/p?"]
    .map((PUBLIC_URL): [Environment, string[]] => [{ PUBLIC_URL }, ["PUBLIC_URL"]]),
  // Short names are refused because several zones share one.
  ...["BST", "CET", "EST", "GMT", "EST5EDT", "Japan"]
    .map((TIME_ZONE): [Environment, string[]] => [{ TIME_ZONE }, ["TIME_ZONE"]]),
  ...["Mars/Phobos", "+02:00", "02:00", "Berlin", " UTC", "Europe/Berlin\n"]
    .map((TIME_ZONE): [Environment, string[]] => [{ TIME_ZONE }, ["TIME_ZONE"]]),
  ...["2", "yes", "on", "tru", " 1"].flatMap((value): [Environment, string[]][] => [
    [{ FAIL_FAST_STORE: value }, ["FAIL_FAST_STORE"]],
    [{ PUBLIC_READS: value }, ["PUBLIC_READS"]],
  ]),
  ...[
    ...["postgres://h/db", "http://h", "https://h", "file:x.kv", "h:6379", "data/x.kv", "//h"],
    ...["memory:x", "kv:", "kv::memory:", "kv:a\u0000b", "kv:https://", "kv:http://a b"],
    ...["redis:", "redis://", "redis://:p@", "redis://h:99999", "redis://h/name", "redis://%zz@h"],
    ...["redis://u:p%zz@h", "redis://u:6379#x@h", "redis://u:6379?x@h", "redis://u:6379/x@h"],
  ].map((STORE_URL): [Environment, string[]] => [{ STORE_URL, ...token }, ["STORE_URL"]]),
  ...["-1", "1.5", "10", "one"].map((STORE_REPLICAS): [Environment, string[]] => [
    { STORE_URL: "redis://h", STORE_REPLICAS },
    ["STORE_REPLICAS"],
  ]),
  ...["-1", "1.5", "10", "true"].map((TRUST_PROXY): [Environment, string[]] => [
    { TRUST_PROXY },
    ["TRUST_PROXY"],
  ]),
  [{ FAMILY_LIMIT: "many" }, ["FAMILY_LIMIT"]],
  [{ STORE_REPLICAS: "1" }, ["STORE_REPLICAS"]],
  [{ STORE_URL: "memory:", STORE_REPLICAS: "1" }, ["STORE_REPLICAS"]],
  // It may be the address of a Redis that is mistyped.
  [{ STORE_URL: "redis://h:x", STORE_REPLICAS: "1" }, ["STORE_URL"]],
  [{ HOSTED_STORE_URL: "h", STORE_REPLICAS: "1" }, ["HOSTED_STORE_PASSWORD"]],
  [{ STORE_URL: "kv:https://h" }, ["DENO_KV_ACCESS_TOKEN"]],
  [{ STORE_URL: "kv:http://h", DENO_KV_ACCESS_TOKEN: "" }, ["DENO_KV_ACCESS_TOKEN"]],
  [{ HOSTED_STORE_URL: "h" }, ["HOSTED_STORE_PASSWORD"]],
  [{ HOSTED_STORE_URL: "h", HOSTED_STORE_PASSWORD: "" }, ["HOSTED_STORE_PASSWORD"]],
  [{ HOSTED_STORE_PASSWORD: "p" }, ["HOSTED_STORE_URL"]],
  ...["ftp://h", "http://h", "a b", "h:port", "h:99999", "https://", "kv:x"]
    .map((HOSTED_STORE_URL): [Environment, string[]] => [
      { HOSTED_STORE_URL, HOSTED_STORE_PASSWORD: "p" },
      ["HOSTED_STORE_URL"],
    ]),
  [{ DENO_DEPLOY: "true", STORE_URL: "kv:data/x.kv" }, ["STORE_URL"]],
  [{ DENO_DEPLOY: "true", HOSTED_STORE_URL: "h" }, ["HOSTED_STORE_PASSWORD"]],
  [{
    STORE_URL: "ftp://h",
    PORT: "x",
    HOST: "x y",
    STORE_PREFIX: "\n",
    FAIL_FAST_STORE: "x",
    PUBLIC_READS: "x",
    TIME_ZONE: "x",
  }, ["PUBLIC_READS", "STORE_URL", "STORE_PREFIX", "FAIL_FAST_STORE", "HOST", "PORT", "TIME_ZONE"]],
];

for (const [environment, named] of bad) {
  Deno.test(`parseConfig refuses ${JSON.stringify(environment)} and names ${named}`, () => {
    deepStrictEqual(problemsOf(environment).map((problem) => problem.split(" ")[0]), named);
  });
}

Deno.test("parseConfig: what it gives cannot be changed", () => {
  throws(() => Object.assign(parseConfig({}), { port: 1 }), TypeError);
});

Deno.test("the value of a setting stands in no problem", () => {
  const value = stringMatching(/^[<=>|~]{4,9}[A-Za-z0-9:/@?#%. ]{0,9}[<=>|~]{4,9}$/);
  const url = oneof(
    value,
    value.map((text) => `redis://u:${text}@h:70000`),
    value.map((text) => `kv:https://[${text}`),
    value.map((text) => `https://${text}:port`),
  );
  const anything = oneof(value, url, string({ minLength: 1 }));
  const environment = record({
    ...Object.fromEntries(VARIABLES.map((name) => [name, anything])),
    DENO_DEPLOY: constantFrom("", "true"),
    DENO_DEPLOYMENT_ID: constantFrom(""),
  }, { requiredKeys: [] });
  assert(
    property(environment, (settings) => {
      for (const problem of problemsOf(settings)) {
        strictEqual(VARIABLES.filter((name) => problem.startsWith(`${name} `)).length, 1);
        const told = problem.toLowerCase();
        for (const text of Object.values(settings).flatMap(secretParts)) {
          ok(!told.includes(text.toLowerCase()), `${JSON.stringify(text)} stands in: ${problem}`);
        }
      }
    }),
    { numRuns: 500 },
  );
});

/** The parts of a value that no fixed sentence can hold by chance. */
function secretParts(value: string | undefined): string[] {
  return value?.match(/[<=>|~]{4,}|[^\x20-\x7e]+/g) ?? [];
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function redisAt(address: RedisAddress): StoreSetting {
  return { kind: "redis", form: "any", addresses: [address], master: undefined };
}
