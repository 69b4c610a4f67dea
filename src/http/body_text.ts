import { Problem } from "../problem.ts";

/** The body of a request as text; throws the problem "bad-body" where it has more than `limit` bytes or is not UTF-8. */
export async function bodyText({ body }: Request, limit: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) {
      throw new Problem("bad-body", { detail: `The body is longer than ${limit} bytes.` });
    }
    text += decoded(decoder, chunk);
  }
  return text + decoded(decoder);
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new Problem("bad-body", { detail: "The body must be UTF-8.", cause });
  }
}
