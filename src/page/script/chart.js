// @ts-check
/// <reference lib="dom" />
import { announce, compact, draw, grouped, make, segments } from "./elements.js";
import { barsOf, ceilingOf, peakOf } from "./figures.js";

/** @typedef {import("./figures.js").Bar} Bar */

/** @type {[string, string][]} */
const RANGES = [["30d", "30d"], ["90d", "90d"], ["12m", "12m"]];
/** @type {Record<string, string>} */
const RANGE_WORDS = { "30d": "last 30 days", "90d": "last 90 days", "12m": "last 12 months" };
/** Above the bars for the name of the peak, below for dates, at the side for numbers. */
const [TOP, BOTTOM, SIDE] = [20, 24, 44];

/**
 * A bar chart with its ranges, a tooltip, and its figures as a table.
 * @param {string} title
 * @param {number} height
 * @param {string} range
 * @param {(bar: Bar, range: string) => string | undefined} remarkOf what a tooltip says besides
 * @param {(range: string) => void} [choose] has more days loaded, and then calls `show`
 */
export function chart(title, height, range, remarkOf, choose) {
  /** @type {readonly number[]} */
  let days = [];
  let today = 0;
  /** @type {Bar[]} */
  let bars = [];
  let at = -1;
  let step = 1;

  const tip = make("div", { class: "tip", hidden: true });
  const plot = make("div", {
    class: "plot",
    tabindex: 0,
    role: "group",
    "aria-label": `${title}: days by arrow keys`,
    pointermove: (event) => {
      const { left } = plot.getBoundingClientRect();
      point(Math.floor((event.clientX - left) / step));
    },
    pointerleave: hide,
    blur: hide,
    keydown: (event) => {
      const by =
        /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 })[event.key];
      if (event.key === "Escape" && !tip.hidden) event.stopPropagation();
      if (event.key === "Escape") return hide();
      if (by === undefined) return;
      event.preventDefault();
      point(Math.max(0, Math.min(bars.length - 1, (at < 0 ? bars.length : at) + by)));
      announce(tip.innerText);
    },
  });
  const table = make("table", { class: "plain" });
  const daily = make(
    "details",
    { class: "daily", toggle: listFigures },
    make("summary", {}, "Daily figures"),
    table,
  );
  const pick = (/** @type {string} */ chosen) => {
    if (choose) return choose(chosen);
    range = chosen;
    paint();
  };
  const element = make(
    "div",
    { class: "chart" },
    make(
      "div",
      { class: "chart-head" },
      make("h2", { dir: "auto" }, title),
      segments("Range", RANGES, range, pick),
    ),
    plot,
    daily,
  );
  new ResizeObserver(paint).observe(plot);

  function hide() {
    tip.hidden = true;
    at = -1;
    mark();
  }

  /** @param {number} index */
  function point(index) {
    const bar = bars[index];
    if (bar === undefined) return hide();
    if (index === at) return;
    at = index;
    const remark = remarkOf(bar, range);
    tip.replaceChildren(
      make("span", {}, bar.long),
      make("br"),
      make("b", {}, grouped(bar.hits)),
      bar.hits === 1 ? " view" : " views",
      ...(remark === undefined ? [] : [make("br"), make("span", {}, remark)]),
    );
    tip.hidden = false;
    const middle = (index + .5) * step;
    const room = plot.clientWidth;
    const besides = middle > room / 2
      ? middle - tip.offsetWidth - step / 2 - 8
      : middle + step / 2 + 8;
    tip.style.left = `${Math.max(0, Math.min(room - tip.offsetWidth, besides))}px`;
    tip.style.top = `${TOP}px`;
    mark();
  }

  function mark() {
    for (const [index, path] of plot.querySelectorAll(".bar").entries()) {
      path.classList.toggle("at", index === at);
    }
  }

  function paint() {
    const room = plot.clientWidth;
    if (room === 0) return;
    bars = barsOf(days, range, today);
    const right = room - SIDE;
    const bottom = height - BOTTOM;
    const most = Math.max(...bars.map(({ hits }) => hits));
    const ceiling = ceilingOf(most);
    const peak = peakOf(bars);
    step = right / bars.length;
    const y = (/** @type {number} */ hits) => bottom - (bottom - TOP) * hits / ceiling;
    const lines = [0, .5, 1].flatMap((part) => [
      draw("path", { class: "grid", d: `M0 ${Math.round(y(ceiling * part)) + .5}H${right}` }),
      draw(
        "text",
        { x: room, y: y(ceiling * part) + 4, "text-anchor": "end" },
        compact(ceiling * part),
      ),
    ]);
    const strokes = bars.map(({ hits }, index) => {
      const last = index === bars.length - 1;
      const name = last ? "bar now" : index === peak ? "bar hot" : "bar";
      return draw("path", {
        class: name,
        d: barPath(
          (index + .5) * step,
          bottom,
          hits === 0 ? 0 : Math.max(1.5, bottom - y(hits)),
          step,
        ),
      });
    });
    let free = 0;
    const ticks = bars.flatMap(({ tick, name }, index) => {
      const x = (index + .5) * step;
      if (!tick || x < free || x < 16 || x > right - 8) return [];
      free = x + 56;
      return draw("text", { x, y: height - 5, "text-anchor": "middle" }, name);
    });
    const svg = draw(
      "svg",
      {
        height,
        role: "img",
        "aria-label": `Views of ${title}, ${RANGE_WORDS[range]}: ${sentence()}`,
      },
      ...lines,
      ...strokes,
      ...ticks,
      ...peakName(peak, right, y),
    );
    plot.replaceChildren(svg, tip);
    hide();
    listFigures();
  }

  function sentence() {
    const most = bars.reduce((one, other) => other.hits > one.hits ? other : one);
    const sum = bars.reduce((sum, { hits }) => sum + hits, 0);
    return `${grouped(sum)} in all, most ${range === "12m" ? "in" : "on"} ${most.long} with ${
      grouped(most.hits)
    }`;
  }

  /** @param {number} peak @param {number} right @param {(hits: number) => number} y */
  function peakName(peak, right, y) {
    const bar = bars[peak];
    if (bar === undefined) return [];
    const x = Math.min(right - 60, Math.max(60, (peak + .5) * step));
    const name = draw("tspan", {}, ` · ${bar.name}`);
    return [
      draw(
        "text",
        { class: "peak", x, y: Math.max(12, y(bar.hits) - 7), "text-anchor": "middle" },
        grouped(bar.hits),
        name,
      ),
    ];
  }

  function listFigures() {
    const lines = daily.open ? [...bars].reverse() : [];
    table.replaceChildren(
      make(
        "tbody",
        {},
        ...lines.map(({ long, hits }) =>
          make("tr", {}, make("th", { scope: "row" }, long), make("td", {}, grouped(hits)))
        ),
      ),
    );
  }

  return {
    element,
    /** @param {readonly number[]} newDays the hits of days, today's first @param {number} newToday @param {string} [newRange] */
    show(newDays, newToday, newRange = range) {
      [days, today, range] = [newDays, newToday, newRange];
      paint();
    },
  };
}

/** A bar that is round at the top. @param {number} middle @param {number} bottom @param {number} tall @param {number} step */
function barPath(middle, bottom, tall, step) {
  const width = Math.min(40, Math.max(1.5, step * (step > 14 ? .66 : .74)));
  const round = Math.min(2.5, width / 2, tall);
  const to = (/** @type {number} */ value) => value.toFixed(1);
  return `M${to(middle - width / 2)} ${bottom}v${to(round - tall)}q0 ${to(-round)} ${to(round)} ${
    to(-round)
  }` +
    `h${to(width - 2 * round)}q${to(round)} 0 ${to(round)} ${to(round)}v${to(tall - round)}z`;
}
