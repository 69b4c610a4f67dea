import { Failure } from "./domain/errors.ts";

/** Resolves after this time. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Resolves in the next turn of the event loop, after what is due now. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Waits for a call, which is one to a store by default. Throws the error of `lateError` if it
 * takes longer than `milliseconds`. The call itself goes on.
 */
export async function withTimeout<Result>(
  milliseconds: number,
  call: Promise<Result>,
  lateError: () => Error = () => new Failure("store-unavailable"),
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(lateError()), milliseconds);
  try {
    return await Promise.race([call, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a function that loads once for all callers. If that fails, the next call tries again. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
}

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

  /** Ends a piece. Resolves when the next one may begin. */
  async endPiece(): Promise<void> {
    const pieceMs = Math.min(performance.now() - this.#began, MAX_PIECE_MS);
    await nextTurn();
    if (this.calls() > this.#callsBefore && performance.now() < this.#pausesUntil) {
      await pause(PAUSE_FACTOR * pieceMs);
    }
    this.beginPiece();
  }
}
