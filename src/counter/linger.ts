/** What makes a batch slow: after a quicker one its callers would come back too late to be waited for. */
const SLOW_BATCH_MS = 3;
/** How many callers of a slow batch are worth waiting for. */
const MANY_CALLERS = 16;
/** How long they are waited for at most. */
const MAX_LINGER_MS = 10;
/** How many slow batches are followed at once after nobody came back in time. */
const DISCOURAGED = 8;

/**
 * The wait of the next batch for those whom a slow one has answered.
 *
 * Where many call again and again and the store is slow, two crowds would take turns, each waiting for the other's batch.
 * So the next batch lingers until as many wait as before, but no longer than the last one took. Visitors who call once
 * are waited for in vain: after that it does not linger for a while.
 */
export class Linger {
  readonly #giveUp: () => void;
  /** How many have to wait until the next batch goes; 0 while it does not linger. */
  #awaited = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many more slow batches are followed at once. */
  #skips = 0;

  /** `giveUp` is called when those who are waited for did not come in time. */
  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  /**
   * Begins to linger where it is worth it, and says whether it is: after a batch that took so long and answered so many
   * callers; `waiting` is how many wait, those who are being answered included.
   */
  begin(
    { tookMs, answered, waiting }: { tookMs: number; answered: number; waiting: number },
  ): boolean {
    if (tookMs < SLOW_BATCH_MS || answered < MANY_CALLERS) return false;
    if (this.#skips > 0) {
      this.#skips--;
      return false;
    }
    this.#awaited = waiting;
    this.#timer = setTimeout(() => {
      this.#awaited = 0;
      this.#skips = DISCOURAGED;
      this.#giveUp();
    }, Math.min(tookMs, MAX_LINGER_MS));
    return true;
  }

  /** Whether the next batch should wait for more callers than those who are waiting. */
  goesOn(waiting: number): boolean {
    return waiting < this.#awaited;
  }

  /** Ends it, because the next batch goes or none will. */
  end(): void {
    if (this.#awaited === 0) return;
    clearTimeout(this.#timer);
    this.#awaited = 0;
  }
}
