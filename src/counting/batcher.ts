import type { CounterId } from "../counter/counter_id.ts";
import type { BatchMeter } from "../metrics.ts";
import { Problem, type ProblemName } from "../problem.ts";

/** The callers that a batch answers together, because they ask for the same of one counter. */
export interface Group<Result, Part = never> {
  readonly id: CounterId;
  /** How many they are; nobody joins once the batch was sent. */
  callers: number;
  /** What each of them adds to the batch, in the order in which they came; empty where there is nothing to add. */
  readonly parts: Part[];
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
  /** Resolves with what they get together. */
  readonly result: Promise<Result>;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** Sends batches when it is given a slot. */
export interface Sender {
  /** Sends the next batch if one is due; says whether it did. */
  sendIfDue(): boolean;
}

/**
 * The batches that a store takes at once. Senders that share them take turns where several have a batch that is due, so that
 * neither hits nor writes wait for more than one batch of the others.
 */
export class Slots {
  readonly #size: number;
  readonly #senders: Sender[] = [];
  /** The sender whose turn it is. */
  #next = 0;
  #taken = 0;
  #overdue = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Whether every slot is taken by a batch that is overdue: what comes now would wait for nothing. */
  get areStuck(): boolean {
    return this.#overdue === this.#size;
  }

  get isFree(): boolean {
    return this.#taken < this.#size;
  }

  add(sender: Sender): void {
    this.#senders.push(sender);
  }

  take(): void {
    this.#taken++;
  }

  markOverdue(): void {
    this.#overdue++;
  }

  release(wasOverdue: boolean): void {
    this.#taken--;
    if (wasOverdue) this.#overdue--;
  }

  /** Has batches sent that are due, as long as there is room. */
  fill(): void {
    const { length } = this.#senders;
    for (let idle = 0; idle < length && this.isFree;) {
      const sender = this.#senders[this.#next];
      this.#next = (this.#next + 1) % length;
      idle = sender?.sendIfDue() ? 0 : idle + 1;
    }
  }
}

interface BatcherOptions<Result, Part> {
  slots: Slots;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** A store that answers sooner is near: there, what gathers costs less in one batch than in several beside each other. */
  nearMs: number;
  /** How long a caller waits at most, and up to a watch interval longer. */
  deadlineMs: number;
  meter: BatchMeter;
  /** What its callers are told about a batch that was sent and not answered in time. */
  overdue: ProblemName;
  /** Sends a batch; the outcomes, a result or what went wrong, stand in the order of the groups. No id stands in it twice. */
  send(groups: readonly Group<Result, Part>[]): Promise<readonly (Result | Problem)[]>;
}

interface Batch<Result, Part> {
  readonly groups: readonly Group<Result, Part>[];
  /** By `performance.now()`. */
  readonly sentAt: number;
  isOverdue: boolean;
}

/**
 * Group commit: while a batch is at the store, calls queue up; when it is answered, the queue goes as the next one.
 *
 * Calls that find the store idle are sent at the end of the same turn of the event loop: no timer, so that a call alone does
 * not wait. Those that find a batch under way are sent beside it only where the store is farther away than `nearMs`, or
 * where they fill a batch. Calls that gave up before they were sent surely had no effect; of a batch that was sent and not
 * answered in time nobody knows, and it keeps its slot until the store answers.
 */
export class Batcher<Result, Part = never> implements Sender {
  readonly #options: BatcherOptions<Result, Part>;
  #queue = new Map<CounterId, Group<Result, Part>>();
  readonly #underWay = new Set<Batch<Result, Part>>();
  /** Whether every batch under way was younger than `nearMs` when one was answered last; the watch takes it back. */
  #isNear = false;
  #waiting = 0;
  #called = 0;
  #turn: ReturnType<typeof setImmediate> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: BatcherOptions<Result, Part>) {
    this.#options = options;
    options.slots.add(this);
  }

  /** How many callers have no answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many callers there have been. */
  get called(): number {
    return this.#called;
  }

  /** Whether nothing that is sent now would be answered in time. */
  get isStuck(): boolean {
    return this.#options.slots.areStuck;
  }

