import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createCounters } from "../../../src/counters/counters.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import { createUniqueVisitors } from "../../../src/hits/unique_visitors.ts";
import { parseQuery } from "../../../src/http/query.ts";
import { createLog } from "../../../src/log.ts";
import { startLocalService } from "../../support/local_service.ts";
import { sendRaw } from "../../support/raw_http.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { SECRET, SECRET_LINE } from "../../support/secret.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";

Deno.test("of a counter and day 50,000 visitors are remembered, however often they come; later ones count each time", async () => {
  await using room = open();
  const { store, countVisitor } = room;
  const request = new Request("http://localhost/");
  const visit = (id: string, visitor: number) => {
    const { query } = parseQuery(`/?visitor=v${visitor}`, new Set(["visitor"]));
    return countVisitor({ request, connection: {}, id: counterId(id), query }, undefined);
  };
  deepStrictEqual(await visit("a", 0), { hits: 1, repeat: false });
  // More than come at once below, none of whom finds the places full.
  for (let repeats = 0; repeats < 2000; repeats++) {
    deepStrictEqual(await visit("a", 0), { hits: 1, repeat: true });
  }
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

/** Opens the recognition of visitors over a store that the test looks into. */
function open() {
  const store = new ScriptedStore();
  const ending = new AbortController();
  const log = createLog({ secrets: [], write: () => {} });
  const counters = createCounters(store, createCalendar(TIME_ZONE));
  return {
    store,
    countVisitor: createUniqueVisitors({ counters, log, ended: ending.signal }, 0),
    [Symbol.asyncDispose]() {
      ending.abort();
      return counters.close();
    },
  };
}

const PREFIX = `POST /hit?once=day HTTP/1.1\r\nHost: localhost\r\n${SECRET_LINE}`;

for (const [proxies, what] of [["0", "the connection"], ["1", "X-Forwarded-For"]] as const) {
  Deno.test(`once=day takes a visitor's address from ${what} where TRUST_PROXY is ${proxies}`, async () => {
    const env = { SECRET_TOKEN: SECRET, TRUST_PROXY: proxies, TIME_ZONE };
    await using service = await startLocalService(env);
    const visit = async (...forwarded: string[]) => {
      const more = forwarded.map((value) => `X-Forwarded-For: ${value}\r\n`).join("");
      const [answer] = await sendRaw(service, `${PREFIX}${more}\r\n`);
      strictEqual(answer?.status, 200);
      return [JSON.parse(answer.body).hits, answer.headers.get("x-tallymark")];
    };
    if (proxies === "0") {
      deepStrictEqual(await visit(), [1, undefined]);
      deepStrictEqual(await visit(), [1, "repeat"]);
      deepStrictEqual(await visit("203.0.113.7"), [2, undefined]);
      deepStrictEqual(await visit("203.0.113.7"), [3, undefined]);
    } else {
      deepStrictEqual(await visit("203.0.113.7"), [1, undefined]);
      deepStrictEqual(await visit("192.0.2.1", "203.0.113.7"), [1, "repeat"]);
      deepStrictEqual(await visit("203.0.113.7", "192.0.2.1"), [2, undefined]);
      deepStrictEqual(await visit(), [3, undefined]);
    }
  });
}
