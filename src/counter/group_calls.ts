import { Problem, type ProblemName } from "../problem.ts";
import type { CounterId } from "./counter_id.ts";
import { Gathering, type Group } from "./gathering.ts";
import { Linger } from "./linger.ts";
import { failed, matching } from "./batch_outcomes.ts";

interface Batch<Call, Result, Part> {
  readonly groups: readonly Group<Call, Result, Part>[];
  /** By `performance.now()`. */
  readonly sentAt: number;
  overdue: boolean;
}

/** Options of {@linkcode GroupCalls}. */
export interface GroupCallsOptions<Call, Result, Part = never> {
  /** How many batches may be under way at once. */
  batches: number;
  /** How many ids a batch may hold. */
  idsPerBatch: number;
  /** A store that answers sooner is near: there, what gathers costs less in one batch than in several beside each other. */
  nearMs: number;
  /** How long a caller waits at most. */
  deadlineMs: number;
  /** Whether the next batch may wait for those whom a slow one has answered; only where one batch is under way at once. */
  lingers: boolean;
  /** What a caller is told whose batch was sent and not answered in time. */
  overdue: ProblemName;
  /** Sends a batch; the outcomes, a result or what went wrong, stand in the order of the groups. No id stands in it twice. */
  send(groups: readonly Group<Call, Result, Part>[]): Promise<readonly (Result | Problem)[]>;
}

/** How often deadlines, and a near store that no longer is, are looked at: a caller may wait that much longer. */
const WATCH_INTERVAL_MS = 100;

/**
 * Group commit: while a batch is at the store, calls gather; when it is answered, what has gathered goes next, at once or
 * after a {@linkcode Linger}. Calls that find the store idle go out in the same turn of the event loop; those that do not
 * go beside what is under way only where the store is farther away than `nearMs`, or where they fill a batch.
 */
export class GroupCalls<Call, Result, Part = never> {
  readonly #options: GroupCallsOptions<Call, Result, Part>;
  readonly #gathering = new Gathering<Call, Result, Part>();
  readonly #underWay = new Set<Batch<Call, Result, Part>>();
  /** Whether every batch under way was younger than `nearMs` when one was answered last; the watch takes it back. */
  #near = false;
  #overdue = 0;
  #waiting = 0;
  #called = 0;
  readonly #linger = new Linger(() => this.#sendIfReady());
  #turn: ReturnType<typeof setImmediate> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupCallsOptions<Call, Result, Part>) {
    this.#options = options;
  }

  /** How many callers have no answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many callers there have been. */
  get called(): number {
    return this.#called;
  }

  /** Joins those who call for the same on this counter; resolves with what they get together. */
  join(id: CounterId, call: Call): Promise<Result> {
    return this.#isStuck ? refused() : this.#enter(this.#gathering.join(id, call)).result.promise;
  }

  /** The same, with its share of what they get, by its place. Of those who call together all add a part, or none does. */
  joinWithShare<Share>(
    { id, call, part }: { id: CounterId; call: Call; part?: Part },
    share: (result: Result, place: number, group: Group<Call, Result, Part>) => Share,
  ): Promise<Share> {
    if (this.#isStuck) return refused();
    const group = this.#enter(this.#gathering.join(id, call));
    const place = group.callers - 1;
    if (part !== undefined) group.parts.push(part);
    return group.result.promise.then((result) => share(result, place, group));
  }

  /** Calls after all that came before on this counter, and before all that will come. */
  callAlone(id: CounterId, call: Call): Promise<Result> {
    return this.#isStuck ? refused() : this.#enter(this.#gathering.add(id, call)).result.promise;
  }

  /** Whether every batch under way is overdue. */
  get #isStuck(): boolean {
    return this.#overdue > 0 && this.#overdue === this.#options.batches;
  }

  #enter(group: Group<Call, Result, Part>): Group<Call, Result, Part> {
    group.callers++;
    this.#waiting++;
    this.#called++;
    if (this.#isNextReady()) this.#sendThisTurn();
    this.#watch ??= setInterval(() => this.#lookAfter(), WATCH_INTERVAL_MS);
    return group;
  }

  /** Resolves when no caller waits, which is after the deadline at the latest; none may join from then on. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) {
      await (this.#drained ??= Promise.withResolvers()).promise;
    }
    clearInterval(this.#watch);
    this.#linger.end();
  }

  #isNextReady(): boolean {
    const { batches, idsPerBatch } = this.#options;
    const { size } = this.#gathering;
    if (size === 0 || this.#underWay.size >= batches) return false;
    const isHeldUp = this.#near && this.#underWay.size > 0;
    return size >= idsPerBatch || (!isHeldUp && !this.#linger.goesOn(this.#waiting));
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
    const groups = this.#gathering.take(this.#options.idsPerBatch);
    const batch: Batch<Call, Result, Part> = { groups, sentAt: performance.now(), overdue: false };
    this.#linger.end();
    this.#underWay.add(batch);
    this.#options.send(groups).then(
      (outcomes) => this.#settle(batch, matching(groups, outcomes)),
      (problem) => this.#settle(batch, groups.map(() => failed(problem))),
    );
  }

  #settle(batch: Batch<Call, Result, Part>, outcomes: readonly (Result | Error)[]): void {
    const now = performance.now();
    this.#near = this.#isNear(now); // This batch still counts.
    this.#underWay.delete(batch);
    for (const group of batch.groups) this.#gathering.release(group);
    if (batch.overdue) {
      this.#overdue--;
      return this.#sendIfReady();
    }
    // First the next batch, so that the store works while these callers are answered.
    if (!this.#beginLinger(batch, now - batch.sentAt)) this.#sendIfReady();
    batch.groups.forEach((group, index) => this.#answer(group, outcomes[index]));
  }

  #isNear(now: number): boolean {
    return [...this.#underWay].every(({ sentAt }) => now - sentAt < this.#options.nearMs);
  }

  #beginLinger({ groups }: Batch<Call, Result, Part>, tookMs: number): boolean {
    const { lingers, idsPerBatch } = this.#options;
    if (!lingers || this.#gathering.size >= idsPerBatch) return false;
    const answered = groups.reduce((sum, { callers }) => sum + callers, 0);
    return this.#linger.begin({ tookMs, answered, waiting: this.#waiting });
  }

  #answer(
    { callers, result }: Group<Call, Result, Part>,
    outcome: Result | Error | undefined,
  ): void {
    this.#waiting -= callers;
    if (outcome instanceof Error || outcome === undefined) result.reject(outcome);
    else result.resolve(outcome);
    if (this.#waiting === 0) this.#drained?.resolve();
  }

  #lookAfter(): void {
    const now = performance.now();
    this.#near &&= this.#isNear(now);
    const latest = now - this.#options.deadlineMs;
    for (const batch of this.#underWay) {
      if (batch.overdue || !batch.groups.some(({ since }) => since <= latest)) continue;
      batch.overdue = true;
      this.#overdue++;
      for (const group of batch.groups) this.#answer(group, new Problem(this.#options.overdue));
    }
    for (const group of this.#gathering.expire(latest)) {
      this.#answer(group, new Problem("store-unavailable"));
    }
    this.#sendIfReady();
    if (this.#waiting === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
  }
}

const refused = (): Promise<never> => Promise.reject(new Problem("store-unavailable"));
