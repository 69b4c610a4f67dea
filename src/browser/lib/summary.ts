import { chart } from "./history_chart.ts";
import { fill, make } from "./make.ts";
import { errorMessage, grouped } from "./words.ts";
import { type DayHits, dayNumber, type Figures, figuresOf, fullDay, YEAR } from "./figures.ts";
import { comparison, MAX_WHOLE, short, weekFacts } from "./cells.ts";

/** Returns the figures above a chart. */
export function summary(
  { today, yesterday, week, month, total, days }: Figures,
  belowTotal: string,
) {
  const tile = (name: string, value: number, why: Node | string) =>
    make(
      "div",
      make("dt", name),
      make("dd.n", short(value)),
      value > MAX_WHOLE && make("dd.why", grouped(value)),
      make("dd.why", why),
    );
  return [
    tile("Today", today, `${short(yesterday)} yesterday`),
    tile("Last 7 days", week, comparison(days, 7)),
    tile("Last 30 days", month, comparison(days, 30)),
    tile("Total", total, belowTotal),
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
  today: number,
  loading: Promise<History>,
  ...parts: (Node | false)[]
) {
  const facts = make("p.facts");
  const views = chart(row.id, "30d");
  const show = (figures: Figures, history?: History) => {
    views.show(figures.days, today);
    describe(facts, figures, today, history);
  };
  show(row);
  loading.then(
    (history) =>
      show(figuresOf({ id: row.id, hits: row.total, days: history.days }, today, YEAR), history),
    (error) => facts.append(errorMessage(error)),
  );
  return make(".split", make("div", views.element, facts), make("div", ...parts));
}

/** Shows the numbers in full, the best day, the average and the beginning of the daily history. */
function describe(
  place: HTMLElement,
  { yesterday, month, total, days: last }: Figures,
  today: number,
  { days = {}, since = Object.keys(days).sort()[0] }: History = {},
) {
  const all = Object.entries(days).sort();
  // The first of equal days, as in the charts.
  const [best] = all.toSorted(([, one], [, other]) => other - one);
  const first = since ? dayNumber(since) : today;
  const span = Math.max(1, Math.min(30, today - first + 1));
  const fact = (name: string, value: Node | string) => make("span", `${name} `, make("b", value));
  fill(
    place,
    fact("Total", grouped(total)),
    fact("Yesterday", grouped(yesterday)),
    fact("Last 30 days", grouped(month)),
    fact("7 days to yesterday", weekFacts(last)),
    best && fact("Best day", `${fullDay(dayNumber(best[0]))}, ${grouped(best[1])}`),
    fact("Daily average", grouped(Math.round(month / span))),
    since && fact("Daily history since", fullDay(first)),
  );
}
