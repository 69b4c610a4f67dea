import { strictEqual } from "node:assert/strict";
import { startService } from "../../support/service.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { authorized, SECRET } from "../../support/secret.ts";

Deno.test("a service with another prefix on one Deno KV file has counters of its own, whatever the ids", async () => {
  await using folder = await tempDir();
  const hit = async (prefix: string, id: string) => {
    const env = { SECRET_TOKEN: SECRET, STORE_PREFIX: prefix };
    await using service = await startService({ cwd: folder.path, env });
    const url = `${service.url}/hit?id=${encodeURIComponent(id)}`;
    const { hits } = await (await fetch(url, { headers: authorized })).json();
    await service.stop();
    return hits;
  };
  for (const [prefix, id] of [["hits:", "xa"], ["hits:x", "a"], ["hits", ":xa"], ["h", "its:xa"]]) {
    strictEqual(await hit(prefix ?? "", id ?? ""), 1, prefix);
  }
});
