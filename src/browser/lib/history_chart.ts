import { ceilingOf, peakIndex, RANGES } from "../../chart/bars.ts";
import { short } from "./cells.ts";
import { dailyFigures } from "./daily_figures.ts";
import { choice } from "./choice.ts";
import { draw, fill, make } from "./make.ts";
import { announce } from "./toast.ts";
import { compact, grouped } from "./words.ts";
import { type ChartBar, knownDays, knownRange, namedBars } from "./figures.ts";

const RANGE_WORDS = {
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "12m": "Last 12 months",
} as const;
export type RangeName = keyof typeof RANGE_WORDS;
const NAMES: readonly RangeName[] = ["30d", "90d", "12m"];

/** Space above the bars for the peak label, below for dates, at the side for numbers. */
const [TOP, BOTTOM, SIDE] = [20, 24, 44];
/** Width of a long peak label, in pixels. */
const PEAK_WIDTH = 150;

/** The bars of a chart, where they are, and which one is a peak. */
interface Layout {
  readonly bars: readonly ChartBar[];
  readonly range: RangeName;
  readonly room: number;
  readonly height: number;
  readonly peak: number;
}

/** Creates a bar chart with its ranges, a tooltip, and its figures as a table. */
export function chart(
  title: string,
  height: number,
  range: RangeName,
  remarkOf: (bar: ChartBar) => string | undefined,
  choose?: (range: RangeName) => void,
) {
  let days: readonly number[] = [];
  let today = 0;
  const { plot, show: showIn } = plotOf(title, remarkOf);
  const daily = dailyFigures();
  const { element: ranges, mark } = rangesOf(title, range, (chosen) => {
    if (choose) return choose(chosen);
    range = chosen;
    paint();
  });
  const head = make(".chart-head", make("h2", { dir: "auto" }, title), ranges);
  new ResizeObserver(paint).observe(plot);

  function paint() {
    const room = plot.clientWidth;
    if (room === 0) return;
    const known = { newest: today, hits: days };
    const shown = mark(range, days);
    const bars = namedBars(known, knownRange(RANGES[shown], known));
    showIn({ bars, range: shown, room, height, peak: peakIndex(bars, known) });
    daily.show(bars, shown !== "12m");
  }

  return {
    element: make(".chart", head, plot, daily.element),
    show(newDays: readonly number[], newToday: number, newRange = range) {
      [days, today, range] = [newDays, newToday, newRange];
      paint();
    },
  };
}

/** Creates the buttons of the ranges. */
function rangesOf(title: string, range: RangeName, choose: (range: RangeName) => void) {
  const names = NAMES.map((name) =>
    make("span", make("span", { "aria-hidden": true }, name), make("span.sr", RANGE_WORDS[name]))
  );
  const take = (index: number) => choose(NAMES[index] ?? range);
  const { element, mark } = choice(`Range of ${title}`, names, NAMES.indexOf(range), take);
  return {
    element,
    /** Marks a range and returns it, or the shortest one that shows as much. */
    mark(wanted: RangeName, days: readonly number[]) {
      const known = knownDays(days).length;
      const isFirstMonth = known > 0 && known <= RANGES["30d"].count;
      const range = isFirstMonth && wanted === "90d" ? "30d" : wanted;
      element.children[NAMES.indexOf("90d")]?.toggleAttribute("hidden", isFirstMonth);
      mark(NAMES.indexOf(range));
      return range;
    },
  };
}

/** Creates the place of the bars, whose figures a pointer or arrow keys show one by one. */
function plotOf(title: string, remarkOf: (bar: ChartBar) => string | undefined) {
  let bars: readonly ChartBar[] = [];
  let step = 1;
  let at = -1;
  const tip = make(".tip", { hidden: true });
  const plot = make(".plot", {
    tabindex: 0,
    role: "group",
    "aria-label": `${title}: days by arrow keys`,
    pointerdown: follow,
    pointermove: follow,
    // On touch screens every tap leaves. The tooltip stays until the plot loses the focus.
    pointerleave: ({ pointerType }) => pointerType === "touch" || point(-1),
    blur: () => point(-1),
    keydown: (event) => {
      const { key } = event;
      if (key === "Escape" && !tip.hidden) {
        event.stopPropagation();
        point(-1);
      }
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      event.preventDefault();
      const next = (at < 0 ? bars.length : at) + (key === "ArrowLeft" ? -1 : 1);
      point(Math.max(0, Math.min(bars.length - 1, next)));
      announce(tip.innerText);
    },
  });

  function follow({ clientX }: PointerEvent) {
    point(Math.floor((clientX - plot.getBoundingClientRect().left) / step));
  }

  /** Shows the figures of a bar, or none. */
  function point(index: number) {
    const bar = bars[index];
    if (bar && index === at) return;
    at = bar ? index : -1;
    tip.hidden = !bar;
    for (const [index, path] of plot.querySelectorAll(".bar").entries()) {
      path.classList.toggle("at", index === at);
    }
    if (!bar) return;
    const remark = remarkOf(bar);
    fill(
      tip,
      ...[bar.long, make("br"), make("b", grouped(bar.hits))],
      bar.hits === 1 ? " view" : " views",
      remark !== undefined && make("div", remark),
    );
    const middle = (index + .5) * step;
    const room = plot.clientWidth;
    const besides = middle > room / 2
      ? middle - tip.offsetWidth - step / 2 - 8
      : middle + step / 2 + 8;
    tip.style.left = `${Math.max(0, Math.min(room - tip.offsetWidth, besides))}px`;
    tip.style.top = `${TOP}px`;
  }

  return {
    plot,
    show(layout: Layout) {
      bars = layout.bars;
      step = (layout.room - SIDE) / bars.length;
      fill(plot, drawBars(title, layout), tip);
      point(-1);
    },
  };
}

