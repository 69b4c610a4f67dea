import { Buffer } from "node:buffer";
import { connectTo, parseAnswers, type RawAnswer } from "../support/raw_http.ts";
import { FAR_AWAY_MS } from "../support/time_limit.ts";

/** The outcome of one request and its duration. */
export type Result = {
  /** `unsent` where no connection could be had, `broken` where it ended before the whole answer. */
  kind: "answered" | "unsent" | "broken";
  /** The answer; undefined unless it is whole. */
  answer?: RawAnswer;
  milliseconds: number;
  /** When it was sent, by `performance.now()`. */
  sentAt: number;
};

/**
 * A client with one keep-alive connection, which it opens again after an error. A response that
 * takes longer than the limit counts as broken.
 */
export class Caller {
  #connection: Deno.TcpConn | undefined;
  readonly #buffer = new Uint8Array(16_384);

  /**
   * Sends one request, never twice; `head` ends with the empty line. Tells when it is on its way.
   */
  async send(url: string, head: string, onSent?: () => void): Promise<Result> {
    const sentAt = performance.now();
    const result = (kind: Result["kind"], answer?: RawAnswer): Result => ({
      kind,
      ...(answer !== undefined && { answer }),
      milliseconds: performance.now() - sentAt,
      sentAt,
    });
    let connection: Deno.TcpConn;
    try {
      connection = this.#connection ??= await connectTo(url);
    } catch {
      return result("unsent");
    }
    const timer = setTimeout(() => this.close(), FAR_AWAY_MS);
    try {
      await write(connection, head);
      onSent?.();
      const answer = await this.#answer(connection);
      if (answer.headers.get("connection") === "close") this.close();
      return result("answered", answer);
    } catch {
      this.close();
      return result("broken");
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    try {
      this.#connection?.close();
    } catch {
      // It is closed already.
    }
    this.#connection = undefined;
  }

  async #answer(connection: Deno.TcpConn): Promise<RawAnswer> {
    let received = Buffer.alloc(0);
    for (;;) {
      const length = await connection.read(this.#buffer);
      if (length === null) throw new Error("Read an answer: the connection ended");
      received = Buffer.concat([received, this.#buffer.subarray(0, length)]);
      const [answer] = parseAnswers(received, { head: false, ended: false });
      if (answer !== undefined) return answer;
    }
  }
}

async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
