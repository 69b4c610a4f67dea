import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { basename, join } from "node:path";
import { removeLeftovers } from "../../support/leftovers.ts";
import { TEMP_PREFIX, tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";

const DAY_MS = 86_400_000;
const needsProc = { ignore: Deno.build.os !== "linux" };

Deno.test("removeLeftovers removes folders of the tests that are older than a day, and no others", async () => {
  await using root = await tempDir();
  const NAMES = ["old", "new"].flatMap((age) => [`${TEMP_PREFIX}${age}`, `tallymark-${age}`]);
  for (const name of NAMES) {
    const path = join(root.path, name);
    await Deno.mkdir(join(path, "data"), { recursive: true });
    const age = name.endsWith("old") ? DAY_MS + 1000 : DAY_MS - 60_000;
    await Deno.utime(path, new Date(), new Date(Date.now() - age));
  }
  await removeLeftovers(root.path);
  const left = [...Deno.readDirSync(root.path)].map(({ name }) => name);
  deepStrictEqual(left.sort(), NAMES.filter((name) => name !== `${TEMP_PREFIX}old`).sort());
});

Deno.test(
  "removeLeftovers ends processes whose parent was killed, in a folder of the tests",
  needsProc,
  async () => {
    await using root = await tempDir();
    const inside = await Deno.makeTempDir({ dir: root.path, prefix: TEMP_PREFIX });
    const outside = await Deno.makeTempDir({ dir: root.path });
    const [left, other] = [await orphan(inside), await orphan(outside)];
    await using child = spawnSleep(inside);
    try {
      await removeLeftovers(root.path);
      deepStrictEqual(
        [left, other, child.pid].map(isAlive),
        [true, true, true],
        "none is a day old",
      );
      await removeLeftovers(root.path, 0);
      await waitFor("the end of the process that was left", () => !isAlive(left) || undefined);
      deepStrictEqual([other, child.pid].map(isAlive), [true, true]);
    } finally {
      for (const pid of [left, other]) if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
    }
  },
);

/** Starts a process in a folder and ends its parent. */
async function orphan(cwd: string): Promise<number> {
  const args = ["-c", "sleep 1000 >/dev/null 2>&1 & echo $!"];
  const { stdout } = await new Deno.Command("sh", { args, cwd }).output();
  const pid = Number(new TextDecoder().decode(stdout));
  strictEqual(basename(Deno.readLinkSync(`/proc/${pid}/cwd`)), basename(cwd));
  return pid;
}

function spawnSleep(cwd: string): { pid: number } & AsyncDisposable {
  const process = new Deno.Command("sleep", { args: ["1000"], cwd }).spawn();
  return {
    pid: process.pid,
    async [Symbol.asyncDispose]() {
      process.kill();
      await process.status;
    },
  };
}

/** Reports whether a process runs. One that ended may stay as a zombie until it is adopted. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
