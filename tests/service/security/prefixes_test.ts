import { deepStrictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { kvStore } from "../../support/kv_store.ts";
import { addition } from "../../support/store_contract.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a service with another prefix on one Deno KV file has counters of its own, whatever the ids", async () => {
  await using folder = await tempDir();
  for (const [prefix, id] of [["hits:", "xa"], ["hits:x", "a"], ["hits", ":xa"], ["h", "its:xa"]]) {
    const kv = await Deno.openKv(`${folder.path}/counters.kv`);
    const store = await kvStore({ kv, prefix: prefix ?? "" });
    deepStrictEqual(await store.add([addition(counterId(id ?? ""), 1)]), [1], prefix);
    await store.close();
  }
});
