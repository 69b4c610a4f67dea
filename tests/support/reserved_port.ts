import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const FIRST = 10_000;
/**
 * The system gives ports from here on to outgoing connections and to listeners that ask for any
 * port.
 */
const EPHEMERAL = firstEphemeralPort();
const reserved = new Set<number>();
globalThis.addEventListener("unload", () => {
  for (const port of reserved) Deno.removeSync(claimOn(port));
});

/**
 * Reserves a port of 127.0.0.1 until the tests of this file have ended. It serves a server that
 * stops and returns on the same port, or an address where no process listens. No test of another
 * process and no outgoing connection can take it.
 */
export function reservePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (EPHEMERAL - FIRST));
    if (!claim(port)) continue;
    reserved.add(port);
    if (isFree(port)) return port;
  }
}

/**
 * Listens on a reserved port, as `open` does. A program that another thread starts has copies of
 * this process's sockets until it runs: a port that was closed is in use for that moment. Throws
 * what `open` throws if it lasts for 10 s.
 */
export function onReservedPort<Listening>(open: () => Listening): Listening {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse) || performance.now() > end) throw error;
      Atomics.wait(clock, 0, 0, 1);
    }
  }
}

/**
 * Test files run in threads and processes of their own: only the file system tells them what others
 * reserved.
 */
function claim(port: number): boolean {
  try {
    Deno.writeTextFileSync(claimOn(port), String(Deno.pid), { createNew: true });
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    dropIfStale(claimOn(port));
    return false;
  }
}

function claimOn(port: number): string {
  return join(tmpdir(), `tallymark-port-${port}`);
}

/** A process that was killed leaves its claims behind. */
function dropIfStale(claim: string): void {
  try {
    const owner = Deno.readTextFileSync(claim);
    // Empty for the moment between its creation and its content.
    if (owner !== "" && !isRunning(Number(owner))) Deno.removeSync(claim);
  } catch (error) {
    // Its owner has just ended, or another test was faster.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Processes of other users may not be sent anything.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}

function firstEphemeralPort(): number {
  const USUAL = 32_768;
  try {
    const range = Deno.readTextFileSync("/proc/sys/net/ipv4/ip_local_port_range");
    const first = parseInt(range);
    // A range that begins lower would leave too few ports.
    return first >= FIRST + 5000 ? Math.min(first, 65_536) : USUAL;
  } catch {
    return USUAL;
  }
}
