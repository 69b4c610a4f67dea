import { doesNotThrow, throws } from "node:assert/strict";
import { refuseBrokenRuntime } from "../../src/start/runtime.ts";

Deno.test("refuseBrokenRuntime: Deno 2.8.0, and no other", () => {
  throws(() => refuseBrokenRuntime("2.8.0"), /^StartError: .*use Deno 2\.8\.1 or later$/);
  for (const version of ["2.5.6", "2.7.14", "2.8.1", "2.9.6", Deno.version.deno]) {
    doesNotThrow(() => refuseBrokenRuntime(version));
  }
});
