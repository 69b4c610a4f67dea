import { deepStrictEqual } from "node:assert/strict";
import { createStoreHealth, type StoreHealth } from "../../src/store/store_health.ts";
import { createLog } from "../../src/log.ts";

Deno.test("createStoreHealth: says once that the store is away, and once that it is back", () => {
  const { health, told } = watched();
  health.well();
  health.readable();
  health.away(new Error("refused", { cause: new Error("no route") }));
  health.away(new Error("another"));
  health.well();
  health.well();
  health.away("a text");
  health.readable();
  deepStrictEqual(told, [
    ["error", "store unavailable", "Error: refused <- Error: no route"],
    ["info", "store available", undefined],
    ["error", "store unavailable", "a text"],
    ["info", "store available", undefined],
  ]);
});

Deno.test("createStoreHealth: reads that work do not say that changes do, whatever comes between", () => {
  const { health, told } = watched();
  for (let round = 0; round < 100; round++) {
    health.unwritable("out of memory");
    health.readable();
  }
  health.away("cut");
  health.readable();
  deepStrictEqual(told, [["error", "store unavailable", "out of memory"]]);
  health.well();
  deepStrictEqual(told.slice(1), [["info", "store available", undefined]]);
});

Deno.test("createStoreHealth: a refused login is told once although the store was away", () => {
  const { health, told } = watched();
  health.away("cut");
  health.denied(new Error("WRONGPASS"));
  health.away("cut");
  health.denied(new Error("WRONGPASS"));
  health.readable();
  deepStrictEqual(told, [
    ["error", "store unavailable", "cut"],
    ["error", "store unavailable", "Error: WRONGPASS"],
    ["info", "store available", undefined],
  ]);
});

/** A health and what it wrote into the log. */
function watched(): { health: StoreHealth; told: unknown[][] } {
  const told: unknown[][] = [];
  const log = createLog({
    secrets: [],
    write(line) {
      const { level, event, cause } = JSON.parse(line);
      told.push([level, event, cause]);
    },
  });
  return { health: createStoreHealth(log), told };
}
