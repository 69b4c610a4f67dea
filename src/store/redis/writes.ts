import { currentDays } from "../../domain/calendar.ts";
import type { CounterState, Day } from "../../domain/history.ts";
import type { Write } from "../../domain/store.ts";
import { idsOf } from "../../domain/update.ts";
import { Failure } from "../../domain/errors.ts";
import { planWrite, type Writes } from "../../domain/planner.ts";
import {
  additionName,
  formatLedger,
  formatReport,
  formatYear,
  relatedKey,
} from "./redis_layout.ts";
import { readCounters, type RedisStoreOptions, type StoredCounter } from "./reading.ts";
import { failureOf } from "./reply.ts";
import { EPOCH_SECONDS, scriptCall, sendScripts } from "./scripts.ts";
import { slotOf } from "./slots.ts";

/** Time for which a change is tried again if others change its counter, in milliseconds. */
const CONFLICT_LIMIT_MS = 1500;
/**
 * Time for which the ledger of a deleted counter is kept, in seconds. A process may take its day to
 * be open for two days.
 */
const TOMBSTONE_SECONDS = 172_800;
/** Time for which the name of an addition is kept, in seconds. */
const ADDITION_SECONDS = 86_400;

/**
 * Sets, deletes and moves counters by compare-and-set, see `CounterStore.write`. Reads their
 * entries, plans, and swaps the entries if they are still as they were read.
 *
 * Calls `hold` with each attempt after the first. Hits of this process have to wait for its end,
 * because one on the same counter makes it fail.
 */
export async function swapEach(
  options: RedisStoreOptions,
  writes: readonly Write[],
  hold: <Value>(attempt: Promise<Value>) => Promise<Value>,
): Promise<readonly (CounterState | Failure)[]> {
  const { link, prefix, calendar } = options;
  const now = currentDays(calendar);
  const endTime = performance.now() + CONFLICT_LIMIT_MS;
  const outcomes = new Map<Write, CounterState | Failure>();

  /** Makes one attempt. Returns the writes whose counters others changed in the meantime. */
  async function attempt(pending: readonly Write[]): Promise<readonly Write[]> {
    const queries = pending.flatMap((write) =>
      idsOf(write).map((id) => ({ id, since: -Infinity, name: write.update?.name }))
    );
    const found = (await readCounters(options, queries)).values();
    const swaps = pending.flatMap((write) => {
      const missing = new Failure("store-unavailable");
      const counters = idsOf(write).map(() => found.next().value ?? missing);
      const failure = counters.find((counter) => counter instanceof Failure);
      const [one, other] = counters.flatMap((one) => one instanceof Failure ? [] : one);
      if (failure !== undefined || one === undefined) {
        outcomes.set(write, failure ?? missing);
        return [];
      }
      const record = { ...one.record, target: other?.record };
      const { result, writes, gained } = planWrite(record, write.update, now);
      outcomes.set(write, result);
      // MGET shows a value of another type as missing.
      if (writes === undefined && record.exists) return [];
      const entries = entriesOf(one, writes, now.today);
      if (gained && other) entries.push(...entriesOf(other, gained, now.today));
      return [{ write, record, entries }];
    });
    if (swaps.length === 0) return [];
    const replies = await sendScripts(
      link,
      swaps.map(({ entries }) =>
        scriptCall("swap", entries.map(([key]) => key), entries.flatMap(([, ...args]) => args))
      ),
    );
    return swaps.flatMap(({ write, record }, at) => {
      const reply = replies[at];
      if (reply?.kind !== "done") outcomes.set(write, failureOf(reply, "outcome-unknown"));
      else if (reply.value === null) {
        const cause = new Error("Others changed the counter during each attempt");
        outcomes.set(write, new Failure("store-unavailable", { cause }));
        return [write];
      } else if (write.update === undefined && record.exists) {
        const total = Number(reply.value);
        outcomes.set(write, planWrite({ ...record, total }, undefined, now).result);
      }
      return [];
    });
  }

  const isApart = ({ id, to = id }: Write) => slotOf(prefix + id) !== slotOf(prefix + to);
  const apart = new Set(link.multiKeyAcrossSlots ? [] : writes.filter(isApart));
  for (const write of apart) outcomes.set(write, new Failure("slots-differ"));
  let pending = await attempt(writes.filter((write) => !apart.has(write)));
  while (pending.length > 0 && performance.now() < endTime) pending = await hold(attempt(pending));
  return writes.map((write) => outcomes.get(write) ?? new Failure("store-unavailable"));
}

/** A key of `swap`, with its two arguments. */
type Entry = readonly [key: string, expected: string, value: string];

/**
 * Returns the entries to swap: the total, the ledger, the years and the report. A deletion also
 * replaces the epoch of idempotency keys, and deletes the visitors. It includes hits since the
 * counter was read. A move compares the total, because the other counter gets as much, and keeps
 * both. Without writes, the entries are compared.
 */
function entriesOf(
  { key, texts, record }: StoredCounter,
  writes: Writes | undefined,
  today: Day,
): Entry[] {
  if (writes === undefined) {
    return [
      [key, entryOf(texts.total), ""],
      [relatedKey(key, "days"), entryOf(texts.ledger), ""],
      [relatedKey(key, "report"), entryOf(texts.report), ""],
    ];
  }
  const { total, history, report, name, keepsKeys = false } = writes;
  const isAnyTotal = total === undefined && record.exists && !keepsKeys;
  const entries: Entry[] = [
    [key, isAnyTotal ? "" : entryOf(texts.total), entryOf(total?.toString() ?? null)],
  ];
  /** Adds a key whose stored value is compared, unless it is undefined. Null deletes it. */
  function put(
    name: string,
    stored: string | null | undefined,
    value: string | null | undefined,
    seconds = "",
  ): void {
    const text = value === stored ? "" : seconds + entryOf(value);
    entries.push([relatedKey(key, name), entryOf(stored), text]);
  }

  if (total === undefined) {
    // A process that takes the day to be open may still add plain hits, which belong to this
    // ledger.
    put("days", texts.ledger, `${today} 0 x`, `${TOMBSTONE_SECONDS}`);
  } else put("days", texts.ledger, history?.ledger && formatLedger(history.ledger));
  if (total === undefined && !keepsKeys) {
    // Later idempotency keys have the epoch in their name. The earlier ones, which expire within a
    // day, are not found.
    const epoch = crypto.getRandomValues(new Uint8Array(6)).toHex();
    put("epoch", undefined, epoch, `${EPOCH_SECONDS}`);
    // At UTC-12 it is still the day before yesterday of UTC+14.
    for (let day = today - 2; day <= today + 2; day++) put(`seen${day}`, undefined, null);
  }
  const storedYears = new Map(texts.years);
  const years = new Map(history?.years.map((entry) => [entry.year, formatYear(entry)]));
  // Compared even if they stay: two imports with `mode=max` may change a year and leave the ledger
  // as it was.
  for (const year of new Set([...storedYears.keys(), ...years.keys()])) {
    put(`days${year}`, storedYears.get(year), years.get(year) ?? (history && null));
  }
  // Compared even if it stays, to find a value of another type.
  put("report", texts.report, report === undefined ? texts.report : report && formatReport(report));
  if (name !== undefined) put(additionName(name), null, "1", `${ADDITION_SECONDS}`);
  return entries;
}

/** Returns an argument of `swap`: a value, "-" for none, or "" for any. */
function entryOf(text: string | null | undefined): string {
  return text === undefined ? "" : text === null ? "-" : `=${text}`;
}
