import { Buffer } from "node:buffer";
import { FAR_AWAY_MS } from "./time_limit.ts";

/**
 * One answer as it came over the wire; header names are in lower case, repeated ones joined by
 * `, `.
 */
export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** The address to send to, and the condition to stop reading. */
export type RawTarget = {
  url: string;
  /**
   * Stops after so many answers (1 unless given); `Infinity` reads to the end or the time limit.
   */
  answers?: number;
  /** Milliseconds until what came so far is returned; far away unless given. */
  timeout?: number;
};

/** Sends bytes as they are and returns the whole answers; none when the server only closed. */
export async function sendRaw(
  { url, answers = 1, timeout = FAR_AWAY_MS }: RawTarget,
  request: string | Uint8Array<ArrayBuffer>,
): Promise<RawAnswer[]> {
  const sent = typeof request === "string" ? Buffer.from(request) : Buffer.from(request);
  const head = sent.subarray(0, 5).toString("latin1") === "HEAD ";
  const connection = await connectTo(url);
  const timer = setTimeout(() => closeQuietly(connection), timeout);
  const received: RawAnswer[] = [];
  let rest = Buffer.alloc(0);
  let ended = false;
  try {
    const writing = writeAll(connection, sent);
    const buffer = new Uint8Array(65_536);
    while (!ended && received.length < answers) {
      const length = await readSome(connection, buffer);
      ended = length === null;
      const parsed = splitAnswers(Buffer.concat([rest, buffer.subarray(0, length ?? 0)]), {
        head,
        ended,
      });
      received.push(...parsed.answers);
      rest = parsed.rest;
    }
    closeQuietly(connection);
    await writing;
  } finally {
    clearTimeout(timer);
    closeQuietly(connection);
  }
  return received;
}

/** Opens a plain connection to the server of `url`, to hold open or to half-send something. */
export function connectTo(url: string): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(url);
  return Deno.connect({ hostname, port: Number(port) });
}

/** Facts about received bytes: `head` if answers have no bodies, `ended` when no more will come. */
type Reading = { head: boolean; ended: boolean };

/** Returns the whole answers of received bytes. */
export function parseAnswers(bytes: Uint8Array, reading: Reading): RawAnswer[] {
  return splitAnswers(Buffer.from(bytes), reading).answers;
}

/** Splits received bytes into whole answers and the beginning of the next one. */
function splitAnswers(
  bytes: Buffer<ArrayBuffer>,
  { head, ended }: Reading,
): { answers: RawAnswer[]; rest: Buffer<ArrayBuffer> } {
  const answers: RawAnswer[] = [];
  for (let rest = bytes;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return { answers, rest };
    const lines = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(lines[0]?.match(/^HTTP\/1\.[01] (\d{3})/)?.[1]);
    if (Number.isNaN(status)) throw new Error(`Parse an answer: it starts with "${lines[0]}"`);
    const headers = parseHeaders(lines.slice(1));
    const after = rest.subarray(end + 4);
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const body = bodiless ? { text: "", length: 0 } : takeBody(after, headers, ended);
    if (body === undefined) return { answers, rest };
    answers.push({ status, headers, body: body.text });
    rest = after.subarray(body.length);
  }
}

function parseHeaders(lines: string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

type Body = { text: string; length: number };

function takeBody(rest: Buffer, headers: Map<string, string>, ended: boolean): Body | undefined {
  if (headers.get("transfer-encoding") === "chunked") return takeChunks(rest);
  const given = headers.get("content-length");
  // A body without a length goes on until the server closes.
  if (given === undefined && !ended) return undefined;
  const length = Number(given ?? rest.length);
  if (rest.length < length) return undefined;
  return { text: rest.subarray(0, length).toString("utf8"), length };
}

function takeChunks(rest: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0;;) {
    const end = rest.indexOf("\r\n", at);
    if (end < 0) return undefined;
    const size = parseInt(rest.subarray(at, end).toString("latin1"), 16);
    const next = end + 2 + size + 2;
    if (Number.isNaN(size) || next > rest.length) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString("utf8"), length: next };
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    at = next;
  }
}

/** Writes until the server stops taking; it may answer and close before it has read everything. */
async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  } catch {
    // The server has closed. The response that it sent before is still read.
  }
}

/** Reads once; a reset, and the time limit's closing, count as the end. */
async function readSome(connection: Deno.TcpConn, buffer: Uint8Array): Promise<number | null> {
  try {
    return await connection.read(buffer);
  } catch {
    return null;
  }
}

function closeQuietly(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
