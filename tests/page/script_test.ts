import { ok, strictEqual } from "node:assert/strict";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";

const BUNDLES = [
  ["page.min.js", "page.ts"],
  ["tally.min.js", "tally.js"],
  ["like.min.js", "like.js"],
];

for (const [bundle, source] of BUNDLES) {
  Deno.test(`${bundle} is what \`deno task build\` makes of ${source}`, async () => {
    await using folder = await tempDir();
    const file = `${folder.path}/${bundle}`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "-q", "--minify", "--platform", "browser", "-o", file],
        `src/page/${source}`,
      ],
      cwd: projectFolder,
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    strictEqual(
      await Deno.readTextFile(`${projectFolder}/src/page/${bundle}`),
      await Deno.readTextFile(file),
      "Run: deno task build",
    );
  });
}
