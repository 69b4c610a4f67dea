import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsPrograms, projectFolder } from "../support/programs.ts";
import { startFlags } from "../support/service_command.ts";
import { tempDir } from "../support/temp_dir.ts";

const folder = join(projectFolder, ".deploy");
const units = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name.endsWith(".service")).sort();

/**
 * Maximum exposure, of 10 (unsafe). The rest is the network, and memory that is writable and
 * executable for V8.
 */
const MAX_EXPOSURE = 1.5;

for (const unit of units) {
  Deno.test({
    name: `.deploy/${unit}: systemd takes every line, and finds little exposed`,
    ...needsPrograms("systemd-analyze"),
    fn: async () => {
      await using copies = await tempDir();
      const copy = join(copies.path, unit.replace("@.", "@8001."));
      const text = await Deno.readTextFile(join(folder, unit));
      // Only a program that exists passes.
      await Deno.writeTextFile(copy, text.replace(/^(ExecStart=)\S+/m, `$1${Deno.execPath()}`));
      deepStrictEqual(await run("verify", "--recursive-errors=no", copy), { code: 0, output: "" });
      const { output } = await run("security", "--offline=yes", copy);
      const [, exposed] = /Overall exposure level for \S+: ([\d.]+)/.exec(output) ?? [];
      ok(Number(exposed) <= MAX_EXPOSURE, output);
    },
  });
}

Deno.test("the systemd units protect the system alike", async () => {
  const protections = await Promise.all(units.map(async (unit) => {
    const text = await Deno.readTextFile(join(folder, unit));
    return text.slice(text.indexOf("\nUMask="));
  }));
  strictEqual(new Set(protections).size, 1);
  strictEqual(units.length, 3);
});

Deno.test(".deploy/tallymark-bundle.service: its command runs the bundle, with the start task's flags", async () => {
  const unit = await Deno.readTextFile(join(folder, "tallymark-bundle.service"));
  const command = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  // As bundle_test runs it.
  deepStrictEqual(command, [
    ...["/usr/local/bin/deno", "run", "--unstable-kv"],
    ...startFlags(),
    "/opt/tallymark/tallymark.js",
  ]);
});

/** Runs systemd-analyze for a user manager, because that of the system needs a folder of root's. */
async function run(...args: string[]): Promise<{ code: number; output: string }> {
  await using runtime = await tempDir();
  const { code, stdout, stderr } = await new Deno.Command("systemd-analyze", {
    args: ["--user", "--no-pager", ...args],
    env: { SYSTEMD_COLORS: "0", XDG_RUNTIME_DIR: runtime.path },
    stdin: "null",
  }).output();
  return {
    code,
    output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""),
  };
}
