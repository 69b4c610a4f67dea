import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Environment } from "../../../src/start/settings.ts";
import { projectFolder } from "../../support/programs.ts";
import { tempDir } from "../../support/temp_dir.ts";

type Case = {
  name: string;
  /** The text of `.env`; undefined where there is none. */
  file?: string;
  process?: Environment;
  /** The settings that must be set. All others must be unset. */
  expected: Environment;
  /** Names in `.env` that are not settings. */
  unknownNames?: string[];
};

const cases: Case[] = [
  { name: "no .env is nothing set", expected: {} },
  { name: "an empty .env is nothing set", file: "", expected: {} },
  { name: ".env gives settings", file: "SECRET_TOKEN=a\nPORT=1\n", expected: of("a", "1") },
  {
    name: "the process wins over .env",
    file: "SECRET_TOKEN=file\nPORT=1",
    process: { SECRET_TOKEN: "process" },
    expected: of("process", "1"),
  },
  {
    name: "an empty variable of the process counts as unset",
    file: "SECRET_TOKEN=file\nPORT=1",
    process: { SECRET_TOKEN: "", PORT: "" },
    expected: of("file", "1"),
  },
  {
    name: "quotes, comments, export, blank lines and CRLF",
    file: '# note\r\n\r\nexport SECRET_TOKEN="a #b#"\r\nPORT=1 # one#\r\nx=a#b',
    expected: of("a #b#", "1"),
    unknownNames: ["x"],
  },
  {
    name: "an old name",
    file: "FAMILY_LIMIT=1\nPORT=1",
    expected: { FAMILY_LIMIT: "1", PORT: "1" },
  },
  {
    name: "the process wins over .env by its old name, too",
    file: "GROUP_LIMIT=1\nPORT=1",
    process: { FAMILY_LIMIT: "2" },
    expected: { FAMILY_LIMIT: "2", PORT: "1" },
  },
  { name: "a byte order mark", file: "\uFEFFSECRET_TOKEN=a\nPORT=1", expected: of("a", "1") },
  {
    name: "other names are left out and told",
    file: "PULIC_READS=1\n__proto__=x\nPORT=1",
    expected: { PORT: "1" },
    unknownNames: ["PULIC_READS", "__proto__"],
  },
  {
    name: "the line of a key that was pasted is told of, and not told",
    file: `PORT=1\nMIIEvQ+IBADAN/Bg=\n${"k".repeat(64)}==\nSECRET_TOKEN: a=b`,
    expected: { PORT: "1" },
    unknownNames: ["…", "…", "…"],
  },
  {
    name: ".env cannot claim to be Deno Deploy",
    file: "DENO_DEPLOY=true\nDENO_DEPLOYMENT_ID=x\nPORT=1",
    expected: { PORT: "1" },
  },
  {
    name: "on Deno Deploy .env is not read",
    file: "SECRET_TOKEN=file\nPORT=1",
    process: { DENO_DEPLOY: "true", PORT: "2" },
    expected: { DENO_DEPLOY: "true", PORT: "2" },
  },
  {
    name: "with a deployment id .env is not read",
    file: "SECRET_TOKEN=file",
    process: { DENO_DEPLOYMENT_ID: "x" },
    expected: { DENO_DEPLOYMENT_ID: "x" },
  },
];

// The working directory belongs to the whole process, so these run in one of their own.
Deno.test("readEnvironment: .env and the process, case by case", async (t) => {
  await using folder = await tempDir();
  for (const [index, { file }] of cases.entries()) {
    await Deno.mkdir(join(folder.path, String(index)));
    if (file !== undefined) await Deno.writeTextFile(join(folder.path, `${index}/.env`), file);
  }
  await Deno.mkdir(join(folder.path, "unreadable/.env"), { recursive: true });
  await Deno.mkdir(join(folder.path, "cut"));
  await Deno.writeTextFile(join(folder.path, "cut/.env"), "SECRET_TOKEN=a#b\nexport PORT = 1#\n");
  await Deno.mkdir(join(folder.path, "utf16"));
  await Deno.writeFile(join(folder.path, "utf16/.env"), utf16("SECRET_TOKEN=a\r\n"));
  const module = new URL("../../../src/start/environment.ts", import.meta.url);
  const program = `
    import { readEnvironment } from ${JSON.stringify(module)};
    for (const [index, variables] of ${
    JSON.stringify(cases.map((row) => row.process ?? {}))
  }.entries()) {
      Deno.chdir(${JSON.stringify(folder.path)} + "/" + index);
      for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
      console.log(JSON.stringify(await readEnvironment()));
      for (const name of Object.keys(variables)) Deno.env.delete(name);
    }
    for (const name of ["unreadable", "utf16", "cut"]) {
      Deno.chdir("../" + name);
      await readEnvironment().catch((error) => console.log(error.name + ": " + error.message));
    }
  `;
  const entry = join(folder.path, "program.js");
  await Deno.writeTextFile(entry, program);
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", join(projectFolder, "deno.json"), "--no-prompt", "-R", "-E", entry],
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).output();
  strictEqual(new TextDecoder().decode(output.stderr), "");
  const lines = new TextDecoder().decode(output.stdout).trim().split("\n");
  for (const [index, { name, expected, unknownNames = [] }] of cases.entries()) {
    await t.step(name, () => {
      const { quotedNames: _, ...loaded } = JSON.parse(lines[index] ?? "");
      deepStrictEqual(loaded, { environment: expected, unknownNames });
    });
  }
  await t.step("a .env that cannot be read stops the start", () => {
    match(lines[cases.length] ?? "", /^StartError: \.env exists but cannot be read/);
  });
  await t.step("so does one that is not UTF-8", () => {
    match(lines[cases.length + 1] ?? "", /^StartError: \.env exists but cannot be read/);
  });
  await t.step("and values that a # would cut, all of which are named", () => {
    const [secret, port] = lines.slice(cases.length + 2);
    strictEqual(secret, `ConfigError: SECRET_TOKEN ${CUT}`);
    strictEqual(port, `PORT ${CUT}`);
  });
});

const CUT = "in .env must be in quotation marks, because a # begins a comment there";

/** As PowerShell 5 writes a file: with a byte order mark, the low byte first. */
function utf16(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Uint16Array.from(`\uFEFF${text}`, (unit) => unit.charCodeAt(0)).buffer);
}

function of(secret: string, port: string): Environment {
  return { SECRET_TOKEN: secret, PORT: port };
}
