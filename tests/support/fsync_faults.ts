import { ProcessOutput } from "./process_output.ts";
import { FAR_AWAY_MS } from "./time_limit.ts";

const CALLS = "fsync,fdatasync";

/**
 * For tests that come between a process and its disk: that needs strace, and the right to trace.
 */
export const needsStrace: { ignore: boolean } = { ignore: !await canTrace() };

/** Lets every fsync of a process fail until it is disposed of. */
export async function breakFsync(pid: number): Promise<AsyncDisposable> {
  return await trace(pid, ["-e", `inject=${CALLS}:error=EIO`]);
}

/** The fsyncs of one file, which do not go on until this is disposed of. */
export interface HeldFsync extends AsyncDisposable {
  /** Waits until one has begun. */
  begun(): Promise<void>;
}

/** Holds up each fsync of a file by a process. */
export async function holdFsync(pid: number, path: string): Promise<HeldFsync> {
  const tracer = await trace(pid, ["-P", path, "-e", `inject=${CALLS}:delay_enter=86400s`]);
  return {
    async begun() {
      await tracer.output.find(/sync\(/, FAR_AWAY_MS);
    },
    [Symbol.asyncDispose]: () => tracer[Symbol.asyncDispose](),
  };
}

/**
 * Wraps the line of a command: the process is killed as it begins the fsync of this number, counted
 * from 1.
 */
export function killedAtFsync(number: number): (line: string[]) => string[] {
  const calls = ["-e", `trace=${CALLS}`, "-e", `inject=${CALLS}:signal=KILL:when=${number}`];
  // -D: the process stays our own child, so that killing it ends both.
  return (line) => ["strace", "-D", "-f", "-qq", "-o", "/dev/null", ...calls, ...line];
}

interface Tracer extends AsyncDisposable {
  readonly output: ProcessOutput;
}

async function trace(pid: number, args: readonly string[]): Promise<Tracer> {
  const tracer = new Deno.Command("strace", {
    args: ["-f", "-p", `${pid}`, "-e", `trace=${CALLS}`, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput([tracer.stdout, tracer.stderr]);
  await output.find(/attached/, 10_000);
  return {
    output,
    async [Symbol.asyncDispose]() {
      try {
        tracer.kill();
      } catch {
        // It ended with the process that it traced.
      }
      await tracer.status;
      await output.ended;
    },
  };
}

async function canTrace(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    return (await new Deno.Command("strace", { args: ["-o", "/dev/null", "true"] }).output())
      .success;
  } catch {
    return false;
  }
}
