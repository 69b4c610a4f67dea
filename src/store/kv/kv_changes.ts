import type { Calendar } from "../../counter/calendar.ts";
import { Problem } from "../../problem.ts";
import type { StoreHealth } from "../store_health.ts";
import { commitParts } from "./commit.ts";
import type { KvDatabase } from "./kv_database.ts";
import { createNearReader } from "./near_records.ts";
import { Newcomers, takesAsNew } from "./newcomers.ts";
import type { Change, ChangeOutcome, Plan } from "./plan.ts";
import { plansFor } from "./plans_for.ts";

/** How long conflicts with other writers are retried. */
const CONFLICT_LIMIT_MS = 1500;
/** How long nothing follows a conflict, at most. */
const CONFLICT_PAUSE_MS = 20;

export interface KvChangesOptions {
  database: KvDatabase;
  health: StoreHealth;
  /** Whose days hits belong to. */
  calendar: Calendar;
}

/** What carries out changes on a database: all in one commit, or in a few where that would hold too much. */
export function createKvChanges(
  { database, health, calendar }: KvChangesOptions,
): (changes: readonly Change[]) => Promise<ChangeOutcome[]> {
  const readNear = createNearReader();
  const newcomers = new Newcomers();

  async function change(changes: readonly Change[], giveUp: number): Promise<ChangeOutcome[]> {
    const options = { database, today: calendar.today(), readNear };
    const planned = newcomers.plansFor(changes, options) ?? plansFor(changes, options);
    const plans = planned instanceof Promise ? await planned.catch(unread) : planned;
    const { checksPerCommit: checks, keys: { longest: longestKey } } = database;
    const parts = commitParts(plans, { checks, longestKey });
    const [only = []] = parts;
    if (parts.length === 1) return await carryOut(only, giveUp);
    return await (database.isShared ? together(parts, giveUp) : oneByOne(parts, giveUp));
  }

  /** So that a part that fails does not speak for those that are done; what comes after it is not tried. */
  async function oneByOne(parts: readonly Plan[][], giveUp: number): Promise<ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    let failure: Problem | undefined;
    for (const part of parts) {
      const done = failure ?? await carryOut(part, giveUp).catch(problemIn);
      if (done instanceof Problem) {
        outcomes.push(...part.map(() => done));
        failure = new Problem("store-unavailable", { cause: done.cause });
      } else {
        outcomes.push(...done);
      }
    }
    return outcomes;
  }

  /** As long as one commit takes: the parts of a batch are of different counters. */
  async function together(parts: readonly Plan[][], giveUp: number): Promise<ChangeOutcome[]> {
    const done = await Promise.all(parts.map(async (part): Promise<ChangeOutcome[]> => {
      const outcomes = await carryOut(part, giveUp).catch(problemIn);
      return outcomes instanceof Problem ? part.map(() => outcomes) : outcomes;
    }));
    return done.flat();
  }

  async function carryOut(plans: readonly Plan[], giveUp: number): Promise<ChangeOutcome[]> {
    const writing = plans.filter(({ writes }) => writes !== undefined);
    if (writing.length > 0 && !await database.commit(writing).catch(unwritten)) {
      if (plans.some(takesAsNew)) {
        newcomers.missed();
        return await change(plans.map((plan) => plan.change), giveUp);
      }
      if (performance.now() > giveUp) unread(new Error("Too many conflicts with other writers"));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * CONFLICT_PAUSE_MS));
      return await change(plans.map((plan) => plan.change), giveUp);
    }
    if (writing.length > 0) health.well();
    return plans.map(({ outcome }) => outcome);
  }

  function unread(cause: unknown): never {
    health.away(cause);
    throw new Problem("store-unavailable", { cause });
  }

  function unwritten(problem: Problem): never {
    health.unwritable(problem.cause);
    throw problem;
  }

  return (changes) =>
    database.serialize(() => change(changes, performance.now() + CONFLICT_LIMIT_MS));
}

function problemIn(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
