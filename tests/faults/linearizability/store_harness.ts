import { type Calendar, createCalendar } from "../../../src/domain/calendar.ts";
import { type CounterId, counterId } from "../../../src/domain/counter_id.ts";
import { type Counters, createCounters } from "../../../src/counters/counters.ts";
import { type CounterState, type Day, DAY_MS, type Days } from "../../../src/domain/history.ts";
import { ImportError } from "../../../src/counters/import.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { createLog } from "../../../src/log.ts";
import { Metrics } from "../../../src/metrics.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { StoreSetting } from "../../../src/store/setting.ts";
import { openStore } from "../../../src/store/open_store.ts";
import { waitFor } from "../../support/wait_for.ts";
import { lineOf, type Op, type Seen, type Setting } from "./counter_model.ts";

/** Opens a store for the days of some calendar. */
export type Open = (calendar: Calendar) => Promise<CounterStore>;

/**
 * Opens the store that a service with this setting has, and waits until all of it takes hits,
 * however long that takes.
 */
export function opening(setting: StoreSetting): Open {
  return async (calendar) => {
    const store = await openStore({
      config: { store: setting, prefix: "hits:", failFast: false, replicas: 0 },
      calendar,
      metrics: new Metrics(),
      log: createLog({ secrets: [], write() {} }),
      onUnusable(error) {
        throw error;
      },
    });
    await waitFor("the store", async () => {
      const away = await store.check().catch(() => ["all"]);
      return away.length === 0 || undefined;
    });
    return store;
  };
}

/** A process with a clock of its own that can be restarted. */
export class Process {
  readonly calendar: Calendar;
  readonly #open: Open;
  #counters: Counters | undefined;

  /** `isLate` is true if tomorrow begins in 15 minutes, whatever the time is. */
  constructor(open: Open, today: () => Day, isLate: boolean) {
    this.#open = open;
    // The clock is stopped between rounds, so that no day ends during one.
    this.calendar = {
      ...createCalendar("UTC"),
      now: () => (today() + 1) * DAY_MS - 1,
      today,
      msUntilMidnight: () => isLate ? 900_000 : DAY_MS,
    };
  }

  async start(): Promise<void> {
    this.#counters = createCounters(await this.#open(this.calendar), this.calendar);
  }

  async stop(): Promise<void> {
    await this.#counters?.close();
  }

  /**
   * Runs an operation. Returns undefined if its outcome is unknown, and "refused" if it was
   * certainly not carried out.
   */
  async do(id: string, op: Op): Promise<Seen | undefined | "refused"> {
    try {
      return await this.#do(counterId(id), op);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === "outcome-unknown") return undefined;
      if (error.isOfStore) return "refused";
      throw error;
    }
  }

  /** Sets a counter in an import, which tells no more than that it was done. */
  async import(
    id: string,
    setting: Setting,
  ): Promise<"done" | undefined | "refused"> {
    const { mode } = setting;
    const lines = ReadableStream.from([[{ number: 1, text: lineOf(setting, id) }]]);
    try {
      await this.#started.importLines(lines, { mode, dry: false });
      return "done";
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      if (error.failure?.kind === "outcome-unknown") return undefined;
      if (error.failure?.isOfStore) return "refused";
      throw error;
    }
  }

  /** Every counter of a list. */
  async list(since: Day | undefined): Promise<Map<string, Seen>> {
    const seen = new Map<string, Seen>();
    for await (const { counters } of this.#started.list({ prefix: "", since })) {
      for (const { id, ...held } of counters) {
        if (seen.has(id)) throw new Error(`List counters: ${id} stands there twice`);
        seen.set(id, shown(held, since ?? Infinity));
      }
    }
    return seen;
  }

  get #started(): Counters {
    if (this.#counters === undefined) throw new Error("Use a process: it is not started");
    return this.#counters;
  }

  async #do(id: CounterId, op: Op): Promise<Seen> {
    switch (op.kind) {
      case "add":
        return await this.#started.hit(id);
      case "once": {
        const marks = op.visitor === undefined
          ? {}
          : { visitor: `${op.visitor} of ${id}`, remember: true };
        const key = op.key === undefined ? {} : { key: op.key };
        return await this.#started.hitDeduplicated(id, { ...key, ...marks });
      }
      case "set":
        return shown(
          await this.#started.set(id, {
            ...op,
            days: op.days && dense(op.days, op.day),
          }),
        );
      case "delete":
        return shown(await this.#started.delete(id));
      case "total":
        return await this.#started.total(id);
      case "history":
        return shown(await this.#started.history(id, op.since), op.since);
    }
  }
}

/** Converts a state to that of the model. */
function shown({ hits, days, report }: CounterState, since = -Infinity): Seen {
  const known = days?.hits.map((hits, ago): [Day, number] => [days.newest - ago, hits]) ?? [];
  if (known.some(([, hits]) => !Number.isSafeInteger(hits) || hits < 0)) {
    throw new Error(`Read days: ${JSON.stringify(days)}`);
  }
  return {
    hits,
    days: new Map(known.filter(([day]) => day >= since)),
    ...report !== undefined && { report: report && { seen: report.seen, at: report.at } },
  };
}

/** Days as a line of an import gives them: from the newest back to the first. */
function dense(days: ReadonlyMap<Day, number>, today: Day): Days {
  if (days.size === 0) return { newest: today, hits: [] };
  const newest = Math.max(...days.keys());
  const length = newest - Math.min(...days.keys()) + 1;
  return { newest, hits: Array.from({ length }, (_, ago) => days.get(newest - ago) ?? 0) };
}
