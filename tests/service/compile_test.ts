import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { copyProject } from "../support/project_copy.ts";
import { startFlags } from "../support/service_command.ts";

/**
 * The base of a real binary is downloaded; Deno itself in its place lets the packing run, and no
 * more.
 */
const env = { DENORT_BIN: Deno.execPath(), SECRET_TOKEN: "canary-of-the-environment" };

Deno.test("deno task compile: packs the bundle and the flags, and no secret", async (t) => {
  await using project = await copyProject();
  await Deno.mkdir(join(project.path, "data"));
  await Deno.writeTextFile(join(project.path, "data/counters.kv"), "canary-of-the-data");
  await Deno.writeTextFile(join(project.path, ".env"), "STORE_URL=redis://canary-of-the-file@h\n");

  const output = await project.runTask("compile", env);
  const binary = Buffer.from(await Deno.readFile(join(project.path, "dist/tallymark")));
  const packed = binary.subarray(binary.lastIndexOf('{"argv":'));
  const settings = JSON.parse(packed.toString("latin1", 0, endOfObject(packed)));

  await t.step("embeds the bundle, below 1 MB, and the renderer of PNGs", () => {
    const listed = /Embedded Files\n([^]*?)\n\nFiles: (\S+)MB\n/.exec(output);
    match(
      listed?.[1] ?? "",
      /^\s*tallymark\s+├── tallymark-png\.js \([56](?:\.\d+)?MB\)\s+└── tallymark\.js \(\d{3}(?:\.\d+)?KB\)$/,
    );
    ok(Number(listed?.[2]) < 7, listed?.[0]);
  });

  await t.step("gives the program the flags of the start task, and KV", () => {
    const granted = Object.entries(settings.permissions)
      .filter(([name, value]) => name.startsWith("allow_") && name !== "allow_import" && value)
      .map(([name, value]) => [`--${name.replace("_", "-")}`, value].join("=").replace(/=$/, ""));
    const flags = startFlags().filter((flag) => flag.startsWith("--allow"));
    deepStrictEqual(granted.toSorted(), flags.toSorted());
    strictEqual(`--v8-flags=${settings.v8_flags.slice(-2).join(",")}`, startFlags()[0]);
    strictEqual(settings.permissions.prompt, false);
    ok(settings.unstable_config.features.includes("kv"));
  });

  await t.step("holds nothing of the environment, of .env and of the data", () => {
    deepStrictEqual(settings.env_vars_from_env_file, {});
    deepStrictEqual(settings.argv, []);
    for (const part of ["environment", "file", "data"]) {
      strictEqual(binary.includes(`canary-of-the-${part}`), false, part);
    }
  });

  await t.step("holds no path of the machine that made it", () => {
    strictEqual(packed.includes(project.path), false);
  });

  await t.step("without its base it fails, and says what to run instead", async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ".deploy/compile.ts"],
      cwd: project.path,
      env: { DENORT_BIN: join(project.path, "denort") },
    }).output();
    strictEqual(code, 1);
    match(new TextDecoder().decode(stderr), /Cannot compile: .* dist\/tallymark\.js /);
    ok((await Deno.stat(join(project.path, "dist/tallymark.js"))).isFile);
  });
});

Deno.test({
  name: "deno task compile: the binary serves hits (its base has to be downloaded)",
  ignore: true,
  fn() {},
});

/** The length of the JSON object that begins the bytes; its texts hold no braces. */
function endOfObject(bytes: Buffer): number {
  let depth = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === 0x7b) depth++;
    else if (bytes[index] === 0x7d && --depth === 0) return index + 1;
  }
  throw new Error("Read what the binary holds: no end of the settings");
}
