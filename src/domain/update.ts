import { Failure } from "./errors.ts";
import {
  addToDay,
  type CounterState,
  type DatedReport,
  type Day,
  type Days,
  largest,
  padToDay,
  type Report,
} from "./history.ts";
import { MAX_HITS, type Update } from "./store.ts";

/** The state that an update results in. */
export interface UpdatedState extends CounterState {
  readonly days: Days;
}

/**
 * Returns the state that an update results in. From then on the counter has days, and its newest
 * day is `today` at least. `isNew` is true if the counter does not exist.
 */
export function applyUpdate(
  update: Update,
  { held, today, isNew = isEmpty(held) }: { held: CounterState; today: Day; isNew?: boolean },
): UpdatedState {
  const known = held.days ?? { newest: today, hits: [] };
  const state = { ...held, days: known };
  const { hits, days, report } = isReport(update)
    ? applyReport(update.report, { state, isNew })
    : applyState(update, state);
  // Days that are open stay open, because other processes count on them without reading.
  const padded = padToDay(days, Math.max(today, known.newest));
  return { hits, days: padded, ...report && { report } };
}

/** Reports whether a state is that of a counter that does not exist. */
export function isEmpty({ hits, days }: CounterState): boolean {
  return hits === 0 && days === undefined;
}

/** Reports whether an update is a report, by which a counter grows. */
export function isReport(update: Update): update is Update & { readonly report: DatedReport } {
  return update.hits === undefined && update.days === undefined && Boolean(update.report);
}

function applyState({ hits, days, mode, report }: Update, state: UpdatedState): UpdatedState {
  const isMax = mode === "max";
  const chosen = days === undefined ? state.days : isMax ? largest(state.days, days) : days;
  const grown = state.hits + (sumOf(chosen) - sumOf(state.days));
  const isKept = report === undefined || isMax && !isLater(report, state.report);
  return {
    hits: hits === undefined ? grown : isMax ? Math.max(hits, state.hits) : hits,
    days: chosen,
    report: isKept ? state.report : report,
  };
}

/**
 * Adds what another service counted since the last report to the total, and to the day of the
 * report. A report that is not later than the last one is ignored, so that reports may be sent
 * twice, late, or by two machines.
 */
function applyReport(
  report: DatedReport,
  { state, isNew }: { state: UpdatedState; isNew: boolean },
): UpdatedState {
  // The number of a new counter belongs to no day, because it is unknown when it was counted.
  if (isNew) return { ...state, hits: report.seen, report };
  const { report: last } = state;
  if (!isLater(report, last)) return state;
  // A counter that exists may already include all that the service shows. A smaller number than
  // before is that of a service that was reset. Both are only starting points.
  const growth = last ? Math.max(0, report.seen - last.seen) : 0;
  const days = growth === 0 ? state.days : addToDay(state.days, report.day, growth);
  return { hits: state.hits + growth, days, report };
}

function isLater(report: Report | null, last: Report | null | undefined): boolean {
  return report !== null && report.at > (last?.at ?? -Infinity);
}

/** Returns the failure of a counter that no update may result in, or undefined. */
export function refusalOf({ hits, days }: { hits: number; days: Days }): Failure | undefined {
  if (Math.max(hits, sumOf(days)) > MAX_HITS) return new Failure("counter-full");
}

/** Returns the hits of all days. */
export function sumOf({ hits }: Days): number {
  return hits.reduce((sum, number) => sum + number, 0);
}
