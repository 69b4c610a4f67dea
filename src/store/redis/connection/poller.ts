import { backoff } from "./client.ts";

export interface PollerOptions {
  /** Milliseconds between polls while all is well. */
  intervalMs: number;
  /** Resolves with whether all is well. */
  poll(): Promise<boolean>;
}

const TICK_MS = 50;

/** Polls for as long as the process runs: at the interval while all is well, otherwise at once and then with backoff. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #polling: Promise<void> | undefined;
  #polledAt = -Infinity;
  /** How many polls there were since all was well. */
  #unsettled = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Polls soon, because something has changed. */
  refreshSoon(): void {
    this.#unsettled = 1;
  }

  /** Polls now, or waits for the poll that is under way. */
  refresh(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => this.#polling = undefined);
    return this.#polling;
  }

  /** Resolves with a poll that began after this call: one under way cannot know what happened since it began. */
  async refreshAgain(): Promise<void> {
    await this.#polling;
    await this.refresh();
  }

  /** Polls no more; resolves when the poll under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
  }

  #tick(): void {
    const wait = this.#unsettled > 0 ? backoff(this.#unsettled - 1) : this.#options.intervalMs;
    if (performance.now() - this.#polledAt >= wait) this.refresh();
  }

  async #pollOnce(): Promise<void> {
    this.#polledAt = performance.now();
    this.#unsettled++;
    if (await this.#options.poll()) this.#unsettled = 0;
  }
}
