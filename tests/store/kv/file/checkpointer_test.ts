import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { tempDir } from "../../../support/temp_dir.ts";

Deno.test({
  name: "createCheckpointer: leaves a process alone that is out of file descriptors",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await tempDir();
    const { pathname } = new URL("few_descriptors.ts", import.meta.url);
    const line = [Deno.execPath(), "run", "-A", "--no-config", "--unstable-kv", pathname];
    const { code, stdout } = await new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 100; exec "$@"', "sh", ...line, join(folder.path, "counters.kv")],
      stderr: "null",
    }).output();
    const said = new TextDecoder().decode(stdout).trim().split("\n");
    deepStrictEqual({ code, said }, { code: 0, said: ["no checkpoint", "checkpoint"] });
  },
});
