import type { Choices, Line } from "./arrangement.ts";
import type { Figures } from "../../lib/figures.ts";
import type { RangeName } from "../../lib/history_chart.ts";

/** An open row. */
export interface Opened {
  /** The identity of its line. */
  readonly line: string;
  detail?: HTMLTableRowElement | undefined;
}

/** The state of the view of the counters. */
class Shown {
  /** All counters. */
  rows: readonly Figures[] = [];
  /** The most hits of a counter in 30 days, at least 1. */
  most = 1;
  /** Today in the time zone of the service, as days since 1970. 0 until the counters are loaded. */
  today = 0;
  /** Time at which the counters were loaded, or 0. */
  loadedAt = 0;
  tookMs = 0;
  loading: AbortController | undefined;
  /** Loads what is shown again. */
  reload: () => Promise<void> = () => Promise.resolve();
  /** The range of the chart of all counters. */
  range: RangeName = "90d";
  readonly choices: Choices = {
    column: "month",
    ascending: false,
    wanted: "",
    unfolded: new Map(),
  };
  /** All lines of the table, from top to bottom. */
  lines: readonly Line[] = [];
  open: Opened | undefined;
  /** The ids of the counters that are selected. */
  readonly picked: Set<string> = new Set();
}

export const shown: Shown = new Shown();
