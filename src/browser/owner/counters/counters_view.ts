import type { Line } from "./counter.ts";
import { chart, type RangeName } from "../../lib/history_chart.ts";
import { byId, fill, icon, make } from "../../lib/make.ts";
import { announce } from "../../lib/toast.ts";
import { errorMessage, grouped, plural, timeText } from "../../lib/words.ts";
import {
  type ChartBar,
  dayNumber,
  DAYS,
  type Figures,
  figuresOf,
  sumOf,
} from "../../lib/figures.ts";
import { pause, piecesOf } from "../../lib/pauses.ts";
import { call, callForJson, Refused } from "../sign_in/session.ts";
import { keep, kept } from "../../lib/storage.ts";
import { summary } from "../../lib/summary.ts";
import { initTable, renewDetail, showGhosts, showRows, tableParts } from "./table.ts";

const REFRESH_MS = 60_000;
/** A list that takes longer to load is only loaded again on request. */
const SLOW_MS = 2000;
/** Name of the last warning that was dismissed. */
const DISMISSED = "dismissed";

let rows: Figures[] = [];
let loading: AbortController | undefined;
/** Today in the time zone of the service, as days since 1970. */
let today = 0;
/** Time at which the counters were loaded, or 0. */
let loadedAt = 0;
let tookMs = 0;
/** The range of the chart of all counters. */
let range: RangeName = "90d";

// --- The parts of the view -----------------------------------------------------------------------

const asOf = make("small");
const refresh = make(
  "button",
  { click: reload, "aria-label": "Refresh" },
  icon("M12 7a5 5 0 1 1-1.5-3.6M12 1.5v2.7H9.3"),
  make("span.medium", "Refresh"),
);
const head = make(".head", make("h1", "Counters"), make(".end", asOf, refresh));
const away = make(".note", { role: "alert", hidden: true });
const figures = make("dl.figures");
const all = chart("All counters", 240, range, mostOf, loadRange);
const hero = make("section.panel", { "aria-label": "All counters" }, figures, all.element);
const empty = emptyPanel();

/** Puts the view into the page. */
export function initCounters() {
  byId("counters-view").append(head, away, hero, ...tableParts, empty);
  initTable(reload);
  setInterval(renew, REFRESH_MS / 6);
  document.addEventListener("visibilitychange", renew);
}

/** Loads the counters again if they are visible and a minute old. */
function renew() {
  const isShown = document.visibilityState === "visible" && !byId("counters-view").hidden;
  const isDue = Date.now() - loadedAt >= REFRESH_MS && tookMs < SLOW_MS;
  if (isShown && isDue && !loading) load();
}

function emptyPanel() {
  const names: [name: string, words: string][] = [
    ["Choose a name", "Such as user/repo for a README, or blog/first-post for a page."],
    ["Paste the badge", "Markdown or HTML, ready to copy in the builder."],
    ["It appears here", "With the first view, in this table."],
  ];
  const steps = names.map(([name, words], index) =>
    make(
      "li",
      make("span.step", { "aria-hidden": true }, String(index + 1)),
      make("b", name),
      make("small", words),
    )
  );
  const mark = document.querySelector(".brand svg")?.cloneNode(true);
  return make(
    "section.panel.none",
    { hidden: true },
    mark,
    make("h1", "No counters yet"),
    make("p", "Counters are created by their first view. There is nothing to set up."),
    make("ol.first", ...steps),
    make("a.button.primary", { href: "#badges", click: nameFirst }, "Build your first badge"),
    " ",
    make("a.button.quiet", { href: "#data" }, "Import counters from elsewhere"),
  );
}

/** Moves the focus to the name once the builder is there. */
function nameFirst() {
  addEventListener("hashchange", () => byId("id").focus(), { once: true });
}

// --- Loading -------------------------------------------------------------------------------------

/** Loads the counters, an opened row and the year of the chart again. */
async function reload() {
  renewDetail();
  await load();
  if (range === "12m") await loadRange(range);
}

