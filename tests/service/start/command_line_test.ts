import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { Secret } from "../../../src/auth/secret.ts";
import { createLinkToken } from "../../../src/auth/signed_token.ts";
import { type Setting, SETTINGS } from "../../../src/start/settings.ts";
import { copyProject } from "../../support/project_copy.ts";
import { projectFolder } from "../../support/programs.ts";
import { SECRET } from "../../support/secret.ts";
import { type Ended, runService, startService, statusOf } from "../../support/service.ts";
import { startFlags } from "../../support/service_command.ts";
import { tempDir } from "../../support/temp_dir.ts";

const { version } = JSON.parse(await Deno.readTextFile(join(projectFolder, "deno.json")));

Deno.test("--version and --help print to standard output, and read no setting, store or .env", async () => {
  await using folder = await tempDir();
  await Deno.writeTextFile(join(folder.path, ".env"), "PORT=invalid\n");
  // Without a permission for the environment or a file, reading either would fail.
  const options = { cwd: folder.path, flags: ["--no-prompt"] };
  deepStrictEqual(outputOf(await runService({ ...options, args: ["--version"] })), {
    code: 0,
    stdout: `Tallymark ${version}\n`,
    stderr: "",
  });
  const { stdout, stderr, code } = await runService({ ...options, args: ["--help"] });
  strictEqual(stderr, "");
  strictEqual(code, 0);
  match(stdout, /^ {2}link \[URL\] /m);
  deepStrictEqual(await namesIn(folder.path), [".env"]);
});

Deno.test("--help shows every setting with its default, and no value", async () => {
  const env = { SECRET_TOKEN: SECRET, PORT: "1", TIME_ZONE: "Europe/Berlin" };
  const { stdout } = await runService({ args: ["--help"], env });
  const settings: Setting<unknown>[] = Object.values(SETTINGS);
  for (const { name, default: value = "" } of settings) {
    const shown = value === "" ? "not set by default" : `default: ${value}`;
    ok(stdout.includes(`\n  ${name} (${shown})\n`), name);
  }
  doesNotMatch(stdout, new RegExp(SECRET));
});

Deno.test("an argument that is refused ends the start with one sentence", async () => {
  const { code, stdout, stderr } = await runService({ args: ["--port", "canary"] });
  deepStrictEqual([code, stdout], [1, ""]);
  strictEqual(stderr, "Unknown option --port: set PORT in the environment or in .env.\n");
});

Deno.test("deno task start passes its arguments on", async () => {
  await using project = await copyProject();
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start", "--version"],
    cwd: project.path,
  }).output();
  strictEqual(new TextDecoder().decode(stdout), `Tallymark ${version}\n`);
});

Deno.test("a link prints a link that signs in once, on a server without a terminal, and writes nothing", async () => {
  await using folder = await tempDir();
  await using service = await startService({ cwd: folder.path });
  match(service.stdout(), new RegExp(`^Tallymark ${version} listens on `));
  const before = await namesIn(join(folder.path, "data"));
  const flags = ["--no-prompt", "--allow-env", "--allow-read=data,.env"];
  const command = { cwd: folder.path, args: ["link", `${service.url}/`], flags };
  const { code, stdout, stderr } = await runService(command);
  strictEqual(stderr, "");
  strictEqual(code, 0);
  const [, origin, token = ""] = /^(.+)\/#sign-in=(\S+)\n$/.exec(stdout) ?? [];
  strictEqual(origin, service.url);
  strictEqual(await signIn(service.url, token), 200);
  strictEqual(await signIn(service.url, token), 401);
  deepStrictEqual(await namesIn(join(folder.path, "data")), before);
  const ended = await service.stop();
  ok(!ended.stderr.includes(token));
});

