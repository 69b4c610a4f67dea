import { type ProxyBytes, type ProxyFaults, ProxyLink } from "./proxy_link.ts";
import { onReservedPort, reservePort } from "./reserved_port.ts";
import { waitFor } from "./wait_for.ts";

/** The address that a proxy forwards to; the host name is 127.0.0.1 by default. */
export type Upstream = { port: number; hostname?: string };

/** Starts a proxy on a free port of 127.0.0.1 that forwards to `upstream` and fails on demand. */
export function startProxy(upstream: Upstream): TcpProxy {
  return new TcpProxy(upstream);
}

/**
 * A TCP proxy that can delay, cut, swallow replies, black-hole and refuse; ends when disposed of.
 */
export class TcpProxy {
  /** Port of 127.0.0.1 to connect to; the same after `refuse` and `accept`. */
  readonly port: number;
  /** Connections that were accepted so far. */
  connections = 0;
  #upstream: Required<Upstream>;
  readonly #links = new Set<ProxyLink>();
  readonly #bytes: ProxyBytes = { toUpstream: 0, toClient: 0 };
  readonly #faults: ProxyFaults = { delay: 0, gate: undefined, swallow: false, trap: undefined };
  #openGate: () => void = () => {};
  #listener: Deno.TcpListener | undefined;
  #accepting: Promise<void> = Promise.resolve();

  constructor(upstream: Upstream) {
    this.#upstream = { hostname: "127.0.0.1", ...upstream };
    this.port = this.#listen(reservePort());
  }

  /** Bytes forwarded so far, in each direction. */
  get bytes(): Readonly<ProxyBytes> {
    return { ...this.#bytes };
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#links.size;
  }

  /** Returns a URL with this proxy in place of the upstream. */
  through(url: string): string {
    return url.replace(`:${this.#upstream.port}`, `:${this.port}`);
  }

  /** Holds every byte back for so many milliseconds, in each direction, from now on. */
  delay(milliseconds: number): void {
    this.#faults.delay = milliseconds;
  }

  /**
   * Forwards new connections to another upstream; those that are open go on, as when a name was
   * moved.
   */
  redirect(upstream: Upstream): void {
    this.#upstream = { hostname: "127.0.0.1", ...upstream };
  }

  /** Closes all connections at once; new ones are still accepted. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Refuses new connections (nothing listens); those that are open go on. */
  async refuse(): Promise<void> {
    await this.#close();
    await refused(this.port);
  }

  /** Accepts connections again after `refuse`. */
  accept(): void {
    if (this.#listener === undefined) this.#listen(this.port);
  }

  /** Lets requests reach the upstream and drops every reply, until `resume`. */
  swallowReplies(): void {
    this.#faults.swallow = true;
  }

  /** Accepts connections and forwards nothing; what was held is forwarded on `resume`. */
  blackHole(): void {
    if (this.#faults.gate !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#faults.gate = promise;
    this.#openGate = resolve;
  }

  /** Ends `swallowReplies`, `blackHole` and `delay`. */
  resume(): void {
    this.#faults.delay = 0;
    this.#faults.swallow = false;
    this.#faults.gate = undefined;
    this.#openGate();
  }

  /**
   * Lets the next request whose bytes hold `text` reach the upstream, and when the upstream replies
   * drops the reply and cuts that connection. Resolves when it is cut, or when the proxy ends.
   */
  async cutAfterNextRequest(text = ""): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#faults.trap?.sprung();
    this.#faults.trap = {
      text,
      sprung: () => {
        this.#faults.trap = undefined;
        resolve();
      },
    };
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    this.#faults.trap?.sprung();
    await this.#close();
    const ending = [...this.#links].map((link) => link.done);
    this.cut();
    await Promise.all(ending);
  }

  async #close(): Promise<void> {
    this.#listener?.close();
    this.#listener = undefined;
    await this.#accepting;
  }

  #listen(port: number): number {
    const listener = onReservedPort(() => Deno.listen({ hostname: "127.0.0.1", port }));
    this.#listener = listener;
    this.#accepting = this.#accept(listener);
    return listener.addr.port;
  }

  async #accept(listener: Deno.TcpListener): Promise<void> {
    const joining = new Set<Promise<void>>();
    try {
      for await (const client of clientsOf(listener)) {
        this.connections++;
        const joined = this.#join(client).finally(() => joining.delete(joined));
        joining.add(joined);
      }
    } finally {
      await Promise.all(joining);
    }
  }

  async #join(client: Deno.TcpConn): Promise<void> {
    let upstream: Deno.TcpConn;
    try {
      upstream = await Deno.connect(this.#upstream);
    } catch {
      client.close();
      return;
    }
    // Small commands must not wait for each other's acknowledgement.
    for (const connection of [client, upstream]) connection.setNoDelay();
    const link = new ProxyLink([client, upstream], this.#faults, this.#bytes);
    this.#links.add(link);
    link.done.finally(() => this.#links.delete(link));
  }
}

/** Those who connect, until nothing listens any more. */
async function* clientsOf(listener: Deno.TcpListener): AsyncGenerator<Deno.TcpConn> {
  for (;;) {
    try {
      yield await listener.accept();
    } catch (error) {
      const closed = error instanceof Deno.errors.BadResource ||
        error instanceof Deno.errors.Interrupted;
      if (closed) return;
      // One that was gone again before it was taken in, as a process that is killed leaves them.
      if (!(error instanceof Deno.errors.NotConnected)) throw error;
    }
  }
}

/**
 * Waits until nothing listens: a program that another thread starts has a copy of the listener
 * until it runs.
 */
async function refused(port: number): Promise<void> {
  await waitFor(`nothing on port ${port}`, async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return undefined;
    } catch (error) {
      // The copy may be closed while this connects: a reset, or no connection any more.
      return error instanceof Deno.errors.ConnectionRefused || undefined;
    }
  });
}
