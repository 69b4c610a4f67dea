import { deepStrictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { Write } from "../../../src/domain/store.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";

/** A store at a distance, which takes 10 counters in one commit. */
class SlowStore extends ScriptedStore {
  override readonly idsPerBatch = 10;

  override async write(writes: readonly Write[]) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return await super.write(writes);
  }
}

Deno.test("an import of 100 lines completes although each commit of 10 takes 400 ms", async () => {
  const counters = createCounters(new SlowStore());
  const lines = Array.from({ length: 100 }, (_, index) => {
    return { number: index + 1, text: `{"id":"n${index}","hits":1}` };
  });
  const source = ReadableStream.from([lines]);
  const mode = { mode: "replace", dry: false } as const;
  deepStrictEqual(await counters.importLines(source, mode), { counters: 100 });
  deepStrictEqual(await counters.count(counterId("n99")), 1);
  await counters.close();
});
