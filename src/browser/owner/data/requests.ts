/** The service, which the session of the page calls. */
interface Service {
  callForJson(path: string, init?: RequestInit): ReturnType<Response["json"]>;
}

/** A counter in an import. */
export interface Entry {
  /** The sum of its views. */
  views: number;
  /** The views in tables by their day, which is an empty text if it is unknown. */
  readonly days: Map<string, number>;
  /** The lines in exports of Tallymark. */
  readonly lines: string[];
}

/** The counters of an import. */
export type Entries = ReadonlyMap<string, Entry>;

/** Maximum size of a request, in characters of at most three bytes. Proxies accept 1 MB. */
const MAX_LENGTH = 300_000;
/** Maximum number of lines in a request. A dry run lists the changes of so many. */
const MAX_LINES = 1000;

/**
 * Yields the requests of an import. The lines of one counter are in one request. `isOlder` tells
 * whether totals are from before the first day that is counted.
 */
export function* partsOf(entries: Entries, isOlder = false) {
  let lines: string[] = [];
  let length = 0;
  let counters = 0;
  for (const entry of entries) {
    const some = linesOf(entry, isOlder);
    const more = some.join("\n").length + 1;
    if (counters > 0 && (lines.length + some.length > MAX_LINES || length + more > MAX_LENGTH)) {
      yield { body: lines.join("\n"), counters };
      [lines, length, counters] = [[], 0, 0];
    }
    lines.push(...some);
    length += more;
    counters++;
  }
  if (counters > 0) yield { body: lines.join("\n"), counters };
}

/**
 * Returns the lines of a counter for the mode `max`. Days raise the total below what was counted
 * since. A total without days comes first, so that the days are added to it.
 */
function linesOf([id, { days: all, lines }]: [string, Entry], isOlder: boolean): string[] {
  const { "": rest, ...days } = Object.fromEntries(all);
  const total = rest !== undefined && { id, [isOlder ? "older" : "hits"]: rest };
  const known = Object.keys(days).length > 0 && { id, days };
  return [...[total, known].filter(Boolean).map((line) => JSON.stringify(line)), ...lines];
}

/** The response to a request of an import. */
interface Imported {
  /** The changes of counters that a dry run found. */
  readonly changes: { id: string; before: number; after: number }[];
  /** The lines that undo the request. */
  readonly undo: string;
}

/** Sends an import in parts. Yields the response to each, with the number of counters so far. */
export async function* send(
  { callForJson }: Service,
  entries: Entries,
  mode: "dry" | "undo",
  isOlder: boolean,
  signal: AbortSignal,
) {
  let sent = 0;
  for (const { body, counters } of partsOf(entries, isOlder)) {
    const init = { method: "POST", body, signal };
    const response: Imported = await callForJson(`counters?mode=max&${mode}=1`, init);
    yield { ...response, sent: sent += counters };
  }
}

/**
 * Undoes an import, and keeps what was counted since. `additions` are lines to add by the name of
 * their addition, so that adding them again adds nothing. Throws the last error once all is done
 * that can be.
 */
export async function undo({ callForJson }: Service, additions: ReadonlyMap<string, string>) {
  let failure: unknown;
  for (const [name, body] of additions) {
    const init = { method: "POST", headers: { "idempotency-key": name }, body };
    await callForJson("counters?mode=add", init).catch((error) => failure = error);
  }
  if (failure) throw failure;
}
