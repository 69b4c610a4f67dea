import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import { type Counters, createCounters } from "../../../src/counters/counters.ts";
import { skippingClock } from "../../support/fake_clock.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { rejectsWith } from "../../support/store_contract.ts";
import { waitFor } from "../../support/wait_for.ts";
import type { Write } from "../../../src/domain/store.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { startService } from "../../support/service.ts";

const HOME = counterId("home");
const IDS = ["a", "b", "c"].map(counterId);
const update = { hits: 7, days: undefined, mode: "replace" } as const;

/** The calls that wait for the store, and the problem that each gets at its deadline. */
const calls = [
  ["hit", "outcome-unknown", (counters: Counters, id: CounterId) => counters.hit(id)],
  [
    "hitDeduplicated",
    "outcome-unknown",
    (counters: Counters, id: CounterId) => counters.hitDeduplicated(id, { key: "k" }),
  ],
  ["count", "store-unavailable", (counters: Counters, id: CounterId) => counters.total(id)],
  ["history", "store-unavailable", (counters: Counters, id: CounterId) => counters.history(id, 0)],
  ["set", "outcome-unknown", (counters: Counters, id: CounterId) => counters.set(id, update)],
  ["delete", "outcome-unknown", (counters: Counters, id: CounterId) => counters.delete(id)],
] as const;

for (const ending of ["reply", "failure"] as const) {
  Deno.test(`a late ${ending} ends no call a second time, and waiting stays at 0`, async () => {
    await using _clock = skippingClock();
    await Promise.all(calls.map(async ([name, problem, call]) => {
      const store = new ScriptedStore();
      const gate = Promise.withResolvers<void>();
      store.gate = gate.promise;
      const counters = createCounters(store);
      const late = IDS.map((id) => call(counters, id));
      strictEqual(counters.waiting, 3, name);
      await Promise.all(late.map((one) => rejectsWith(problem, Promise.resolve(one))));
      strictEqual(counters.waiting, 0, name);

      store.gate = undefined;
      if (ending === "reply") gate.resolve();
      else gate.reject(new Error("connection lost"));
      // The call is accepted again once the store has replied to the late ones.
      await waitFor(
        `${name} to succeed`,
        () => Promise.resolve(call(counters, HOME)).catch(() => undefined),
      );
      strictEqual(counters.waiting, 0, name);
      await counters.close();
    }));
  });
}

Deno.test("after late replies as many calls may wait as before, and close ends once they are done", async () => {
  await using _clock = skippingClock();
  const store = new ScriptedStore();
  const late = Promise.withResolvers<void>();
  store.gate = late.promise;
  const counters = createCounters(store);
  await Promise.all(
    Array.from({ length: 50 }, () => rejectsWith("outcome-unknown", counters.hit(HOME))),
  );
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  late.resolve();
  const first = await waitFor("a hit to be accepted", async () => {
    const hit = counters.hit(HOME);
    const isAccepted = await Promise.race([
      hit.then(() => true, () => false),
      new Promise<true>((resolve) => setImmediate(resolve, true)),
    ]);
    return isAccepted ? { hit } : undefined;
  });
  const rest = Array.from({ length: 9999 }, () => counters.hit(HOME));
  strictEqual(counters.waiting, 10_000);
  await rejectsWith("overloaded", counters.hit(HOME));
  gate.resolve();
  const numbers = await Promise.all([first.hit, ...rest]);
  deepStrictEqual(numbers, numbers.map((_, index) => 51 + index));
  await counters.close();
});

/** A store at a distance, which takes 100 counters in one commit. */
class SlowStore extends ScriptedStore {
  override async write(writes: readonly Write[]) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return await super.write(writes);
  }
}

Deno.test("an import of 1,000 lines completes although each commit of 100 takes 400 ms", async () => {
  await using _clock = skippingClock();
  const counters = createCounters(new SlowStore());
  const lines = Array.from({ length: 1000 }, (_, index) => {
    return { number: index + 1, text: `{"id":"n${index}","hits":1}` };
  });
  const source = ReadableStream.from([lines]);
  const mode = { mode: "replace", dry: false } as const;
  deepStrictEqual(await counters.importLines(source, mode), { counters: 1000 });
  deepStrictEqual(await counters.total(counterId("n999")), 1);
  await counters.close();
});

/** Number of connections of a stranger. More than the scans that may wait. */
const CONNECTIONS = 130;
/** Number of groups, of 100 counters each. Few, as a sum is known for no longer than 10 s. */
const GROUPS = 4;

Deno.test("sums of random prefixes keep neither the owner's sums nor known ones from being read", async () => {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, PUBLIC_READS: "1" },
  });
  const ids = Array.from({ length: 100 * GROUPS }, (_, at) => `${at % GROUPS}/${at}`);
  const body = ids.map((id) => `{"id":"${id}","hits":1}\n`).join("");
  const options = { method: "POST", headers: authorized, body };
  const imported = await fetch(`${service.url}/counters`, options);
  deepStrictEqual(await imported.json(), { counters: ids.length });
  const sum = async (prefix: string, headers: HeadersInit = {}) => {
    const response = await fetch(`${service.url}/count?prefix=${prefix}`, { headers });
    const { hits } = await response.json();
    return hits ?? response.status;
  };
  strictEqual(await sum("0/"), 100);
  let isFlooding = true;
  const sums = new Set<unknown>();
  const flood = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let number = 0; isFlooding; number++) {
      sums.add(await sum(`stranger/${connection}/${number}/`));
    }
  });
  await waitFor("a refused stranger", () => sums.has(503) || undefined);
  const read: unknown[] = [];
  for (let group = 1; group < GROUPS; group++) {
    read.push(await sum(`${group}/`, authorized), await sum("0/"));
  }
  isFlooding = false;
  await Promise.all(flood);
  deepStrictEqual(read, Array(read.length).fill(100));
});