export function isLoaded() {
  return loadedAt > 0;
}

/** The response of `/status`. */
interface Status {
  timeZone: string;
  warnings: string[];
}

/** Loads every counter with its last days. Old figures stay until all are loaded. */
export async function load() {
  loading?.abort();
  const { signal } = loading = new AbortController();
  const start = performance.now();
  refresh.ariaBusy = "true";
  if (loadedAt === 0) showLoading(0);
  try {
    const { timeZone, warnings }: Status = await callForJson("status", { signal });
    const newToday = dayNumber(new Intl.DateTimeFormat("en-CA", { timeZone }).format());
    const found: Figures[] = [];
    await eachLine(await call(`counters?days=${DAYS}`, { signal }), (line) => {
      found.push(figuresOf(line, newToday));
    }, () => loadedAt > 0 || showLoading(found.length));
    if (signal.aborted) return;
    [rows, today, loadedAt] = [found, newToday, Date.now()];
    tookMs = performance.now() - start;
    showWarnings(warnings.join(". "));
    asOf.textContent = `as of ${timeText(loadedAt)} · days in ${timeZone}`;
    const isEmpty = rows.length === 0;
    head.hidden = hero.hidden = isEmpty;
    empty.hidden = !isEmpty;
    showFigures(sumOf("", rows));
    await pause();
    if (!signal.aborted) showRows(rows, today);
  } catch (error) {
    if (!signal.aborted) showAway(error);
  } finally {
    if (loading?.signal === signal) {
      loading = undefined;
      refresh.ariaBusy = null;
    }
  }
}

/** Reads the lines of a response, and lets the page draw now and then. */
async function eachLine({ body }: Response, take: (line: Line) => void, progress: () => void) {
  let rest = "";
  let isWhole = false;
  const stream = body?.pipeThrough(new TextDecoderStream());
  for await (const text of stream ? piecesOf(stream, progress) : []) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = JSON.parse(part);
      if (!line.id) isWhole = true;
      else take(line);
    }
  }
  if (!isWhole) throw new Error("The list was cut off.");
}

/** Shows a range. The days of a year are only loaded for it, because they are the most data. */
async function loadRange(wanted: RangeName) {
  range = wanted;
  if (range !== "12m") return all.show(sumOf("", rows).days, today, range);
  const { signal } = loading ?? new AbortController();
  const days = Array(400).fill(0);
  try {
    announce("Loading twelve months");
    await eachLine(await call("counters?days=400", { signal }), (line) => {
      figuresOf(line, today, 400).days.forEach((hits, back) => days[back] += hits);
    }, () => {});
    if (range === wanted) all.show(days, today, range);
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
  if (loadedAt === 0) {
    asOf.textContent = "";
    for (const part of [hero, ...tableParts, empty]) part.hidden = true;
  }
}

/** Shows gray blocks in the size of the figures and rows. */
function showLoading(found: number) {
  asOf.textContent = found === 0 ? "loading…" : `loading… ${plural(found, "counter")}`;
  head.hidden = hero.hidden = false;
  away.hidden = empty.hidden = true;
  showFigures();
  showGhosts();
}

// --- All counters --------------------------------------------------------------------------------

function showFigures(sum?: Figures) {
  fill(figures, ...summary(sum, `in ${plural(rows.length, "counter")}`));
  all.element.classList.toggle("loading", !sum);
  if (sum && range !== "12m") all.show(sum.days, today);
}

/** Returns the counter with the most views of a day, for the tooltip. */
function mostOf({ hits, back }: ChartBar) {
  if (range === "12m" || hits === 0) return undefined;
  const most = rows.reduce((one, other) =>
    (other.days[back] ?? 0) > (one.days[back] ?? 0) ? other : one
  );
  return `Most views: ${most.id} (${grouped(most.days[back] ?? 0)})`;
}
