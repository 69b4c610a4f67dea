import {
  apply,
  type Counter,
  NAME,
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
  /** The result in the response; undefined if there was none. */
  readonly seen: Seen | undefined;
}

/** A possible state of a counter during an interval. */
export interface Possibility {
  readonly counter: Counter;
  readonly from: number;
  readonly until: number;
}

/**
 * Returns the possible final states if all events happened one after the other, each between its
 * start and its end (Wing and Gong, 1993). Returns none if no such order exists.
 */
export function linearize(events: readonly Event[], beginning: Counter = NOTHING): Counter[] {
  const left = new Map<string, Counter>();
  for (const { node } of whole(inOrder(events), beginning)) {
    left.set(stateText(node.counter), node.counter);
  }
  return [...left.values()];
}

/** Returns the possible states of a counter over time, in every order that the events allow. */
export function possibilities(events: readonly Event[]): Possibility[] {
  const ordered = inOrder(events);
  const good = new Set(whole(ordered, NOTHING));
  // A loop over a set also visits the elements that are added during the loop.
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
  for (const most of MAX_GUESSES) {
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
  /** Number of events without a response at the end of this order. */
  readonly guesses: number;
  /** The latest start of all that has happened. */
  readonly latestStart: number;
}

/**
 * Maximum number of events without a response between two with one. Each more multiplies the orders
 * to try, so that more are tried only if few explain nothing. A machine that stops for a moment
 * leaves many callers without a response.
 */
const MAX_GUESSES = [3, 5, 8];

/** A read without an answer tells nothing and changes nothing. */
function isUnknownRead({ op, end }: Event): boolean {
  return end === Infinity && (op.kind === "total" || op.kind === "history");
}

/**
 * Reports whether the operation before has no effect on the result. A set keeps the marks of
 * deduplicated hits.
 */
function overrides(op: Op, { marks }: Counter): boolean {
  return op.kind === "delete" && !marks.keys().some((mark) => mark.startsWith(NAME)) ||
    (op.kind === "set" && marks.size === 0 && op.mode === "replace" && op.days !== undefined &&
      op.report !== undefined);
}

function answersRemain(events: readonly Event[], { first, done }: Node): boolean {
  for (let index = first; index < events.length; index++) {
    if (!done.has(index) && events[index]?.end !== Infinity) return true;
  }
  return false;
}

/**
 * Returns the possible next states. Only events that began before the first end of all remaining
 * events are next.
 */
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
    // One of several equal operations is enough.
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
