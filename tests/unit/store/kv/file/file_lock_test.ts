import { strictEqual } from "node:assert/strict";
import { folderOf, siblingOf } from "../../../../../src/store/kv/file/file_lock.ts";

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
