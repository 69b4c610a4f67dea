import { Problem } from "../problem.ts";
import { withTimeout } from "../waiting.ts";

/** The shutdown of the process, during which Deno cuts off the bodies of all requests. */
export interface Draining {
  hasBegun: boolean;
}

/** Maximum number of bodies that are read at once, in all and of one network. */
const [MAX_BODIES, MAX_OF_NETWORK] = [4000, 1000];
/** Time in which a body has to arrive. */
const BODY_LIMIT_MS = 5000;

/**
 * Creates a reader of small bodies, which strangers may send, too. It throws `bad-body` if a body
 * has more than `limit` bytes, is not UTF-8, is truncated, has no length or takes too long. It
 * throws `shutting-down` if a body is truncated because the process ends, and `overloaded` if too
 * many are being read.
 */
export function createBodyReader(draining: Draining) {
  /** The networks of the bodies that are read. */
  const reading: string[] = [];

  return async (request: Request, limit: number, network: string): Promise<string> => {
    if (request.body === null) return "";
    const length = Number(request.headers.get("content-length") ?? NaN);
    if (length > limit) throw badBody(`The body is longer than ${limit} bytes.`);
    if (Number.isNaN(length)) throw badBody("Send the length of the body in Content-Length.");
    const ofNetwork = reading.filter((other) => other === network);
    if (reading.length >= MAX_BODIES || ofNetwork.length >= MAX_OF_NETWORK) {
      throw new Problem("overloaded", { detail: TOO_MANY });
    }
    reading.push(network);
    const late = () => badBody("The body took too long to arrive.");
    try {
      // A stream of the body would take 0.2 MB until the garbage is collected.
      return decode(await withTimeout(BODY_LIMIT_MS, request.bytes(), late));
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      if (draining.hasBegun) throw new Problem("shutting-down", { cause });
      throw badBody("The body ended too early.", cause);
    } finally {
      reading.splice(reading.indexOf(network), 1);
    }
  };
}

const TOO_MANY =
  "Too many bodies are being read. Nothing was changed, so it is safe to send this one again.";

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
