import { doesNotThrow, throws } from "node:assert/strict";
import { refuseRuntime } from "../../../src/start/environment.ts";

Deno.test("refuseRuntime: Deno 2.8.0, whose requests would wait for ever", () => {
  for (const onDeploy of [true, false]) {
    throws(() => refuseRuntime("2.8.0", onDeploy), /^StartError: .*use Deno 2\.8\.1 or later$/);
    for (const version of ["2.7.14", "2.8.1", "2.9.6", Deno.version.deno]) {
      doesNotThrow(() => refuseRuntime(version, onDeploy));
    }
  }
});

Deno.test("refuseRuntime: everything before Deno 2.7, but not on Deno Deploy", () => {
  for (const version of ["1.46.3", "2.5.6", "2.6.8"]) {
    throws(() => refuseRuntime(version, false), /^StartError: .*use Deno 2\.7 or later/);
    doesNotThrow(() => refuseRuntime(version, true));
  }
  for (const version of ["2.7.1", "2.10.0", "3.0.0"]) {
    doesNotThrow(() => refuseRuntime(version, false));
  }
});
