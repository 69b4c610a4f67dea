import { Problem } from "../problem.ts";

/**
 * The body of a request as text; throws the problem "bad-body" where it has more than `limit` bytes, is not UTF-8 or
 * breaks off, and "shutting-down" where it is the end of the service that breaks it off.
 */
export async function bodyText(
  { body }: Request,
  { limit, isShuttingDown }: { limit: number; isShuttingDown(): boolean },
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for await (const chunk of chunksOf(body, isShuttingDown)) {
    length += chunk.length;
    if (length > limit) {
      throw new Problem("bad-body", { detail: `The body is longer than ${limit} bytes.` });
    }
    text += decoded(decoder, chunk);
  }
  return text + decoded(decoder);
}

async function* chunksOf(
  body: Request["body"],
  isShuttingDown: () => boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (cause) {
    if (isShuttingDown()) throw new Problem("shutting-down", { cause });
    throw new Problem("bad-body", { detail: "The body broke off before its end.", cause });
  }
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new Problem("bad-body", { detail: "The body must be UTF-8.", cause });
  }
}