  /** Joins those who ask for the same and wait to be sent; the last caller of the group is this one. */
  enqueue(id: CounterId, part?: Part): Group<Result, Part> {
    let group = this.#queue.get(id);
    if (group === undefined) this.#queue.set(id, group = groupOf(id));
    group.callers++;
    if (part !== undefined) group.parts.push(part);
    this.#waiting++;
    this.#called++;
    if (this.#isDue()) {
      this.#turn ??= setImmediate(() => {
        this.#turn = undefined;
        this.#options.slots.fill();
      });
    }
    return group;
  }

  sendIfDue(): boolean {
    if (!this.#isDue()) return false;
    const { slots, meter, idsPerBatch, send } = this.#options;
    const groups = this.#take(idsPerBatch);
    const batch = { groups, sentAt: performance.now(), isOverdue: false };
    slots.take();
    this.#underWay.add(batch);
    meter.begin(groups.length);
    send(groups).then(
      (outcomes) => this.#settle(batch, checked(outcomes, groups.length)),
      (cause) => this.#settle(batch, errorOf(cause)),
    );
    return true;
  }

  /** Gives up for callers that have waited too long, to be called every now and then. */
  expire(): void {
    const { slots, deadlineMs, overdue } = this.#options;
    const now = performance.now();
    this.#isNear &&= this.#areYoung(now);
    const latest = now - deadlineMs;
    for (const batch of this.#underWay) {
      if (batch.isOverdue || !batch.groups.some(({ since }) => since <= latest)) continue;
      batch.isOverdue = true;
      slots.markOverdue();
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

  /** Resolves when no caller waits, which is after the deadline at the latest; none may come from then on. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) await (this.#drained ??= Promise.withResolvers()).promise;
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

  #settle(batch: Batch<Result, Part>, outcomes: readonly (Result | Problem)[] | Error): void {
    const { slots, meter } = this.#options;
    const now = performance.now();
    meter.end(now - batch.sentAt);
    this.#isNear = this.#areYoung(now); // This batch still counts.
    this.#underWay.delete(batch);
    slots.release(batch.isOverdue);
    if (batch.isOverdue) return slots.fill();
    // First the next batch, so that the store works while these callers are answered.
    slots.fill();
    batch.groups.forEach((group, index) => {
      this.#answer(group, outcomes instanceof Error ? outcomes : outcomes[index]);
    });
  }

  #areYoung(now: number): boolean {
    return this.#underWay.values().every(({ sentAt }) => now - sentAt < this.#options.nearMs);
  }

  #answer(group: Group<Result, Part>, outcome: Result | Error | undefined): void {
    this.#waiting -= group.callers;
    if (outcome instanceof Error || outcome === undefined) group.reject(outcome);
    else group.resolve(outcome);
    if (this.#waiting === 0) this.#drained?.resolve();
  }
}

/** A group that nobody has joined yet. */
function groupOf<Result, Part>(id: CounterId): Group<Result, Part> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  return { id, callers: 0, parts: [], since: performance.now(), result: promise, resolve, reject };
}

/** The outcomes of a batch; where a store gave another number of them, whose is whose is unknown, and all of them fail. */
export function checked<Result>(
  outcomes: readonly Result[],
  asked: number,
): readonly Result[] | Error {
  if (outcomes.length === asked) return outcomes;
  return new Error(`Answer a batch of ${asked} ids: the store gave ${outcomes.length} outcomes`);
}

/** What a batch failed with. */
export function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** Who takes a list slowly has not kept the store busy for all that time. */
const LONGEST_MS = 100;

/** Leaves the store to those who wait for it, some times as long as it was used `since`, by `performance.now()`. */
export async function yieldToHits(since: number, times: number): Promise<void> {
  const usedMs = Math.min(performance.now() - since, LONGEST_MS);
  await new Promise((resolve) => setTimeout(resolve, times * usedMs));
}

/** Hands on what comes part by part; where others wait, the next part is begun after a pause three times as long as the last one took. */
export async function* yieldingToHits<Part>(
  parts: AsyncIterable<Part>,
  othersWait: () => boolean,
): AsyncGenerator<Part> {
  let since = performance.now();
  for await (const part of parts) {
    yield part;
    if (othersWait()) await yieldToHits(since, 3);
    since = performance.now();
  }
}
