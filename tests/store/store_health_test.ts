import { deepStrictEqual } from "node:assert/strict";
import { createStoreHealth } from "../../src/store/store_health.ts";
import { createLog } from "../../src/log.ts";

Deno.test("createStoreHealth: says once that the store is away, and once that it is back", () => {
  const lines: string[] = [];
  const health = createStoreHealth(createLog({ secrets: [], write: (line) => lines.push(line) }));
  health.well();
  health.away(new Error("refused", { cause: new Error("no route") }));
  health.away(new Error("another"));
  health.well();
  health.well();
  health.away("a text");
  const told = lines.map((line) => {
    const { level, event, cause } = JSON.parse(line);
    return [level, event, cause];
  });
  deepStrictEqual(told, [
    ["error", "store away", "Error: refused <- Error: no route"],
    ["info", "store back", undefined],
    ["error", "store away", "a text"],
  ]);
});
