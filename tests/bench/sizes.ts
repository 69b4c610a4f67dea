import { join } from "node:path";
import type { RedisServer } from "../support/redis_server.ts";

/** Bytes of the database in `cwd`, with what it has not yet taken in from its write-ahead log. */
export function fileSize(cwd: string): number {
  const files = [...Deno.readDirSync(join(cwd, "data"))];
  return files.reduce((sum, { name }) => sum + Deno.statSync(join(cwd, "data", name)).size, 0);
}

/** Bytes that a Redis takes, as it says itself. */
export async function usedMemory(redis: RedisServer): Promise<number> {
  const info = await redis.command("INFO", "memory");
  return Number(/used_memory:(\d+)/.exec(String(info))?.[1]);
}

/** Returns the resident memory of a process, in megabytes. */
export function residentMegabytes(pid: number): number {
  return statusMegabytes(pid, "VmRSS");
}

/**
 * The CPU time that a process has used so far, in and outside the kernel (proc(5), `stat`), in
 * steps of 10 ms.
 */
export function processorSeconds(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The second field is the name of the program, in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Returns by how many megabytes the peak memory of a process exceeds its present memory while
 * `going` runs (proc(5), `clear_refs`).
 */
export async function growthDuring(pid: number, going: () => Promise<void>): Promise<number> {
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5", { create: false });
  const before = residentMegabytes(pid);
  await going();
  return statusMegabytes(pid, "VmHWM") - before;
}

function statusMegabytes(pid: number, name: string): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
