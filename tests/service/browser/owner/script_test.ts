import { ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../../../support/programs.ts";
import { tempDir } from "../../../support/temp_dir.ts";

const { tasks } = JSON.parse(await Deno.readTextFile(join(projectFolder, "deno.json")));
const commands = Object.entries<string>(tasks).filter(([name]) => name.startsWith("build:"));

for (const [task, command] of commands) {
  const [, bundle = ""] = / -o (\S+) /.exec(command) ?? [];
  Deno.test(`${bundle} is what \`deno task ${task}\` makes of its source`, async () => {
    await using folder = await tempDir();
    const file = `${folder.path}/bundle.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: command.replace(bundle, file).split(" ").slice(1),
      cwd: projectFolder,
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    strictEqual(
      await Deno.readTextFile(join(projectFolder, bundle)),
      await Deno.readTextFile(file),
      "Run: deno task build",
    );
  });
}
