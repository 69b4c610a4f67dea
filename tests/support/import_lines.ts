import { authorized } from "./secret.ts";

/** The answer to an import. */
export interface ImportAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/**
 * Sends lines to be imported; sends them again, as the answer says that one may, while the store of a busy machine takes
 * longer than it is given.
 */
export async function importLines(
  url: string,
  parts: readonly (string | Uint8Array<ArrayBuffer>)[],
): Promise<ImportAnswer> {
  for (;;) {
    const body = new Blob([...parts]);
    const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
    const json = await answer.json();
    if (answer.status !== 503 && answer.status !== 504) return { status: answer.status, json };
  }
}

/** What a counter is at, asked again while the store of a busy machine takes longer than it is given. */
export async function countOf(url: string, id: string): Promise<number> {
  for (;;) {
    const answer = await fetch(`${url}/count?id=${id}`);
    const { hits } = await answer.json();
    if (answer.status !== 503) return hits;
  }
}
