import { doesNotThrow, throws } from "node:assert/strict";
import { refuseBrokenRuntime, refuseOldRuntime } from "../../src/start/environment.ts";

Deno.test("refuseBrokenRuntime: Deno 2.8.0, and no other", () => {
  throws(() => refuseBrokenRuntime("2.8.0"), /^StartError: .*use Deno 2\.8\.1 or later$/);
  for (const version of ["2.5.6", "2.7.14", "2.8.1", "2.9.6", Deno.version.deno]) {
    doesNotThrow(() => refuseBrokenRuntime(version));
  }
});

Deno.test("refuseOldRuntime: everything before Deno 2.7", () => {
  for (const version of ["1.46.3", "2.5.6", "2.6.8"]) {
    throws(() => refuseOldRuntime(version), /^StartError: .*use Deno 2\.7 or later/);
  }
  for (const version of ["2.7.1", "2.10.0", "3.0.0", Deno.version.deno]) {
    doesNotThrow(() => refuseOldRuntime(version));
  }
});
