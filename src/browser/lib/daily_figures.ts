import { weekdayIndex } from "../../chart/bars.ts";
import { short } from "./cells.ts";
import { fill, make } from "./make.ts";
import { grouped } from "./words.ts";
import { type ChartBar, dayOfMonth, shortWeekday } from "./figures.ts";

/** Most views that a day has in full in its column. */
const MAX_WHOLE = 99_999;

/** Creates the figures of a chart as a table, which is filled when it is unfolded. */
export function dailyFigures() {
  let bars: readonly ChartBar[] = [];
  let areDays = true;
  const table = make("table.plain");
  const element = make("details.daily", { toggle: list }, make("summary", "Daily figures"), table);

  function list() {
    table.classList.toggle("weeks", areDays);
    fill(table, ...!element.open ? [] : areDays ? weeks(bars) : [make("tbody", ...months())]);
  }

  function months() {
    return bars.toReversed().map(({ long, hits }) =>
      make("tr", make("th", { scope: "row" }, long), make("td", grouped(hits)))
    );
  }

  return {
    element,
    show(newBars: readonly ChartBar[], newAreDays: boolean) {
      [bars, areDays] = [newBars, newAreDays];
      list();
    },
  };
}

/** Returns a row for each week, from Monday on. */
function weeks(bars: readonly ChartBar[]) {
  const before = weekdayIndex(bars[0]?.first ?? 0);
  const most = Math.max(...bars.map(({ hits }) => hits));
  const cells = [
    ...Array.from({ length: before }, () => make("td")),
    ...bars.map((bar, index) => dayCell(bar, most, index === 0)),
  ];
  const rows = Array.from(
    { length: Math.ceil(cells.length / 7) },
    (_, week) => make("tr", ...cells.slice(7 * week, 7 * week + 7)),
  );
  // 1970-01-05 was a Monday.
  const names = Array.from({ length: 7 }, (_, index) => shortWeekday(4 + index));
  const heads = names.map((name) => make("th", { scope: "col" }, name));
  return [make("thead", make("tr", ...heads)), make("tbody", ...rows)];
}

function dayCell({ first, hits, back, long, name }: ChartBar, most: number, isFirst: boolean) {
  const day = dayOfMonth(first);
  const kind = hits > 0 && hits === most ? ".best" : back === 0 ? ".soft" : "";
  return make(
    `td${kind}`,
    { title: `${long}: ${grouped(hits)}` },
    make("small", isFirst || day === "1" ? name : day),
    short(hits, MAX_WHOLE),
  );
}
