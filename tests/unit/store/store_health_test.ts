import { deepStrictEqual } from "node:assert/strict";
import { createStoreHealth, type StoreHealth } from "../../../src/store/store_health.ts";
import { createLog } from "../../../src/log.ts";
import { Metrics } from "../../../src/metrics.ts";
import { Failure } from "../../../src/domain/errors.ts";

Deno.test("the health of a store says once that the store is away, and once that it is back", () => {
  const { health, told } = watched();
  health.healthy();
  health.readable();
  health.unreachable(new Error("refused", { cause: new Error("no route") }));
  health.unreachable(new Error("another"));
  health.healthy();
  health.healthy();
  health.unreachable("a text");
  health.readable();
  deepStrictEqual(told, [
    ["error", "store unavailable", "Error: refused <- Error: no route"],
    ["info", "store available", undefined],
    ["error", "store unavailable", "a text"],
    ["info", "store available", undefined],
  ]);
});

Deno.test("the health of a store reads that work do not say that changes do, whatever comes between", () => {
  const { health, told } = watched();
  for (let round = 0; round < 100; round++) {
    health.unwritable("out of memory");
    health.readable();
  }
  health.unreachable("cut");
  health.readable();
  deepStrictEqual(told, [["error", "store unavailable", "out of memory"]]);
  health.healthy();
  deepStrictEqual(told.slice(1), [["info", "store available", undefined]]);
});

Deno.test("a refused login is told once although the store was away", () => {
  const { health, told } = watched();
  health.unreachable("cut");
  health.loginRejected(new Error("WRONGPASS"));
  health.unreachable("cut");
  health.loginRejected(new Error("WRONGPASS"));
  health.readable();
  deepStrictEqual(told, [
    ["error", "store unavailable", "cut"],
    ["error", "store unavailable", "Error: WRONGPASS"],
    ["info", "store available", undefined],
  ]);
});

Deno.test("a cause that is known only after a timeout is told, once", () => {
  const { health, told } = watched();
  for (let attempt = 0; attempt < 2; attempt++) {
    health.unwritable(new Failure("store-unavailable"));
    health.unwritable(new Error("invalid certificate"));
  }
  health.healthy();
  deepStrictEqual(told, [
    ["error", "store unavailable", "Failure: store-unavailable"],
    ["error", "store unavailable", "Error: invalid certificate"],
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
  return { health: createStoreHealth(log, new Metrics()), told };
}
