import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "./support/programs.ts";
import { copyProject } from "./support/project_copy.ts";
import { startService } from "./support/service.ts";

/** What the first request for it would load; with no file descriptor left that would end the process. */
const LATER = [
  "src/badge/badge.ts",
  "src/counting/families.ts",
  "src/routes/docs.ts",
  "src/hits/unique_visitors.ts",
  "src/openapi/document.ts",
  "src/store/kv/store.ts",
];

Deno.test("what draws, describes, stores and looks closer at hits is loaded soon after the start, without a request", async () => {
  await using project = await copyProject();
  for (const path of LATER) {
    const announcement = `\nconsole.error("loaded ${path}");\n`;
    await Deno.writeTextFile(join(project.path, path), announcement, { append: true });
  }
  await using service = await startService({
    env: { STORE_URL: "memory:" },
    wrap: (line) => line.map((part) => part.replace(projectFolder, project.path)),
  });
  for (const path of LATER) await service.waitForOutput(new RegExp(`loaded ${path}`));
  strictEqual((await service.stop()).code, 0);
});

Deno.test("a part that cannot be loaded is answered with 503, and the service closes its store at the end all the same", async () => {
  await using project = await copyProject();
  await Deno.remove(join(project.path, "src/counting/families.ts"));
  await using service = await startService({
    env: { STORE_URL: "memory:" },
    wrap: (line) => line.map((part) => part.replace(projectFolder, project.path)),
  });
  const response = await fetch(`${service.url}/count?prefix=blog/`);
  strictEqual(response.status, 503);
  await response.body?.cancel();
  strictEqual((await service.stop()).code, 0);
});
