import { fullNumbers } from "./time_limit.ts";

/** Returns the number of runs of a test: `all` with FULL_NUMBERS=1, else `few`. */
export function times(few: number, all = few): number {
  return fullNumbers ? all : few;
}
