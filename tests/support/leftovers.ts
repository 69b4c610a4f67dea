import { join } from "node:path";
import { TEMP_PREFIX } from "./temp_dir.ts";

const DAY_MS = 86_400_000;

/**
 * Removes temporary folders of the tests that killed runs left in `folder`, and ends the processes
 * that work in them. No run takes a day, so what is older was left behind. A process is ended only
 * if it is this user's and has lost its parent.
 */
export async function removeLeftovers(folder: string, ageMs = DAY_MS): Promise<void> {
  const prefix = join(folder, TEMP_PREFIX);
  for (const pid of processesIn(prefix, ageMs)) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  for (const { name, isDirectory } of entriesOf(folder)) {
    if (!isDirectory || !name.startsWith(TEMP_PREFIX)) continue;
    const path = join(folder, name);
    try {
      const { uid, mtime } = await Deno.stat(path);
      if (uid !== Deno.uid() || Date.now() - (mtime?.getTime() ?? Infinity) < ageMs) continue;
      await Deno.remove(path, { recursive: true });
    } catch {
      // Another run removes it too.
    }
  }
}

function processesIn(prefix: string, ageMs: number): number[] {
  return entriesOf("/proc").map(({ name }) => Number(name)).filter((pid) => {
    try {
      if (!(pid > 0) || Deno.statSync(`/proc/${pid}`).uid !== Deno.uid()) return false;
      const { parent, runningMs } = readStat(pid);
      if (!isReaper(parent) || runningMs < ageMs) return false;
      const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
      return Deno.readLinkSync(`/proc/${pid}/cwd`).startsWith(prefix) ||
        words.some((word) => word.includes(prefix));
    } catch {
      // It has ended, or may not be looked at.
      return false;
    }
  });
}

/** Reports whether a process adopts those whose parent has ended. */
function isReaper(pid: number): boolean {
  return pid === 1 || Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === "systemd";
}

/** Reads the parent and age of a process. See proc(5): fields 4 and 22 of its `stat`. */
function readStat(pid: number): { parent: number; runningMs: number } {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything, also spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const TICKS_PER_SECOND = 100;
  const uptime = Number.parseFloat(Deno.readTextFileSync("/proc/uptime"));
  const runningMs = (uptime - Number(fields[19]) / TICKS_PER_SECOND) * 1000;
  return { parent: Number(fields[1]), runningMs };
}

function entriesOf(folder: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch {
    return [];
  }
}
