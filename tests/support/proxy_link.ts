/**
 * Faults that a proxy injects into the bytes that it forwards. All its links share them, and the
 * test changes them.
 */
export type ProxyFaults = {
  /** Milliseconds that every byte is held back, in each direction. */
  delay: number;
  /** While set, nothing is forwarded in any direction until it resolves. */
  gate: Promise<void> | undefined;
  /** Replies of the upstream are dropped. */
  swallow: boolean;
  /** Cuts the link that carries a matching request when its reply arrives. */
  trap: ReplyTrap | undefined;
};

/** A request to wait for, the link that carried it, and whom to tell when its reply was dropped. */
export type ReplyTrap = { text: string; link?: ProxyLink; sprung: () => void };

/** Bytes that have left the proxy, in each direction. */
export type ProxyBytes = { toUpstream: number; toClient: number };

/** One client connection, joined to one of the upstream. */
export class ProxyLink {
  /** Resolves when both connections are closed and nothing is under way. */
  readonly done: Promise<void>;
  #client: Deno.TcpConn;
  #upstream: Deno.TcpConn;
  #faults: ProxyFaults;
  #bytes: ProxyBytes;
  #closed = new AbortController();

  constructor(
    [client, upstream]: [Deno.TcpConn, Deno.TcpConn],
    faults: ProxyFaults,
    bytes: ProxyBytes,
  ) {
    this.#client = client;
    this.#upstream = upstream;
    this.#faults = faults;
    this.#bytes = bytes;
    const pumps = [this.#pump("request"), this.#pump("reply")];
    this.done = Promise.all(pumps).then(() => this.cut());
  }

  /** Closes both connections at once; what is under way is lost. */
  cut(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#client.close();
    this.#upstream.close();
    if (this.#faults.trap?.link === this) this.#faults.trap.sprung();
  }

  async #pump(kind: "request" | "reply"): Promise<void> {
    const from = kind === "request" ? this.#client : this.#upstream;
    const buffer = new Uint8Array(65_536);
    let delivered = Promise.resolve();
    try {
      for (;;) {
        const length = await from.read(buffer);
        if (length === null) break;
        const bytes = buffer.slice(0, length);
        const due = performance.now() + this.#faults.delay;
        delivered = delivered.then(() => this.#deliver(kind, bytes, due)).catch(() => this.cut());
        // Without a delay the sender is held back as by a plain connection.
        if (this.#faults.delay === 0) await delivered;
      }
      await delivered;
      await (kind === "request" ? this.#upstream : this.#client).closeWrite();
    } catch {
      this.cut();
    }
    await delivered;
  }

  async #deliver(kind: "request" | "reply", bytes: Uint8Array, due: number): Promise<void> {
    await sleep(due - performance.now(), this.#closed.signal);
    await this.#passGate();
    if (this.#closed.signal.aborted) return;
    if (kind === "request") {
      this.#armTrap(bytes);
      this.#bytes.toUpstream += bytes.length;
      await writeAll(this.#upstream, bytes);
    } else if (this.#faults.trap?.link === this) {
      this.cut();
    } else if (!this.#faults.swallow) {
      this.#bytes.toClient += bytes.length;
      await writeAll(this.#client, bytes);
    }
  }

  async #passGate(): Promise<void> {
    const { signal } = this.#closed;
    while (this.#faults.gate !== undefined && !signal.aborted) {
      await Promise.race([this.#faults.gate, aborted(signal)]);
    }
  }

  #armTrap(bytes: Uint8Array): void {
    const { trap } = this.#faults;
    if (trap === undefined || trap.link !== undefined) return;
    if (new TextDecoder().decode(bytes).includes(trap.text)) trap.link = this;
  }
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length;) start += await connection.write(bytes.subarray(start));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

/** Waits, but not longer than until the signal. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
