import { ceilingOf, peakIndex, RANGES } from "../../chart/bars.ts";
import { short } from "./cells.ts";
import { choice } from "./choice.ts";
import { fill, make, tableOf } from "./make.ts";
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

/** Maximum number of dates below a chart, which a phone has room for. */
const MAX_DATES = 6;

/** Creates a bar chart with its ranges, a tooltip, and its figures as a table. */
export function chart(
  title: string,
  range: RangeName,
  remarkOf?: (bar: ChartBar) => string | undefined,
  choose?: (range: RangeName) => void,
) {
  let days: readonly number[] = [];
  let today = 0;
  const plot = plotOf(title, remarkOf);
  const table = make("div");
  const daily = make("details.daily", make("summary", "Daily figures"), table);
  const names = NAMES.map((name) =>
    make("span", make("span", { "aria-hidden": true }, name), make("span.sr", RANGE_WORDS[name]))
  );
  const ranges = choice(`Range of ${title}`, names, NAMES.indexOf(range), (index) => {
    const chosen = NAMES[index] ?? range;
    if (choose) return choose(chosen);
    range = chosen;
    paint();
  });
  const head = make(".chart-head", make("h2", { dir: "auto" }, title), ranges.element);

  function paint() {
    const known = { newest: today, hits: days };
    const count = knownDays(days).length;
    // In the first month, the shortest range shows as much as the next one.
    const isFirstMonth = count > 0 && count <= RANGES["30d"].count;
    const shown = isFirstMonth && range === "90d" ? "30d" : range;
    ranges.element.children[NAMES.indexOf("90d")]?.toggleAttribute("hidden", isFirstMonth);
    ranges.mark(NAMES.indexOf(shown));
    const bars = namedBars(known, knownRange(RANGES[shown], known));
    plot.show(bars, RANGES[shown].unit, peakIndex(bars, known));
    const rows = bars.toReversed().map(({ long, hits }) => [long, grouped(hits)]);
    fill(table, tableOf("table.plain", [["Date", "th"], ["Views", "td"]], rows));
  }

  return {
    element: make(".chart", head, plot.element, daily),
    show(newDays: readonly number[], newToday: number, newRange = range) {
      [days, today, range] = [newDays, newToday, newRange];
      paint();
    },
  };
}

/** Creates the place of the bars, whose figures a pointer or arrow keys show one by one. */
function plotOf(title: string, remarkOf?: (bar: ChartBar) => string | undefined) {
  let bars: readonly ChartBar[] = [];
  let at = -1;
  const tip = make(".tip", { hidden: true });
  const drawn = make(".bars", { role: "img" });
  const element = make(".plot", {
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
  }, drawn);

  function follow({ clientX }: PointerEvent) {
    const { left, width } = drawn.getBoundingClientRect();
    point(Math.floor((clientX - left) / width * bars.length));
  }

  /** Shows the figures of a bar, or none. */
  function point(index: number) {
    const bar = bars[index];
    if (bar && index === at) return;
    at = bar ? index : -1;
    tip.hidden = !bar;
    for (const [index, part] of drawn.querySelectorAll(".bar").entries()) {
      part.classList.toggle("at", index === at);
    }
    if (!bar) return;
    const remark = remarkOf?.(bar);
    fill(
      tip,
      ...[bar.long, make("br"), make("b", grouped(bar.hits))],
      bar.hits === 1 ? " view" : " views",
      remark !== undefined && make("div", remark),
    );
    const isLeft = index < bars.length / 2;
    const beside = (part: number) => `calc(${100 * part / bars.length}% + 8px)`;
    tip.style.left = isLeft ? beside(index + 1) : "auto";
    tip.style.right = isLeft ? "auto" : beside(bars.length - index);
  }

  return {
    element,
    show(newBars: readonly ChartBar[], unit: string, peak: number) {
      bars = newBars;
      drawn.ariaLabel = sentence(title, bars, unit);
      fill(drawn, ...drawBars(bars, peak), tip);
      point(-1);
    },
  };
}

function sentence(title: string, bars: readonly ChartBar[], unit: string) {
  const most = bars.reduce((one, other) => other.hits > one.hits ? other : one);
  const sum = bars.reduce((sum, { hits }) => sum + hits, 0);
  const when = `${unit === "month" ? "in" : "on"} ${most.long}`;
  return `Views of ${title}, last ${bars.length} ${unit}s: ${grouped(sum)} in all, most ${when} ` +
    `with ${grouped(most.hits)}`;
}

/** Draws the scale, the bars, their dates, and number and date above a peak. */
function drawBars(bars: readonly ChartBar[], peak: number) {
  const ceiling = ceilingOf(Math.max(...bars.map(({ hits }) => hits)));
  const scale = [0, .5, 1].map((part) =>
    placed("scale", 0, 100 * part, make("span", compact(ceiling * part)))
  );
  const columns = bars.map(({ hits }, index) => {
    const kind = index === bars.length - 1 ? ".now" : index === peak ? ".hot" : "";
    const bar = make(`i.bar${kind}`);
    bar.style.height = hits === 0 ? "0" : `max(1.5px, ${100 * hits / ceiling}%)`;
    return bar;
  });
  const across = (index: number) => 100 * index / bars.length;
  const ticks = bars.flatMap(({ tick, name }, index) =>
    tick ? placed("date", across(index + .5), 0, name) : []
  );
  const every = Math.ceil(ticks.length / MAX_DATES);
  const dates = ticks.filter((_, index) => index % every === 0);
  const top = bars[peak];
  if (!top) return [...scale, ...columns, ...dates];
  // Near an edge the label begins or ends with its bar. It is above the top line, or below it.
  const shift = across(peak) < 25 ? 0 : across(peak) > 75 ? 1 : .5;
  const above = 100 * top.hits / ceiling;
  const words = [short(top.hits), make("span", ` · ${top.name}`)];
  const label = placed("peak", across(peak + shift), above > 88 ? 100 : above, ...words);
  label.style.translate = `${-100 * shift}%`;
  return [...scale, ...columns, ...dates, label];
}

/** Creates a part of a chart that begins at these percentages of its width and height. */
function placed(name: string, left: number, bottom: number, ...words: (Node | string)[]) {
  const part = make(`span.${name}`, ...words);
  part.style.left = `${left}%`;
  part.style.bottom = `${bottom}%`;
  return part;
}
