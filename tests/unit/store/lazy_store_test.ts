import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { KV_BATCHES } from "../../../src/store/open_store.ts";
import { createLazyStore } from "../../../src/store/lazy_store.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { memoryStore } from "../../support/app.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { addition, rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";
import { NOOP_HEALTH } from "../../support/noop_health.ts";

const HOME = counterId("home");

Deno.test("a lazy store is opened once for all calls", async () => {
  let opened = 0;
  const store = lazy(async () => {
    opened++;
    return (await memoryStore()).store;
  });
  strictEqual(store.source, "deno-kv");
  await Promise.all([store.check(), store.read([HOME]), store.check()]);
  deepStrictEqual(await store.add([addition(HOME, 2)]), [2]);
  deepStrictEqual(await store.read([HOME]), [2]);
  strictEqual(opened, 1);
  await Promise.all([store.close(), store.close()]);
});

Deno.test("if opening fails nothing is counted, and it is tried again although nobody calls", async () => {
  const { store: opened } = await memoryStore();
  await using _clock = skippingClock();
  const causes: unknown[] = [];
  const health = { ...NOOP_HEALTH, unwritable: (cause: unknown) => causes.push(cause) };
  const failure = new Error("no database is assigned");
  let tries = 0;
  const store = lazy(
    () => ++tries <= 2 ? Promise.reject(failure) : Promise.resolve(opened),
    health,
  );
  // Its failure is no unhandled rejection although no call waits for it yet.
  await new Promise((resolve) => setTimeout(resolve));
  await Promise.all([
    rejectsWith("store-unavailable", store.add([addition(HOME, 1)])),
    rejectsWith("store-unavailable", store.read([HOME])),
    rejectsWith("store-unavailable", store.check()),
  ]);
  strictEqual(tries, 1);
  deepStrictEqual(new Set(causes), new Set([failure]));
  // A call in between does not try: it would log in as often as there are hits.
  await rejectsWith("store-unavailable", store.check());
  strictEqual(tries, 1);
  await waitFor("the third attempt", () => tries === 3 || undefined);
  await waitFor("the store", () => store.check().then(() => true, () => undefined));
  deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
  await store.close();
});

Deno.test("closing while it opens ends well, whether that fails or not", async () => {
  const failing = lazy(() => Promise.reject(new Error("away")));
  const call = rejectsWith("store-unavailable", failing.check());
  await failing.close();
  await call;

  const { store: inner } = await memoryStore();
  let closed = 0;
  const store = lazy(() =>
    Promise.resolve({
      ...inner,
      close: () => {
        closed++;
        return inner.close();
      },
    })
  );
  const check = store.check();
  await store.close();
  strictEqual(closed, 1);
  await check.catch(() => {});
});

function lazy(open: () => Promise<CounterStore>, health = NOOP_HEALTH): CounterStore {
  return createLazyStore({ traits: { source: "deno-kv", ...KV_BATCHES }, health, open });
}
