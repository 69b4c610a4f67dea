import type { CounterState, Day } from "../../src/domain/history.ts";
import { type DeduplicationKeys, MAX_HITS, type Update } from "../../src/domain/store.ts";

/** The refusal of a change that would raise a total above the maximum. */
export const FULL = "counter-full";

/** A counter as tests compare it, without the days that have no hits. */
export interface Shown {
  readonly hits: number;
  readonly days: Readonly<Record<Day, number>>;
}

/** Returns the state of a counter as tests compare it. */
export function shownState({ hits, days }: CounterState): Shown {
  return shown(hits, days?.hits.map((hits, back) => [days.newest - back, hits]) ?? []);
}

function shown(hits: number, days: Iterable<readonly [Day, number]>): Shown {
  return { hits, days: Object.fromEntries([...days].filter(([, hits]) => hits !== 0)) };
}

/**
 * A counter as a user sees it: a total, and hits by day. All stores and plans are compared with it,
 * so it uses none of their code.
 */
export class ModelCounter {
  total = 0;
  openDay: Day | undefined;
  days = new Map<Day, number>();
  keys = new Map<string, number>();
  visitors = new Set<string>();

  hit(amount: number, today: Day): number | typeof FULL {
    if (this.total + amount > MAX_HITS) return FULL;
    const day = this.open(today);
    this.days.set(day, (this.days.get(day) ?? 0) + amount);
    return this.total += amount;
  }

  /** The open day goes back only if a clock was ahead. */
  private open(today: Day, day = today): Day {
    const { openDay = day, days } = this.seenOn(today);
    this.days = days;
    return this.openDay = Math.max(day, openDay);
  }

  /** The days as they are on a day. Hits of an open day after tomorrow are hits of today. */
  private seenOn(today: Day): { openDay: Day | undefined; days: Map<Day, number> } {
    const { openDay, days } = this;
    if (openDay === undefined || openDay <= today + 1) return { openDay, days };
    const kept = new Map([...days].filter(([day]) => day <= today));
    const moved = (kept.get(today) ?? 0) + (days.get(openDay) ?? 0);
    return { openDay: today, days: moved > 0 ? kept.set(today, moved) : kept };
  }

  shownOn(today: Day): Shown {
    return shown(this.total, this.seenOn(today).days);
  }

  hitOnce({ key, visitor, remember }: DeduplicationKeys, today: Day) {
    const first = key === undefined ? undefined : this.keys.get(key);
    if (first !== undefined) return { hits: first, repeat: true };
    const repeat = visitor !== undefined && this.visitors.has(`${today}:${visitor}`);
    if (!repeat) this.hit(1, today);
    if (!repeat && visitor !== undefined && remember) this.visitors.add(`${today}:${visitor}`);
    if (key !== undefined) this.keys.set(key, this.total);
    return { hits: this.total, repeat };
  }

  /** Says why an update is refused. */
  update({ mode, hits, days: given }: Update, today: Day): typeof FULL | undefined {
    const known = this.seenOn(today).days;
    const days = mode === "max" || given === undefined ? new Map(known) : new Map();
    given?.hits.forEach((hits, back) => {
      const day = given.newest - back;
      days.set(day, Math.max(hits, days.get(day) ?? 0));
    });
    const grown = this.total + (sum(days) - sum(known));
    const total = mode === "max" ? Math.max(hits ?? grown, this.total) : hits ?? grown;
    if (Math.max(total, sum(days)) > MAX_HITS) return FULL;
    this.open(today, Math.max(today, given?.newest ?? today));
    [this.total, this.days] = [total, days];
  }

  delete(): void {
    [this.total, this.openDay, this.days] = [0, undefined, new Map()];
    [this.keys, this.visitors] = [new Map(), new Set()];
  }
}

function sum(days: ReadonlyMap<Day, number>): number {
  return [...days.values()].reduce((sum, hits) => sum + hits, 0);
}
