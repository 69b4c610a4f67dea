import { backoff } from "./redis_client.ts";

/** Options of {@linkcode Inquiry}. */
export interface InquiryOptions {
  /** How often to ask while all is well. */
  calmMs: number;
  /** Asks once; resolves with whether all is well. */
  ask(): Promise<boolean>;
}

/** How often it is looked whether to ask. */
const WATCH_INTERVAL_MS = 50;

/** A question that is asked for as long as the process runs: seldom while all is well, else soon and then less and less often. */
export class Inquiry {
  readonly #options: InquiryOptions;
  readonly #watch: ReturnType<typeof setInterval>;
  #asking: Promise<void> | undefined;
  #askedAt = -Infinity;
  /** How often it was asked since all was well. */
  #troubled = 0;

  constructor(options: InquiryOptions) {
    this.#options = options;
    this.#watch = setInterval(() => this.#lookAfter(), WATCH_INTERVAL_MS);
  }

  /** Says that not all is as it was. */
  alarm(): void {
    this.#troubled = 1;
  }

  /** Asks now; calls meanwhile share the answer. */
  ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => this.#asking = undefined);
    return this.#asking;
  }

  /** Asks once more where a question is under way: its answer tells nothing of what came after it was asked. */
  async askAnew(): Promise<void> {
    await this.#asking;
    await this.ask();
  }

  /** Asks no more; resolves when nobody is being asked. */
  async end(): Promise<void> {
    clearInterval(this.#watch);
    await this.#asking;
  }

  #lookAfter(): void {
    const wait = this.#troubled > 0 ? backoff(this.#troubled - 1) : this.#options.calmMs;
    if (performance.now() - this.#askedAt >= wait) this.ask();
  }

  async #askOnce(): Promise<void> {
    this.#askedAt = performance.now();
    this.#troubled++;
    if (await this.#options.ask()) this.#troubled = 0;
  }
}
