import { chart } from "./history_chart.ts";
import { errorMessage, fill, grouped, make } from "./elements.ts";
import { type DayHits, dayNumber, type Figures, figuresOf, fullDay, YEAR } from "./figures.ts";
import { trend } from "./lines.ts";

/** Returns the figures above a chart. They are blank until the sum is known. */
export function summary(sum: Figures | undefined, belowTotal: string) {
  const figure = (name: string, value: number | undefined, why: Node | string) =>
    make(
      "div",
      make("dt", name),
      make("dd.n", value === undefined ? make("span.ghost") : grouped(value)),
      make("dd.why", why),
    );
  const versus = (now = 0, then = 0, words: string) =>
    then === 0 ? " " : make("span", trend(now, then), ` vs prior ${words}`);
  return [
    figure("Today", sum?.today, sum ? `${grouped(sum.yesterday)} yesterday` : " "),
    figure("Last 7 days", sum?.week, versus(sum?.week, sum?.priorWeek, "7 days")),
    figure("Last 30 days", sum?.month, versus(sum?.month, sum?.priorMonth, "30 days")),
    figure("Total", sum?.total, sum ? belowTotal : " "),
  ];
}

/** The days to show of a counter or a group. */
interface History {
  days?: DayHits | undefined;
  /** The first known day, if it may be before these days. */
  since?: string | undefined;
}

/** Returns the content of an opened row: its chart and facts of a year, and other parts. */
export function rowDetail(
  row: Figures,
  { today, load }: { today: number; load: () => Promise<History> },
  ...parts: (Node | false)[]
) {
  const facts = make("p.facts");
  const views = chart(row.id, 200, "30d", () => undefined);
  const show = (figures: Figures, history?: History) => {
    views.show(figures.days, today);
    describe(facts, figures, today, history);
  };
  show(row);
  load().then(
    (history) =>
      show(figuresOf({ id: row.id, hits: row.total, days: history.days }, today, YEAR), history),
    (error) => facts.append(errorMessage(error)),
  );
  return make(".split", make("div", views.element, facts), make("div", ...parts));
}

/** Shows the best day, the average and the beginning of the daily history. */
export function describe(
  place: HTMLElement,
  { month }: Figures,
  today: number,
  { days = {}, since = Object.keys(days).sort()[0] }: History = {},
) {
  const all = Object.entries(days).sort();
  // The first of equal days, as in the charts.
  const [best] = all.toSorted(([, one], [, other]) => other - one);
  const first = since ? dayNumber(since) : today;
  const span = Math.max(1, Math.min(30, today - first + 1));
  const fact = (name: string, value: string) => make("span", `${name} `, make("b", value));
  fill(
    place,
    best && fact("Best day", `${fullDay(dayNumber(best[0]))}, ${grouped(best[1])}`),
    fact("Daily average", grouped(Math.round(month / span))),
    since && fact("Daily history since", fullDay(first)),
  );
}
