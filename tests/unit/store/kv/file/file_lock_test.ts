import { match, strictEqual } from "node:assert/strict";
import { folderOf, siblingOf } from "../../../../../src/store/kv/file/file_lock.ts";
import { join } from "node:path";
import { explainFailure } from "../../../../../src/store/kv/file/file_check.ts";
import { tempDir } from "../../../../support/temp_dir.ts";

for (
  const [os, path, folder, secret] of [
    ["linux", "data/counters.kv", "data", "data/secret"],
    ["linux", "counters.kv", ".", "secret"],
    ["linux", "/counters.kv", "/", "/secret"],
    ["linux", "a\\b/counters.kv", "a\\b", "a\\b/secret"],
    ["linux", "a\\counters.kv", ".", "secret"],
    ["windows", "D:\\x\\c.kv", "D:\\x", "D:\\x\\secret"],
    ["windows", "D:\\x/c.kv", "D:\\x", "D:\\x/secret"],
    ["windows", "c.kv", ".", "secret"],
  ] as const
) {
  Deno.test(`folderOf: on ${os}, ${path} is in ${folder}, and its secret is ${secret}`, () => {
    strictEqual(folderOf(path, os), folder);
    strictEqual(siblingOf(path, "secret", os), secret);
  });
}

const denied = new Deno.errors.PermissionDenied("Permission denied (os error 13)");

Deno.test("on Deno KV, a folder that may not be written is named with its owner, the user and a remedy", async () => {
  await using folder = await tempDir();
  const { uid } = await Deno.stat(folder.path);
  const { message } = explainFailure(join(folder.path, "counters.kv"), denied);
  strictEqual(
    message,
    `The folder ${folder.path} of the counters belongs to user ${uid}, and user ${Deno.uid()} runs the server (${denied.message}): chown -R ${Deno.uid()} ${folder.path}, or run the server as user ${uid}`,
  );
});

Deno.test("on Deno KV, a folder that cannot be created says so", async () => {
  await using folder = await tempDir();
  const { message } = explainFailure(join(folder.path, "data", "counters.kv"), denied);
  match(message, /^The folder .*data of the counters cannot be created \(Permission denied/);
});
