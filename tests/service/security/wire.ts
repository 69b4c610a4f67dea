import { Buffer } from "node:buffer";
import { connectTo } from "../../support/raw_http.ts";

/** Converts a text whose characters are bytes. Characters above U+00FF become UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1") : Buffer.from(text, "utf8");
}

/** When to stop reading; without `enough`, at the end of the connection. */
export interface TalkOptions {
  /** Reports whether the received bytes are complete. */
  enough?: (received: Uint8Array) => boolean;
  /** Milliseconds until the connection is closed from this side. */
  limit: number;
}

/** The received bytes and the state of the connection. */
export interface Heard {
  readonly received: Uint8Array;
  /** True where a reset or the time limit ended the connection: the server may have said more. */
  readonly cut: boolean;
}

/** One connection for bytes that need not be HTTP; closed when disposed of. */
export class Wire implements Disposable {
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<Wire> {
    return new Wire(await connectTo(url));
  }

  /** Sends and reads at the same time. */
  async talk(bytes: Uint8Array, { enough, limit }: TalkOptions): Promise<Heard> {
    const timer = setTimeout(() => this[Symbol.dispose](), limit);
    const writing = this.#write(bytes);
    const buffer = new Uint8Array(65_536);
    let received = Buffer.alloc(0);
    let cut = false;
    try {
      while (enough?.(received) !== true) {
        const length = await this.#connection.read(buffer);
        if (length === null) break;
        received = Buffer.concat([received, buffer.subarray(0, length)]);
      }
    } catch {
      cut = true;
    }
    clearTimeout(timer);
    if (enough === undefined) this[Symbol.dispose]();
    await writing;
    return { received, cut };
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // It is closed already.
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
    } catch {
      // The server stopped reading.
    }
  }
}
