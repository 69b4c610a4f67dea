import { counterId } from "../../src/domain/counter_id.ts";
import { createCounters } from "../../src/counters/counters.ts";
import { kvStore } from "../support/kv_store.ts";
import { createStoreHealth } from "../../src/store/store_health.ts";
import { createLog } from "../../src/log.ts";

// The rule: what a hit costs falls with the number of hits that share a commit.

for (const { hits, ids } of [{ hits: 1, ids: 1 }, { hits: 100, ids: 1 }, { hits: 100, ids: 100 }]) {
  Deno.bench(`one group commit: ${hits} hits of ${ids} ids`, async (b) => {
    const kv = await Deno.openKv(":memory:");
    const health = createStoreHealth(createLog({ secrets: [] }));
    const counters = createCounters(await kvStore({ kv, source: "memory", health }));
    const names = Array.from({ length: hits }, (_, index) => counterId(`n${index % ids}`));
    await Promise.all(names.map((id) => counters.hit(id)));
    b.start();
    await Promise.all(names.map((id) => counters.hit(id)));
    b.end();
    await counters.close();
  });
}
