import { draw, make } from "./elements.ts";
import { type Figures, prefixOf, sparkline, sumOf, trendOf } from "./figures.ts";

/** A row of the table: a counter, a group, or the number of counters that a group hides. */
export interface Line {
  row: Figures;
  /** The prefix of the group that it is or belongs to; empty outside of groups. */
  prefix: string;
  group?: Group;
  more?: number;
}

/** The counters below a prefix, and those of them that match the search. */
export interface Group {
  members: Figures[];
  found: Figures[];
}

export function lineOf(row: Figures, prefix = ""): Line {
  return { row, prefix };
}

/** Returns groups and single counters. A group of one counter is shown as the counter. */
export function groupsOf(all: Figures[]): Line[] {
  return [...Map.groupBy(all, ({ id }) => prefixOf(id))].flatMap(([prefix, members]) =>
    prefix === "" || members.length < 2
      ? members.map((row) => lineOf(row))
      : [{ row: sumOf(prefix, members), prefix, group: { members, found: members } }]
  );
}

/** Returns the groups and counters with these rows. A group keeps the sum of all its counters. */
export function groupsWith(found: Figures[], groups: Line[]): Line[] {
  const wanted = new Set(found);
  return groups.flatMap((line) => {
    if (!line.group) return wanted.has(line.row) ? [line] : [];
    const { members } = line.group;
    const group = { members, found: members.filter((row) => wanted.has(row)) };
    return group.found.length > 0 ? [{ ...line, group }] : [];
  });
}

/** Returns a trend as an element, with words for screen readers. */
export function trend(now: number, then: number) {
  const { up, text, word } = trendOf(now, then);
  return make(
    up ? "span.up" : "span.down",
    word !== "" && make("span.sr", `${word} ${text.slice(2)}`),
    make("span", { "aria-hidden": word !== "" }, text),
  );
}

/** Draws the last 30 days as strokes. */
export function sparkOf(days: readonly number[]) {
  const { before, today } = sparkline(days);
  return draw(
    "svg.spark",
    { viewBox: "0 0 120 23.5", preserveAspectRatio: "none", "aria-hidden": true },
    draw("path", { d: before }),
    draw("path.now", { d: today }),
  );
}
