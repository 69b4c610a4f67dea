/** Calls the service for JSON. */
type CallForJson = (path: string, init?: RequestInit) => ReturnType<Response["json"]>;

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

/** A request of an import: lines, and the number of counters that are in it. */
export interface Part {
  readonly body: string;
  readonly counters: number;
}

/** Maximum size of a request, in characters of at most three bytes. Proxies accept 1 MB. */
const MAX_LENGTH = 300_000;
/** Maximum number of lines in a request. A dry run lists the changes of so many. */
const MAX_LINES = 1000;

/**
 * Yields the requests of an import. The lines of one counter are in one request. `isOlder` tells
 * whether totals are from before the first day that is counted.
 */
export function* partsOf(all: Counters, isOlder = false): Generator<Part> {
  let lines: string[] = [];
  let length = 0;
  let counters = 0;
  for (const some of groupsOf(all, isOlder)) {
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

/** Yields the lines of one counter after another. */
function* groupsOf({ entries, lines }: Counters, isOlder: boolean): Generator<string[]> {
  for (const entry of entries) yield linesOf(entry, isOlder);
  for (const line of lines) yield [line];
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
interface Change {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** Options of sending an import. */
export interface Sending {
  readonly isDry?: boolean;
  /** True if totals are from before the first day that is counted. */
  readonly isOlder?: boolean;
}

/** Sends an import in parts. `took` gets the changes of each, and how many counters are sent. */
export async function send(
  callForJson: CallForJson,
  all: Counters,
  { isDry, isOlder }: Sending,
  signal: AbortSignal,
  took: (counters: number, changes: Change[]) => void,
) {
  let counters = 0;
  for (const { body, counters: more } of partsOf(all, isOlder)) {
    const init = { method: "POST", body, signal };
    const { changes } = await callForJson(`counters?mode=max${isDry ? "&dry=1" : ""}`, init);
    took(counters += more, changes);
  }
}
