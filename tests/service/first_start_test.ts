import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { copyProject } from "../support/project_copy.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("first start: deno task start fetches the packages of the service and no other", async () => {
  await using project = await copyProject();
  await using cache = await tempDir();
  // The way to the packages may lead through a proxy or a mirror that the environment names.
  const env = { ...Deno.env.toObject(), DENO_DIR: cache.path, PORT: "0", STORE_URL: "memory:" };
  const wrap = () => [Deno.execPath(), "task", "start"];
  await using service = await startService({ env, wrap, cwd: project.path });
  await service.stop();
  deepStrictEqual(packagesIn(join(cache.path, "npm")), [
    ...["@redis/client", "@resvg/resvg-wasm", "dejavu-fonts-ttf", "hono", "isbot"],
  ]);
});

/**
 * The packages of a cache: a folder for each registry, in it one for each package, maybe below its
 * scope.
 */
function packagesIn(cache: string): string[] {
  const found = foldersIn(cache).flatMap((registry) => {
    const names = foldersIn(join(cache, registry));
    return names.flatMap((name) =>
      name.startsWith("@")
        ? foldersIn(join(cache, registry, name)).map((inner) => `${name}/${inner}`)
        : [name]
    );
  });
  return found.sort();
}

function foldersIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name);
}
