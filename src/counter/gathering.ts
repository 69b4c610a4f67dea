import type { CounterId } from "./counter_id.ts";

/** The callers that one call on one counter answers together. */
export interface Group<Call, Result, Part = never> {
  readonly id: CounterId;
  /** What they call for. */
  readonly call: Call;
  /** Whether nobody else may join, and later calls on this counter wait for its answer. */
  readonly alone: boolean;
  /** How many they are. */
  callers: number;
  /** What each of them adds to the call, where they add something of their own. */
  readonly parts: Part[];
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
  /** What the call came to, for all of them. */
  readonly result: PromiseWithResolvers<Result>;
  /** The group on this counter that is to be answered before this one. */
  before: Group<Call, Result, Part> | undefined;
  /** The group on this counter that waits for this one. */
  after: Group<Call, Result, Part> | undefined;
}

/**
 * Groups that wait for a batch, in the order in which their first callers came. Of one counter no more than one is ready
 * at a time; those that came after a different call wait until it was answered, so that each sees what the one before did.
 */
export class Gathering<Call, Result, Part = never> {
  /** As a Map keeps them. */
  #ready = new Map<CounterId, Group<Call, Result, Part>>();
  /** The last group of each counter on which groups wait for each other. */
  readonly #lasts = new Map<CounterId, Group<Call, Result, Part>>();
  readonly #behind = new Set<Group<Call, Result, Part>>();

  /** How many groups are ready. */
  get size(): number {
    return this.#ready.size;
  }

  /** The group of those who call for the same on this counter. */
  join(id: CounterId, call: Call): Group<Call, Result, Part> {
    const last = this.#lasts.size === 0 ? undefined : this.#lasts.get(id);
    const group = last ?? this.#ready.get(id);
    if (group !== undefined && group.call === call && !group.alone) return group;
    return this.#open({ id, call, alone: false, before: group });
  }

  /** A group of its own, after all that came before on this counter and before all that will come. */
  add(id: CounterId, call: Call): Group<Call, Result, Part> {
    const before = this.#lasts.get(id) ?? this.#ready.get(id);
    return this.#open({ id, call, alone: true, before });
  }

  /** Takes the first of those that are ready. */
  take(count: number): readonly Group<Call, Result, Part>[] {
    const groups = [...this.#ready.values().take(count)];
    // Deleted from a map that lives on, they would stay in memory for long: its worn-out tables still point to them.
    if (groups.length === this.#ready.size) this.#ready = new Map();
    else for (const { id } of groups) this.#ready.delete(id);
    return groups;
  }

  /** Makes ready what waits for a group that was answered. */
  release(group: Group<Call, Result, Part>): void {
    const { id, after } = group;
    if (after === undefined) {
      if (group.alone) this.#lasts.delete(id);
      return;
    }
    after.before = undefined;
    this.#behind.delete(after);
    this.#ready.set(id, after);
    if (after.after === undefined && !after.alone) this.#lasts.delete(id);
  }

  /** Takes those whose first caller came no later than this, by `performance.now()`. */
  expire(latest: number): readonly Group<Call, Result, Part>[] {
    const expired = [...this.#ready.values(), ...this.#behind].filter(({ since }) =>
      since <= latest
    );
    for (const group of expired) this.#remove(group);
    return expired;
  }

  #open(
    { id, call, alone, before }: Pick<
      Group<Call, Result, Part>,
      "id" | "call" | "alone" | "before"
    >,
  ): Group<Call, Result, Part> {
    // Member by member: to spread them takes ten times as long, and most groups are one hit.
    const group = {
      id,
      call,
      alone,
      callers: 0,
      parts: [],
      since: performance.now(),
      result: Promise.withResolvers<Result>(),
      before,
      after: undefined,
    };
    if (before === undefined) {
      this.#ready.set(id, group);
    } else {
      before.after = group;
      this.#behind.add(group);
    }
    if (before !== undefined || alone) this.#lasts.set(id, group);
    return group;
  }

  #remove(group: Group<Call, Result, Part>): void {
    const { id, before, after } = group;
    if (before === undefined) {
      this.#ready.delete(id);
      return this.release(group);
    }
    this.#behind.delete(group);
    before.after = after;
    if (after !== undefined) after.before = before;
    else if (before.alone || before.before !== undefined) this.#lasts.set(id, before);
    else this.#lasts.delete(id);
  }
}
