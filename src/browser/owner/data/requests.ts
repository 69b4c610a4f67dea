/** The service, which the session of the page calls. */
interface Service {
  callForJson(path: string, init?: RequestInit): ReturnType<Response["json"]>;
}

/** The views of a counter in an import. */
export interface Entry {
  /** Views that no day is known of. Undefined if there are none. */
  rest?: number;
  days?: Map<string, number>;
}

/** The counters of an import. */
export interface Counters {
  /** The counters of tables that list views. They are added up over all tables. */
  readonly entries: Map<string, Entry>;
  /** The lines of exports of Tallymark. */
  readonly lines: string[];
}

/** Maximum size of a request, in characters of at most three bytes. Proxies accept 1 MB. */
const MAX_LENGTH = 300_000;
/** Maximum number of lines in a request. A dry run lists the changes of so many. */
const MAX_LINES = 1000;

/**
 * Yields the requests of an import. The lines of one counter are in one request. `isOlder` tells
 * whether totals are from before the first day that is counted.
 */
export function* partsOf({ entries, lines: exported }: Counters, isOlder = false) {
  let lines: string[] = [];
  let length = 0;
  let counters = 0;
  const known = entries.entries().map((entry) => linesOf(entry, isOlder));
  for (const some of [...known, ...exported.map((line) => [line])]) {
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
function linesOf([id, { rest, days }]: [string, Entry], isOlder: boolean): string[] {
  const all = [
    rest !== undefined && { id, [isOlder ? "older" : "hits"]: rest },
    days && { id, days: Object.fromEntries(days) },
  ];
  return all.filter(Boolean).map((line) => JSON.stringify(line));
}

/** A change of a counter that a dry run found. */
export interface Change {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** The response to a request of an import. */
interface Imported {
  readonly changes: Change[];
  /** The lines that undo the request. Undefined if they are too long. */
  readonly undo?: string;
}

/**
 * Sends an import in parts. `took` gets the response to each, and how many counters are sent.
 * `isOlder` tells whether totals are from before the first day that is counted.
 */
export async function send(
  { callForJson }: Service,
  all: Counters,
  { isDry = false, isOlder = false },
  signal: AbortSignal,
  took: (counters: number, imported: Imported) => void,
) {
  const path = `counters?mode=max&${isDry ? "dry" : "undo"}=1`;
  let counters = 0;
  for (const { body, counters: more } of partsOf(all, isOlder)) {
    took(counters += more, await callForJson(path, { method: "POST", body, signal }));
  }
}

/**
 * Undoes an import, and keeps what was counted since. `additions` are lines to add by the name of
 * their addition, so that adding them again adds nothing. Throws the first error once all is done
 * that can be.
 */
export async function undo({ callForJson }: Service, additions: ReadonlyMap<string, string>) {
  const errors: unknown[] = [];
  for (const [name, body] of additions) {
    const init = { method: "POST", headers: { "idempotency-key": name }, body };
    await callForJson("counters?mode=add", init).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}
