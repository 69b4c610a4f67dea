import type { NumberedLine } from "../domain/line.ts";
import { headersFor } from "./response.ts";

/** The error of the line in which a body was truncated. */
export const TRUNCATED_BODY = "the body ended too early";

const NEWLINE = 10;

/**
 * Yields the lines of a body as they arrive, those of one chunk together, without blank ones. Also
 * yields a chunk without lines, so that a long body of blank ones keeps its reader from no other
 * work. Ends with an error at a line of more than `limit` bytes, at one that is not UTF-8, and if
 * the body is truncated. Buffers at most a chunk and a line.
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
  try {
    for await (const chunk of body) {
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
      yield lines;
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

/** The headers of lines. */
const LINES = { ...headersFor("json", "no-store"), "content-type": "application/x-ndjson" };

/**
 * Resolves with a response of lines that are generated as they are read. None is generated ahead,
 * because the counter of a line may be deleted for it. Rejects if the first part fails. If a later
 * one does, the connection ends before the body does, so that the client knows that it is
 * incomplete. If the client disconnects, the source is ended.
 */
export async function linesResponse(source: AsyncGenerator<string>): Promise<Response> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = await source.next();
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? await source.next();
      next = undefined;
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await source.return(undefined);
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: LINES });
}
