import { strictEqual } from "node:assert/strict";
import { folderOf, siblingOf } from "../../../../../src/store/kv/file/file_lock.ts";
import { toStartError } from "../../../../../src/store/kv/file/file_check.ts";

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

Deno.test("on Deno KV, a folder that may not be used is named with the command that helps", () => {
  const { message } = toStartError("/srv/data/counters.kv", denied);
  strictEqual(
    message,
    `The folder /srv/data of the counters cannot be used (${denied.message}): create it, and make it that of the user who runs the server, as with chown -R ${Deno.uid()} /srv/data`,
  );
});
