import { Problem, type ProblemName } from "../problem.ts";
import type { CounterId } from "./counter_id.ts";
import { Linger } from "./linger.ts";
import type { Outcome } from "./store.ts";

/** The callers that one operation on one counter answers together. */
export interface Group {
  readonly id: CounterId;
  /** How many they are. */
  callers: number;
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
  /** What the operation came to, for all of them. */
  readonly result: PromiseWithResolvers<number>;
}

interface Batch {
  readonly groups: readonly Group[];
  /** By `performance.now()`. */
  readonly sentAt: number;
  overdue: boolean;
}

/** Options of {@linkcode GroupCalls}. */
export interface GroupCallsOptions {
  /** How many batches may be under way at once. */
  batches: number;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** How long a caller waits at most. */
  deadlineMs: number;
  /** Whether the next batch may wait for those whom a slow one has answered; only where one batch is under way at once. */
  lingers: boolean;
  /** What a caller is told whose batch was sent and not answered in time. */
  overdue: ProblemName;
  /** Sends a batch; the outcomes stand in the order of the groups. */
  send(groups: readonly Group[]): Promise<readonly Outcome[]>;
  /** The number of one caller of a group whose operation came to `total`; without it all of them get that. */
  share?(total: number, group: Group, place: number): number;
}

/** How often deadlines are looked at: a caller may wait that much longer. */
const WATCH_INTERVAL_MS = 100;

/**
 * Group commit: while batches are at the store, calls gather; when one is answered, what has gathered goes next, at
 * once or after a {@linkcode Linger}. Calls that find the store idle go out in the same turn of the event loop, without
 * waiting for others.
 */
export class GroupCalls {
  readonly #options: GroupCallsOptions;
  /** In the order in which their first callers came, as a Map keeps it. */
  #gathering = new Map<CounterId, Group>();
  readonly #underWay = new Set<Batch>();
  #overdue = 0;
  #waiting = 0;
  readonly #linger = new Linger(() => this.#sendIfReady());
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
    this.#watch ??= setInterval(() => this.#enforceDeadline(), WATCH_INTERVAL_MS);
    const { share } = this.#options;
    const { promise } = group.result;
    return share === undefined ? promise : promise.then((total) => share(total, group, place));
  }

  #open(id: CounterId): Group {
    const result = Promise.withResolvers<number>();
    const group = { id, callers: 0, since: performance.now(), result };
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
    this.#linger.end();
  }

  #isNextReady(): boolean {
    const { batches, idsPerBatch } = this.#options;
    const { size } = this.#gathering;
    if (size === 0 || this.#underWay.size >= batches) return false;
    return size >= idsPerBatch || !this.#linger.goesOn(this.#waiting);
  }

  #sendIfReady(): void {
    if (this.#isNextReady()) this.#sendNext();
  }

  /** Requests that the event loop hands out in one turn go together; no timer, so one alone does not wait. */
  #sendThisTurn(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.#sendIfReady();
    });
  }

  #sendNext(): void {
    const groups = [...this.#gathering.values().take(this.#options.idsPerBatch)];
    // Deleted from a map that lives on, they would stay in memory for long: its worn-out tables still point to them.
    if (groups.length === this.#gathering.size) this.#gathering = new Map();
    else for (const { id } of groups) this.#gathering.delete(id);
    const batch: Batch = { groups, sentAt: performance.now(), overdue: false };
    this.#linger.end();
    this.#underWay.add(batch);
    this.#options.send(groups).then(
      (outcomes) => this.#settle(batch, matching(groups, outcomes)),
      (problem) => this.#settle(batch, groups.map(() => problem)),
    );
  }

  #settle(batch: Batch, outcomes: readonly (Outcome | Error)[]): void {
    this.#underWay.delete(batch);
    if (batch.overdue) {
      this.#overdue--;
      return this.#sendIfReady();
    }
    // First the next batch, so that the store works while these callers are answered.
    if (!this.#beginLinger(batch)) this.#sendIfReady();
    batch.groups.forEach((group, index) => this.#answer(group, outcomes[index]));
  }

  #beginLinger({ groups, sentAt }: Batch): boolean {
    const { lingers, idsPerBatch } = this.#options;
    if (!lingers || this.#gathering.size >= idsPerBatch) return false;
    const tookMs = performance.now() - sentAt;
    const answered = groups.reduce((sum, { callers }) => sum + callers, 0);
    return this.#linger.begin({ tookMs, answered, waiting: this.#waiting });
  }

  #answer({ callers, result }: Group, outcome: Outcome | Error | undefined): void {
    this.#waiting -= callers;
    if (typeof outcome === "number") result.resolve(outcome);
    else result.reject(outcome);
    if (this.#waiting === 0) this.#drained?.resolve();
  }

  #enforceDeadline(): void {
    const latest = performance.now() - this.#options.deadlineMs;
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

/** The outcomes of a batch; where a store gave another number of them nobody's is known, and all are told so. */
function matching(
  groups: readonly Group[],
  outcomes: readonly Outcome[],
): readonly (Outcome | Error)[] {
  if (outcomes.length === groups.length) return outcomes;
  const error = new Error(
    `Answer a batch of ${groups.length} ids: the store gave ${outcomes.length} outcomes`,
  );
  return groups.map(() => error);
}
