import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import { type Day, type Days, type Held, upTo } from "../counter/days.ts";

/** What is to be shown, and the days up to today behind it. */
export interface WithDays<Shown> {
  readonly shown: Shown;
  readonly days: Days;
}

/** Whether there are days behind what is shown. */
export function hasDays<Shown>(found: Shown | WithDays<Shown>): found is WithDays<Shown> {
  return typeof found === "object" && found !== null && "days" in found;
}

/** The days of a counter up to today, from `since` on at least, and what `show` makes of all that it holds. */
export async function readWithDays<Shown>(
  { calendar, history }: Pick<Counters, "calendar" | "history">,
  { id, since, show }: { id: CounterId; since: Day; show(held: Held, today: Day): Shown },
): Promise<WithDays<Shown>> {
  const held = await history(id, since);
  const today = calendar.today();
  const known = held.days ?? { newest: today, hits: [] };
  return { shown: show(held, today), days: upTo(known, today) };
}
