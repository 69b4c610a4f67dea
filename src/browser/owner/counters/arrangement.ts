import { type Figures, prefixOf, sumOf } from "../../lib/figures.ts";

export type Column = "id" | "today" | "yesterday" | "week" | "month" | "total";

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

/** Minimum number of counters that are grouped by default. */
const MANY = 8;
/** Maximum number of counters with which groups start unfolded. */
const MAX_UNFOLDED = 50;
/** Number of rows of an unfolded group before its button for the rest. */
const GROUP_ROWS = 20;

/** The counters of the table, sorted, searched, grouped and folded. */
export class Arrangement {
  #rows: Figures[] = [];
  /** The rows in groups. Cached, because sums take long. */
  #groups: Line[] | undefined;
  #order: { column: Column; ascending: boolean } = { column: "month", ascending: false };
  /** The groups that were folded or unfolded by hand, by prefix. */
  readonly #unfolded: Map<string, boolean> = new Map();
  /** The prefixes of the groups that show all of their rows. */
  readonly #whole: Set<string> = new Set();
  #wanted = "";
  /** Undefined for the default, which depends on the number of counters. */
  #grouping: boolean | undefined;

  get rows(): readonly Figures[] {
    return this.#rows;
  }

  set rows(rows: readonly Figures[]) {
    [this.#rows, this.#groups] = [[...rows], undefined];
  }

  get order() {
    return this.#order;
  }

  get isGrouped() {
    return this.#grouping ?? this.#rows.length >= MANY;
  }

  get isSearching() {
    return this.#wanted !== "";
  }

  /** The rows that match the search. */
  get found(): Figures[] {
    if (!this.isSearching) return this.#rows;
    return this.#rows.filter(({ id }) => id.toLowerCase().includes(this.#wanted));
  }

  search(text: string) {
    this.#wanted = text.trim().toLowerCase();
  }

  group(grouping: boolean | undefined) {
    this.#grouping = grouping;
  }

  /** Sorts by a column, or turns its order around. Numbers begin with the largest. */
  sortBy(column: Column) {
    const { column: old, ascending } = this.#order;
    this.#order = { column, ascending: old === column ? !ascending : column === "id" };
  }

  /** A search unfolds every group that it finds. */
  isUnfolded(prefix: string) {
    return this.isSearching || (this.#unfolded.get(prefix) ?? this.#rows.length <= MAX_UNFOLDED);
  }

  fold(prefix: string) {
    this.#unfolded.set(prefix, !this.isUnfolded(prefix));
  }

  /** Shows all rows of a group. */
  showWhole(prefix: string) {
    this.#unfolded.set(prefix, true);
    this.#whole.add(prefix);
  }

  /** Returns the lines of the table, from top to bottom. */
  lines(): Line[] {
    return this.#groupsOrCounters().sort((one, other) => this.#compare(one, other))
      .flatMap((line) => [line, ...this.#memberLines(line)]);
  }

  #groupsOrCounters(): Line[] {
    if (!this.isGrouped) return this.found.map((row) => lineOf(row));
    const groups = this.#groups ??= groupsOf(this.#rows);
    return this.isSearching ? groupsWith(this.found, groups) : [...groups];
  }

  #memberLines({ row, prefix, group }: Line): Line[] {
    if (!group || !this.isUnfolded(prefix)) return [];
    const members = group.found.map((row) => lineOf(row, prefix))
      .sort((one, other) => this.#compare(one, other));
    const more = members.length - GROUP_ROWS;
    if (more <= 0 || this.isSearching || this.#whole.has(prefix)) return members;
    return [...members.slice(0, GROUP_ROWS), { row, prefix, more }];
  }

  #compare({ row: one }: Line, { row: other }: Line) {
    const { column, ascending } = this.#order;
    const sign = ascending ? 1 : -1;
    if (column === "id") return one.id < other.id ? -sign : sign;
    return sign * (one[column] - other[column]) || (one.id < other.id ? -1 : 1);
  }
}

function lineOf(row: Figures, prefix = ""): Line {
  return { row, prefix };
}

/** Returns groups and single counters. A group of one counter is shown as the counter. */
function groupsOf(all: Figures[]): Line[] {
  return [...Map.groupBy(all, ({ id }) => prefixOf(id))].flatMap(([prefix, members]) =>
    prefix === "" || members.length < 2
      ? members.map((row) => lineOf(row))
      : [{ row: sumOf(prefix, members), prefix, group: { members, found: members } }]
  );
}

/** Returns the groups and counters with these rows. A group keeps the sum of all its counters. */
function groupsWith(found: Figures[], groups: Line[]): Line[] {
  const wanted = new Set(found);
  return groups.flatMap((line) => {
    if (!line.group) return wanted.has(line.row) ? [line] : [];
    const { members } = line.group;
    const group = { members, found: members.filter((row) => wanted.has(row)) };
    return group.found.length > 0 ? [{ ...line, group }] : [];
  });
}

/** Returns the name of a line inside its group. A counter with the name of the group keeps it. */
export function nameOf({ row, prefix, group }: Line) {
  return group ? prefix.replace(/^https:../, "") : row.id.slice(prefix.length) || row.id;
}
