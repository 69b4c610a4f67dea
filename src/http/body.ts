import type { NumberedLine } from "../domain/line.ts";
import { Problem } from "../problem.ts";

/** The shutdown of the process, during which Deno cuts off the bodies of all requests. */
export interface Draining {
  hasBegun: boolean;
}

/** Maximum number of bodies of strangers that are read at the same time. */
const MAX_BODIES = 100;
/** Time in which such a body has to arrive, and while half of the places are taken. */
const [BODY_LIMIT_MS, SHORT_LIMIT_MS] = [5000, 2000];

/**
 * Creates a reader of bodies that strangers may send. It throws `bad-body` like {@linkcode
 * bodyText}, and for a body without a length or that takes too long.
 *
 * The requests beyond the limit wait for a place. It goes to the network that has the fewest, and
 * there to the last request, so that many bodies that never end delay others by two seconds.
 */
export function createBodyReader<From extends { readonly request: Request }>(
  draining: Draining,
  networkOf: (from: From) => string,
) {
  const waiting: { readonly network: string; begin(): void }[] = [];
  /** The networks of the bodies that are read. */
  const reading: string[] = [];

  function beginNext() {
    const all = Map.groupBy(reading, (network) => network);
    const numbers = waiting.map(({ network }) => all.get(network)?.length ?? 0);
    const fewest = numbers.reduce((one, other) => Math.min(one, other), MAX_BODIES);
    const [next] = waiting.splice(numbers.lastIndexOf(fewest) >>> 0, 1);
    if (next === undefined) return;
    reading.push(next.network);
    next.begin();
  }

  return async (from: From, limit: number): Promise<string> => {
    const { request } = from;
    if (request.body === null) return "";
    const length = Number(request.headers.get("content-length") ?? NaN);
    if (length > limit) throw tooLong(limit);
    if (Number.isNaN(length)) throw badBody("Send the length of the body in Content-Length.");
    const network = networkOf(from);
    if (reading.length < MAX_BODIES) reading.push(network);
    else await new Promise<void>((begin) => waiting.push({ network, begin }));
    const limitMs = reading.length > MAX_BODIES / 2 ? SHORT_LIMIT_MS : BODY_LIMIT_MS;
    const { promise: end, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(badBody("The body took too long to arrive.")), limitMs);
    try {
      // A stream of the body would take 0.2 MB until the garbage is collected.
      return decode(await Promise.race([request.bytes(), end]));
    } catch (cause) {
      throw cause instanceof Problem ? cause : truncated(draining, cause);
    } finally {
      clearTimeout(timer);
      reading.splice(reading.indexOf(network), 1);
      beginNext();
    }
  };
}

/**
 * Reads the body of a request. Throws `bad-body` if it has more than `limit` bytes, is not UTF-8 or
 * is truncated. Throws `shutting-down` if it is truncated because the process ends.
 */
export async function bodyText(
  { body }: Request,
  { limit, draining }: { limit: number; draining: Draining },
): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length;
      if (length > limit) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw truncated(draining, cause);
  }
  if (length > limit) throw tooLong(limit);
  return decode(await new Blob(chunks).bytes());
}

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badBody("The body must be UTF-8.", cause);
  }
}

function badBody(detail: string, cause?: unknown): Problem {
  return new Problem("bad-body", { detail, cause });
}

function tooLong(limit: number): Problem {
  return badBody(`The body is longer than ${limit} bytes.`);
}

function truncated(draining: Draining, cause: unknown): Problem {
  return draining.hasBegun
    ? new Problem("shutting-down", { cause })
    : badBody("The body ended too early.", cause);
}

/** The error of the line in which a body was truncated. */
export const TRUNCATED_BODY = "the body ended too early";

const NEWLINE = 10;
/**
 * Time after which the event loop turns, in milliseconds. Lines that have arrived are read without
 * a turn.
 */
const TURN_MS = 5;

/**
 * Yields the lines of a body as they arrive, those of one chunk together, without blank ones. Ends
 * with an error at a line of more than `limit` bytes, at one that is not UTF-8, and if the body is
 * truncated. Buffers at most a chunk and a line.
 */
export async function* bodyLines(
  body: ReadableStream<Uint8Array>,
  limit: number,
): AsyncGenerator<readonly NumberedLine[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  const read = (bytes: Uint8Array): NumberedLine => {
    number++;
    if (bytes.length > limit) {
      return { number, text: "", error: `it is longer than ${limit} bytes` };
    }
    try {
      return { number, text: decoder.decode(bytes).trim() };
    } catch {
      return { number, text: "", error: "it is not UTF-8" };
    }
  };
  let rest: Uint8Array = new Uint8Array();
  let since = performance.now();
  try {
    for await (const chunk of body) {
      if (performance.now() - since > TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
      const bytes = joined(rest, chunk);
      const lines: NumberedLine[] = [];
      let start = 0;
      for (let end; (end = bytes.indexOf(NEWLINE, start)) !== -1; start = end + 1) {
        // Decoding takes most of the time of a blank line.
        if (end === start) {
          number++;
          continue;
        }
        const line = read(bytes.subarray(start, end));
        if (line.text !== "" || line.error !== undefined) lines.push(line);
        if (line.error !== undefined) return yield lines;
      }
      rest = bytes.slice(start);
      if (rest.length > limit) return yield [...lines, read(rest)];
      if (lines.length > 0) yield lines;
    }
  } catch {
    // Only the body throws here.
    return yield [{ ...read(new Uint8Array()), error: TRUNCATED_BODY }];
  }
  const last = read(rest);
  if (last.text !== "" || last.error !== undefined) yield [last];
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/**
 * Creates a body that is generated as fast as it is read. Rejects if its first part fails. If a
 * later one does, the connection ends before the body does, so that the client knows that it is
 * incomplete. If the client disconnects, the source is ended.
 */
export async function textStream(
  source: AsyncGenerator<string>,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = await source.next();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? await source.next();
      next = undefined;
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await source.return(undefined);
    },
  }, { highWaterMark: 1 });
}
