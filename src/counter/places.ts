import type { Line } from "./line.ts";

/** How many lines are sorted at a time, which takes some milliseconds. */
const RUN = 5000;

/** Lines in a row, by their places, in order. */
interface Run {
  readonly places: readonly number[];
  taken: number;
}

/** The places of lines in the order in which they are set; of two lines of one counter the later one comes later. */
export class Places {
  readonly #lines: readonly Line[];
  readonly #runs: Run[] = [];

  private constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** As the lines came. */
  static asTheyCame(lines: readonly Line[]): Places {
    const places = new Places(lines);
    places.#runs.push({ places: [...lines.keys()], taken: 0 });
    return places;
  }

  /**
   * By their ids. Never for long at a time, as hits wait meanwhile: runs of lines are sorted, and merged while they are
   * taken.
   */
  static async byId(lines: readonly Line[]): Promise<Places> {
    const places = new Places(lines);
    for (let start = 0; start < lines.length; start += RUN) {
      places.#addSorted(start, Math.min(start + RUN, lines.length));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return places;
  }

  /** Takes the first of those that are left; fewer, or none, where there are no more. */
  take(count: number): number[] {
    const places: number[] = [];
    for (let place; places.length < count && (place = this.#next()) !== undefined;) {
      places.push(place);
    }
    return places;
  }

  #addSorted(start: number, end: number): void {
    const places = Array.from({ length: end - start }, (_, index) => start + index);
    places.sort((a, b) => compare(this.#lines[a]?.id, this.#lines[b]?.id));
    this.#runs.push({ places, taken: 0 });
  }

  #next(): number | undefined {
    let first: { run: Run; id: string } | undefined;
    for (const run of this.#runs) {
      const id = this.#lines[run.places[run.taken] ?? NaN]?.id;
      // Of two lines of one counter the one in the earlier run comes first.
      if (id !== undefined && (first === undefined || id < first.id)) first = { run, id };
    }
    return first?.run.places[first.run.taken++];
  }
}

/** Where it is used to sort, what is alike stays in its order (ECMAScript, "Array.prototype.sort"). */
function compare(one: string | undefined, other: string | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}
