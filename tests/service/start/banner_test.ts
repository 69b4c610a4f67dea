import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { banner, clockWarnings, settingsWarnings } from "../../../src/start/banner.ts";
import { join } from "node:path";
import type { GeneratedSecret } from "../../../src/start/generated_secret.ts";
import { projectFolder } from "../../support/programs.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { parseConfig } from "../../../src/start/config.ts";
import { VERSION } from "../../../src/version.ts";
import type { Environment } from "../../../src/start/settings.ts";

const secret = "0123456789abcdef";
const kept: GeneratedSecret = { text: "f00", path: "data/secret", warnings: [] };

Deno.test("address, store, reads, where the secret is, a curl line, and the link to the page", () => {
  strictEqual(
    show({}, { generated: { ...kept, notice: "It is new" }, signIn: "1ee7" }),
    `Tallymark ${VERSION} listens on http://localhost:8000
  counters  Deno KV in data/counters.kv
  reads     open to everyone
  secret    in data/secret (NEW: keep a copy of it with your backups)
  try       curl -X POST -H "X-Auth-Token: $(cat data/secret)" "http://localhost:8000/hit?id=home"
  sign in   http://localhost:8000/#sign-in=1ee7 (works once, for ten minutes)`,
  );
});

Deno.test("with PUBLIC_URL, the sign-in link works at the address of the service", () => {
  const environment = { PUBLIC_URL: "https://example.org/hits" };
  match(show(environment), /\n {2}public {4}https:\/\/example\.org\/hits\n/);
  match(show(environment), /\n {2}page {6}https:\/\/example\.org\/hits\/$/);
  match(show(environment, { signIn: "1ee7" }), / https:\/\/example\.org\/hits\/#sign-in=1ee7 /);
});

Deno.test("clockWarnings: a clock before the date of the release in the changelog is wrong", async () => {
  const changelog = await Deno.readTextFile(join(projectFolder, ".docs/CHANGELOG.md"));
  const [, date = ""] = new RegExp(`^## ${VERSION} \\((.*)\\)$`, "m").exec(changelog) ?? [];
  const release = Date.parse(date);
  deepStrictEqual(clockWarnings(release), []);
  match(
    clockWarnings(release - 1)[0] ?? "",
    /^The clock says \d{4}-\d\d-\d\d, before this version/,
  );
});

Deno.test("a secret that no file keeps is printed, with a curl line", () => {
  const text = show({ STORE_URL: "memory:" }, {
    generated: { ...kept, path: undefined, notice: "It is new" },
  });
  strictEqual(
    text.split("\n").slice(3).join("\n"),
    `  secret    f00 (NEW, for this run only: set SECRET_TOKEN to keep one)
  try       curl -X POST -H "X-Auth-Token: f00" "http://localhost:8000/hit?id=home"
  page      http://localhost:8000/`,
  );
});

Deno.test("a shell finds the file of the secret, whatever its folder is called", async () => {
  await using folder = await tempDir();
  const path = join(folder.path, `it's "$HOME" \\ here`);
  await Deno.writeTextFile(path, "f00");
  const text = show({}, { generated: { ...kept, path } });
  const line = /try +curl .*-H (".*?") "http/.exec(text)?.[1];
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `printf %s ${line}`] }).output();
  strictEqual(new TextDecoder().decode(stdout), "X-Auth-Token: f00");
});

Deno.test("with protected reads names PUBLIC_READS in its first lines", () => {
  const lines = show({ SECRET_TOKEN: secret }).split("\n");
  match(lines.slice(0, 3).join("\n"), /PUBLIC_READS=1/);
  doesNotMatch(show({ SECRET_TOKEN: secret, PUBLIC_READS: "1" }), /PUBLIC_READS/);
});

