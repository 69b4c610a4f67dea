import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { parseQuery } from "../../../src/http/query.ts";
import { createUniqueVisitors } from "../../../src/hits/unique_visitors.ts";
import { createLog } from "../../../src/log.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { openApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

Deno.test("of a counter and day 50,000 visitors are remembered; later ones count each time", async () => {
  await using room = open();
  const { store, countVisitor } = room;
  const request = new Request("http://localhost/");
  const visit = (id: string, visitor: number) => {
    const { query } = parseQuery(`/?visitor=v${visitor}`, new Set(["visitor"]));
    return countVisitor({ request, connection: {}, id: counterId(id), query }, undefined);
  };
  for (let first = 0; first < 50_000; first += 1000) {
    await Promise.all(Array.from({ length: 1000 }, (_, index) => visit("a", first + index)));
  }
  deepStrictEqual(await visit("a", 50_000), { hits: 50_001, repeat: false });
  deepStrictEqual(await visit("a", 50_000), { hits: 50_002, repeat: false });
  deepStrictEqual(await visit("a", 0), { hits: 50_002, repeat: true });
  strictEqual(store.visitorsOf("a").length, 50_000);
  // Another counter has room of its own.
  deepStrictEqual(await visit("b", 0), { hits: 1, repeat: false });
  deepStrictEqual(await visit("b", 0), { hits: 1, repeat: true });
});

Deno.test("a client with 10,000 user agents leaves the places of others, wherever it counts", async () => {
  await using room = open();
  const { store, countVisitor } = room;
  const { query } = parseQuery("/", new Set());
  const visit = (id: string, agent: string, hostname: string) => {
    const request = new Request("http://localhost/", { headers: { "user-agent": agent } });
    const remoteAddr = { hostname, port: 1, transport: "tcp" } as const;
    return countVisitor(
      { request, connection: { remoteAddr }, id: counterId(id), query },
      undefined,
    );
  };
  for (let first = 0; first < 10_000; first += 1000) {
    await Promise.all(Array.from({ length: 1000 }, (_, index) => {
      return visit(`a${first % 7000}`, `${first + index}`, `2001:db8:1:2::${index.toString(16)}`);
    }));
  }
  deepStrictEqual(await visit("b", "one more", "2001:db8:1:2::1"), { hits: 1, repeat: false });
  deepStrictEqual(await visit("b", "one more", "2001:db8:1:2::1"), { hits: 2, repeat: false });
  deepStrictEqual(await visit("a0", "0", "2001:db8:1:2::0"), { hits: 2000, repeat: true });
  deepStrictEqual(await visit("b", "reader", "2001:db8:1:3::1"), { hits: 3, repeat: false });
  deepStrictEqual(await visit("b", "reader", "2001:db8:1:3::1"), { hits: 3, repeat: true });
  strictEqual(store.visitorsOf("b").length, 1);
});

Deno.test("once=day remembers 50,000 visitors of a counter and day, however often they come", async () => {
  await using app = openApp({ store: new ScriptedStore() });
  const come = async (visitor: string) => {
    const response = await app.open(`POST /hit?id=a&once=day&visitor=${visitor}`, authorized);
    await response.text();
    return response.headers.get("x-tallymark");
  };
  strictEqual(await come("v"), null);
  for (let repeats = 0; repeats < 50_000; repeats += 1000) {
    const remarks = await Promise.all(Array.from({ length: 1000 }, () => come("v")));
    deepStrictEqual(new Set(remarks), new Set(["repeat"]));
  }
  deepStrictEqual([await come("w"), await come("w"), await come("v")], [null, "repeat", "repeat"]);
});

/** Opens the recognition of visitors over a store that the test looks into. */
function open() {
  const store = new ScriptedStore();
  const ending = new AbortController();
  const log = createLog({ secrets: [], write: () => {} });
  const counters = createCounters(store);
  return {
    store,
    countVisitor: createUniqueVisitors({ counters, proxies: 0, log, ended: ending.signal }),
    [Symbol.asyncDispose]() {
      ending.abort();
      return counters.close();
    },
  };
}
