import type { CounterId } from "../counter/counter_id.ts";
import type { BatchMeter } from "../metrics.ts";
import { Problem, type ProblemName } from "../problem.ts";

/** The callers that a batch answers together, because they ask for the same of one counter. */
export interface Group<Result, Part = never> {
  readonly id: CounterId;
  /** How many they are; nobody joins once the batch was sent. */
  callers: number;
  /** What each of them adds to the batch, in the order in which they came; empty if there is nothing to add. */
  readonly parts: Part[];
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
  /** Resolves with what they get together. */
  readonly result: Promise<Result>;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** Everybody who waits for the store, in whichever queue. */
export class Callers {
  #waiting = 0;
  #drained: PromiseWithResolvers<void> | undefined;

  /** How many callers have no answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  join(): void {
    this.#waiting++;
  }

  leave(count: number): void {
    this.#waiting -= count;
    if (this.#waiting === 0) this.#drained?.resolve();
  }

  /** Resolves when nobody waits, which is after the deadline at the latest; nobody may come from then on. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) await (this.#drained ??= Promise.withResolvers()).promise;
  }
}

/** Something that sends batches when it is given a slot. */
export interface Sender {
  /** Whether it has something to send, now or later. */
  readonly isPending: boolean;
  /** Sends the next batch if one is due; says whether it did. */
  sendIfDue(): boolean;
}

/** A batch that is at the store, or goes there. */
export interface Batch<Outcome> {
  /** How many ids it holds. */
  readonly size: number;
  /** By `performance.now()`. */
  readonly sentAt: number;
  isOverdue: boolean;
  send(): Promise<readonly Outcome[]>;
  /** Called first when the store has answered, even if the batch was overdue. */
  end(): void;
  /** Called with the outcomes, in the order of the ids, or with what went wrong; not if the batch was overdue. */
  answer(outcomes: readonly Outcome[] | Error): void;
}

/**
 * The batches that a store takes at once. Senders that share them take turns if several have a batch that is due, so that
 * neither hits nor writes wait for more than one batch of the others.
 */
export class Slots {
  readonly #size: number;
  readonly #meter: BatchMeter;
  /** The senders that have something to send, the one whose turn it is first. */
  readonly #pending: Sender[] = [];
  #taken = 0;
  #overdue = 0;

  constructor(size: number, meter: BatchMeter) {
    this.#size = size;
    this.#meter = meter;
  }

  /** Whether every slot is taken by a batch that is overdue: what comes now would wait for nothing. */
  get areStuck(): boolean {
    return this.#overdue === this.#size;
  }

  get isFree(): boolean {
    return this.#taken < this.#size;
  }

  /** Gives a sender its turns until nothing is left that it has to send. */
  request(sender: Sender): void {
    if (!this.#pending.includes(sender)) this.#pending.push(sender);
  }

  /** Has batches sent that are due, as long as there is room. */
  fill(): void {
    for (let refusals = 0; refusals < this.#pending.length && this.isFree;) {
      const sender = this.#pending.shift();
      if (sender === undefined) return;
      const hasSent = sender.sendIfDue();
      if (sender.isPending) this.#pending.push(sender);
      if (hasSent) refusals = 0;
      else if (sender.isPending) refusals++;
    }
  }

  /** Sends a batch, which keeps its slot until the store answers. */
  send<Outcome>(batch: Batch<Outcome>): void {
    this.#taken++;
    this.#meter.begin(batch.size);
    batch.send().then(
      (outcomes) => this.#settle(batch, checked(outcomes, batch.size)),
      (cause) => this.#settle(batch, errorOf(cause)),
    );
  }

  markOverdue(batch: Batch<unknown>): void {
    batch.isOverdue = true;
    this.#overdue++;
  }

  #settle<Outcome>(batch: Batch<Outcome>, outcomes: readonly Outcome[] | Error): void {
    this.#meter.end(performance.now() - batch.sentAt);
    this.#taken--;
    if (batch.isOverdue) this.#overdue--;
    batch.end();
    // First the next batch, so that the store works while these callers are answered.
    this.fill();
    if (!batch.isOverdue) batch.answer(outcomes);
  }
}

/** The outcomes of a batch. If a store gives another number of them, nobody knows whose is whose, and all calls fail. */
function checked<Outcome>(
  outcomes: readonly Outcome[],
  asked: number,
): readonly Outcome[] | Error {
  if (outcomes.length === asked) return outcomes;
  return new Error(`Answer a batch of ${asked} ids: the store gave ${outcomes.length} outcomes`);
}

/** What a batch failed with. */
export function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

interface BatcherOptions<Result, Part> {
  callers: Callers;
  slots: Slots;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** A store that answers sooner is near: there, what gathers costs less in one batch than in several beside each other. */
  nearMs: number;
  /** How long a caller waits at most, and up to a watch interval longer. */
  deadlineMs: number;
  /** The problem that callers get for a batch that was sent and not answered in time. */
  overdue: ProblemName;
  /** Sends a batch; the outcomes, a result or what went wrong, stand in the order of the groups. No id stands in it twice. */
  send(groups: readonly Group<Result, Part>[]): Promise<readonly (Result | Problem)[]>;
}

interface GroupBatch<Result, Part> extends Batch<Result | Problem> {
  readonly groups: readonly Group<Result, Part>[];
}

/**
 * Group commit: while a batch is at the store, calls queue up; when it is answered, the queue goes as the next one.
 *
 * Calls that find the store idle are sent at the end of the same turn of the event loop: no timer, so that a call alone does
 * not wait. Those that find a batch under way are sent beside it only if the store is farther away than `nearMs`, or
 * if they fill a batch. Calls that gave up before they were sent definitely had no effect; the outcome of a batch that was
 * sent and not answered in time is unknown, and it keeps its slot until the store answers.
 */
export class Batcher<Result, Part = never> implements Sender {
  readonly #options: BatcherOptions<Result, Part>;
  #queue = new Map<CounterId, Group<Result, Part>>();
  readonly #underWay = new Set<GroupBatch<Result, Part>>();
  /** Whether every batch under way was younger than `nearMs` when one was answered last; the watch takes it back. */
  #isNear = false;
  #called = 0;
  #turn: ReturnType<typeof setImmediate> | undefined;

