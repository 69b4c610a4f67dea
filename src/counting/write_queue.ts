import type { CounterId } from "../counter/counter_id.ts";
import type { CounterState } from "../counter/days.ts";
import type { Write } from "../counter/store.ts";
import { Problem } from "../problem.ts";
import type { Batch, Callers, Sender, Slots } from "./batcher.ts";

interface WriteQueueOptions {
  callers: Callers;
  slots: Slots;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** How long a caller waits at most, and up to a watch interval longer. */
  deadlineMs: number;
  send(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]>;
}

/** What one caller writes. Queued until it is first on each of its ids, which it then holds until the store has answered. */
interface Call {
  readonly writes: readonly Write[];
  /** When it came, by `performance.now()`. */
  readonly since: number;
  readonly result: PromiseWithResolvers<readonly (CounterState | Problem)[]>;
  /** On how many of its ids another call is before it. */
  before: number;
  /** The calls that come next on its ids, once for each id. */
  readonly behind: Call[];
  /** Whether its caller was answered before the store did. */
  isAbandoned: boolean;
}

interface CallBatch extends Batch<CounterState | Problem> {
  readonly calls: readonly Call[];
}

/**
 * What owners write: first in, first out on each id. A write need not keep hits on its counter waiting, as the store carries
 * out either one after the other; it takes a slot like a batch of hits, so that nothing is sent to a store that hangs.
 *
 * A caller that gives up before its write was sent gets 503: definitely nothing has changed. Once it was sent the outcome
 * is unknown, and the write keeps its ids until the store answers: a later write of them cannot be overtaken by it.
 */
export class WriteQueue implements Sender {
  readonly #options: WriteQueueOptions;
  /** The last call on each id. */
  readonly #lasts = new Map<CounterId, Call>();
  /** The calls that hold their ids and wait for a slot. */
  readonly #ready = new Set<Call>();
  readonly #queued = new Set<Call>();
  readonly #underWay = new Set<CallBatch>();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** Whether nothing that is sent now would be answered in time. */
  get isStuck(): boolean {
    return this.#options.slots.areStuck;
  }

  get isPending(): boolean {
    return this.#ready.size > 0;
  }

  /** Carries out writes together, of which no two have the same id; no more than a batch may hold. */
  enqueue(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    const call: Call = {
      writes,
      since: performance.now(),
      result: Promise.withResolvers(),
      before: 0,
      behind: [],
      isAbandoned: false,
    };
    this.#options.callers.join();
    for (const { id } of writes) {
      const last = this.#lasts.get(id);
      this.#lasts.set(id, call);
      if (last === undefined) continue;
      last.behind.push(call);
      call.before++;
    }
    if (call.before > 0) {
      this.#queued.add(call);
    } else {
      this.#makeReady(call);
      // What comes in the same turn of the event loop may go with it.
      setImmediate(() => this.#options.slots.fill());
    }
    return call.result.promise;
  }

  sendIfDue(): boolean {
    const { slots, send } = this.#options;
    if (this.#ready.size === 0 || !slots.isFree) return false;
    const calls = this.#take();
    const writes = calls.flatMap((call) => call.writes);
    const batch: CallBatch = {
      calls,
      size: writes.length,
      sentAt: performance.now(),
      isOverdue: false,
      send: () => send(writes),
      end: () => {
        this.#underWay.delete(batch);
        this.#end(calls);
      },
      answer: (outcomes) => this.#answerAll(calls, outcomes),
    };
    this.#underWay.add(batch);
    slots.send(batch);
    return true;
  }

  /** Gives up for callers that have waited too long, to be called every now and then. */
  expire(): void {
    const { slots, deadlineMs } = this.#options;
    const latest = performance.now() - deadlineMs;
    for (const batch of this.#underWay) {
      if (batch.isOverdue || !batch.calls.some(({ since }) => since <= latest)) continue;
      slots.markOverdue(batch);
      this.#answerAll(batch.calls, new Problem("outcome-unknown"));
    }
    for (const call of [...this.#ready, ...this.#queued]) {
      if (call.since > latest) continue;
      this.#answer(call, new Problem("store-unavailable"));
      call.isAbandoned = true;
      // One that is queued keeps its place, so that those behind it wait for those before it.
      this.#queued.delete(call);
      if (this.#ready.delete(call)) this.#end([call]);
    }
    slots.fill();
  }

  #makeReady(call: Call): void {
    this.#ready.add(call);
    this.#options.slots.request(this);
  }

  /** The first calls that are ready and fit into a batch. */
  #take(): readonly Call[] {
    const calls: Call[] = [];
    let ids = 0;
    for (const call of this.#ready) {
      ids += call.writes.length;
      if (calls.length > 0 && ids > this.#options.idsPerBatch) break;
      this.#ready.delete(call);
      calls.push(call);
    }
    return calls;
  }

  /** Lets go of the ids of calls, and of those behind them that nobody waits for any more. */
  #end(calls: readonly Call[]): void {
    const ended = [...calls];
    for (const call of ended) {
      for (const { id } of call.writes) {
        if (this.#lasts.get(id) === call) this.#lasts.delete(id);
      }
      for (const next of call.behind) {
        if (--next.before > 0) continue;
        this.#queued.delete(next);
        if (next.isAbandoned) ended.push(next);
        else this.#makeReady(next);
      }
    }
  }

  /** Each call gets the outcomes of its own writes. */
  #answerAll(calls: readonly Call[], outcomes: readonly (CounterState | Problem)[] | Error): void {
    let first = 0;
    for (const call of calls) {
      const end = first + call.writes.length;
      this.#answer(call, outcomes instanceof Error ? outcomes : outcomes.slice(first, end));
      first = end;
    }
  }

  #answer({ result }: Call, outcomes: readonly (CounterState | Problem)[] | Error): void {
    if (outcomes instanceof Error) result.reject(outcomes);
    else result.resolve(outcomes);
    this.#options.callers.leave(1);
  }
}
