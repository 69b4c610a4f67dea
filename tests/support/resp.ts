import { Buffer } from "node:buffer";

/** A reply of Redis: integers past 2^53 come as bigint, a missing value as null. */
export type RespReply = string | number | bigint | null | RespReply[];

/** Thrown for an error reply of Redis, with its text. */
export class RespError extends Error {
  override name = "RespError";
}

/**
 * Sends `commands` over one connection in one write and returns their replies; errors are values.
 */
export async function exchange(
  connection: Deno.Conn,
  commands: string[][],
): Promise<(RespReply | RespError)[]> {
  const writer = connection.writable.getWriter();
  await writer.write(Buffer.from(commands.map(encode).join("")));
  writer.releaseLock();
  const input = new RespInput(connection);
  const replies: (RespReply | RespError)[] = [];
  for (let read = 0; read < commands.length; read++) replies.push(await input.reply());
  return replies;
}

function encode(args: string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join("")}`;
}

/** Reads RESP 2 replies from a connection. */
class RespInput {
  #connection: Deno.Conn;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async reply(): Promise<RespReply | RespError> {
    const line = await this.#line();
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        return text;
      case "-":
        return new RespError(text);
      case ":":
        return integer(text);
      case "$":
        return text === "-1" ? null : await this.#bulk(Number(text));
      case "*":
        return text === "-1" ? null : await this.#array(Number(text));
      default:
        throw new Error(`Read a reply of Redis: unknown type in "${line}"`);
    }
  }

  async #bulk(length: number): Promise<string> {
    const bytes = await this.#take(length + 2);
    return bytes.subarray(0, length).toString("utf8");
  }

  async #array(length: number): Promise<RespReply> {
    const items: RespReply[] = [];
    while (items.length < length) {
      const item = await this.reply();
      items.push(item instanceof RespError ? item.message : item);
    }
    return items;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#waiting.indexOf("\r\n");
      if (end >= 0) return (await this.#take(end + 2)).subarray(0, end).toString("utf8");
      await this.#fill();
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#waiting.length < length) await this.#fill();
    const taken = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    return taken;
  }

  async #fill(): Promise<void> {
    const chunk = Buffer.alloc(65_536);
    const read = await this.#connection.read(chunk);
    if (read === null) throw new Error("Read a reply of Redis: the connection ended");
    this.#waiting = Buffer.concat([this.#waiting, chunk.subarray(0, read)]);
  }
}

function integer(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
