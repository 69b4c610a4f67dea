import { Problem } from "../problem.ts";

/** Waits for work, but so many milliseconds at most: then it rejects with "store-unavailable", and the work goes on. */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem("store-unavailable")), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
