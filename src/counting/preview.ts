import { Problem } from "../problem.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "./counters.ts";
import type { Held } from "../counter/days.ts";
import { formatHeld, type SettingLine } from "../counter/line.ts";
import { applied, refusalOf, type Setting } from "../counter/setting.ts";

/** What an import would make of a counter. */
export interface PreviewedChange {
  readonly id: CounterId;
  /** Its number now, and after the import: the same where only days would change. */
  readonly before: number;
  readonly after: number;
}

/** How many counters are asked for at once. */
const PORTION = 500;

/** Compares lines with what the counters hold, and writes nothing. */
export class Preview {
  readonly #counters: Counters;
  readonly #mode: Setting["mode"];
  readonly #changes: PreviewedChange[] = [];
  #changed = 0;

  constructor(counters: Counters, mode: Setting["mode"]) {
    this.#counters = counters;
    this.#mode = mode;
  }

  /** How many counters would change. */
  get changed(): number {
    return this.#changed;
  }

  /** The first 1,000 of them. */
  get changes(): readonly PreviewedChange[] {
    return this.#changes;
  }

  /** Takes lines as an import does; resolves with the problems of those that cannot be compared, by their place. */
  async take(lines: readonly SettingLine[]): Promise<ReadonlyMap<number, Problem>> {
    const problems = new Map<number, Problem>();
    const repeated = repeatedIn(lines);
    const made = new Map<CounterId, Promise<Held>>();
    for (let start = 0; start < lines.length; start += PORTION) {
      await Promise.all(
        lines.slice(start, start + PORTION).map(async (line, index) => {
          try {
            const before = made.get(line.id) ?? this.#counters.history(line.id, -Infinity);
            const after = this.#compare(line, before);
            if (repeated.has(line.id)) made.set(line.id, after);
            await after;
          } catch (error) {
            if (!(error instanceof Problem)) throw error;
            problems.set(start + index, error);
          }
        }),
      );
    }
    return problems;
  }

  /** Resolves with what the line makes of its counter, which lines before it may have changed. */
  async #compare({ id, ...given }: SettingLine, before: Promise<Held>): Promise<Held> {
    const held = await before;
    const today = this.#counters.calendar.today();
    const after = applied({ ...given, mode: this.#mode }, { held, today });
    const refusal = refusalOf(after);
    if (refusal !== undefined) throw refusal;
    if (formatHeld({ id, ...held }) === formatHeld({ id, ...after })) return after;
    this.#changed++;
    if (this.#changes.length < MOST_CHANGES) {
      this.#changes.push({ id, before: held.hits, after: after.hits });
    }
    return after;
  }
}

const MOST_CHANGES = 1000;

/** The counters that several lines name: what is made of the others need not be kept, which may be years of days each. */
function repeatedIn(lines: readonly SettingLine[]): ReadonlySet<CounterId> {
  const [named, repeated] = [new Set<CounterId>(), new Set<CounterId>()];
  for (const { id } of lines) (named.has(id) ? repeated : named).add(id);
  return repeated;
}
