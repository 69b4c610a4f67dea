import { type Figures, prefixOf, sumOf } from "../../lib/figures.ts";

export type Column = "id" | "today" | "yesterday" | "week" | "month" | "total";

/** A row of the table: a counter or a group. */
export interface Line {
  row: Figures;
  /** The prefix of the group that it is or belongs to; empty outside of groups. */
  prefix: string;
  group?: Group;
}

/** The counters below a prefix, and those of them that match the search. */
export interface Group {
  members: readonly Figures[];
  found: readonly Figures[];
}

/** The choices that decide which lines the table has, and their order. */
export interface Choices {
  column: Column;
  ascending: boolean;
  /** The text to search for; empty for none. */
  wanted: string;
  /** Undefined for the default, which depends on the number of counters. */
  grouping?: boolean | undefined;
  /** The groups that were folded or unfolded by hand, by prefix. */
  readonly unfolded: Map<string, boolean>;
}

/** Minimum number of counters that are grouped by default. */
const MANY = 8;
/** Maximum number of counters with which groups start unfolded. */
const MAX_UNFOLDED = 50;

export function isGrouped(rows: readonly Figures[], { grouping }: Choices) {
  return grouping ?? rows.length >= MANY;
}

/** Reports whether the rows of a group are shown. A search unfolds every group that it finds. */
export function isUnfolded(prefix: string, rows: readonly Figures[], choices: Choices) {
  const { wanted, unfolded } = choices;
  return wanted !== "" || (unfolded.get(prefix) ?? rows.length <= MAX_UNFOLDED);
}

/** Returns the column to sort by next, or the other order. Numbers begin with the largest. */
export function orderBy(column: Column, { column: old, ascending }: Choices) {
  return { column, ascending: old === column ? !ascending : column === "id" };
}

/** Reports whether a row matches the search. */
export function isFound({ id }: Figures, { wanted }: Choices) {
  return id.toLowerCase().includes(wanted.toLowerCase());
}

/** Returns the lines of the table, from top to bottom. */
export function linesOf(rows: readonly Figures[], choices: Choices): Line[] {
  const { column, ascending } = choices;
  const all = isGrouped(rows, choices) ? groupsOf(rows) : rows.map((row) => lineOf(row));
  return all.flatMap(foundIn).sort(compare).flatMap((line) => [line, ...membersOf(line)]);

  /** Returns a line with what matches the search. A group keeps the sum of all its counters. */
  function foundIn(line: Line): Line[] {
    const members = line.group?.members;
    const found = (members ?? [line.row]).filter((row) => isFound(row, choices));
    if (found.length === 0) return [];
    return [members ? { ...line, group: { members, found } } : line];
  }

  function membersOf({ prefix, group }: Line): Line[] {
    if (!group || !isUnfolded(prefix, rows, choices)) return [];
    return group.found.map((row) => lineOf(row, prefix)).sort(compare);
  }

  function compare({ row: one }: Line, { row: other }: Line) {
    const sign = ascending ? 1 : -1;
    if (column === "id") return one.id < other.id ? -sign : sign;
    return sign * (one[column] - other[column]) || (one.id < other.id ? -1 : 1);
  }
}

function lineOf(row: Figures, prefix = ""): Line {
  return { row, prefix };
}

/** Returns groups and single counters. A group of one counter is shown as the counter. */
function groupsOf(all: readonly Figures[]): Line[] {
  return [...Map.groupBy(all, ({ id }) => prefixOf(id))].flatMap(([prefix, members]) =>
    prefix === "" || members.length < 2
      ? members.map((row) => lineOf(row))
      : [{ row: sumOf(prefix, members), prefix, group: { members, found: members } }]
  );
}

/** Returns the name of a line inside its group. A counter with the name of the group keeps it. */
export function nameOf({ row, prefix, group }: Line) {
  return group ? prefix.replace(/^https:../, "") : row.id.slice(prefix.length) || row.id;
}

/** Returns a text that is the same for the same line of a later arrangement. */
export function identityOf({ row, group }: Line) {
  return `${group ? "group" : "counter"} ${row.id}`;
}
