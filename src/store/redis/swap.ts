import type { CounterState, Day } from "../../counter/days.ts";
import { MAX_HITS, type Outcome, type Write } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { planWrite, type Writes } from "../planner.ts";
import { formatLedger, formatReport, formatYear, relatedKey } from "./layout.ts";
import { readCounters, type RedisStoreOptions, type StoredCounter } from "./reading.ts";
import { type Command, problemOf } from "./reply.ts";
import { EPOCH_SECONDS, scriptCall, sendScripts } from "./scripts.ts";

/** Maximum number of plans of a change, after which other clients have changed it too often. */
const MAX_ATTEMPTS = 50;
/** Number of changes that Redis stores while the next ones are planned. */
const PIECE = 250;
/**
 * Maximum numbers of hits between the plan of a change and its swap, for its second attempt and the
 * next ones. A change to the larger of two numbers tolerates no more hits than there are between
 * these.
 */
const TOLERANCES = [10_000, 1000, 100, 10];
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
 */
export async function swapEach(
  options: RedisStoreOptions,
  writes: readonly Write[],
): Promise<readonly (CounterState | Problem)[]> {
  const { link, prefix, calendar } = options;
  const today = calendar.today();
  const changes = writes.map((write, index): Change => ({ ...write, index }));
  const outcomes: (CounterState | Problem)[] = [];

  function read(changes: readonly Change[]): Promise<readonly (StoredCounter | Problem)[]> {
    return readCounters(options, changes.map(({ id }) => ({ key: prefix + id, since: -Infinity })));
  }

  async function store(
    changes: readonly Change[],
    counters: readonly (StoredCounter | Problem)[],
    attempt = 1,
  ): Promise<void> {
    const swaps = changes.flatMap((change, at) => {
      const { index, update } = change;
      const counter = counters[at] ?? new Problem("store-unavailable");
      if (counter instanceof Problem) {
        outcomes[index] = counter;
        return [];
      }
      /** Plans the change as if the counter had this total. */
      const plan = (total: Outcome) => planWrite({ ...counter.record, total }, update, today);
      const { record } = counter;
      const { result, writes } = plan(record.total);
      outcomes[index] = result;
      if (writes === undefined) return [];
      const tolerance = TOLERANCES[(attempt - 2) % TOLERANCES.length] ?? 0;
      const later = tolerance > 0 && plan(Number(record.total) + tolerance).writes;
      const command = later && tolerantCall(counter, { writes, later, today, tolerance });
      return [{ change, record, plan, command: command || swapCall(counter, writes, { today }) }];
    });
    if (swaps.length === 0) return;
    const replies = await sendScripts(link, swaps.map(({ command }) => command));
    const failed = swaps.filter(({ change: { index }, record, plan }, at) => {
      const reply = replies[at];
      if (reply?.kind !== "done") outcomes[index] = problemOf(reply, "outcome-unknown");
      else if (reply.value === null) {
        const cause = new Error(`The counter was changed during each of ${MAX_ATTEMPTS} attempts`);
        outcomes[index] = new Problem("store-unavailable", { cause });
        return true;
      } else if (record.exists && Number(reply.value) !== record.total) {
        outcomes[index] = plan(Number(reply.value)).result;
      }
      return false;
    });
    if (failed.length === 0 || attempt === MAX_ATTEMPTS) return;
    const again = failed.map(({ change }) => change);
    await store(again, await read(again), attempt + 1);
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
 * epoch of idempotency keys, and deletes the visitors. `tolerance` is the number of hits that may
 * arrive before it.
 */
function swapCall(
  { key, texts }: StoredCounter,
  { total, history, report }: Writes,
  { today, tolerance = 0 }: { today: Day; tolerance?: number },
): Command {
  const keys = [key];
  const args = [entryOf(texts.total), entryOf(total?.toString() ?? null)];
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
  return scriptCall("swap", keys, [total === undefined ? MAX_HITS : tolerance, ...args]);
}

/** Returns an argument of `swap`: a value, "-" for none, or "" for any. */
function entryOf(text: string | null | undefined): string {
  return text === undefined ? "" : text === null ? "-" : `=${text}`;
}

/**
 * Returns a swap that tolerates hits before it, with marks on the numbers that follow them: `+` if
 * they grow with them and `~` if they shrink. Returns undefined if anything else depends on them.
 *
 * Comparing it with the swap that is planned for `tolerance` more hits is enough. Each number is a
 * sum of a constant, the total, and at most two terms such as "the total or this constant,
 * whichever is larger". So it has at most one stretch in which it follows the hits, up or down. It
 * moved by all of the hits only if it followed each of them, and by none only if it did not move at
 * all.
 */
function tolerantCall(
  counter: StoredCounter,
  { writes, later, ...options }: { writes: Writes; later: Writes; today: Day; tolerance: number },
): Command | undefined {
  if (later.total === undefined) return undefined;
  const [call = [], others = []] = [writes, later].map((some) => {
    return swapCall(counter, some, options);
  });
  let isTolerant = true;
  const marked = call.map((arg, at) => {
    const words = arg.split(/([ =])/);
    const laterWords = others[at]?.split(/([ =])/) ?? [];
    if (words.length !== laterWords.length) isTolerant = false;
    return words.map((word, index) => {
      if (word === laterWords[index]) return word;
      const moved = Number(laterWords[index]) - Number(word);
      if (Math.abs(moved) !== options.tolerance) isTolerant = false;
      return word + (moved > 0 ? "+" : "~");
    }).join("");
  });
  return isTolerant && call.length === others.length ? marked : undefined;
}
