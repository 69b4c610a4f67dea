import { chart, type RangeName } from "../../lib/history_chart.ts";
import { byId, fill, make } from "../../lib/make.ts";
import { announce } from "../../lib/toast.ts";
import { errorMessage, grouped, plural, timeText } from "../../lib/words.ts";
import {
  type ChartBar,
  dayNumber,
  DAYS,
  type Figures,
  figuresOf,
  sumOf,
  YEAR,
} from "../../lib/figures.ts";
import { callForJson, callForLines, Refused } from "../sign_in/session.ts";
import { keep, kept } from "../../lib/storage.ts";
import { summary } from "../../lib/summary.ts";
import { shown } from "./shown.ts";
import { arrange } from "./table.ts";

const REFRESH_MS = 60_000;
/** A list that takes longer to load and draw is only loaded again on request. */
const SLOW_MS = 2000;
/** Name of the last warning that was dismissed. */
const DISMISSED = "dismissed";

const asOf = byId("as-of");
const refresh = byId("refresh", { click: reload });
const away = byId("away");
const all = chart("All counters", shown.range, mostOf, loadRange);

byId("all").append(all.element);
byId("no-counters").prepend(document.querySelector(".brand svg")?.cloneNode(true) ?? "");
shown.reload = reload;
setInterval(renew, REFRESH_MS / 6);
document.addEventListener("visibilitychange", renew);

/** Loads the counters again if they are visible and a minute old. */
function renew() {
  const isShown = document.visibilityState === "visible" && !byId("counters-view").hidden;
  const isDue = Date.now() - shown.loadedAt >= REFRESH_MS && shown.tookMs < SLOW_MS;
  if (isShown && isDue && !shown.loading) load();
}

// --- Loading -------------------------------------------------------------------------------------

/** Loads the counters, an opened row and the year of the chart again. */
async function reload() {
  if (shown.open) shown.open.detail = undefined;
  await load();
  if (shown.range === "12m") await loadRange(shown.range);
}

/** The response of `/status`. */
interface Status {
  timeZone: string;
  warnings: string[];
}

/** Loads every counter with its last days. Old figures stay until all are loaded. */
export async function load() {
  shown.loading?.abort();
  const { signal } = shown.loading = new AbortController();
  const start = performance.now();
  refresh.ariaBusy = "true";
  if (shown.loadedAt === 0) {
    asOf.textContent = "loading…";
    away.hidden = true;
  }
  try {
    const { timeZone, warnings }: Status = await callForJson("status", { signal });
    const today = dayNumber(new Intl.DateTimeFormat("en-CA", { timeZone }).format());
    const rows: Figures[] = [];
    await callForLines(`counters?days=${DAYS}`, { signal }, (line) => {
      rows.push(figuresOf(line, today));
    });
    if (signal.aborted) return;
    const most = rows.reduce((most, { month }) => Math.max(most, month), 1);
    Object.assign(shown, { rows, today, most, loadedAt: Date.now() });
    showWarnings(warnings.join(". "));
    asOf.textContent = `as of ${timeText(shown.loadedAt)} · days in ${timeZone}`;
    const isEmpty = rows.length === 0;
    byId("counters-head").hidden = byId("loaded").hidden = isEmpty;
    byId("no-counters").hidden = !isEmpty;
    const sum = sumOf("", rows);
    fill(byId("figures"), ...summary(sum, `in ${plural(rows.length, "counter")}`));
    if (shown.range !== "12m") all.show(sum.days, today);
    arrange();
    shown.tookMs = performance.now() - start;
  } catch (error) {
    if (!signal.aborted) showAway(error);
  } finally {
    if (shown.loading?.signal === signal) {
      shown.loading = undefined;
      refresh.ariaBusy = null;
    }
  }
}

/** Shows a range. The days of a year are only loaded for it, because they are the most data. */
async function loadRange(wanted: RangeName) {
  shown.range = wanted;
  const { rows, today } = shown;
  if (wanted !== "12m") return all.show(sumOf("", rows).days, today, wanted);
  const { signal } = shown.loading ?? new AbortController();
  const days = Array(YEAR).fill(0);
  try {
    announce("Loading twelve months");
    await callForLines(`counters?days=${YEAR}`, { signal }, (line) => {
      figuresOf(line, today, YEAR).days.forEach((hits, back) => days[back] += hits);
    });
    if (shown.range === wanted) all.show(days, today, wanted);
  } catch (error) {
    if (!signal.aborted) showAway(error);
  }
}

/** Shows what the server warns of, until its reader dismisses it. */
function showWarnings(text: string) {
  const click = () => {
    keep("localStorage", DISMISSED, text);
    away.hidden = true;
  };
  fill(away, make("span", text), make("button", { click }, "Dismiss"));
  away.hidden = text === "" || text === kept("localStorage", DISMISSED);
}

function showAway(error: unknown) {
  const status = error instanceof Refused && error.status;
  const { loadedAt } = shown;
  const since = loadedAt === 0 ? "" : ` Figures are as of ${timeText(loadedAt)}.`;
  const lost = status === 503 || status === 0 ? " New views are not counted until it is back." : "";
  fill(
    away,
    make(
      "span",
      make("b", status === 503 ? "The store cannot be reached." : errorMessage(error)),
      since + lost,
    ),
    make("button", { click: reload }, "Try again"),
  );
  away.hidden = false;
  if (loadedAt === 0) asOf.textContent = "";
}

/** Returns the counter with the most views of a day, for the tooltip. */
function mostOf({ hits, back }: ChartBar) {
  if (shown.range === "12m" || hits === 0) return undefined;
  const most = shown.rows.reduce((one, other) =>
    (other.days[back] ?? 0) > (one.days[back] ?? 0) ? other : one
  );
  return `Most views: ${most.id} (${grouped(most.days[back] ?? 0)})`;
}
