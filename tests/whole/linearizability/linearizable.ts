import {
  apply,
  type Counter,
  NOTHING,
  type Op,
  opText,
  type Seen,
  textOf,
} from "./counter_model.ts";

/** One operation on a counter as its caller saw it; times are of one clock. */
export interface Event {
  readonly op: Op;
  readonly start: number;
  /**
   * When the answer came; Infinity where none did, as the operation may take effect at any time, or
   * never.
   */
  readonly end: number;
  /** What the answer told; undefined where none came. */
  readonly seen: Seen | undefined;
}

/** What a counter may have held at any instant of a time. */
export interface Possibility {
  readonly counter: Counter;
  readonly from: number;
  readonly until: number;
}

/**
 * Whether all could have happened one after the other, each between its start and its end (Wing and
 * Gong, 1993): the counters that may be left then, which are none where they could not.
 */
export function linearize(events: readonly Event[], beginning: Counter = NOTHING): Counter[] {
  const left = new Map<string, Counter>();
  for (const { node } of whole(inOrder(events), beginning)) {
    left.set(stateText(node.counter), node.counter);
  }
  return [...left.values()];
}

/** What a counter may have held at what time, in every order in which all could have happened. */
export function possibilities(events: readonly Event[]): Possibility[] {
  const ordered = inOrder(events);
  const good = new Set(whole(ordered, NOTHING));
  // What is added to a set while it is gone through has its turn as well.
  for (const { before } of good) for (const visit of before) good.add(visit);
  return Array.from(good, ({ node }) => {
    return { counter: node.counter, from: node.latestStart, until: firstEnd(ordered, node) };
  });
}

function inOrder(events: readonly Event[]): readonly Event[] {
  return events.filter((event) => !isUnknownRead(event))
    .toSorted((one, other) => one.start - other.start);
}

/** A node, and those from which one step leads to it. */
interface Visit {
  readonly node: Node;
  readonly before: Visit[];
}

/** The ends of all orders in which everything that had an answer happened. */
function whole(ordered: readonly Event[], beginning: Counter): Visit[] {
  for (const most of MOST_GUESSES) {
    const ends = search(ordered, { beginning, most }).values()
      .filter(({ node }) => !answersRemain(ordered, node)).toArray();
    if (ends.length > 0) return ends;
  }
  return [];
}

/** All that may have happened up to any instant, by what tells one from the other. */
function search(
  ordered: readonly Event[],
  { beginning, most }: { beginning: Counter; most: number },
): Map<string, Visit> {
  const first: Node = {
    counter: beginning,
    first: 0,
    done: new Set(),
    guesses: 0,
    latestStart: -Infinity,
  };
  const visits = new Map<string, Visit>([["", { node: first, before: [] }]]);
  const open = [...visits.values()];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    for (const node of nodesAfter(ordered, visit.node, most)) {
      const done = [...node.done].sort().join();
      const key = `${node.first} ${done} ${node.guesses} ${stateText(node.counter)}`;
      const known = visits.get(key);
      known?.before.push(visit);
      if (known !== undefined) continue;
      const next = { node, before: [visit] };
      visits.set(key, next);
      open.push(next);
    }
  }
  return visits;
}

/**
 * The first events that cannot be, in the order of their ends; those that were under way then have
 * none.
 */
export function firstContradiction(events: readonly Event[]): Event[] {
  const ends = events.map(({ end }) => end).toSorted((one, other) => one - other);
  let [good, bad] = [-1, ends.length - 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (linearize(until(events, ends[middle])).length === 0) bad = middle;
    else good = middle;
  }
  return until(events, ends[bad]);
}

function until(events: readonly Event[], now = Infinity): Event[] {
  return events.filter(({ start }) => start <= now).map((event): Event => {
    return event.end <= now ? event : { ...event, end: Infinity, seen: undefined };
  });
}

/** Everything before `first` and in `done` has happened. */
interface Node {
  readonly counter: Counter;
  readonly first: number;
  readonly done: ReadonlySet<number>;
  /** How many of the last to happen in a row had no answer. */
  readonly guesses: number;
  /** The latest start of all that has happened. */
  readonly latestStart: number;
}

/**
 * How many without an answer are taken to have happened between two that had one. Each more
 * multiplies what is to be tried, so more are only where few explain nothing: a machine that stands
 * still leaves many callers without an answer.
 */
const MOST_GUESSES = [3, 5, 8];

/** A read without an answer tells nothing and changes nothing. */
function isUnknownRead({ op, end }: Event): boolean {
  return end === Infinity && (op.kind === "total" || op.kind === "history");
}

/**
 * Whether it does not matter what was done just before; a set leaves the marks of hits that count
 * once.
 */
function overrides(op: Op, { marks }: Counter): boolean {
  return op.kind === "delete" ||
    (op.kind === "set" && marks.size === 0 && op.mode === "replace" && op.days !== undefined &&
      op.report !== undefined);
}

function answersRemain(events: readonly Event[], { first, done }: Node): boolean {
  for (let index = first; index < events.length; index++) {
    if (!done.has(index) && events[index]?.end !== Infinity) return true;
  }
  return false;
}

/** What may happen next: whatever began before the first end of all that is still to happen. */
function nodesAfter(events: readonly Event[], node: Node, mostGuesses: number): Node[] {
  const nodes: Node[] = [];
  const tried = new Set<string>();
  const end = firstEnd(events, node);
  for (let index = node.first; index < events.length; index++) {
    const event = events[index];
    if (event === undefined || event.start > end) break;
    if (node.done.has(index)) continue;
    const isGuess = event.end === Infinity;
    if (isGuess && node.guesses === mostGuesses) continue;
    if (isGuess && node.guesses > 0 && overrides(event.op, node.counter)) continue;
    const guesses = isGuess ? node.guesses + 1 : 0;
    // Of those that are alike one is enough.
    const alike = isGuess ? opText(event.op) : `${index}`;
    if (tried.has(alike)) continue;
    tried.add(alike);
    for (const { counter, seen } of apply(node.counter, event.op)) {
      if (event.seen !== undefined && textOf(event.seen) !== textOf(seen)) continue;
      const latestStart = Math.max(node.latestStart, event.start);
      nodes.push(moved({ ...node, counter, guesses, latestStart }, index));
    }
  }
  return nodes;
}

/** When the first of all that is still to happen ended. */
function firstEnd(events: readonly Event[], { first, done }: Node): number {
  let firstEnd = Infinity;
  for (let index = first; index < events.length; index++) {
    const event = events[index];
    if (event === undefined || event.start > firstEnd) break;
    if (!done.has(index)) firstEnd = Math.min(firstEnd, event.end);
  }
  return firstEnd;
}

function moved(node: Node, index: number): Node {
  let { first } = node;
  const done = new Set(node.done).add(index);
  while (done.delete(first)) first++;
  return { ...node, first, done };
}

function stateText(counter: Counter): string {
  const marks = JSON.stringify([...counter.marks].sort());
  return `${textOf(counter)} ${marks} ${counter.newest} ${counter.former} ${counter.removed}`;
}

/** The last of some events in words. */
export function told(events: readonly Event[]): string {
  return events.slice(-TOLD).map(({ op, seen, start, end }) => {
    return `${start.toFixed(2)} to ${end.toFixed(2)}: ${opText(op)} -> ${
      seen === undefined ? "?" : textOf(seen)
    }`;
  }).join("\n");
}

const TOLD = 25;
