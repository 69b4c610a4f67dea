import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

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