  constructor(options: BatcherOptions<Result, Part>) {
    this.#options = options;
  }

  /** How many callers there have been. */
  get called(): number {
    return this.#called;
  }

  /** Whether nothing that is sent now would be answered in time. */
  get isStuck(): boolean {
    return this.#options.slots.areStuck;
  }

  get isPending(): boolean {
    return this.#queue.size > 0;
  }

  /** Joins the callers that ask for the same and are not sent yet; the last caller of the group is this one. */
  enqueue(id: CounterId, part?: Part): Group<Result, Part> {
    const { slots, callers } = this.#options;
    let group = this.#queue.get(id);
    if (group === undefined) {
      if (this.#queue.size === 0) slots.request(this);
      this.#queue.set(id, group = groupOf(id));
    }
    group.callers++;
    if (part !== undefined) group.parts.push(part);
    callers.join();
    this.#called++;
    if (this.#isDue()) {
      this.#turn ??= setImmediate(() => {
        this.#turn = undefined;
        slots.fill();
      });
    }
    return group;
  }

  sendIfDue(): boolean {
    if (!this.#isDue()) return false;
    const { slots, idsPerBatch, send } = this.#options;
    const groups = this.#take(idsPerBatch);
    const batch: GroupBatch<Result, Part> = {
      groups,
      size: groups.length,
      sentAt: performance.now(),
      isOverdue: false,
      send: () => send(groups),
      end: () => {
        this.#isNear = this.#areYoung(); // This batch still counts.
        this.#underWay.delete(batch);
      },
      answer: (outcomes) => {
        groups.forEach((group, index) => {
          this.#answer(group, outcomes instanceof Error ? outcomes : outcomes[index]);
        });
      },
    };
    this.#underWay.add(batch);
    slots.send(batch);
    return true;
  }

  /** Gives up for callers that have waited too long, to be called every now and then. */
  expire(): void {
    const { slots, deadlineMs, overdue } = this.#options;
    this.#isNear &&= this.#areYoung();
    const latest = performance.now() - deadlineMs;
    for (const batch of this.#underWay) {
      if (batch.isOverdue || !batch.groups.some(({ since }) => since <= latest)) continue;
      slots.markOverdue(batch);
      for (const group of batch.groups) this.#answer(group, new Problem(overdue));
    }
    // In the order in which they came.
    for (const group of this.#queue.values()) {
      if (group.since > latest) break;
      this.#queue.delete(group.id);
      this.#answer(group, new Problem("store-unavailable"));
    }
    slots.fill();
  }

  #isDue(): boolean {
    const { slots, idsPerBatch } = this.#options;
    const { size } = this.#queue;
    if (size === 0 || !slots.isFree) return false;
    return size >= idsPerBatch || !this.#isNear || this.#underWay.size === 0;
  }

  #take(count: number): readonly Group<Result, Part>[] {
    const groups = [...this.#queue.values().take(count)];
    // Deleted from a map that lives on, they would stay in memory for long: its worn-out tables still point to them.
    if (groups.length === this.#queue.size) this.#queue = new Map();
    else for (const { id } of groups) this.#queue.delete(id);
    return groups;
  }

  #areYoung(): boolean {
    const { nearMs } = this.#options;
    const now = performance.now();
    return this.#underWay.values().every(({ sentAt }) => now - sentAt < nearMs);
  }

  #answer(group: Group<Result, Part>, outcome: Result | Error | undefined): void {
    if (outcome instanceof Error || outcome === undefined) group.reject(outcome);
    else group.resolve(outcome);
    this.#options.callers.leave(group.callers);
  }
}

/** A group that nobody has joined yet. */
function groupOf<Result, Part>(id: CounterId): Group<Result, Part> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  return { id, callers: 0, parts: [], since: performance.now(), result: promise, resolve, reject };
}

/** Milliseconds: a reader that takes a list slowly has not kept the store busy for all that time. */
const LONGEST_MS = 100;

/** Leaves the store to other requests, `times` as long as it was used since then, by `performance.now()`. */
export async function yieldToHits(since: number, times: number): Promise<void> {
  const usedMs = Math.min(performance.now() - since, LONGEST_MS);
  await new Promise((resolve) => setTimeout(resolve, times * usedMs));
}
