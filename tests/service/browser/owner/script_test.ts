import { ok, strictEqual } from "node:assert/strict";
import { projectFolder } from "../../../support/programs.ts";
import { tempDir } from "../../../support/temp_dir.ts";

const BUNDLES = [
  ["browser/built/page.min.js", "browser/page.ts"],
  ["browser/built/data.min.js", "browser/data.ts"],
  ["browser/built/shared.min.js", "browser/shared.ts"],
  ["browser/built/api.min.js", "browser/api.ts"],
  ["browser/built/tally.min.js", "browser/tally.js", "iife"],
  ["browser/built/like.min.js", "browser/like.js", "iife"],
  ["browser/built/top.min.js", "browser/top.js"],
  ["browser/built/busuanzi.min.js", "browser/busuanzi.js", "iife"],
  ["png/worker.min.js", "png/worker.ts"],
] as const;

for (const [bundle, source, format = "esm"] of BUNDLES) {
  Deno.test(`${bundle} is what \`deno task build\` makes of ${source}`, async () => {
    await using folder = await tempDir();
    const file = `${folder.path}/bundle.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "-q", "--minify", "--platform", "browser", "--format", format],
        // The worker gets it from its package at run time.
        ...["--external", "@resvg/resvg-wasm", "-o", file],
        `src/${source}`,
      ],
      cwd: projectFolder,
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    strictEqual(
      await Deno.readTextFile(`${projectFolder}/src/${bundle}`),
      await Deno.readTextFile(file),
      "Run: deno task build",
    );
  });
}
