import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { counterId } from "../../../../../src/domain/counter_id.ts";
import {
  type CounterFile,
  openCounterFile,
} from "../../../../../src/store/kv/file/counter_file.ts";
import { StartError } from "../../../../../src/start_error.ts";
import type { CounterStore } from "../../../../../src/domain/store.ts";
import { addition, rejectsWith } from "../../../../support/store_contract.ts";
import { kvStore } from "../../../../support/kv_store.ts";
import { tempDir } from "../../../../support/temp_dir.ts";
import { timeLimit } from "../../../../support/time_limit.ts";
import { waitFor } from "../../../../support/wait_for.ts";

const HOME = counterId("home");

Deno.test("openCounterFile makes the file and its folders", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/a/b/counters.kv`;
  const store = await openStore(path);
  deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
  await store.close();
  ok(Deno.statSync(path).size > 0);
});

Deno.test("a second owner is refused, until the first gives the file up", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const first = await openStore(path);
  const start = performance.now();
  await refused(path, /is in use by another process: stop that process first/);
  ok(performance.now() - start < timeLimit(1000));
  deepStrictEqual(await first.add([addition(HOME, 1)]), [1]);
  await first.close();
  const second = await openStore(path);
  deepStrictEqual(await second.add([addition(HOME, 1)]), [2]);
  await second.close();
});

/** Changes to a file with counters while no process has it open. */
const ACCIDENTS: readonly {
  name: string;
  happen(path: string): void;
  says: RegExp;
}[] = [
  {
    name: "damaged at its beginning",
    happen: (path) => overwrite(path, 0, 200),
    says: /is damaged or not a counter file/,
  },
  {
    name: "another kind of file",
    happen: (path) => Deno.writeTextFileSync(path, "counters\n".repeat(2000)),
    says: /is damaged or not a counter file/,
  },
  {
    name: "damaged in its pages",
    happen: (path) => overwrite(path, 4096, Deno.statSync(path).size - 4096),
    says: /is damaged or not a counter file/,
  },
  {
    name: "cut off in the middle",
    happen: (path) => Deno.truncateSync(path, Deno.statSync(path).size - 4096),
    says: /is damaged or not a counter file/,
  },
  {
    name: "cut off in its header",
    happen: (path) => Deno.truncateSync(path, 40),
    says: /is damaged or not a counter file/,
  },
  {
    name: "emptied",
    happen: (path) => Deno.truncateSync(path, 0),
    says: /has held counters and is missing or empty/,
  },
  {
    name: "deleted",
    happen: (path) => Deno.removeSync(path),
    says: /has held counters and is missing or empty/,
  },
];

for (const { name, happen, says } of ACCIDENTS) {
  Deno.test(`a file that is ${name} is refused and left as it is`, async () => {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    await fill(path);
    happen(path);
    const held = contents(path);
    const message = await refused(path, says);
    match(message, /restore it from a backup, or /);
    deepStrictEqual(contents(path), held);
    // The lock was given up, so that the advice can be followed.
    await refused(path, says);
    Deno.removeSync(`${path}.held`);
    if (held !== undefined) Deno.renameSync(path, `${path}.old`);
    const store = await openStore(path);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    await store.close();
  });
}

Deno.test("a file that never held a counter may vanish", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const store = await openStore(path);
  deepStrictEqual(await store.read([HOME]), [0]);
  await store.close();
  Deno.removeSync(path);
  await (await openStore(path)).close();
});

Deno.test("a file that was being made when its process was killed is made anew", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  {
    using other = new DatabaseSync(`${folder.path}/other.kv`);
    // With so little memory for pages some are written before the transaction ends.
    other.exec("PRAGMA cache_size = 1; BEGIN; CREATE TABLE numbers (number)");
    const add = other.prepare("INSERT INTO numbers VALUES (randomblob(3000))");
    for (let row = 0; row < 20; row++) add.run();
    for (const end of ["", "-journal"]) {
      Deno.copyFileSync(`${folder.path}/other.kv${end}`, path + end);
    }
  }
  ok(Deno.statSync(path).size > 0);
  const store = await openStore(path);
  deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
  await store.close();
});

Deno.test("a place that cannot hold a file is refused by its name", async () => {
  await using folder = await tempDir();
  await Deno.writeTextFile(`${folder.path}/file`, "");
  await refused(`${folder.path}/file/counters.kv`, /file\/counters\.kv cannot be opened/);
  await Deno.mkdir(`${folder.path}/counters.kv.lock`);
  await refused(`${folder.path}/counters.kv`, /counters\.kv cannot be opened/);
});

for (const gone of ["deleted", "replaced"]) {
  Deno.test(`hits, reads and checks are refused once the file is ${gone}`, async () => {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    const file = await openCounterFile(path);
    const store = await kvStore({ kv: file.kv, file });
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    await store.check();
    strictEqual(store.known?.(HOME), 1);
    Deno.renameSync(path, `${path}.moved`);
    if (gone === "replaced") Deno.copyFileSync(`${path}.moved`, path);
    await untilMissed(file);
    // Once it is missed every call says so, not one in 100 ms.
    strictEqual(file.isPresent(), false);
    await rejectsWith("store-unavailable", store.check());
    await rejectsWith("store-unavailable", store.add([addition(HOME, 1)]));
    await rejectsWith("store-unavailable", store.read([HOME]));
    strictEqual(store.known?.(HOME), undefined);
    await store.close();
  });
}

Deno.test("a hit refused while the file is away is not found in it afterwards", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const file = await openCounterFile(path);
  const store = await kvStore({ kv: file.kv, file });
  deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
  Deno.renameSync(path, `${path}.moved`);
  await untilMissed(file);
  await rejectsWith("store-unavailable", store.add([addition(HOME, 1)]));
  Deno.renameSync(`${path}.moved`, path);
  deepStrictEqual(await store.add([addition(HOME, 1)]), [2]);
  await store.close();
});

Deno.test("a hit whose file went away during its commit may be counted", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const file = await openCounterFile(path);
  const store = await kvStore({
    kv: file.kv,
    file: {
      ...file,
      isPresent(isCommitted) {
        if (isCommitted) Deno.renameSync(path, `${path}.moved`);
        return file.isPresent(isCommitted);
      },
    },
  });
  await rejectsWith("outcome-unknown", store.add([addition(HOME, 1)]));
  await rejectsWith("store-unavailable", store.add([addition(HOME, 1)]));
  Deno.renameSync(`${path}.moved`, path);
  deepStrictEqual(await store.read([HOME]), [1]);
  await store.close();
});

Deno.test({
  name: "a hit is answered although the note beside the file cannot be written",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await tempDir();
    const path = `${folder.path}/counters.kv`;
    await Deno.symlink("nowhere/note", `${path}.held`);
    const store = await openStore(path);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [2]);
    await store.close();
  },
});

async function openStore(path: string): Promise<CounterStore> {
  const file = await openCounterFile(path);
  return await kvStore({ kv: file.kv, file });
}

/** Makes a file that holds so many counters that it has many pages. */
async function fill(path: string): Promise<void> {
  const store = await openStore(path);
  for (let batch = 0; batch < 10; batch++) {
    await store.add(
      Array.from(
        { length: store.idsPerBatch },
        (_, index) => addition(counterId(`${batch}/${index}/${"x".repeat(100)}`), 1),
      ),
    );
  }
  await store.close();
  ok(Deno.statSync(path).size > 100_000);
}

/** Asserts that the file is refused with a sentence for people that names it, and returns that. */
async function refused(path: string, says: RegExp): Promise<string> {
  let message = "";
  await rejects(openCounterFile(path), (error: unknown) => {
    ok(error instanceof StartError, String(error));
    message = error.message;
    return true;
  });
  ok(message.startsWith(path), message);
  match(message, says);
  strictEqual(message.includes("\n"), false);
  return message;
}

/** Waits until a look for the file finds that it is not where it was. */
async function untilMissed(file: CounterFile): Promise<void> {
  await waitFor("the file to be missed", () => {
    return !file.isPresent() || undefined;
  });
}

function overwrite(path: string, start: number, length: number): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(start, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(length).fill(0xa5));
}

/** The bytes of a file; undefined where there is none. */
function contents(path: string): Uint8Array | string | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "a folder" : Deno.readFileSync(path);
  } catch {
    return undefined;
  }
}
