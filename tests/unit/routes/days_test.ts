import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { field, memoryApp } from "../../support/app.ts";
import { openAtNoon } from "../../support/app_at_noon.ts";
import { authorized } from "../../support/secret.ts";

Deno.test("GET /days ends with the day that a clock ahead has opened, as period=today does", async () => {
  let time = "2026-11-20T23:55:00Z";
  await using app = await memoryApp({ calendar: createCalendar("UTC", () => Date.parse(time)) });
  await app.hit("home");
  time = "2026-11-21T00:03:00Z";
  await app.hit("home", 3);
  time = "2026-11-20T23:57:00Z";
  const { json } = await app.send("GET /days?id=home", authorized);
  deepStrictEqual(field(json, "days"), [
    { day: "2026-11-20", hits: 1 },
    { day: "2026-11-21", hits: 3 },
  ]);
  strictEqual((await app.send("GET /count.txt?id=home&period=today", authorized)).body, "3");
});

Deno.test("GET /days gives the days of a range, those without hits as 0, none from before history", async () => {
  await using app = await openAtNoon();
  await app.hit("home", 2);
  app.tomorrow();
  app.tomorrow();
  await app.hit("home", 3);
  const days = [
    { day: "2026-11-20", hits: 2 },
    { day: "2026-11-21", hits: 0 },
    { day: "2026-11-22", hits: 3 },
  ];
  for (
    const [query, expected] of [
      ["", days],
      ["&from=2026-01-01&to=2026-12-31", days],
      ["&from=2026-11-21", days.slice(1)],
      ["&to=2026-11-21", days.slice(0, 2)],
      ["&from=2026-11-21&to=2026-11-21", days.slice(1, 2)],
      ["&from=2020-01-01&to=2020-01-31", []],
    ] as const
  ) {
    const { json, headers } = await app.send(`GET /days?id=home${query}`);
    deepStrictEqual(json, { id: "home", total: 5, timeZone: "UTC", days: expected }, query);
    strictEqual(headers["cache-control"], "no-store");
    strictEqual(headers["access-control-allow-origin"], "*");
  }
  deepStrictEqual((await app.send("GET /days?id=never")).json, {
    id: "never",
    total: 0,
    timeZone: "UTC",
    days: [],
  });
});

for (
  const query of [
    ...["from=2026-02-30", "to=yesterday", "from=", "from=2026-11-21&to=2026-11-20"],
    "from=2000-01-01&to=2026-01-01",
    "from=0070-01-01&to=0070-01-02",
    "from=0099-12-01&to=0099-12-31",
  ]
) {
  Deno.test(`GET /days refuses ${query}, before it asks for the secret`, async () => {
    await using app = await openAtNoon({ openReads: false });
    strictEqual((await app.send(`GET /days?id=home&${query}`)).status, 400);
    strictEqual((await app.send("GET /days?id=home")).status, 401);
  });
}
