import { chart } from "./history_chart.ts";
import { make } from "./make.ts";
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
  const { id, total, yesterday, month } = row;
  const facts = make("p.facts");
  const views = chart(id, "30d");
  const fact = (name: string, value: Node | string) => make("span", `${name} `, make("b", value));
  views.show(row.days, today);
  facts.append(
    fact("Total", grouped(total)),
    fact("Yesterday", grouped(yesterday)),
    fact("Last 30 days", grouped(month)),
    fact("7 days to yesterday", weekFacts(row.days)),
  );
  const show = ({ days = {}, since }: History) => {
    views.show(figuresOf({ id, hits: total, days }, today, YEAR).days, today);
    const all = Object.entries(days).sort();
    // The first of equal days, as in the charts.
    const [best] = all.toSorted(([, one], [, other]) => other - one);
    const first = dayNumber(since ?? all[0]?.[0] ?? "");
    if (best) facts.append(fact("Best day", `${fullDay(dayNumber(best[0]))}, ${grouped(best[1])}`));
    if (isNaN(first)) return;
    const average = month / Math.max(1, Math.min(30, today - first + 1));
    facts.append(
      fact("Daily average", grouped(Math.round(average))),
      fact("Daily history since", fullDay(first)),
    );
  };
  loading.then(show, (error) => facts.append(errorMessage(error)));
  return make(".split", make("div", views.element, facts), make("div", ...parts));
}
