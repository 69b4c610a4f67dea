import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Day } from "../counter/days.ts";
import { Recent } from "../recent.ts";

/** How many visitors of a day are remembered, of one counter and by this process: later ones count each time. */
const MAX_OF_COUNTER = 50_000;
const MAX_OF_PROCESS = 1_000_000;
/** Of how many visitors this process knows without asking the store that they came. */
const KNOWN = 50_000;
/** Of how many counters it is known how many visitors they had. */
const COUNTERS = 10_000;

/** Makes the name of a visitor from what tells visitors apart. */
type Naming = (traces: readonly string[]) => string;

/** What is known of the visitors of one day. */
export class VisitorDay {
  readonly day: Day;
  readonly #counters: Counters;
  readonly #known = new Recent<string, true>(KNOWN);
  readonly #ofCounter = new Recent<CounterId, number>(COUNTERS);
  #ofProcess = 0;
  #naming: Promise<Naming> | undefined;

  constructor(counters: Counters) {
    this.#counters = counters;
    this.day = counters.calendar.today();
  }

  /** The name of a visitor; nobody can tell what it was made from without the salt, which ends with the day. */
  async nameOf(traces: readonly string[]): Promise<string> {
    this.#naming ??= this.#prepare();
    const name = await this.#naming;
    return name(traces);
  }

  /** Whether this visitor is known to have come. */
  isKnown(visitor: string): boolean {
    return this.#known.get(visitor) === true;
  }

  /** Whether one more visitor of a counter may be remembered. */
  hasRoomFor(id: CounterId): boolean {
    return this.#ofProcess < MAX_OF_PROCESS && (this.#ofCounter.get(id) ?? 0) < MAX_OF_COUNTER;
  }

  /** Takes note of a visitor who came. */
  note(
    visitor: string,
    { id, isNew, remember }: { id: CounterId; isNew: boolean; remember: boolean },
  ): void {
    if (isNew && !remember) return;
    this.#known.set(visitor, true);
    if (!isNew) return;
    this.#ofProcess++;
    this.#ofCounter.set(id, (this.#ofCounter.get(id) ?? 0) + 1);
  }

  async #prepare(): Promise<Naming> {
    try {
      const [salt, { createHmac }] = await Promise.all([
        this.#counters.salt(),
        import("node:crypto"),
      ]);
      return (traces) => {
        // With the length before each, no two lists give the same text.
        const text = traces.map((trace) => `${trace.length}:${trace}`).join("");
        return createHmac("sha256", salt).update(text).digest().subarray(0, 8)
          .toString("base64url");
      };
    } catch (error) {
      this.#naming = undefined;
      throw error;
    }
  }
}
