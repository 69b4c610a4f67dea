import { authorized } from "./secret.ts";
import { waitFor } from "./wait_for.ts";

/** The answer to an import. */
export interface ImportAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/**
 * Sends lines to be imported; sends them again, as the answer says that one may, while the store of
 * a busy machine takes longer than it is given.
 */
export async function importLines(
  url: string,
  parts: readonly (string | Uint8Array<ArrayBuffer>)[],
): Promise<ImportAnswer> {
  return await waitFor("an answer to an import", async () => {
    const body = new Blob([...parts]);
    const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
    const { status } = answer;
    const json = await answer.json();
    return status === 503 || status === 504 ? undefined : { status, json };
  });
}

/**
 * Returns the total of a counter. Retries while the store of a busy machine exceeds its time limit.
 */
export async function countOf(url: string, id: string): Promise<number> {
  return await waitFor("a number", async () => {
    const answer = await fetch(`${url}/count?id=${id}`);
    const { hits } = await answer.json();
    return answer.status === 503 ? undefined : hits;
  });
}
