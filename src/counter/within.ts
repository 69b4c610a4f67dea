import { Problem } from "../problem.ts";

/** Waits for work, but so many milliseconds at most: then it rejects with "store-unavailable", and the work goes on. */
export async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem("store-unavailable")), milliseconds);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
