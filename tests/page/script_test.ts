import { ok, strictEqual } from "node:assert/strict";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("page.min.js is what `deno task build` makes of the page's scripts", async () => {
  await using folder = await tempDir();
  const file = `${folder.path}/page.min.js`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "-q", "--minify", "--platform", "browser", "-o", file, "src/page/page.js"],
    cwd: projectFolder,
  }).output();
  ok(success, new TextDecoder().decode(stderr));
  strictEqual(
    await Deno.readTextFile(`${projectFolder}/src/page/page.min.js`),
    await Deno.readTextFile(file),
    "Run: deno task build",
  );
});