const places: [environment: Environment, place: string][] = [
  [{ STORE_URL: "kv:/srv/x.kv" }, "Deno KV in /srv/x.kv"],
  [{ STORE_URL: "memory:" }, "Deno KV in memory: lost when the process ends"],
  [
    { STORE_URL: "kv:https://u:hidden@h:1/x?hidden", DENO_KV_ACCESS_TOKEN: "hidden" },
    "Deno KV at h:1",
  ],
  [{ DENO_DEPLOY: "true" }, "Deno KV of the platform"],
  [{ STORE_URL: "redis://u:hidden@h/1" }, "Redis at h:6379"],
  [{ STORE_URL: "rediss://u:hidden@h,i:1" }, "Redis at h:6379, i:1 over TLS"],
  [{ STORE_URL: "redis+cluster://h:1" }, "Redis Cluster at h:1"],
  [{ STORE_URL: "redis+sentinel://h/m" }, "Redis of the Sentinels at h:26379"],
  [
    { HOSTED_STORE_URL: "https://h", HOSTED_STORE_PASSWORD: "hidden" },
    "Redis at h:6379 over TLS",
  ],
];

for (const [environment, place] of places) {
  Deno.test(`the banner says "${place}" and no secret`, () => {
    const text = show({ ...environment, SECRET_TOKEN: `hidden${secret}` });
    strictEqual(/counters +(.*)/.exec(text)?.[1], place);
    doesNotMatch(text, /hidden/);
    match(text, /X-Auth-Token: \$SECRET_TOKEN"/);
  });
}

const addresses: [hostname: string, url: string][] = [
  ["0.0.0.0", "http://localhost:8000"],
  ["::", "http://localhost:8000"],
  ["127.0.0.1", "http://127.0.0.1:8000"],
  ["::1", "http://[::1]:8000"],
];

for (const [hostname, url] of addresses) {
  Deno.test(`a server on ${hostname} is called at ${url}`, () => {
    const text = show({}, { hostname });
    strictEqual(text.split("\n")[0], `Tallymark ${VERSION} listens on ${url}`);
    match(text, new RegExp(`"${url.replaceAll(/[[\].]/g, "\\$&")}/hit`));
  });
}

const warnings: [environment: Environment, names: string[]][] = [
  [{}, []],
  [{ SECRET_TOKEN: secret }, []],
  [{ SECRET_TOKEN: secret.slice(1) }, ["SECRET_TOKEN is shorter than 16 characters"]],
  [{ SECRET_TOKEN: `${secret} a\tb` }, []],
  [{ SECRET_TOKEN: `${secret}\n` }, [
    "SECRET_TOKEN cannot be sent in a header: it starts or ends with white space",
  ]],
  [{ SECRET_TOKEN: ` ${secret}` }, [
    "SECRET_TOKEN cannot be sent in a header: it starts or ends with white space",
  ]],
  [{ SECRET_TOKEN: `${secret}\0a` }, [
    "SECRET_TOKEN cannot be sent in a header: it starts or ends with white space",
  ]],
  [{ DENO_DEPLOY: "true", SECRET_TOKEN: secret }, []],
  [{ DENO_DEPLOY: "true" }, ["SECRET_TOKEN is not set: /hit returns 401"]],
  [{ DENO_DEPLOY: "true", SECRET_TOKEN: secret, PORT: "1", PUBLIC_READS: "0" }, [
    "These settings have no effect on Deno Deploy: PUBLIC_READS, PORT",
  ]],
];

for (const [environment, starts] of warnings) {
  Deno.test(`settingsWarnings: ${JSON.stringify(environment)} warns ${starts.length} times`, () => {
    const given = settingsWarnings(parseConfig(environment), { unknownNames: [], quotedNames: [] });
    deepStrictEqual(given.map((line, index) => line.slice(0, starts[index]?.length)), starts);
  });
}

function show(
  environment: Environment,
  { hostname = "0.0.0.0", generated, signIn }: {
    hostname?: string;
    generated?: GeneratedSecret;
    signIn?: string;
  } = {},
): string {
  const address: Deno.NetAddr = { transport: "tcp", hostname, port: 8000 };
  return banner({ config: parseConfig(environment), address, generated, signIn });
}
