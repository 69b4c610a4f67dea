import type { FleetJob, FleetResult } from "./fleet_process.ts";
import { scriptLine } from "./servers.ts";

/** A process of the fleet, seen from outside. */
export class FleetMember implements AsyncDisposable {
  /** Resolves when all its nodes are connected. */
  readonly ready: Promise<void>;
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #result: Promise<FleetResult>;
  #isEnded = false;

  constructor(job: FleetJob) {
    const [program = "", ...args] = scriptLine("fleet_process.ts");
    this.#process = new Deno.Command(program, {
      args: [...args, JSON.stringify(job)],
      // Hits that wait in hundreds of nodes at once would grow old in the young generation of a
      // single one.
      env: { DENO_V8_FLAGS: "--max-semi-space-size=256" },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#result = this.#read(ready.resolve);
    this.#result.catch(ready.reject);
  }

  /** Has the callers begin. */
  async begin(): Promise<void> {
    await this.ready;
    await this.#input.write(new TextEncoder().encode("begin\n"));
  }

  /** Has the callers stop, and returns what the process measured. */
  async end(): Promise<FleetResult> {
    await this.#input.close();
    return await this.#result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isEnded) this.#process.kill("SIGKILL");
    await this.#result.catch(() => {});
  }

  async #read(onReady: () => void): Promise<FleetResult> {
    let output = "";
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (output.startsWith("ready\n")) onReady();
    }
    const { success } = await this.#process.status;
    this.#isEnded = true;
    if (!success) throw new Error("A process of the fleet failed");
    return JSON.parse(output.slice("ready\n".length));
  }
}
