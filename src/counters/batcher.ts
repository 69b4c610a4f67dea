import type { BatchMeter } from "../metrics.ts";
import { Failure, type FailureKind } from "../domain/errors.ts";

/** Calls that ask for the same thing, so that one entry of a batch answers them all. */
export interface CoalescedCall<Key, Result, Part = never> extends PromiseWithResolvers<Result> {
  readonly key: Key;
  /** Number of callers. None joins once the batch was sent. */
  callers: number;
  /** The parts that callers add, in the order of arrival. */
  readonly parts: Part[];
  /** Arrival of the first caller, by `performance.now()`. */
  readonly since: number;
}

/** A batch that was sent and that the store has not settled. */
interface BatchInFlight<Call> {
  readonly calls: readonly Call[];
  /** By `performance.now()`. */
  readonly sentAt: number;
  hasTimedOut: boolean;
}

export interface BatcherOptions<Key, Result, Part> {
  /** The number of callers that wait for an answer, in whichever batcher. */
  pending: { waiting: number };
  /** Maximum number of batches in flight. */
  batches: number;
  meter: BatchMeter;
  /** Maximum number of keys in a batch. */
  idsPerBatch: number;
  /**
   * Latency below which a store counts as fast, in milliseconds. On a fast store, waiting for the
   * batch in flight is cheaper than a second batch in parallel.
   */
  fastStoreMs: number;
  /** Age of a call at which `rejectTimedOut` rejects it, in milliseconds. */
  deadlineMs: number;
  /** The failure that callers get if their batch was sent and the store did not answer in time. */
  timeout: FailureKind;
  /** The ids of a key, if keys of one id must be sent one after another. */
  inOrder?(key: Key): readonly string[];
  /** Called when the callers of a call get their answer, at the latest when it times out. */
  onAnswer?(call: CoalescedCall<Key, Result, Part>, outcome: Result | Error): void;
  /** Sends a batch. The outcomes are in the order of the calls. */
  send(calls: readonly CoalescedCall<Key, Result, Part>[]): Promise<readonly (Result | Error)[]>;
}

/**
 * Group commit: while a batch is at the store, new calls queue up. When the store answers, they are
 * sent as the next batch.
 *
 * Calls that find the store idle are sent at the end of the same turn of the event loop. A batch is
 * sent in parallel with another one only if the store is slow or the batch is full.
 *
 * A call that times out in the queue is never sent, so it has no effect. The outcome of a batch
 * that was sent and timed out is unknown. It stays in flight until the store answers.
 */
export class Batcher<Key, Result, Part = never> {
  readonly #options: BatcherOptions<Key, Result, Part>;
  /** In the order of arrival. */
  #queue = new Map<Key, CoalescedCall<Key, Result, Part>>();
  readonly #inFlight = new Set<BatchInFlight<CoalescedCall<Key, Result, Part>>>();
  /** The ids in flight, if calls are in order. */
  readonly #idsInFlight = new Set<string>();
  /** True if all batches in flight were younger than `fastStoreMs` at the last answer. */
  #isFastStore = false;
  #turn: ReturnType<typeof setImmediate> | undefined;
  /** The time of the last `rejectTimedOut`, by `performance.now()`. */
  #checkedAt = 0;

  constructor(options: BatcherOptions<Key, Result, Part>) {
    this.#options = options;
  }

  /** True if a new call could not be answered in time, because all batches in flight timed out. */
  get isStuck(): boolean {
    const isFull = this.#inFlight.size === this.#options.batches;
    return isFull && this.#inFlight.values().every(({ hasTimedOut }) => hasTimedOut);
  }

