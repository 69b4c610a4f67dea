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
 * Waits for a call to a store. Throws `store-unavailable` if it takes longer than `milliseconds`.
 * The call itself goes on.
 */
export async function withTimeout<Result>(
  milliseconds: number,
  call: Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Failure("store-unavailable")), milliseconds);
  try {
    return await Promise.race([call, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
