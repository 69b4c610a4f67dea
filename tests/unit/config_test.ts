import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";

type Config = {
  imports: Record<string, string>;
  unstable: unknown;
  lock: unknown;
  compilerOptions: unknown;
  fmt: unknown;
};
type Lock = { npm: Record<string, unknown> };

// The tools of the tests have a deno.json and a lock of their own, as `deno task start` fetches all
// that its lock names.
Deno.test("the tests have the packages of the service, as it names and locks them", async () => {
  const [service, tests] = [await read<Config>("deno.json"), await read<Config>("tests/deno.json")];
  deepStrictEqual(among(tests.imports, service.imports), service.imports);
  const [kept, held] = [await read<Lock>("deno.lock"), await read<Lock>("tests/deno.lock")];
  deepStrictEqual(among(held.npm, kept.npm), kept.npm);
});

Deno.test("the tests are checked as strictly as the service", async () => {
  const [service, tests] = [await read<Config>("deno.json"), await read<Config>("tests/deno.json")];
  for (const part of ["unstable", "lock", "compilerOptions", "fmt"] as const) {
    deepStrictEqual(tests[part], service[part], part);
  }
});

/** Those entries of a record whose names another one has as well. */
function among<T>(record: Record<string, T>, names: Record<string, unknown>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in names));
}

async function read<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(join(projectFolder, path)));
}