/** Draws bars, scale and dates. */
function drawBars(title: string, layout: Layout) {
  const { bars, range, room, height, peak } = layout;
  const right = room - SIDE;
  const bottom = height - BOTTOM;
  const step = right / bars.length;
  const ceiling = ceilingOf(Math.max(...bars.map(({ hits }) => hits)));
  const y = (hits: number) => bottom - (bottom - TOP) * hits / ceiling;
  const lines = [0, .5, 1].flatMap((part) => {
    const at = y(ceiling * part);
    return [
      draw("path.grid", { d: `M0 ${Math.round(at) + .5}H${right}` }),
      draw("text", { x: room, y: at + 4, "text-anchor": "end" }, compact(ceiling * part)),
    ];
  });
  const strokes = bars.map(({ hits }, index) => {
    const kind = index === bars.length - 1 ? ".now" : index === peak ? ".hot" : "";
    const tall = hits === 0 ? 0 : Math.max(1.5, bottom - y(hits));
    return draw(`path.bar${kind}`, { d: barPath((index + .5) * step, bottom, tall, step) });
  });
  let free = 0;
  const ticks = bars.flatMap(({ tick, name }, index) => {
    const x = (index + .5) * step;
    if (!tick || x < free || x < 16 || x > right - 8) return [];
    free = x + 46;
    return draw("text", { x, y: height - 5, "text-anchor": "middle" }, name);
  });
  const unit = range === "12m" ? "months" : "days";
  const label = `Views of ${title}, last ${bars.length} ${unit}: ${sentence(bars, range)}`;
  const parts = [...lines, ...strokes, ...ticks, drawPeak(layout, y)];
  return draw("svg", { height, role: "img", "aria-label": label }, ...parts);
}

function sentence(bars: readonly ChartBar[], range: RangeName) {
  const most = bars.reduce((one, other) => other.hits > one.hits ? other : one);
  const sum = bars.reduce((sum, { hits }) => sum + hits, 0);
  const when = `${range === "12m" ? "in" : "on"} ${most.long}`;
  return `${grouped(sum)} in all, most ${when} with ${grouped(most.hits)}`;
}

/** Draws number and date above a peak. */
function drawPeak({ bars, room, peak }: Layout, y: (hits: number) => number) {
  const bar = bars[peak];
  if (!bar) return;
  // At an edge the label begins or ends with the bar.
  const right = room - SIDE;
  const step = right / bars.length;
  const middle = (peak + .5) * step;
  const half = barWidth(step) / 2;
  const [x, anchor] = middle < PEAK_WIDTH / 2
    ? [middle - half, "start"]
    : middle > right - PEAK_WIDTH / 2
    ? [middle + half, "end"]
    : [middle, "middle"];
  const above = y(bar.hits) - 7;
  const isCrossed = TOP > above - 12 && TOP < above + 4;
  return draw(
    "text.peak",
    { x, y: isCrossed ? TOP - 5 : above, "text-anchor": anchor },
    short(bar.hits),
    draw("tspan", ` · ${bar.name}`),
  );
}

function barWidth(step: number) {
  return Math.round(Math.min(40, Math.max(1.5, step * (step > 14 ? .66 : .74))) * 10) / 10;
}

/** Returns the path of a bar with a round top. */
function barPath(middle: number, bottom: number, tall: number, step: number) {
  const width = barWidth(step);
  const round = Math.min(2.5, width / 2, tall);
  const corner = `${round} ${round} 0 0 1 ${round}`;
  return `M${(middle - width / 2).toFixed(1)} ${bottom}v${round - tall}a${corner} ${-round}` +
    `h${width - 2 * round}a${corner} ${round}v${tall - round}z`;
}
