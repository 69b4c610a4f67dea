import { Problem, type ProblemName } from "../problem.ts";
import type { CounterId } from "./counter_id.ts";
import type { Outcome } from "./store.ts";

/** The callers that one operation on one counter answers together. */
export interface Group {
  readonly id: CounterId;
  /** How many they are. */
  callers: number;
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
  /** What the operation comes to, for all of them. */
  readonly total: PromiseWithResolvers<number>;
}

interface Batch {
  readonly groups: readonly Group[];
  /** When it was sent, by `performance.now()`. */
  readonly sent: number;
  overdue: boolean;
}

/** Options of {@linkcode GroupCalls}. */
export interface GroupCallsOptions {
  /** How many batches may be under way at once. */
  batches: number;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** How long a caller waits at most, in milliseconds. */
  deadline: number;
  /** Whether the next batch may wait for those whom a slow one has answered; only where one is under way at once. */
  lingers: boolean;
  /** What a caller is told whose batch was sent and not answered in time. */
  overdue: ProblemName;
  /** Sends a batch; the outcomes stand in the order of the groups. */
  send(groups: readonly Group[]): Promise<readonly Outcome[]>;
  /** The number of one caller of a group whose operation came to `total`; without it all of them get that. */
  share?(total: number, group: Group, place: number): number;
}

/** How often deadlines are looked at, in milliseconds: a caller may wait that much longer. */
const WATCH_INTERVAL = 100;
/** What makes a batch slow, in milliseconds: after a quicker one its callers would come back too late to be waited for. */
const SLOW_BATCH = 3;
/** How many callers of a slow batch are worth waiting for. */
const MANY_CALLERS = 16;
/** How long they are waited for at most, in milliseconds. */
const MAX_LINGER = 10;

/**
 * Group commit: while batches are at the store, calls gather; when one is answered, what has gathered goes next, at
 * once. Calls that find the store idle go out in the same turn of the event loop, without waiting for others.
 *
 * Where many call and the store is slow, two crowds would take turns, each waiting for the other's batch. There the next
 * batch lingers until as many wait as before, but no longer than the last one took.
 */
export class GroupCalls {
  readonly #options: GroupCallsOptions;
  /** In the order in which their first callers came, as a Map keeps it. */
  #gathering = new Map<CounterId, Group>();
  readonly #underWay = new Set<Batch>();
  #overdue = 0;
  #waiting = 0;
  /** How many have to wait before the next batch goes; 0 where it does not linger. */
  #awaited = 0;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #turn: ReturnType<typeof setImmediate> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupCallsOptions) {
    this.#options = options;
  }

  /** How many callers have no answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Joins the next batch; resolves with this caller's own number. */
  join(id: CounterId): Promise<number> {
    if (this.#overdue > 0 && this.#overdue === this.#options.batches) {
      return Promise.reject(new Problem("store-unavailable"));
    }
    const group = this.#gathering.get(id) ?? this.#open(id);
    const place = group.callers++;
    this.#waiting++;
    if (this.#isNextReady()) this.#sendThisTurn();
    this.#watch ??= setInterval(() => this.#enforceDeadline(), WATCH_INTERVAL);
    const { share } = this.#options;
    const { promise } = group.total;
    return share === undefined ? promise : promise.then((total) => share(total, group, place));
  }

  #open(id: CounterId): Group {
    const total = Promise.withResolvers<number>();
    const group = { id, callers: 0, since: performance.now(), total };
    this.#gathering.set(id, group);
    return group;
  }

  /** Resolves when no caller waits, which is after the deadline at the latest; none may join from then on. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) {
      this.#drained ??= Promise.withResolvers();
      await this.#drained.promise;
    }
    clearInterval(this.#watch);
    this.#watch = undefined;
    clearTimeout(this.#linger);
  }

  #isNextReady(): boolean {
    const { batches, idsPerBatch } = this.#options;
    const { size } = this.#gathering;
    if (size === 0 || this.#underWay.size >= batches) return false;
    return this.#waiting >= this.#awaited || size >= idsPerBatch;
  }

  /** Requests that the event loop hands out in one turn go together; no timer, so one alone does not wait. */
  #sendThisTurn(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      if (this.#isNextReady()) this.#sendNext();
    });
  }

  #sendNext(): void {
    const groups = [...this.#gathering.values().take(this.#options.idsPerBatch)];
    // Deleted from a map that lives on, they would stay in memory for long: its worn-out tables still point to them.
    if (groups.length === this.#gathering.size) this.#gathering = new Map();
    else for (const { id } of groups) this.#gathering.delete(id);
    const batch: Batch = { groups, sent: performance.now(), overdue: false };
    if (this.#awaited > 0) this.#endLinger();
    this.#underWay.add(batch);
    this.#options.send(groups).then(
      (outcomes) => this.#settle(batch, outcomes),
      (problem) => this.#settle(batch, groups.map(() => problem)),
    );
  }

  #settle(batch: Batch, outcomes: readonly Outcome[]): void {
    this.#underWay.delete(batch);
    if (batch.overdue) this.#overdue--;
    if (this.#isSlowCrowd(batch)) this.#startLinger(performance.now() - batch.sent);
    // First the next batch, so that the store works while these callers are answered.
    else if (this.#gathering.size > 0) this.#sendNext();
    if (!batch.overdue) {
      batch.groups.forEach((group, index) => this.#answer(group, outcomes[index]));
    }
  }

  /** Whether it took long for many callers, and left room in the next batch for them. */
  #isSlowCrowd({ groups, sent, overdue }: Batch): boolean {
    const { lingers, idsPerBatch } = this.#options;
    if (!lingers || overdue || performance.now() - sent < SLOW_BATCH) return false;
    const callers = groups.reduce((sum, { callers }) => sum + callers, 0);
    return callers >= MANY_CALLERS && this.#gathering.size < idsPerBatch;
  }

  #startLinger(took: number): void {
    this.#awaited = this.#waiting;
    this.#linger = setTimeout(() => {
      this.#endLinger();
      if (this.#isNextReady()) this.#sendNext();
    }, Math.min(took, MAX_LINGER));
  }

  #endLinger(): void {
    this.#awaited = 0;
    clearTimeout(this.#linger);
  }

  #answer({ callers, total }: Group, outcome: Outcome | undefined): void {
    this.#waiting -= callers;
    if (typeof outcome === "number") total.resolve(outcome);
    else total.reject(outcome);
    if (this.#waiting === 0) this.#drained?.resolve();
  }

  #enforceDeadline(): void {
    const latest = performance.now() - this.#options.deadline;
    for (const batch of this.#underWay) {
      if (batch.overdue || (batch.groups[0]?.since ?? Infinity) > latest) continue;
      batch.overdue = true;
      this.#overdue++;
      for (const group of batch.groups) this.#answer(group, new Problem(this.#options.overdue));
    }
    for (const group of this.#gathering.values()) {
      if (group.since > latest) break;
      this.#gathering.delete(group.id);
      this.#answer(group, new Problem("store-unavailable"));
    }
    if (this.#waiting === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }
}
