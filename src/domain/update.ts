import type { CounterId } from "./counter_id.ts";
import { Failure } from "./errors.ts";
import {
  type CounterState,
  type DatedReport,
  type Day,
  type Days,
  mergeDays,
  padToDay,
  replaceSince,
  type Report,
} from "./history.ts";
import { MAX_HITS, type Update, type Write } from "./store.ts";

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
  { before, today, isNew = isEmpty(before) }: {
    before: CounterState;
    today: Day;
    isNew?: boolean;
  },
): UpdatedState {
  const known = before.days ?? { newest: today, hits: [] };
  const state = { ...before, days: known };
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

function applyState(
  { hits, older, days, since, mode, report }: Update,
  state: UpdatedState,
): UpdatedState {
  const merge = MERGES[mode];
  const chosen = days === undefined
    ? state.days
    : mode !== "replace"
    ? mergeDays(state.days, days, merge)
    : since === undefined
    ? days
    : replaceSince(state.days, since, days);
  const [before, after] = [sumOf(state.days), sumOf(chosen)];
  const dated = Math.max(older ?? -Infinity, state.hits - before) + after;
  const isKept = report === undefined || mode !== "replace" && !isLater(report, state.report);
  return {
    hits: hits === undefined ? dated : merge(state.hits, hits),
    days: chosen,
    report: isKept ? state.report : report,
  };
}

/** Merges the number that a counter has with a given one. */
const MERGES: Readonly<Record<Update["mode"], (known: number, given: number) => number>> = {
  replace: (_, given) => given,
  max: Math.max,
  add: (known, given) => known + given,
};

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
  const grown = { newest: report.day, hits: [growth] };
  const days = growth === 0 ? state.days : mergeDays(state.days, grown, MERGES.add);
  return { hits: state.hits + growth, days, report };
}

function isLater(report: Report | null, last: Report | null | undefined): boolean {
  return report !== null && report.at > (last?.at ?? -Infinity);
}

/** Returns the failure of a counter that no update may result in, or undefined. */
export function refusalOf({ hits, days }: { hits: number; days: Days }): Failure | undefined {
  if (Math.min(hits, ...days.hits) < 0) return new Failure("below-zero");
  if (Math.max(hits, sumOf(days)) > MAX_HITS) return new Failure("counter-full");
}

/** Returns the hits of all days. */
export function sumOf({ hits }: Days): number {
  return hits.reduce((sum, number) => sum + number, 0);
}

/** Returns the ids of the counters that a write changes, in one step. */
export function idsOf({ id, to }: Write): readonly CounterId[] {
  return to === undefined ? [id] : [id, to];
}
