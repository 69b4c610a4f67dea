import { currentDays } from "../../domain/calendar.ts";
import type { CounterState, Day } from "../../domain/history.ts";
import type { Move, Write } from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import { planMove, planWrite, type Writes } from "../../domain/planner.ts";
import {
  additionName,
  formatLedger,
  formatReport,
  formatYear,
  relatedKey,
  slotOf,
} from "./redis_layout.ts";
import { readCounters, type RedisStoreOptions, type StoredCounter } from "./reading.ts";
import { type Command, failureOf } from "./reply.ts";
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
/** Time for which the name of an addition is kept, in seconds. */
const ADDITION_SECONDS = 86_400;

/**
 * Sets and deletes counters by compare-and-set, see `CounterStore.write`. Reads their entries,
 * plans, and swaps the entries if they are still as they were read.
 *
 * Calls `hold` with each attempt after the first. Hits of this process have to wait for its end,
 * because one on the same counter makes it fail.
 */
export async function swapEach(
  options: RedisStoreOptions,
  writes: readonly Write[],
  hold: <Value>(attempt: Promise<Value>) => Promise<Value>,
): Promise<readonly (CounterState | Failure)[]> {
  const { link, calendar } = options;
  const now = currentDays(calendar);
  const endTime = performance.now() + CONFLICT_LIMIT_MS;
  const outcomes = new Map<Write, CounterState | Failure>();

  function read(pending: readonly Write[]): Promise<readonly (StoredCounter | Failure)[]> {
    return readCounters(
      options,
      pending.map(({ id, update }) => ({ id, since: -Infinity, name: update?.name })),
    );
  }

  /** Makes one attempt. Returns the writes whose counters others changed in the meantime. */
  async function attempt(
    pending: readonly Write[],
    reading = read(pending),
  ): Promise<readonly Write[]> {
    const counters = await reading;
    const swaps = pending.flatMap((write, at) => {
      const counter = counters[at] ?? new Failure("store-unavailable");
      if (counter instanceof Failure) {
        outcomes.set(write, counter);
        return [];
      }
      const { record } = counter;
      const { result, writes } = planWrite(record, write.update, now);
      outcomes.set(write, result);
      if (writes !== undefined) {
        return [{ write, record, command: swapCall(counter, writes, now.today) }];
      }
      // MGET shows a value of another type as missing.
      return record.exists ? [] : [{ write, record, command: compareCall(counter) }];
    });
    if (swaps.length === 0) return [];
    const replies = await sendScripts(link, swaps.map(({ command }) => command));
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

  async function store(piece: ReturnType<typeof attempt>): Promise<void> {
    let failed = await piece;
    while (failed.length > 0 && performance.now() < endTime) failed = await hold(attempt(failed));
  }

  const stored: Promise<void>[] = [];
  let next = read(writes.slice(0, PIECE));
  for (let start = 0; start < writes.length; start += PIECE) {
    const reading = next;
    await reading;
    next = read(writes.slice(start + PIECE, start + 2 * PIECE));
    stored.push(store(attempt(writes.slice(start, start + PIECE), reading)));
  }
  await Promise.all(stored);
  return writes.map((write) => outcomes.get(write) ?? new Failure("store-unavailable"));
}

/**
 * Moves a counter by one compare-and-set of both counters, see `CounterStore.move`. `hold` is as
 * for {@linkcode swapEach}.
 */
export async function swapMove(
  options: RedisStoreOptions,
  { from, to }: Move,
  hold: <Value>(attempt: Promise<Value>) => Promise<Value>,
): Promise<CounterState | Failure> {
  const { link, prefix, calendar } = options;
  const isApart = slotOf(prefix + from) !== slotOf(prefix + to);
  if (isApart && !link.multiKeyAcrossSlots) return new Failure("slots-differ");
  const now = currentDays(calendar);
  const endTime = performance.now() + CONFLICT_LIMIT_MS;

  /** Makes one attempt. Returns undefined if others changed one of the counters. */
  async function attempt(): Promise<CounterState | Failure | undefined> {
    const [one, other] = await readCounters(
      options,
      [from, to].map((id) => ({ id, since: -Infinity })),
    );
    if (one === undefined || one instanceof Failure) return one;
    if (other === undefined || other instanceof Failure) return other;
    const { result, writes } = planMove({ from: one.record, to: other.record }, now);
    if (writes === undefined && one.record.exists) return result;
    const left = writes && swapEntries(one, writes.from, now.today);
    const gained = writes && swapEntries(other, writes.to, now.today);
    const command = left && gained
      ? scriptCall("swap", [...left.keys, ...gained.keys], [...left.args, ...gained.args])
      // MGET shows a value of another type as missing.
      : compareCall(one);
    const [reply] = await sendScripts(link, [command]);
    if (reply?.kind !== "done") return failureOf(reply, "outcome-unknown");
    return reply.value === null ? undefined : result;
  }

  let outcome = await attempt();
  while (outcome === undefined && performance.now() < endTime) outcome = await hold(attempt());
  const cause = new Error("Others changed the counters during each attempt");
  return outcome ?? new Failure("store-unavailable", { cause });
}

/** Returns the swap of one counter. */
function swapCall(counter: StoredCounter, writes: Writes, today: Day): Command {
  const { keys, args } = swapEntries(counter, writes, today);
  return scriptCall("swap", keys, args);
}

/**
 * Returns the entries to swap: the total, the ledger, the years and the report. A deletion also
 * replaces the epoch of idempotency keys, and deletes the visitors. It includes hits since the
 * counter was read. A move compares the total, because the other counter gets as much, and keeps
 * both.
 */
function swapEntries(
  { key, texts, record }: StoredCounter,
  { total, history, report, name, keepsKeys = false }: Writes,
  today: Day,
): { readonly keys: string[]; readonly args: string[] } {
  const isAnyTotal = total === undefined && record.exists && !keepsKeys;
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
  return { keys, args };
}

/** Returns the call that fails if an entry is not a string, and else changes nothing. */
function compareCall({ key, texts: { total, ledger, report } }: StoredCounter): Command {
  const keys = [key, relatedKey(key, "days"), relatedKey(key, "report")];
  return scriptCall("swap", keys, [total, ledger, report].flatMap((text) => [entryOf(text), ""]));
}

/** Returns an argument of `swap`: a value, "-" for none, or "" for any. */
function entryOf(text: string | null | undefined): string {
  return text === undefined ? "" : text === null ? "-" : `=${text}`;
}
