import { nextTurn, pause } from "../waiting.ts";

/** Ratio of a pause to the piece before it. */
const PAUSE_FACTOR = 3;
/** Maximum duration of a piece that counts for its pause, in milliseconds. */
const MAX_PIECE_MS = 100;

/**
 * A job that goes through many counters, such as an import or an export, in pieces. The event loop
 * turns after each piece. If calls arrived during the piece, the job pauses.
 */
export class LongJob {
  readonly #pausesUntil: number;
  #began = NaN;
  #callsBefore = NaN;

  /** `calls` returns the number of calls so far. The job no longer pauses after `maxPausingMs`. */
  constructor(readonly calls: () => number, maxPausingMs = Infinity) {
    this.#pausesUntil = performance.now() + maxPausingMs;
    this.beginPiece();
  }

  /** Begins a piece now, so that time in which the job waited for its client does not count. */
  beginPiece(): void {
    this.#began = performance.now();
    this.#callsBefore = this.calls();
  }

  /** Ends a piece. Resolves when the next one may begin. Reports whether calls arrived. */
  async endPiece(): Promise<boolean> {
    const pieceMs = Math.min(performance.now() - this.#began, MAX_PIECE_MS);
    await nextTurn();
    const hasCalls = this.calls() > this.#callsBefore;
    if (hasCalls && performance.now() < this.#pausesUntil) {
      await pause(PAUSE_FACTOR * pieceMs);
    }
    this.beginPiece();
    return hasCalls;
  }
}
