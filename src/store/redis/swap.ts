import type { CounterState, Day } from "../../counter/days.ts";
import type { Write } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { planWrite, type Writes } from "../planner.ts";
import { formatLedger, formatReport, formatYear, relatedKey } from "./layout.ts";
import { readCounters, type RedisStoreOptions, type StoredCounter } from "./reading.ts";
import { type Command, problemOf } from "./reply.ts";
import { EPOCH_SECONDS, scriptCall, sendScripts } from "./scripts.ts";

/** Time for which a change is tried again if others change its counter, in milliseconds. */
const CONFLICT_LIMIT_MS = 1500;
/** Number of changes that Redis stores while the next ones are planned. */
const PIECE = 250;
/**
 * Time for which the ledger of a deleted counter is kept, in seconds. A process may take its day to
 * be open for two days.
 */
const TOMBSTONE_SECONDS = 172_800;

/** A write and the place of its outcome. */
type Change = Write & { readonly index: number };

/**
 * Sets and deletes counters by compare-and-set, see `CounterStore.write`. Reads their entries,
 * plans, and swaps the entries if they are still as they were read.
 *
 * A write fails with `store-unavailable` if nothing of it was stored, and with `outcome-unknown` if
 * it may have been stored.
 *
 * Calls `hold` with each attempt after the first. Hits of this process have to wait for its end,
 * because one on the same counter makes it fail.
 */
export async function swapEach(
  options: RedisStoreOptions,
  writes: readonly Write[],
  hold: <Value>(attempt: Promise<Value>) => Promise<Value>,
): Promise<readonly (CounterState | Problem)[]> {
  const { link, calendar } = options;
  const today = calendar.today();
  const endTime = performance.now() + CONFLICT_LIMIT_MS;
  const changes = writes.map((write, index): Change => ({ ...write, index }));
  const outcomes: (CounterState | Problem)[] = [];

  function read(changes: readonly Change[]): Promise<readonly (StoredCounter | Problem)[]> {
    return readCounters(options, changes.map(({ id }) => ({ id, since: -Infinity })));
  }

  /** Makes one attempt. Returns the changes whose counters others changed in the meantime. */
  async function attempt(
    changes: readonly Change[],
    counters: readonly (StoredCounter | Problem)[],
  ): Promise<readonly Change[]> {
    const swaps = changes.flatMap((change, at) => {
      const { index, update } = change;
      const counter = counters[at] ?? new Problem("store-unavailable");
      if (counter instanceof Problem) {
        outcomes[index] = counter;
        return [];
      }
      const { record } = counter;
      const { result, writes } = planWrite(record, update, today);
      outcomes[index] = result;
      return writes ? [{ change, record, command: swapCall(counter, writes, today) }] : [];
    });
    if (swaps.length === 0) return [];
    const replies = await sendScripts(link, swaps.map(({ command }) => command));
    return swaps.flatMap(({ change, record }, at) => {
      const { index, update } = change;
      const reply = replies[at];
      if (reply?.kind !== "done") outcomes[index] = problemOf(reply, "outcome-unknown");
      else if (reply.value === null) {
        const cause = new Error("Others changed the counter during each attempt");
        outcomes[index] = new Problem("store-unavailable", { cause });
        return [change];
      } else if (update === undefined && record.exists) {
        const total = Number(reply.value);
        outcomes[index] = planWrite({ ...record, total }, update, today).result;
      }
      return [];
    });
  }

  async function store(
    changes: readonly Change[],
    counters: readonly (StoredCounter | Problem)[],
  ): Promise<void> {
    let failed = await attempt(changes, counters);
    while (failed.length > 0 && performance.now() < endTime) {
      const again = failed;
      failed = await hold(read(again).then((counters) => attempt(again, counters)));
    }
  }

  const stored: Promise<void>[] = [];
  let next = read(changes.slice(0, PIECE));
  for (let start = 0; start < changes.length; start += PIECE) {
    const counters = await next;
    next = read(changes.slice(start + PIECE, start + 2 * PIECE));
    stored.push(store(changes.slice(start, start + PIECE), counters));
  }
  await Promise.all(stored);
  return outcomes;
}

/**
 * Returns the swap of the total, the ledger, the years and the report. A deletion also replaces the
 * epoch of idempotency keys, and deletes the visitors. It includes hits since the counter was read.
 */
function swapCall(
  { key, texts, record }: StoredCounter,
  { total, history, report }: Writes,
  today: Day,
): Command {
  const isAnyTotal = total === undefined && record.exists;
  const keys = [key];
  const args = [isAnyTotal ? "" : entryOf(texts.total), entryOf(total?.toString() ?? null)];
  /** Adds a key whose stored value is compared, unless it is undefined. Null deletes it. */
  function put(
    name: string,
    stored: string | null | undefined,
    value: string | null | undefined,
    seconds = "",
  ): void {
    keys.push(relatedKey(key, name));
    args.push(entryOf(stored), value === stored ? "" : seconds + entryOf(value));
  }

  if (total === undefined) {
    // A process that takes the day to be open may still add plain hits, which belong to this
    // ledger.
    put("days", texts.ledger, `${today} 0 x`, `${TOMBSTONE_SECONDS}`);
    // Later idempotency keys have the epoch in their name. The earlier ones, which expire within a
    // day, are not found.
    const epoch = crypto.getRandomValues(new Uint8Array(6)).toHex();
    put("epoch", undefined, epoch, `${EPOCH_SECONDS}`);
    // At UTC-12 it is still the day before yesterday of UTC+14.
    for (let day = today - 2; day <= today + 2; day++) put(`seen${day}`, undefined, null);
  } else put("days", texts.ledger, history?.ledger && formatLedger(history.ledger));
  const years = history?.years ?? [];
  for (const entry of years) {
    put(`days${entry.year}`, texts.years.get(entry.year), formatYear(entry));
  }
  // Compared even if they stay: two imports with `mode=max` may change a year and leave the ledger
  // as it was.
  for (const [year, stored] of texts.years) {
    if (!years.some((entry) => entry.year === year)) put(`days${year}`, stored, history && null);
  }
  if (report !== undefined) put("report", texts.report, report && formatReport(report));
  return scriptCall("swap", keys, args);
}

/** Returns an argument of `swap`: a value, "-" for none, or "" for any. */
function entryOf(text: string | null | undefined): string {
  return text === undefined ? "" : text === null ? "-" : `=${text}`;
}
