import { type Day, DAY_MS } from "../../../src/domain/history.ts";
import { Caller } from "../caller.ts";
import type { Op, Setting } from "./counter_model.ts";
import type { Recorder } from "./recorder.ts";

/** A service to call, and the day that it is for it. */
export interface Door {
  /** Read for each request, because a restarted service has another address. */
  readonly url: string;
  readonly today: Day;
  /** The day of a time there. */
  dayAt(time: number): Day;
  /** True if visitors can be identified. A process with another date ends their identification. */
  readonly hasVisitors: boolean;
}

/** Callers who hit, read, set, delete and import the same few counters until they are stopped. */
export interface RandomWorkload extends AsyncDisposable {
  /** Lets at least so many more operations begin. */
  allow(operations: number): void;
  stop(): Promise<void>;
}

export interface RandomWorkloadOptions {
  /** Each caller goes to them in turn. */
  doors: readonly Door[];
  callers: number;
  ids: readonly string[];
  /**
   * True if operations need permission to begin, because the time and memory of the check grow with
   * their number.
   */
  isLimited?: boolean;
  /** True if counters are left for others when too much of what was done to them is unknown. */
  leavesCounters?: boolean;
}

/**
 * Number of operations on a counter without a response after which it is left. Each multiplies the
 * orders to try, until they no longer fit into memory.
 */
const MAX_UNKNOWN = 3;

/** Milliseconds that a caller waits after an answer other than 200, and for more operations. */
const REST_MS = 20;

/**
 * Few, so that many hits are repeats: of one that was answered, of one whose answer was lost, of
 * one under way.
 */
const KEYS = ["k", "l", "m"];
const VISITORS = ["v", "w", "x"];

/** Starts so many callers, who record what they do and are told. */
export function startRandomWorkload(
  recorder: Recorder,
  { doors, callers, ids: given, isLimited = false, leavesCounters = false }: RandomWorkloadOptions,
): RandomWorkload {
  const ids = [...given];
  let stopped = false;
  let allowed = isLimited ? 0 : Infinity;
  // A connection leads to one service.
  const all = Array.from({ length: callers }, () => doors.map(() => new Caller()));

  async function call(callers: readonly Caller[], number: number): Promise<void> {
    for (let turn = number; !stopped; turn++) {
      if (allowed <= 0) {
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        continue;
      }
      allowed--;
      const place = turn % doors.length;
      const [door, caller] = [doors[place], callers[place]];
      if (door === undefined || caller === undefined) {
        throw new Error("Call a service: there is none");
      }
      const well = await one({ recorder, caller, door, ids });
      if (!well) await new Promise((resolve) => setTimeout(resolve, REST_MS));
      if (leavesCounters && !well) {
        ids.forEach((id, at) => {
          if (recorder.unknown(id) >= MAX_UNKNOWN) ids[at] = `${id}'`;
        });
      }
    }
    for (const caller of callers) caller.close();
  }

  const done = Promise.all(all.map(call));
  return {
    allow: (operations) => void (allowed = Math.max(allowed, operations)),
    async stop() {
      stopped = true;
      await done;
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const caller of all.flat()) caller.close();
      await done;
    },
  };
}

type Call = { recorder: Recorder; caller: Caller; door: Door; ids: readonly string[] };

function one({ recorder, caller, door, ids }: Call): Promise<boolean> {
  const { url } = door;
  const id = pick(ids);
  if (below(100) < 4) {
    const some = ids.filter(() => below(2) === 0);
    const mode = below(2) === 0 ? "max" : "replace";
    const settings = new Map(
      (some.length === 0 ? [id] : some).map((id) => [id, setting(door, mode)]),
    );
    return recorder.import(caller, { url, settings });
  }
  return recorder.send(caller, { url, id, op: anyOp(door) });
}

function anyOp(door: Door): Op {
  const { today, hasVisitors } = door;
  const chance = below(96);
  if (chance < 40) return { kind: "add", amount: 1, day: today };
  if (chance < 60) return onceOp({ today, hasVisitors });
  if (chance < 72) return { kind: "total" };
  if (chance < 82) return { kind: "history", since: -Infinity, day: today };
  if (chance < 90) return setting(door);
  if (chance < 93) return addition(door);
  return { kind: "delete", day: today };
}

function onceOp({ today: day, hasVisitors }: Pick<Door, "today" | "hasVisitors">): Op {
  const [key, visitor] = [pick(KEYS), pick(VISITORS)];
  if (!hasVisitors || below(3) === 0) return { kind: "once", key, day };
  return { kind: "once", visitor, day, ...below(2) === 0 && { key } };
}

/** A setting that no other is like, so that it is known where it shows. */
function setting({ today, dayAt }: Door, mode: Setting["mode"] = "replace"): Setting {
  const known = below(2) === 0;
  const days = new Map([[today, below(1000)], [today - 1 - below(800), below(1000)]]);
  // Few times, so that some reports are late or of the same moment.
  const at = Math.floor(Date.now() / DAY_MS - below(2)) * DAY_MS + below(20);
  const report = { seen: below(1000), at, day: dayAt(at) };
  if (mode === "max" && below(3) === 0) {
    return { kind: "set", hits: undefined, days: undefined, report, mode, day: today };
  }
  // One that raises days, and the total with them, is of no other mode.
  const raises = mode === "max" && below(2) === 0;
  return {
    kind: "set",
    hits: raises ? undefined : below(1_000_000),
    days: known && !raises ? undefined : days,
    report: raises || below(3) > 0 ? undefined : below(2) === 0 ? report : null,
    mode,
    day: today,
  };
}

/** An addition that some other has the name of. */
function addition({ today }: Door): Setting {
  const days = new Map([[today - below(3), 1 + below(9)]]);
  return { kind: "set", mode: "add", name: pick(KEYS), hits: below(1000), days, day: today };
}

function pick<T>(items: readonly T[]): T {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error("Pick one: there is none");
  return item;
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}
