import type { FleetJob, FleetResult } from "./fleet_process.ts";
import { scriptLine } from "./servers.ts";

/** A process of the fleet, seen from outside. */
export class FleetMember {
  /** Resolves when all its nodes are connected. */
  readonly ready: Promise<void>;
  /** The measurement. Resolves to undefined if the process was killed. */
  readonly result: Promise<FleetResult | undefined>;
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  #isKilled = false;
  #isEnded = false;

  /** `onNumbers` is called with numbers in a row that its callers were given. */
  constructor(job: FleetJob, onNumbers: (first: number, count: number) => void = () => {}) {
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
    this.result = this.#read({ onReady: ready.resolve, onNumbers });
    this.result.catch(ready.reject);
  }

  /** Has the callers begin. */
  async begin(): Promise<void> {
    await this.ready;
    await this.#input.write(new TextEncoder().encode("begin\n"));
  }

  /** Has the callers stop, and waits for what the process says at its end. */
  async end(): Promise<FleetResult | undefined> {
    if (!this.#isKilled) await this.#input.close();
    return await this.result;
  }

  /** Ends it at once, whatever it is doing; resolves when all that it printed is read. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process.kill("SIGKILL");
    await this.result;
    await this.#input.abort().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isEnded) await this.kill();
  }

  async #read({ onReady, onNumbers }: {
    onReady(): void;
    onNumbers(first: number, count: number): void;
  }): Promise<FleetResult | undefined> {
    let result: FleetResult | undefined;
    for await (const line of linesOf(this.#process.stdout)) {
      if (line === "ready") onReady();
      else if (line.startsWith("{")) result = JSON.parse(line);
      else {
        const [first = NaN, count = NaN] = line.split(" ").map(Number);
        onNumbers(first, count);
      }
    }
    const { success } = await this.#process.status;
    this.#isEnded = true;
    if (!success && !this.#isKilled) throw new Error("A process of the fleet failed");
    return result;
  }
}

/** The whole lines of a stream: a process that is killed leaves half of one. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
