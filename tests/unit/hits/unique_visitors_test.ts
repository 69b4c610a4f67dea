import { counterId } from "../../../src/domain/counter_id.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { parseQuery } from "../../../src/http/query.ts";
import { createUniqueVisitors } from "../../../src/hits/unique_visitors.ts";
import { createLog } from "../../../src/log.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("the process forgets the salt of a day at midnight, though nobody comes", async () => {
  // The clock is stopped, so that no visit shows that the day is over.
  const calendar = createCalendar("UTC", () => Date.parse("2026-11-20T23:59:59.990Z"));
  let salts = 0;
  const store = new ScriptedStore();
  const salt = store.salt.bind(store);
  store.salt = (day) => {
    salts++;
    return salt(day);
  };
  const counters = createCounters(store, calendar);
  const ending = new AbortController();
  const log = createLog({ secrets: [], write: () => {} });
  const countVisitor = createUniqueVisitors({ counters, log, ended: ending.signal }, 0);
  const request = new Request("http://localhost/");
  const { query } = parseQuery("/?visitor=v", new Set(["visitor"]));
  await waitFor("the salt to be asked for again", async () => {
    await countVisitor({ request, connection: {}, id: counterId("a"), query }, undefined);
    return salts > 1 || undefined;
  });
  ending.abort();
  await counters.close();
});