  /**
   * Adds a caller to the queued call with the same key, or queues a new one. On return, `callers`
   * of the call is the position of this caller.
   */
  enqueue(key: Key, part?: Part): CoalescedCall<Key, Result, Part> {
    const { pending } = this.#options;
    let call = this.#queue.get(key);
    if (call === undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      call = { key, callers: 0, parts: [], since: performance.now(), promise, resolve, reject };
      this.#queue.set(key, call);
    }
    call.callers++;
    if (part !== undefined) call.parts.push(part);
    pending.waiting++;
    if (this.#isDue()) {
      this.#turn ??= setImmediate(() => {
        this.#turn = undefined;
        this.#fill();
      });
    }
    return call;
  }

  /** Resolves when every call so far is answered. */
  async drain(): Promise<void> {
    const sent = this.#inFlight.values().flatMap(({ calls }) => calls);
    await Promise.allSettled([...sent, ...this.#queue.values()].map(({ promise }) => promise));
  }

  /** Sends the batches that are due. */
  #fill(): void {
    const { meter, send } = this.#options;
    while (this.#isDue()) {
      const calls = this.#take();
      // The ids of all queued calls are in flight.
      if (calls.length === 0) return;
      const batch = { calls, sentAt: performance.now(), hasTimedOut: false };
      this.#inFlight.add(batch);
      meter.begin(calls.length);
      send(calls).then(
        (outcomes) => this.#end(batch, outcomes),
        (cause) => this.#end(batch, toError(cause)),
      );
    }
  }

  /**
   * Rejects the queued calls that had waited too long at the time of the last check, and all calls
   * of a batch with such a call. To be called regularly while calls are pending, after a turn of
   * the event loop, because timers run before the answers are read that arrived while the process
   * stood still.
   */
  rejectTimedOut(): void {
    const { deadlineMs, timeout } = this.#options;
    this.#isFastStore &&= this.#areYoung();
    const latest = this.#checkedAt - deadlineMs;
    this.#checkedAt = performance.now();
    for (const batch of this.#inFlight) {
      if (batch.hasTimedOut || !batch.calls.some(({ since }) => since <= latest)) continue;
      batch.hasTimedOut = true;
      for (const call of batch.calls) this.#answer(call, new Failure(timeout));
    }
    for (const call of this.#queue.values()) {
      if (call.since > latest) break;
      this.#queue.delete(call.key);
      this.#answer(call, new Failure("store-unavailable"));
    }
    this.#fill();
  }

  #isDue(): boolean {
    const { batches, idsPerBatch } = this.#options;
    const { size } = this.#queue;
    if (size === 0 || this.#inFlight.size === batches) return false;
    return size >= idsPerBatch || !this.#isFastStore || this.#inFlight.size === 0;
  }

  /** Takes the next calls that may be sent from the queue. */
  #take(): readonly CoalescedCall<Key, Result, Part>[] {
    const { idsPerBatch, inOrder } = this.#options;
    const ready = inOrder === undefined ? this.#queue.values() : this.#inOrder(inOrder);
    const calls = [...ready.take(idsPerBatch)];
    // Replace an emptied map, whose old tables would keep deleted entries in memory for long.
    if (calls.length === this.#queue.size) this.#queue = new Map();
    else for (const { key } of calls) this.#queue.delete(key);
    return calls;
  }

  /** Yields the first call of each id that is not in flight, and counts the id as in flight. */
  *#inOrder(idsOf: (key: Key) => readonly string[]): Generator<CoalescedCall<Key, Result, Part>> {
    for (const call of this.#queue.values()) {
      const ids = idsOf(call.key);
      if (ids.some((id) => this.#idsInFlight.has(id))) continue;
      for (const id of ids) this.#idsInFlight.add(id);
      yield call;
    }
  }

  #end(
    batch: BatchInFlight<CoalescedCall<Key, Result, Part>>,
    outcomes: readonly (Result | Error)[] | Error,
  ): void {
    const { meter, inOrder } = this.#options;
    meter.end(performance.now() - batch.sentAt);
    // Before this batch is removed, because its own age counts.
    this.#isFastStore = this.#areYoung();
    this.#inFlight.delete(batch);
    if (inOrder !== undefined) {
      for (const id of batch.calls.flatMap(({ key }) => inOrder(key))) this.#idsInFlight.delete(id);
    }
    // Send the next batch first, so that the store works while these callers are answered.
    this.#fill();
    if (batch.hasTimedOut) return;
    batch.calls.forEach((call, index) => {
      const outcome = outcomes instanceof Error ? outcomes : outcomes[index];
      this.#answer(call, outcome ?? new Failure(this.#options.timeout));
    });
  }

  #areYoung(): boolean {
    const { fastStoreMs } = this.#options;
    const now = performance.now();
    return this.#inFlight.values().every(({ sentAt }) => now - sentAt < fastStoreMs);
  }

  #answer(call: CoalescedCall<Key, Result, Part>, outcome: Result | Error): void {
    this.#options.onAnswer?.(call, outcome);
    if (outcome instanceof Error) call.reject(outcome);
    else call.resolve(outcome);
    this.#options.pending.waiting -= call.callers;
  }
}

/** Converts what was thrown to an Error. */
export function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
