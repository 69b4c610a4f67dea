import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { field, memoryStore, openApp, type TestApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

const DAY = "2026-11-24";
const calendar = createCalendar("UTC", () => Date.parse(`${DAY}T12:00:00Z`));

/** The app on a store that keeps no numbers itself, as Redis, and can become unreachable. */
async function openUnreliable(ofTest = calendar) {
  const { known: _, ...store } = (await memoryStore(ofTest)).store;
  let isUnreachable = false;
  const reached = <Value>(answer: () => Value): Value => {
    if (isUnreachable) throw new Failure("store-unavailable");
    return answer();
  };
  const unreliable: CounterStore = {
    ...store,
    read: async (ids) => await reached(() => store.read(ids)),
    history: async (asked) => await reached(() => store.history(asked)),
    add: async (additions) => await reached(() => store.add(additions)),
  };
  const app = openApp({ store: unreliable, calendar: ofTest });
  return { ...app, loseStore: () => void (isUnreachable = true) };
}

const PUT = (app: TestApp, body: unknown) =>
  app.sendBody("PUT /counters?id=a", JSON.stringify(body));
const max = (app: TestApp, line: unknown) =>
  app.sendBody("POST /counters?mode=max", JSON.stringify(line));

/** Changes of the counter, and the number after each, which images must show. */
const rows: [name: string, number: number, run: (app: TestApp) => Promise<unknown>][] = [
  ["a hit", 4, (app) => app.hit("a")],
  ["a hit that was sent again", 13, async (app) => {
    const headers = { ...authorized, "idempotency-key": "k" };
    await app.send("POST /hit?id=a", headers);
    await app.hit("a", 9);
    const { json } = await app.send("POST /hit?id=a", headers);
    strictEqual(field(json, "hits"), 4);
  }],
  ["the repeated visit of a visitor", 6, async (app) => {
    for (const visitor of ["v", "w", "x", "v"]) {
      await app.send(`POST /hit?id=a&once=day&visitor=${visitor}`, authorized);
    }
  }],
  ["an import of a smaller number with mode=max", 3, (app) => max(app, { id: "a", hits: 2 })],
  ["an import of a larger number with mode=max", 50, (app) => max(app, { id: "a", hits: 50 })],
  [
    "an import of days with mode=max, which raise the total",
    10,
    (app) => max(app, { id: "a", days: { [DAY]: 5, "2026-11-20": 5 } }),
  ],
  ["an import of a smaller number", 2, (app) => {
    return app.sendBody("POST /counters", JSON.stringify({ id: "a", hits: 2 }));
  }],
  ["PUT with a smaller number", 2, (app) => PUT(app, { hits: 2 })],
  ["PUT with a larger number", 1234, (app) => PUT(app, { hits: 1234 })],
  ["DELETE", 0, (app) => app.send("DELETE /counters?id=a", authorized)],
];

for (const [name, number, run] of rows) {
  Deno.test(`while the store is unreachable, badges show the number after ${name}`, async () => {
    await using app = await openUnreliable();
    await app.hit("a", 3);
    await run(app);
    app.loseStore();
    const { status, body, headers } = await app.send("GET /badge?id=a&label=hits");
    strictEqual(status, 200);
    strictEqual(headers["x-tallymark"], "stale");
    match(body, titled(number));
    const hit = await app.send("GET /hit.svg?id=a&label=hits", authorized);
    strictEqual(hit.headers["x-tallymark"], "store-unavailable");
    match(hit.body, titled(number));
  });

  Deno.test(`a Deno KV of its own knows the number after ${name}`, async () => {
    const { store } = await memoryStore(calendar);
    await using app = openApp({ store, calendar });
    await app.hit("a", 3);
    await run(app);
    strictEqual(await app.count("a"), number);
    match((await app.send("GET /badge?id=a&label=hits")).body, titled(number));
    strictEqual(await stored(store), number);
    await app.hit("a");
    strictEqual(await app.count("a"), number + 1);
  });
}

Deno.test("while the store is unreachable, counts of days are shown until the day ends", async () => {
  let today = calendar.today();
  const moving = { ...calendar, today: () => today };
  await using app = await openUnreliable(moving);
  await app.hit("a", 5);
  const queries = ["period=today", "period=30d", "show=today/total"];
  const statuses = () =>
    Promise.all(
      queries.map(async (query) => (await app.send(`GET /badge.json?id=a&${query}`)).status),
    );
  deepStrictEqual(await statuses(), [200, 200, 200]);
  app.loseStore();
  deepStrictEqual(await statuses(), [200, 200, 200]);
  today++;
  deepStrictEqual(await statuses(), [503, 503, 503]);
});

/** The number that the store lists, whatever it remembers. */
async function stored(store: CounterStore): Promise<number> {
  for await (const { counters } of store.list({ prefix: "a", since: undefined })) {
    for (const { hits } of counters) return hits;
  }
  return 0;
}

function titled(number: number): RegExp {
  return new RegExp(`<title>hits: ${number}</title>`);
}