Deno.test("without URL, the link follows from HOST and PORT, also of .env", async () => {
  await using folder = await tempDir();
  await Deno.writeTextFile(join(folder.path, ".env"), `SECRET_TOKEN=${SECRET}\nPORT=9000\n`);
  // Empty variables count as unset.
  for (const [HOST, place] of [["", "localhost"], ["::1", "[::1]"], ["0.0.0.0", "localhost"]]) {
    const env = { HOST: HOST ?? "", PORT: "" };
    const { stdout } = await runService({ cwd: folder.path, args: ["link"], env });
    ok(stdout.startsWith(`http://${place}:9000/#sign-in=l2.`), stdout);
  }
});

const PAGE = /^https:\/\/example\.org\/hits\/#sign-in=l2\./;
/** Links to a page below a path, as an argument and as PUBLIC_URL. */
const possible = ["https://example.org/hits", "https://example.org/hits/"].flatMap((
  url,
): [args: string[], env: Record<string, string>, message: RegExp][] => [
  [[], { SECRET_TOKEN: SECRET, PUBLIC_URL: url }, PAGE],
  [[url], { SECRET_TOKEN: SECRET }, PAGE],
]);

const impossible: [args: string[], env: Record<string, string>, message: RegExp][] = [
  [["http://a"], {}, /data\/secret does not exist .*Start the server once, or set SECRET_TOKEN$/],
  [["http://a"], { STORE_URL: "memory:" }, /data\/secret does not exist .*or set SECRET_TOKEN$/],
  [["http://a"], { SECRET_TOKEN: "short" }, /shorter than 16 characters$/],
  [[], { SECRET_TOKEN: SECRET, PORT: "0" }, /PORT is 0, so add the URL/],
  [["http://user:canary@a"], { SECRET_TOKEN: SECRET }, /URL must be/],
  [
    ["http://a"],
    { SECRET_TOKEN: SECRET, PORT: "canary", TIME_ZONE: "canary" },
    /^Cannot create a sign-in link with these settings:\n {2}PORT .*\n {2}TIME_ZONE .*$/,
  ],
];

Deno.test("a link is to a page below a path, and one that cannot be made exits with 1 and says why", async (t) => {
  await using folder = await tempDir();
  // As main.ts does for one of them: the working directory belongs to the whole process.
  const module = new URL("../../../src/start/command_line.ts", import.meta.url);
  const program = join(folder.path, "program.js");
  const cases = JSON.stringify(
    [...possible, ...impossible].map(([args, env]) => ({ args: ["link", ...args], env })),
  );
  await Deno.writeTextFile(
    program,
    `
    import { runCommand } from ${JSON.stringify(module)};
    for (const { args, env } of ${cases}) {
      for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
      console.log(JSON.stringify(await runCommand(args)));
      for (const name of Object.keys(env)) Deno.env.delete(name);
    }`,
  );
  const work = join(folder.path, "work");
  await Deno.mkdir(work);
  const flags = [...startFlags(), "--no-prompt"];
  const options = { cwd: work, flags, wrap: (line: string[]) => [...line.slice(0, -1), program] };
  const { code, stdout, stderr } = await runService(options);
  deepStrictEqual([code, stderr], [0, ""]);
  const lines = stdout.trim().split("\n");
  for (const [index, [args, env, message]] of [...possible, ...impossible].entries()) {
    await t.step(JSON.stringify([...args, env]), () => {
      const { text, code } = JSON.parse(lines[index] ?? "");
      match(text, message);
      strictEqual(code, message === PAGE ? 0 : 1);
      if (code === 1) match(text, /^Cannot create a sign-in link(?:: | with these settings:\n)/);
      doesNotMatch(text, /canary/);
    });
  }
  deepStrictEqual(await namesIn(work), []);
});

Deno.test("a link from before the start of the server does not work", async () => {
  // Tokens know whole seconds only.
  const token = createLinkToken(new Secret(SECRET), Date.now() - 1000);
  await using service = await startService({ env: { SECRET_TOKEN: SECRET } });
  strictEqual(await signIn(service.url, token), 401);
  strictEqual(await signIn(service.url, createLinkToken(new Secret(SECRET))), 200);
});

function outputOf({ code, stdout, stderr }: Ended) {
  return { code, stdout, stderr };
}

async function signIn(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return await statusOf(`${url}/session`, { method: "POST", headers });
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}
